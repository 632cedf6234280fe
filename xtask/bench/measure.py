"""Runs a program and tells what it took: `measure.py STDOUT PROGRAM ARGUMENTS…`

What the program prints goes to the file STDOUT; its standard error is passed on. One line of JSON tells its exit
status, the milliseconds from its start to its end, and the most memory that it held at once, in kilobytes, as the kernel
counted it. A program begins with what this one holds, so less than that is not told.
"""

import json
import os
import sys
import time

output, *command = sys.argv[1:]
to = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
began = time.monotonic()
child = os.posix_spawnp(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, to, 1)])
_, status, usage = os.wait4(child, 0)
took = (time.monotonic() - began) * 1000
print(json.dumps({"status": os.waitstatus_to_exitcode(status), "ms": took, "rss_kb": usage.ru_maxrss}))
