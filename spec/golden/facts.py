"""Writes the facts about the operators of the list that PyTorch alone decides: runtime/ops/FAMILY/pytorch.json, for the generator.

    python spec/golden/facts.py            all of them
    python spec/golden/facts.py NAME...    these operators; what is known of others stays as it is

asks, and writes, for every operator that a program can call (of others the node and the class under autocast: probes/inner.py has
functions that show them; failing these, by the names of PyTorch's nodes and of torch.ops.aten),
  node      what grad_fn prints, of operators that have a gradient of their own (not of those that are made of others);
            node_of_tensors, if it is another for a second tensor than for a number;
  autocast  its class under autocast, or one for each type of device (autocast.py);
  out         what it does with out=, by the name of the dtypes that out may have, or a dict; without it there is no out= (below);
  overloaded  true if errors about its arguments list several signatures, "one" if they list one as if it were of several, false
              if they name the argument that is wrong, {function =, method =} if the two differ;
  hides       from how many arguments on they do so although one entry stands for all of these signatures;
  refused     a signature of PyTorch's that Tocha lacks, which errors list, too;
  python    true if the function is written in Python, and so has other errors, its name if errors call it by another one;
            false if it is not; python_method: true if the method is;
  uses      of functions in Python, by parameter, what the function does with it first, which fails for a value of
            another kind: "dim": it asks for this attribute; "len()": for its length; "< float": it compares it; "+ str": it adds
            text to it; "pair()": it makes a list of what is none;
  inner     likewise, the operator behind it, which complains of other values; inner_parameters: what that calls a parameter, if it
            is another name, or a keyword that it gets by position; inner_kinds: the kind that it wants, if the entry's is another;
  names     likewise, what the function calls a parameter that it must get, if the entry calls it otherwise.
  float8    its refusal of float8 tensors, with {dtype} for their dtype (after "RuntimeError: " if it is not a NotImplementedError); or
              {words =, accepts =: the float8 dtypes that it takes, beside_number =: the refusal of a number beside a tensor}.
  constants_of  the operator that refuses tensors which may not require grad, if it has another name.
out has
  dtype       "cast": those that the result can be cast to; "same": the result's; "exact": likewise, refused in other words; "any";
              "dtype": it stands for a dtype that is not given;
  words       of the refusal, for each result; {out} and {result} are the dtypes, {out_c} and {result_c} as C++ calls them;
              uncastable: the words for a dtype that the result cannot be cast to;
  memory      which out shares with the first input is refused: "apart": any; "partial": a part of it; "overlaps": none;
  recorder    who says that calls with out= are not differentiated; "aten::NAME": only if out requires grad; false: nobody;
  resizes     true if a refused out has the result's shape all the same; "memory": if it shares memory;
  first       true if the dtype is looked at before anything else;
  distinct    what is said of two results in the same memory;
  contiguous  true if out is resized to rows, whatever the result's strides are;
  copies      who does `out.copy_(result)`, which the graph sees;
  counted     true if an out of as many elements keeps its shape;
  floating    true if out's dtype does not stand for another one of an input that is not floating.
What goes without saying is left out: NameBackward0; that several entries of one name are overloaded, and one is not; that functions of torch.nn.functional are written in Python, unless their
name ends with _, and others are not. A new version of PyTorch is this command and a diff to read. Needs lua5.4 and a python with torch."""
import inspect, itertools, json, os, re, sys
import torch
import autocast
from ops import arguments, function, listing, results_of, root, text
from probes import float8, inner, kinds, out_rules, signatures


def with_number(op, call):
    """Returns the call with a number in the place of the operand that may be one; None if there is no such operand."""
    positional = [dict(kind="float", value=2.5, name=a["name"]) if a["name"] in op["operands"] and i else a
                  for i, a in enumerate(call["positional"])]
    return None if positional == call["positional"] else {**call, "positional": positional}


def node_of(op, calls):
    """Returns the name of the node that one of the calls (of floating-point tensors if necessary) leaves in the graph, or None."""
    for call, dtype in itertools.product(calls, (None, "float32")):
        try:
            args, kw, leaves = arguments(op, call, lambda spec: dtype)
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
    """Returns the node of a call, and that of a call with a second tensor if a number gives another node."""
    numbers = [call for call in map(lambda call: with_number(op, call), op["calls"]) if call]
    node, beside_number = node_of(op, op["calls"]), node_of(op, numbers)
    if not beside_number or beside_number == node:
        return {"node": node}
    return {"node": beside_number, "node_of_tensors": node}


SPELLED = {name.lower(): name for name in dir(torch._C._functions)}


def inner_node(op):
    """Returns the node in PyTorch's graph in place of an operator which no program can call, or one that is named after it, if that
    is not the usual name."""
    usual = camel(op["lua_name"])
    found = inner.node(op["name"]) or SPELLED.get(usual.lower(), usual)
    return {"node": found} if found != usual else {}


def facts_in_place(op):
    """Returns the nodes of the in-place form, and its rule of float8, if they are not those of the operator."""
    form = {**op, **op["inplace"]}
    known = {"node": camel(op["lua_name"]), "float8": float8.fact(op)}
    known.update({key: node for key, node in nodes(op).items() if node})
    found = {**nodes(form), "float8": float8.fact(form)}
    return {key: value for key, value in found.items() if value and value != known.get(key)}


def inner_node_in_place(op):
    """Returns the node of the in-place form of an operator which no program can call if it is not the operator's."""
    found = inner.node(op["inplace"]["name"])
    return {"node": found} if found and found != inner_node(op).get("node", camel(op["lua_name"])) else {}


def camel(name):
    words = re.sub(r"_+(\w)", lambda m: m.group(1).upper(), name.lstrip("_"))
    return (words[:1].upper() + words[1:]).replace("_", "") + "Backward0"


def class_of(op, device):
    """Returns the class on a type of device. An operator without an autocast kernel that is made of others there, and not here, has
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


def by_device(found):
    """Returns the class on each type of device as one name if they are the same, or None."""
    if found["cpu"] == found["cuda"]:
        return found["cpu"]
    return {device: name for device, name in found.items() if name}


def class_under_autocast(op):
    """Returns the class, {"cpu": ..., "cuda": ...} if the two differ, or None."""
    if op["lua_name"].endswith("_"):
        return None
    return by_device({device: class_of(op, device) for device in autocast.KEYS})


def inner_class(op):
    """Returns the class of what PyTorch calls in place of an operator which no program can call, or of its operator of this name,
    which torch.ops has."""
    if op["name"] in inner.CLASSES:
        return {"autocast": by_device({device: inner.class_on(op["name"], device) for device in autocast.KEYS})}
    for name in (op["lua_name"], op["lua_name"].lstrip("_")):
        found = {**op, "lua_name": name}
        if op["calls"] and autocast.function(found) is not None:
            answered = autocast.answer(found, op["calls"][0], "lower", "cpu", False)
            casts = class_under_autocast(found) if answered and not answered.startswith("error") or name not in autocast.KERNELS["cpu"] else None
            return {"autocast": casts} if casts else {}
    return {}


def refuser(op):
    """Returns the operator behind this one that refuses tensors which require grad, if it has another name."""
    found = inner.refuser(op["name"])
    return {"constants_of": found} if found and found != op["lua_name"].lstrip("_") else {}


def python(op):
    """Returns the facts about what is written in Python: the function in torch.nn.functional or, if it is not there, in torch; and
    the method. What stands in torch.linalg and torch.special is not."""
    place, name, out = torch.nn.functional if "nn.functional" in op["forms"] else torch, op["lua_name"], {}
    if hasattr(place, name) and not {"linalg", "special"} & set(op["forms"]):
        written = inspect.isfunction(getattr(place, name))
        missing = re.match(r"(\w+)\(\) missing \d+ required positional", signatures.refusal(getattr(place, name), 0))
        if written and missing and missing.group(1) != name:
            out["python"] = missing.group(1)
        elif written != ("nn.functional" in op["forms"] and not name.endswith("_")):
            out["python"] = written
    if "method" in op["forms"] and inspect.isfunction(getattr(torch.Tensor, name, None)):
        out["python_method"] = True
    return out


def facts(op, entries):
    out = {} if op["unlisted"] else signatures.facts(op, entries)
    taken = out_rules.fact(op) if op["forms"] != ["method"] and not op["lua_name"].endswith("_") else None
    if taken:
        out["out"] = taken
    if op["recorded"]:
        found = nodes(op)
        if found["node"] == camel(op["lua_name"]):
            del found["node"]
        out.update({key: node for key, node in found.items() if node})
    casts = class_under_autocast(op)
    if casts:
        out["autocast"] = casts
    rule = float8.fact(op)
    if rule:
        out["float8"] = rule
    out.update(refuser(op))
    out.update(python(op))
    if "nn.functional" in op["forms"] or out.get("python") is True and "torch" in op["forms"]:
        out.update(kinds.facts(op, out["python"] if isinstance(out.get("python"), str) else op["lua_name"]))
    return out


def facts_of_aliases(op, own):
    """Returns, by name, how errors of special and linalg's names of an operator list signatures, if not as its own errors do. own: what
    is known of the operator."""
    out = {}
    for alias in op["aliases"]:
        space, _, name = alias.rpartition(".")
        function = getattr(getattr(torch, space, None), name, None) if space else None
        shown = function and signatures.shown(function)
        overload = op["name"][len(op["lua_name"]):]
        if function and op["operands"] == [] and shown is not True and own.get("overloaded") is None:
            out[f"{space}_{name}{overload}"] = {"overloaded": shown}
    return out


FILES = os.path.join(root, "runtime", "ops", "%s", "pytorch.json")


def read(family):
    if not os.path.exists(FILES % family):
        return {}
    with open(FILES % family) as f:
        return json.load(f)


def write(family, entries):
    lines = [f"{text(name)}: {json.dumps(entries[name], ensure_ascii=False)}" for name in sorted(entries) if entries[name]]
    if lines and os.path.isdir(os.path.dirname(FILES % family)):   # amp/ is no family of operators: its entries check for themselves
        with open(FILES % family, "w") as f:
            f.write("{\n" + ",\n".join(lines) + "\n}\n")


def main(names):
    operators = [op for op in listing() if function(op) is not None]
    key = lambda op: (op["lua_name"], op["forms"] == ["nn.functional"])
    entries, families = {}, {}
    for op in operators:
        if not op["unlisted"]:
            entries.setdefault(key(op), []).append(op)
        families.setdefault(op["family"], read(op["family"]) if names else {})
    for op in operators:
        if not names or op["name"] in names:
            families[op["family"]][op["name"]] = facts(op, entries.get(key(op)))
            if len(entries.get(key(op), [])) > 1:
                families[op["family"]].update(facts_of_aliases(op, families[op["family"]][op["name"]]))
            if "inplace" in op:
                families[op["family"]][op["inplace"]["name"]] = facts_in_place(op)
    for op in listing("internal"):
        if not names or op["name"] in names:
            known = families[op["family"]]
            known[op["name"]] = {**inner_node(op), **inner_class(op), **refuser(op)}
            if "inplace" in op:
                known[op["inplace"]["name"]] = inner_node_in_place(op)
    for family, found in families.items():
        write(family, found)
    print(sum(sum(map(bool, found.values())) for found in families.values()), "operators of which PyTorch decides something")


if __name__ == "__main__":
    main(sys.argv[1:])
