"""Tells how long an application keeps those waiting who ask it something: `ping.py NAME PATH`

Asks one object for its role again and again, a few milliseconds apart, until standard input ends; then prints one line
of JSON with the longest time that an answer took, in milliseconds, and how many there were. An application answers from
where it draws and handles keys, so its user waits as long.
"""

import json
import os
import select
import sys
import time

from gi.repository import Gio

from walk import ACCESSIBLE, connect

name, path = sys.argv[1:]
bus = connect()
longest, count = 0.0, 0
print("ready", flush=True)
while not select.select([0], [], [], 0.005)[0] or os.read(0, 64):
    began = time.monotonic()
    bus.call_sync(name, path, ACCESSIBLE, "GetRole", None, None, Gio.DBusCallFlags.NONE, 30_000)
    longest = max(longest, time.monotonic() - began)
    count += 1
print(json.dumps({"longest_ms": round(longest * 1000, 1), "answers": count}))
