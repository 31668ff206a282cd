"""Talks to a kernel as a notebook does, for spec/lua/notebook_spec.lua.

python notebook.py FOLDER reads a list of steps in JSON from stdin, and writes the list of their results. FOLDER/kernels/tocha/kernel.json
has the command that starts the kernel. A step is one of
  {"execute": code, ...}              the reply, and the published messages ("input": lines to give, "interrupt": [seconds, "signal" or "message"])
  {"ask": type, "content": {...}}     the reply to any request
  {"burst": [code, ...]}              the states of the replies to requests sent at once
  {"malformed": n}                    true if the kernel answers after n malformed messages of all kinds
  {"tampered": true}                  the number of replies to requests with a wrong signature, no signature, the same signature twice
  {"heartbeat": true}
  {"shutdown": true}                  the reply, and true if the process has ended by itself
"""
import json
import os
import random
import sys
import threading
import time

os.environ["JUPYTER_DATA_DIR"] = sys.argv[1]
from jupyter_client import KernelManager  # noqa: E402

manager = KernelManager(kernel_name="tocha")
manager.session.key = b"a key that is longer than a block of SHA-256: " + b"0123456789" * 5
manager.start_kernel()
client = manager.client()
client.start_channels()
client.wait_for_ready(timeout=20)
session = client.session


def interrupt(how):
    if how == "signal":
        manager.interrupt_kernel()
    else:
        client.control_channel.send(session.msg("interrupt_request", {}))


def execute(step):
    output, lines = [], list(step.get("input", []))
    for seconds, how in step.get("interrupt", []):
        threading.Timer(seconds, interrupt, [how]).start()
    keywords = {k: step[k] for k in ("silent", "store_history", "user_expressions", "allow_stdin", "stop_on_error") if k in step}
    start = time.time()

    def publish(message):
        kind, content = message["msg_type"], message["content"]
        if output and kind == "stream" == output[-1]["type"] and output[-1]["content"]["name"] == content["name"]:
            output[-1]["content"]["text"] += content["text"]
        else:
            output.append({"type": kind, "content": content})

    reply = client.execute_interactive(step["execute"], output_hook=publish, timeout=30,
                                       stdin_hook=lambda m: client.input(lines.pop(0)) if lines else None, **keywords)
    return {"reply": reply["content"], "output": output, "seconds": time.time() - start}


def reply_to(message, timeout=10):
    while True:
        reply = client.get_shell_msg(timeout=timeout)
        if reply["parent_header"].get("msg_id") == message["header"]["msg_id"]:
            return reply["content"]


def send(kind, content):
    message = session.msg(kind, content)
    client.shell_channel.send(message)
    return message


def burst(codes):
    messages = [send("execute_request", {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False,
                                         "stop_on_error": True}) for code in codes]
    return [reply_to(m)["status"] for m in messages]


def frames_of(content=b"{}", header=None, kind="kernel_info_request"):
    message = session.msg(kind, {})
    if header is None:
        header = session.pack(message["header"])
    parts = [header, b"{}", b"{}", content]
    return [b"<IDS|MSG>", session.sign(parts)] + parts


def rubbish(r):
    kinds = ["execute_request", "complete_request", "inspect_request", "is_complete_request", "history_request", "comm_open", "comm_msg",
             "comm_info_request", "interrupt", "input_reply", "no_such_request", "", "x" * 1000]
    contents = [b"", b"null", b"[]", b"3", b'"x"', b"{", b"[" * 100000, b'{"a":' * 1000, b'{"code": 3}', b'{"code": null, "cursor_pos": -5}',
                b'{"code": "\xc3\xa4x", "cursor_pos": 1000}', b'{"code": "\xff\xfe", "cursor_pos": 1}', b'{"code": "x", "cursor_pos": 1e300}',
                b'{"code": "\\ud800", "cursor_pos": "x"}', b'{"hist_access_type": 7, "n": "x", "pattern": "[%"}', b'{"value": {}}',
                b'{"hist_access_type": "range", "start": -9223372036854775808, "stop": 9223372036854775807}', b'{"comm_id": {}}', b"\x00" * 10]
    choice = r.randrange(8)
    if choice == 0:
        return [r.randbytes(r.randrange(300)) for _ in range(r.randrange(1, 90))]
    if choice == 1:
        frames = frames_of()
        frames[r.randrange(1, 6)] = r.randbytes(r.randrange(100))
        return frames
    if choice == 2:
        return frames_of()[:r.randrange(1, 6)]
    if choice == 3:
        return frames_of(header=r.choice(contents + [b'{"msg_type": 3}', b'{"msg_type": "execute_request"', b'{"msg_type": null}']))
    if choice == 4:
        return [b"", b"<IDS|MSG>"] * r.randrange(1, 5)
    return frames_of(content=r.choice(contents), kind=r.choice(kinds))


def malformed(count):
    r = random.Random(7)
    channels = [client.shell_channel, client.control_channel, client.stdin_channel]
    for i in range(count):
        r.choice(channels).socket.send_multipart(rubbish(r))
    for size in (1 << 20, 1 << 26):
        client.shell_channel.socket.send_multipart(frames_of(content=b"x" * size))
        client.control_channel.socket.send_multipart([b"x" * size, b"<IDS|MSG>"])
    return reply_to(send("kernel_info_request", {}), 30)["status"]


def tampered():
    frames = frames_of()
    for wrong in ([frames[0], b"0" * 64] + frames[2:], [frames[0], b""] + frames[2:], frames[:2] + [b"{}"] + frames[3:], frames, frames):
        client.shell_channel.socket.send_multipart(wrong)
    count = 0
    try:
        while True:
            client.get_shell_msg(timeout=1)
            count += 1
    except Exception:  # queue.Empty
        return count


def shutdown():
    process = manager.provisioner.process
    client.control_channel.send(session.msg("shutdown_request", {"restart": False}))
    reply = client.control_channel.get_msg(timeout=10)["content"]
    try:
        return {"reply": reply, "exit": process.wait(10)}
    except Exception:
        return {"reply": reply}


def do(step):
    if "execute" in step:
        return execute(step)
    if "ask" in step:
        return reply_to(send(step["ask"], step.get("content", {})))
    if "burst" in step:
        return burst(step["burst"])
    if "malformed" in step:
        return malformed(step["malformed"])
    if "tampered" in step:
        return tampered()
    if "heartbeat" in step:
        time.sleep(1.5)
        return client.hb_channel.is_beating()
    return shutdown()


try:
    json.dump([do(step) for step in json.load(sys.stdin)], sys.stdout)
finally:
    client.stop_channels()
    manager.shutdown_kernel(now=True)
