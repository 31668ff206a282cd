"""Asks for PyTorch's gradients at awkward inputs, for the sample calls of every operator of the list.

    python spec/golden/awkward.py               all of them
    python spec/golden/awkward.py NAME...       these operators; the other answers stay as they are

from the repository's root writes spec/golden/awkward/FAMILY.json. By operator and kind of input (KINDS below, the same as in
spec/support/samples.lua), for each sample call in float64:
  null        PyTorch refuses the call, or no result requires grad
  [FIRST, GRAPH, SECOND]
      FIRST   the gradients of sum(result * weight) for every differentiable argument, or the first line of the error
      GRAPH   for each of them "1" if it has a graph in turn (create_graph), else "0"
      SECOND  the gradients of sum(FIRST * weight), or the first line of the error, or null if nothing has a graph
Numbers are text, "0*3 nan 1.5": three zeros, NaN, 1.5; null is no gradient. Needs lua5.4 and a python with torch."""
import copy, itertools, json, os, sys
import torch
import ops

CORNERS = [0.0, 1.0, -1.0, 0.5, -0.5, -0.0, 3.0, -3.0, 6.0, 2.0, 20.0, -2.0]
NUMBERS = {
    "zeros": lambda spec, u, k, s: 0.0,
    "same": lambda spec, u, k, s: 0.5,
    "ties": lambda spec, u, k, s: u % 3 - 1.0 if spec["values"] == "float" else u % 3 / 2,
    "corners": lambda spec, u, k, s: CORNERS[(k + 5 * s) % len(CORNERS)],
    "denormal": lambda spec, u, k, s: (u % 5 - 2) * 2.0 ** -1070,
    "nan": lambda spec, u, k, s: float("nan") if (k + s) % 5 == 2 else None,
    "inf": lambda spec, u, k, s: {1: float("inf"), 4: -float("inf")}.get((k + s) % 5),
}
KINDS = list(NUMBERS) + ["one", "empty"]
FOLDER = os.path.join(ops.root, "spec", "golden", "awkward")


def change(op, spec, kind):
    if spec["kind"] == "tensors":
        for item in spec["items"]:
            change(op, item, kind)
    elif spec["kind"] == "tensor" and kind in NUMBERS:
        if spec["name"] in op["differentiable"] and spec["values"] in ops.FLOATS and "dtype" not in spec:
            spec["awkward"] = NUMBERS[kind]
    elif spec["kind"] == "tensor":
        spec["shape"] = [1 if kind == "one" else n if i else 0 for i, n in enumerate(spec["shape"])]
        if "limit" in spec and kind == "one":
            spec["limit"] = 1


def text(g):
    if g is None:
        return None
    values = [f"{v + 0.0:.6g}" for v in g.detach().double().flatten().tolist()]
    runs = [(v, len(list(same))) for v, same in itertools.groupby(values)]
    return " ".join(v if n == 1 else f"{v}*{n}" for v, n in runs)


def answer(op, call, kind):
    call = copy.deepcopy(call)
    for spec in call["positional"] + list(call.get("keywords", {}).values()):
        change(op, spec, kind)
    cast = lambda spec: "float64" if spec["values"] in ops.FLOATS else None
    try:
        args, kw, leaves = ops.arguments(op, call, cast)
        for t in leaves:
            t.requires_grad_()
        total = ops.weighted(ops.results_of(op, args, kw), 20) if leaves else None
    except Exception:
        return None
    if total is None:
        return None
    try:
        grads = torch.autograd.grad(total, leaves, allow_unused=True, create_graph=True)
    except Exception as e:
        return [ops.first_line(e), None, None]
    first, graph = [text(g) for g in grads], "".join("01"[g is not None and g.requires_grad] for g in grads)
    try:
        again = ops.weighted([g for g in grads if g is not None], 30)
        second = None if again is None else [text(g) for g in torch.autograd.grad(again, leaves, allow_unused=True)]
    except Exception as e:
        second = ops.first_line(e)
    return [first, graph, second]


def apart(op, kinds):
    """Returns the answers for these kinds of input, from a process of its own, or None if PyTorch crashed."""
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)   # MKL prints
        with open(into, "w") as f:
            json.dump({kind: [answer(op, call, kind) for call in op["calls"]] for kind in kinds}, f)
        os._exit(0)
    os.close(into)
    with open(out) as f:
        written = f.read()
    return json.loads(written) if os.waitpid(child, 0)[1] == 0 else None


def entry(op):
    rows = apart(op, KINDS)
    if rows is None:   # then by kind, without an answer for the kind that crashes
        rows = {}
        for kind in KINDS:
            rows.update(apart(op, [kind]) or print(op["name"], "of", kind, "crashes PyTorch") or {})
    return {kind: row for kind, row in rows.items() if any(row)}


def main(words):
    torch.set_num_threads(1)
    listing = [op for op in ops.listing() if op["differentiable"] and ops.function(op)]
    os.makedirs(FOLDER, exist_ok=True)
    for family, members in itertools.groupby(sorted(listing, key=lambda op: op["family"]), lambda op: op["family"]):
        path = os.path.join(FOLDER, family + ".json")
        old = json.load(open(path)) if words and os.path.exists(path) else {}
        rows = {op["name"]: old.get(op["name"], {}) if words and op["name"] not in words else entry(op) for op in members}
        lines = [f"{ops.text(name)}: {{\n" + ",\n".join(f"{ops.text(k)}: {ops.text(v)}" for k, v in row.items()) + "}"
                 for name, row in sorted(rows.items()) if row]
        with open(path, "w") as f:
            f.write("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
