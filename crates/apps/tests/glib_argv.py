"""Starts each desktop entry of a directory through GLib and prints what arrived.

One line a file, in the order of the names: a JSON list of the arguments after the program, or null where
GLib would not load or not start the entry.
"""

import json
import os
import sys

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib

directory, out = sys.argv[1:]
for name in sorted(os.listdir(directory)):
    result = None
    try:
        app = Gio.DesktopAppInfo.new_from_filename(os.path.join(directory, name))
    except TypeError:  # the binding's word for "returned nothing"
        app = None
    # Loading by file name leaves this to the caller; loading by id does not.
    if app and not app.get_is_hidden():
        if os.path.exists(out):
            os.remove(out)
        context = Gio.AppLaunchContext.new()
        context.setenv("OUT", out)
        pids = []
        try:
            app.launch_uris_as_manager(
                [], context, GLib.SpawnFlags.DO_NOT_REAP_CHILD, None, None, lambda _app, pid, _data: pids.append(pid), None
            )
            os.waitpid(pids[0], 0)
            with open(out, "rb") as recorded:
                result = recorded.read().decode().split("\0")[:-1]
        except GLib.Error:
            pass
    print(json.dumps(result))
