#!/usr/bin/python3
"""Drives cua-driver for the churn harness. The argument is its program."""
import json
import os
import subprocess
import sys

PROGRAM = os.path.abspath(sys.argv[1])
ROLES = {"push button": "button", "button": "button", "check box": "check", "checkbox": "check", "table cell": "row"}
# It reports its use to its makers otherwise.
subprocess.run([PROGRAM, "telemetry", "disable"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
SERVER = subprocess.Popen([PROGRAM, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
last = 0


def send(message):
    SERVER.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    SERVER.stdin.flush()


def ask(method, parameters):
    global last
    last += 1
    send({"id": last, "method": method, "params": parameters})
    while True:
        line = SERVER.stdout.readline()
        if not line:
            raise EOFError("cua-driver has ended")
        answer = json.loads(line)
        if answer.get("id") == last:
            return answer.get("result") or {"isError": True, "content": [{"text": json.dumps(answer.get("error"))}]}


def call(tool, **arguments):
    return ask("tools/call", {"name": tool, "arguments": arguments})


def text_of(result):
    return " ".join(part.get("text", "") for part in result.get("content", []))


def window(app):
    for one in call("list_windows").get("structuredContent", {}).get("windows", []):
        with open(f"/proc/{one['pid']}/cmdline", encoding="utf-8") as words:
            if app.removeprefix("churn-") in words.read().split("\0"):
                return one
    return None


pid = 0


def snapshot(app):
    global pid
    found = window(app)
    if found is None:
        return {"error": "there is no window"}
    pid = found["pid"]
    result = call("get_window_state", pid=pid, window_id=found["window_id"], tree_format="elements", include_screenshot=False,
                  max_elements=4000, timeout_ms=5000)
    if result.get("isError"):
        return {"error": text_of(result)}
    elements = result.get("structuredContent", {}).get("elements", [])
    return {"elements": [
        {"handle": one["element_token"], "role": ROLES.get(one.get("role", ""), ""), "name": one.get("label") or ""}
        for one in elements if one.get("element_token")
    ]}


def click(handle, timeout_ms):
    result = call("click", pid=pid, element_token=handle)
    refused = bool(result.get("isError"))
    content = result.get("structuredContent") or {}
    return {"ok": not refused, "code": str(content.get("code", "refused")) if refused else "", "certain": refused,
            "told": text_of(result)}


ask("initialize", {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "churn", "version": "1"}})
send({"method": "notifications/initialized"})
for line in sys.stdin:
    request = json.loads(line)
    what = request.pop("do")
    print(json.dumps({"snapshot": snapshot, "click": click}[what](**request)), flush=True)
