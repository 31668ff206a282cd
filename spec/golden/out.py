"""Asks which tensors PyTorch accepts as out=, and writes spec/golden/out.json.

    python spec/golden/out.py

writes, for every operator of the list that is a function, with its first sample call: the dtypes of its results, and for an
out= of each dtype "" or the first line of the error; false if the function has no out=. A function of several results is
given tensors of the right dtypes but one, for each in turn."""
import json, os, sys
import torch
from ops import arguments, first_line, function, listing, root, text

DTYPES = ["bool", "int32", "int64", "float16", "float32", "float64"]


def call(op, out=None):
    args, kw, _ = arguments(op, op["calls"][0])
    torch.manual_seed(1)
    if out is not None:
        kw["out"] = out
    return function(op)(*args, **kw)


def refusal(op, out):
    try:
        call(op, out)
        return ""
    except Exception as e:
        return first_line(e)


def answer(op):
    result = call(op)
    many = isinstance(result, tuple)
    results = list(result) if many else [result]
    if not all(isinstance(t, torch.Tensor) for t in results):
        return False

    def empty(dtype, k):
        outs = [torch.empty(0, dtype=t.dtype) for t in results]
        outs[k] = torch.empty(0, dtype=dtype)
        return tuple(outs) if many else outs[0]
    if refusal(op, empty(results[0].dtype, 0)):
        return False
    return [{d: refusal(op, empty(getattr(torch, d), k)) for d in DTYPES} for k in range(len(results))]


def main():
    lines = []
    for op in sorted(listing(), key=lambda op: op["name"]):
        if all(form == "method" for form in op["forms"]) or op["lua_name"].endswith("_") or function(op) is None:
            continue
        lines.append(text(op["name"]) + ": " + text(answer(op)))
    with open(os.path.join(root, "spec", "golden", "out.json"), "w") as f:
        f.write("{\n" + ",\n".join(lines) + "\n}\n")
    print(len(lines), "operators asked about")


main()
