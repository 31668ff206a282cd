"""Asks PyTorch's stores the same calls, one after another, and writes what each answers to stores.json.

    python spec/golden/distributed/stores.py

A call is [method, arguments ...]; times are seconds. An answer is a value, or {"error": kinds, "message": first line}."""
import datetime
import json
import os
import sys
import tempfile

import torch.distributed as dist

CALLS = [
    ["set", "k", "v"], ["get", "k"], ["set", "k", "w"], ["get", "k"], ["set", "empty", ""], ["get", "empty"], ["set", "", "no name"], ["get", ""],
    ["add", "n", 3], ["add", "n", -5], ["get", "n"], ["set", "spaces", " 12abc"], ["add", "spaces", 1], ["get", "spaces"],
    ["check", ["k", "zz"]], ["check", ["k", "n"]], ["check", []],
    ["compare_set", "k", "w", "x"], ["compare_set", "k", "w", "y"], ["compare_set", "new", "", "x"], ["compare_set", "other", "a", "x"],
    ["check", ["other"]], ["delete_key", "k"], ["check", ["k"]],
    ["append", "parts", "1"], ["append", "parts", "2"], ["get", "parts"], ["has_extended_api"],
    ["multi_set", ["a", "b"], ["1", "2"]], ["multi_get", ["b", "a"]], ["multi_get", []],
    ["wait", ["a", "b"]], ["wait", []], ["wait", ["a", "never"], 0.2], ["wait", ["never"], 0.05], ["get", "never"],
    ["barrier", "one", 1], ["barrier", "two", 2, 0.2], ["barrier", "two", 2],
]
QUEUES = [
    ["queue_push", "q", "v1"], ["queue_push", "q", "v2"], ["queue_len", "q"], ["check", ["q"]], ["queue_pop", "q"], ["queue_pop", "q", False],
    ["queue_len", "q"], ["check", ["q"]], ["queue_pop", "q", False], ["queue_pop", "q"], ["queue_len", "unknown"],
]
KEYS = [["multi_set", ["a"], ["1", "2"]], ["delete_key", "k"], ["list_keys"], ["num_keys"]]


def answer(store, call):
    name, *arguments = call
    if name in ("wait", "barrier") and isinstance(arguments[-1], (int, float)) and len(arguments) == {"wait": 2, "barrier": 3}[name]:
        arguments[-1] = datetime.timedelta(seconds=arguments[-1])
    try:
        value = getattr(store, name)(*arguments)
    except Exception as error:
        kinds = [kind.__name__ for kind in type(error).__mro__ if issubclass(kind, Exception) and kind is not Exception]
        return {"error": kinds, "message": str(error).split("\n")[0]}
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        value = [v.decode() if isinstance(v, bytes) else v for v in value]
        return sorted(value) if name == "list_keys" else value
    return value


def ask(store, calls):
    store.set_timeout(datetime.timedelta(seconds=0.3))
    return [{"call": call, "answer": answer(store, call)} for call in calls]


with tempfile.TemporaryDirectory() as folder:
    server = dist.TCPStore("127.0.0.1", 0, None, True, wait_for_workers=False)
    other = dist.TCPStore("127.0.0.1", 0, None, True, wait_for_workers=False)
    answers = {
        "HashStore": ask(dist.HashStore(), CALLS + QUEUES),
        "TCPStore": ask(server, CALLS + QUEUES + KEYS),
        "FileStore": ask(dist.FileStore(os.path.join(folder, "values"), 1), CALLS + QUEUES[:1]),
        "PrefixStore": ask(dist.PrefixStore("pre", other), CALLS + QUEUES + KEYS),
    }
name = os.path.join(os.path.dirname(os.path.abspath(__file__)), "stores.json")
with open(name, "w") as file:
    rows = [f'{json.dumps(kind)}: [\n' + ",\n".join(json.dumps(row) for row in rows) + "\n]" for kind, rows in answers.items()]
    file.write("{" + ",\n".join(rows) + "}\n")
