"""What PyTorch alone decides about the operators of the list: runtime/ops/FAMILY/pytorch.json, which the generator reads.

    python spec/golden/facts.py

asks, and writes, for every operator that a program can call,
  node      what grad_fn prints, of operators that have a gradient of their own (not of those that are made of others);
            node_of_tensors, if it is another for a second tensor than for a number;
  autocast  its class under autocast, or one for each type of device (autocast.py);
  overloaded  true if errors about its arguments list several signatures, "one" if they list one as if it were of several, false
              if they name the argument that is wrong, {function =, method =} if the two differ;
  hides       from how many arguments on they do so although one entry stands for all of these signatures;
  refused     a signature of PyTorch's that Tocha lacks, which errors list, too;
  python    true if the function is written in Python, and so has other errors; false if it is not.
What goes without saying is left out: NameBackward0; that several entries of one name are overloaded, and one is not; that functions of torch.nn.functional are written in Python, unless their
name ends with _, and others are not. A new version of PyTorch is this command and a diff to read. Needs lua5.4 and a python with torch."""
import inspect, json, os, re
import torch
import autocast
from ops import arguments, function, listing, results_of, root, text
from probes import signatures


def with_number(op, call):
    """The call with a number in the place of the operand that may be one; None if there is no such operand."""
    positional = [dict(kind="float", value=2.5, name=a["name"]) if a["name"] in op["operands"] and i else a
                  for i, a in enumerate(call["positional"])]
    return None if positional == call["positional"] else {**call, "positional": positional}


def node_of(op, calls):
    """The name of the node that one of the calls leaves in the graph, or None."""
    for call in calls:
        try:
            args, kw, leaves = arguments(op, call)
            for t in leaves:
                t.requires_grad_()
            results = results_of(op, args, kw)
        except Exception:
            continue
        for r in results:
            if isinstance(r, torch.Tensor) and r.grad_fn is not None:
                return r.grad_fn.name().replace("torch::autograd::", "")
    return None


def nodes(op):
    """The node of a call, and that of a call with a second tensor if a number has another."""
    numbers = [call for call in map(lambda call: with_number(op, call), op["calls"]) if call]
    node, beside_number = node_of(op, op["calls"]), node_of(op, numbers)
    if not beside_number or beside_number == node:
        return {"node": node}
    return {"node": beside_number, "node_of_tensors": node}


def camel(name):
    words = re.sub(r"_+(\w)", lambda m: m.group(1).upper(), name.lstrip("_"))
    return (words[:1].upper() + words[1:]).replace("_", "") + "Backward0"


def class_of(op, device):
    """The class on a type of device. An operator without an autocast kernel that is made of others there, and not here, has
    the class that its results show beside those without autocast."""
    rows = [{p: autocast.answer(op, call, p, device) for p in autocast.PATTERNS} for call in op["calls"]]
    found = autocast.class_of(op, device, rows)
    if found:
        return found
    plain = {p: autocast.answer(op, op["calls"][0], p, device, False) for p in autocast.PATTERNS}
    if rows[0].get("lower") == "float32" != plain["lower"] and not op["composite"]:
        return "float32"
    refused = plain["mixed"] is not None and plain["mixed"].startswith("error")
    widens = rows[0].get("mixed") == "float32" and rows[0].get("lower") == plain["lower"]
    return "widest" if widens and refused else None


def class_under_autocast(op):
    """The class, {"cpu": ..., "cuda": ...} if the two differ, or None."""
    if op["lua_name"].endswith("_"):
        return None
    found = {device: class_of(op, device) for device in autocast.KEYS}
    if found["cpu"] == found["cuda"]:
        return found["cpu"]
    return {device: name for device, name in found.items() if name}


def is_python(op):
    """True if the function is written in Python, in torch.nn.functional or, if it is not there, in torch; None of a method."""
    place = torch.nn.functional if "nn.functional" in op["forms"] else torch
    return inspect.isfunction(getattr(place, op["lua_name"])) if hasattr(place, op["lua_name"]) else None


def facts(op, entries):
    out = {} if op["unlisted"] else signatures.facts(op, entries)
    if op["recorded"]:
        found = nodes(op)
        if found["node"] == camel(op["lua_name"]):
            del found["node"]
        out.update({key: node for key, node in found.items() if node})
    casts = class_under_autocast(op)
    if casts:
        out["autocast"] = casts
    python = is_python(op)
    if python is not None and python != ("nn.functional" in op["forms"] and not op["lua_name"].endswith("_")):
        out["python"] = python
    return out


def main():
    families, entries = {}, {}
    operators = [op for op in listing() if function(op) is not None]
    for op in operators:
        if not op["unlisted"]:
            entries.setdefault((op["lua_name"], op["forms"] == ["nn.functional"]), []).append(op)
    for op in operators:
        found = facts(op, entries.get((op["lua_name"], op["forms"] == ["nn.functional"])))
        if found:
            families.setdefault(op["family"], {})[op["name"]] = found
    for family, entries in families.items():
        lines = [f"{text(name)}: {json.dumps(entries[name], ensure_ascii=False)}" for name in sorted(entries)]
        with open(os.path.join(root, "runtime", "ops", family, "pytorch.json"), "w") as f:
            f.write("{\n" + ",\n".join(lines) + "\n}\n")
    print(sum(map(len, families.values())), "operators of which PyTorch decides something")


if __name__ == "__main__":
    main()
