"""The walk that the benchmark compares with: one property after the other, with the system's Python bindings.

    walk.py find PID TITLE     prints the bus name and the path of the window
    walk.py walk NAME PATH     walks that window and prints what it cost

Nine calls for each element, each waited for before the next is made. Finding the window is not part of the
time, nor is the start of the interpreter; the process as a whole is timed by who started it.
"""

import json
import os
import sys
import time

from gi.repository import Gio, GLib

ACCESSIBLE = "org.a11y.atspi.Accessible"
COMPONENT = "org.a11y.atspi.Component"
ROOT = "/org/a11y/atspi/accessible/root"
NULL = "/org/a11y/atspi/null"
# No honest window of the benchmark has more; one that grows while it is walked must end.
MOST = 20_000
calls = 0


def connect():
    address = os.environ.get("AT_SPI_BUS_ADDRESS")
    if not address:
        session = Gio.bus_get_sync(Gio.BusType.SESSION)
        answer = session.call_sync(
            "org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", None, None, 0, 10_000
        )
        address = answer.unpack()[0]
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    return Gio.DBusConnection.new_for_address_sync(address, flags, None, None)


def call(bus, name, path, interface, member, arguments=None):
    global calls
    calls += 1
    try:
        return bus.call_sync(name, path, interface, member, arguments, None, 0, 10_000).unpack()
    except GLib.Error:
        return (None,)


def prop(bus, name, path, interface, member):
    arguments = GLib.Variant("(ss)", (interface, member))
    return call(bus, name, path, "org.freedesktop.DBus.Properties", "Get", arguments)[0]


def find(bus, pid, title):
    for name, _ in call(bus, "org.a11y.atspi.Registry", ROOT, ACCESSIBLE, "GetChildren")[0]:
        arguments = GLib.Variant("(s)", (name,))
        daemon = "org.freedesktop.DBus"
        owner = call(bus, daemon, "/org/freedesktop/DBus", daemon, "GetConnectionUnixProcessID", arguments)[0]
        if owner != pid:
            continue
        windows = call(bus, name, ROOT, ACCESSIBLE, "GetChildren")[0] or []
        named = [path for _, path in windows if prop(bus, name, path, ACCESSIBLE, "Name") == title]
        if len(named or windows) == 1:
            return {"name": name, "path": named[0] if named else windows[0][1]}
    return None


def walk(bus, name, path):
    nodes = 0
    stack = [path]
    seen = {path}
    while stack and nodes < MOST:
        path = stack.pop()
        nodes += 1
        prop(bus, name, path, ACCESSIBLE, "Name")
        prop(bus, name, path, ACCESSIBLE, "Description")
        call(bus, name, path, ACCESSIBLE, "GetRole")
        call(bus, name, path, ACCESSIBLE, "GetRoleName")
        call(bus, name, path, ACCESSIBLE, "GetState")
        call(bus, name, path, ACCESSIBLE, "GetInterfaces")
        call(bus, name, path, ACCESSIBLE, "GetAttributes")
        call(bus, name, path, COMPONENT, "GetExtents", GLib.Variant("(u)", (0,)))
        for owner, child in call(bus, name, path, ACCESSIBLE, "GetChildren")[0] or []:
            if owner == name and child != NULL and child not in seen:
                seen.add(child)
                stack.append(child)
    return nodes


def main():
    bus = connect()
    if sys.argv[1] == "find":
        print(json.dumps(find(bus, int(sys.argv[2]), sys.argv[3])))
        return
    global calls
    calls = 0
    began = time.perf_counter()
    nodes = walk(bus, sys.argv[2], sys.argv[3])
    took = (time.perf_counter() - began) * 1000
    print(json.dumps({"nodes": nodes, "calls": calls, "ms": took}))


if __name__ == "__main__":
    main()
