"""What PyTorch answers for the sample call of every operator in runtime/ops.lua.

    python spec/golden/ops.py

from the repository's root writes spec/golden/ops.json: by operator and sample, the results (dtype, shape, values) and the
gradients of sum(result * weight) for every differentiable floating-point argument. An operator that PyTorch does not have
under its name is left out. Needs lua5.4 and a python with torch; see samples.lua for the inputs."""
import json, os, subprocess, sys, warnings
import torch
import torch.nn.functional as F

warnings.filterwarnings("ignore")
root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def unit(k, s):
    return (37 * k + 11 * s + 5) % 101


def make(spec, s):
    n = 1
    for d in spec["shape"]:
        n *= d
    kind = spec["values"]
    if kind == "bool":
        t = torch.tensor([unit(k, s) % 2 == 1 for k in range(n)], dtype=torch.bool)
    elif kind == "int":
        t = torch.tensor([unit(k, s) % spec["limit"] for k in range(n)], dtype=torch.int64)
    elif kind == "positive":
        t = torch.tensor([(unit(k, s) + 1) / 64 for k in range(n)], dtype=torch.float64).float()
    elif kind == "unit":
        t = torch.tensor([(unit(k, s) + 1) / 128 for k in range(n)], dtype=torch.float64).float()
    elif kind == "sorted":
        t = torch.tensor([k / 8 - 1 for k in range(n)], dtype=torch.float64).float()
    else:
        t = torch.tensor([unit(k, s) / 32 - 1.5625 for k in range(n)], dtype=torch.float64).float()
    t = t.reshape(spec["shape"])
    return t.to(getattr(torch, spec["dtype"])) if "dtype" in spec else t


def value(arg, s):
    if arg["kind"] == "tensor":
        return make(arg, s)
    if arg["kind"] == "tensors":
        return [make(arg[k], s + 3 * i) for i, k in enumerate(sorted(k for k in arg if k != "kind"))]
    return arg["value"]


def function(op):
    for form in op["forms"]:
        if form == "torch" and hasattr(torch, op["lua_name"]):
            return getattr(torch, op["lua_name"])
        if form == "method" and hasattr(torch.Tensor, op["lua_name"]):
            return getattr(torch.Tensor, op["lua_name"])
        if form == "nn.functional" and hasattr(F, op["lua_name"]):
            return getattr(F, op["lua_name"])
    return None


RENAMED = {"self": "input", "stop": "end"}


def run(op, call, gradients):
    args = [value(a, i) for i, a in enumerate(call["positional"])]
    kw = {k: value(a, 7) for k, a in call.get("keywords", {}).items()}
    kw = {RENAMED.get(k, k): getattr(torch, v) if k == "dtype" else v for k, v in kw.items()}
    leaves = []
    if gradients:
        for name, a in list(zip(op["parameters"], args)) + list(kw.items()):
            if name in op["differentiable"]:
                leaves += [t for t in (a if isinstance(a, list) else [a]) if isinstance(t, torch.Tensor) and t.is_floating_point()]
        for t in leaves:
            t.requires_grad_()
    torch.manual_seed(1)
    out = function(op)(*[a.clone() if isinstance(a, torch.Tensor) and op["lua_name"].endswith("_") else a for a in args], **kw)
    return (list(out) if isinstance(out, (tuple, list)) and not isinstance(out, torch.Size) else [out]), leaves


def numbers(t):
    return [v if isinstance(v, bool) else repr(v) if isinstance(v, float) and (v != v or abs(v) == float("inf")) else v
            for v in t.detach().to(torch.float64 if t.is_floating_point() else t.dtype).flatten().tolist()]


def describe(t):
    if not isinstance(t, torch.Tensor):
        return {"value": t if isinstance(t, (bool, int, float)) else str(t)}
    return {"dtype": str(t.dtype)[6:], "shape": list(t.shape), "values": numbers(t)}


listing = json.loads(subprocess.run(["lua5.4", "spec/samples.lua"], cwd=root, capture_output=True, text=True, check=True).stdout)
golden, left_out = {}, []
for op in listing:
    if function(op) is None:
        left_out.append(op["name"])
        continue
    rows = []
    for call in op["calls"]:
        row = {}
        try:
            results, _ = run(op, call, False)
            row["results"] = [describe(r) for r in results]
            if op["differentiable"]:
                results, leaves = run(op, call, True)
                total = None
                for i, r in enumerate(results):
                    if isinstance(r, torch.Tensor) and r.requires_grad and r.is_floating_point():
                        w = make({"shape": list(r.shape), "values": "float"}, 20 + i).to(r.dtype)
                        total = (r * w).sum() if total is None else total + (r * w).sum()
                if total is not None and leaves:
                    grads = torch.autograd.grad(total, leaves, allow_unused=True)
                    row["gradients"] = [describe(g) if g is not None else {"value": "none"} for g in grads]
        except Exception as e:
            row = {"error": str(e).split("\n")[0]}
            print(op["name"], "->", row["error"], file=sys.stderr)
        rows.append(row)
    golden[op["name"]] = rows
with open(os.path.join(root, "spec", "golden", "ops.json"), "w") as f:
    f.write("{\n" + ",\n".join(json.dumps(k) + ": " + json.dumps(golden[k]) for k in sorted(golden)) + "\n}\n")
print(len(golden), "operators; not in PyTorch under their name:", " ".join(left_out))
