"""Asks PyTorch for the results of the sample calls of every operator of the list.

    python spec/golden/ops.py               all of them
    python spec/golden/ops.py NAME...       these operators; the other answers stay as they are
    python spec/golden/ops.py --regroup     asks nothing: each answer goes to the file of its operator's family

from the repository's root writes spec/golden/ops/FAMILY.json, by operator,
  calls      for each sample call the results (dtype, shape, values), the results for inputs in another layout if
             they differ, the gradients of sum(result * weight) for every differentiable floating-point argument,
             and a flag if a second derivative exists;
  dtypes     for the first sample call with each of ten dtypes the results, or the first line of the error;
  autocast   what autocast does with it (autocast.py).
samples.lua says which family an operator is of, what its inputs are, and why some are not asked about. Needs lua5.4 and
a python with torch."""
import glob, json, os, subprocess, sys, warnings
import torch
import torch.nn.functional as F
import autocast

warnings.filterwarnings("ignore")
root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"]
INTEGERS = DTYPES[1:6]
FLOATS = ["float", "positive", "unit", "sorted"]
DIGITS = {torch.float64: 17, torch.float32: 9, torch.float16: 8, torch.bfloat16: 8}


def unit(k, s):
    return (37 * k + 11 * s + 5) % 101


def element(spec, k, s, dtype):
    u, kind = unit(k, s), spec["values"]
    odd = spec["awkward"](spec, u, k, s) if "awkward" in spec else None   # awkward.py's
    if odd is not None:
        return odd
    if dtype == "bool":
        return u % 2 == 1
    if kind == "bool":
        value = u % 2
    elif kind == "int":
        value = u % spec["limit"]
    elif dtype in INTEGERS:
        value = {"positive": u % 5 + 1, "unit": u % 2, "sorted": k, "float": u % 7 - (0 if dtype == "uint8" else 3)}[kind]
    else:
        value = {"positive": (u + 1) / 64, "unit": (u + 13) / 128, "sorted": k / 8 - 1, "float": u / 32 - 1.5625}[kind]
    if spec.get("dominant") and k % spec["shape"][-1] == k // spec["shape"][-1] % spec["shape"][-2]:
        value += 4
    return value + spec.get("offset", 0)


def make(spec, s, dtype=None):
    n = 1
    for d in spec["shape"]:
        n *= d
    dtype = spec.get("dtype") or dtype or {"bool": "bool", "int": "int64"}.get(spec["values"], "float32")
    return torch.tensor([element(spec, k, s, dtype) for k in range(n)], dtype=getattr(torch, dtype)).reshape(spec["shape"])


def stepped(t):
    """Returns the same values as every other element of a larger storage."""
    strides, step = [], 2
    for n in reversed(t.shape):
        strides.insert(0, step)
        step *= max(n, 1)
    return torch.zeros(2 * t.numel() + 1, dtype=t.dtype).as_strided(t.shape, strides, 1).copy_(t)


def reversed_layout(t):
    """Returns the same values with the dimensions in memory in reverse order."""
    order = list(reversed(range(t.ndim)))
    return t.permute(order).contiguous().permute(order)


LAYOUTS = {"stepped": stepped, "reversed": reversed_layout}


def value(arg, s, cast, layout):
    lay = LAYOUTS.get(layout, lambda t: t)
    if arg["kind"] == "tensor":
        return lay(make(arg, s, cast(arg)))
    if arg["kind"] == "tensors":
        return [lay(make(item, s + 3 * i, cast(item))) for i, item in enumerate(arg["items"])]
    if arg["kind"] == "dtype":
        return getattr(torch, arg["value"])
    return arg["value"]


function = autocast.function

RENAMED = {"self": "input", "stop": "end"}


def arguments(op, call, cast=lambda spec: None, extra={}, layout=None):
    args = [value(a, i, cast, layout) for i, a in enumerate(call["positional"])]
    kw = {RENAMED.get(k, k): value(a, 7, cast, layout) for k, a in sorted(call.get("keywords", {}).items())}
    leaves = []
    for a, v in zip(call["positional"] + [a for k, a in sorted(call.get("keywords", {}).items())], args + list(kw.values())):
        if a["name"] in op["differentiable"]:
            leaves += [t for t in (v if isinstance(v, list) else [v]) if isinstance(t, torch.Tensor) and t.is_floating_point()]
    return args, {**kw, **extra}, leaves


def results_of(op, args, kw):
    torch.manual_seed(1)
    if op["lua_name"].endswith("_"):
        args = [args[0].clone()] + args[1:]
    out = function(op)(*args, **kw)
    return list(out) if isinstance(out, (tuple, list)) and not isinstance(out, torch.Size) else [out]


def number(v, dtype):
    if isinstance(v, float):
        return float(f"{v:.{DIGITS[dtype]}g}") if v == v and abs(v) != float("inf") else repr(v)
    return v


def describe(t, undefined=False):
    if not isinstance(t, torch.Tensor):
        return {"value": "none" if t is None else t if isinstance(t, (bool, int, float)) else str(t)}
    t = torch.zeros(t.shape, dtype=t.dtype) if t._is_zerotensor() else t
    if undefined:
        return {"dtype": str(t.dtype)[6:], "shape": list(t.shape)}
    return {"dtype": str(t.dtype)[6:], "shape": list(t.shape), "values": [number(v, t.dtype) for v in t.detach().flatten().tolist()]}


def described(op, args, kw):
    return [describe(r, "empty" in op["lua_name"]) for r in results_of(op, args, kw)]   # the elements of empty are undefined


def weighted(results, seed):
    total = None
    for i, r in enumerate(results):
        if isinstance(r, torch.Tensor) and r.requires_grad and r.is_floating_point():
            w = make({"shape": list(r.shape), "values": "float"}, seed + i, "float64").to(r.dtype)
            total = (r * w).sum() if total is None else total + (r * w).sum()
    return total


def first_line(e):
    return str(e).split("\n")[0]


def answer(op, call):
    try:
        args, kw, _ = arguments(op, call)
        row = {"results": described(op, args, kw)}
    except Exception as e:
        print(op["name"], "->", first_line(e), file=sys.stderr)
        return {"error": first_line(e)}
    for layout in LAYOUTS:
        try:
            args, kw, _ = arguments(op, call, layout=layout)
            other = {"results": described(op, args, kw)}
        except Exception as e:
            other = {"error": first_line(e)}
        if other["results" if "results" in other else "error"] != row["results"]:
            row[layout] = other
    args, kw, leaves = arguments(op, call)
    if not leaves:
        return row
    try:
        for t in leaves:
            t.requires_grad_()
        total = weighted(results_of(op, args, kw), 20)
    except Exception as e:
        print(op["name"], "with gradients ->", first_line(e), file=sys.stderr)
        return row
    if total is None:
        return row
    try:
        grads = torch.autograd.grad(total, leaves, allow_unused=True, retain_graph=True)
        row["gradients"] = [describe(g) for g in grads]
    except Exception as e:
        row["no_gradient"] = first_line(e)
        return row
    try:
        grads = torch.autograd.grad(total, leaves, allow_unused=True, create_graph=True)
        again = weighted([g for g in grads if g is not None], 30)
        if again is not None:
            torch.autograd.grad(again, leaves, allow_unused=True)
            row["twice"] = True
    except Exception as e:
        row["no_second_gradient"] = first_line(e)
    return row


def answer_dtype(op, call, dtype):
    tensors = [item for a in call["positional"] + list(call.get("keywords", {}).values())
               for item in (a["items"] if a["kind"] == "tensors" else [a]) if item["kind"] == "tensor"]
    floats = any(t["values"] in FLOATS for t in tensors)
    cast = lambda spec: dtype if spec["values"] in FLOATS or not floats else None
    extra = {}
    if not tensors:
        if "dtype" not in op["parameters"]:
            return None
        extra = {"dtype": getattr(torch, dtype)}
    try:
        args, kw, _ = arguments(op, call, cast, extra)
        return {"results": described(op, args, kw)}
    except Exception as e:
        return {"error": first_line(e)}


FOLDER = os.path.join(root, "spec", "golden", "ops")


def entry(op):
    rows = {d: answer_dtype(op, op["calls"][0], d) for d in DTYPES}
    out = {"calls": [answer(op, call) for call in op["calls"]],
           "dtypes": {d: r for d, r in rows.items() if r is not None}, "autocast": autocast.answers(op)}
    return {k: v for k, v in out.items() if v is not None}


def read_all():
    out = {}
    for path in glob.glob(os.path.join(FOLDER, "*.json")):
        with open(path) as f:
            out.update(json.load(f))
    return out


def text(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def write_all(listing, golden):
    """Writes one file a family, one line for each part of an entry; removes files of families that no longer exist."""
    families = {}
    for op in listing:
        if op["name"] in golden:
            families.setdefault(op["family"], {})[op["name"]] = golden[op["name"]]
    for path in glob.glob(os.path.join(FOLDER, "*.json")):
        os.remove(path)
    for family, entries in families.items():
        parts = [text(name) + ": {\n" + ",\n".join(f"{text(k)}: {text(v)}" for k, v in entries[name].items()) + "}" for name in sorted(entries)]
        with open(os.path.join(FOLDER, family + ".json"), "w") as f:
            f.write("{\n" + ",\n".join(parts) + "\n}\n")


def listing(*words):
    """Returns the operators that are asked about; "internal": those that no program can call."""
    return json.loads(subprocess.run(["lua5.4", "spec/support/samples.lua", *words], cwd=root, capture_output=True, text=True, check=True).stdout)


def main(words):
    operators = listing()
    golden, names = read_all(), {op["name"] for op in operators}
    asked = [] if words == ["--regroup"] else words or sorted(names)
    for name in asked:
        if name not in names:
            sys.exit(f"no operator is called {name}")
    lacking = []
    for op in operators:
        if op["name"] in asked and function(op) is None:
            lacking.append(op["name"])
        elif op["name"] in asked:
            golden[op["name"]] = entry(op)
    write_all(operators, golden)
    print(len(asked) - len(lacking), "operators asked about")
    if lacking:
        sys.exit("not in PyTorch under their names (see unasked in spec/support/samples.lua): " + " ".join(lacking))


if __name__ == "__main__":
    main(sys.argv[1:])
