"""Reads a function's signatures from the errors of PyTorch's argument parser."""
import inspect, re
import torch
import torch.nn.functional as F

PLACES = {"torch": torch, "method": torch.ones(2), "nn.functional": F, "linalg": torch.linalg, "special": torch.special}
WRONG = object()   # of a type that no parameter takes


def refusal(f, count):
    """Returns the text of the error of f with `count` wrong arguments."""
    try:
        f(*[WRONG] * count)
    except Exception as e:
        return str(e)
    return ""


def is_python(f):
    return inspect.isfunction(f) or inspect.ismethod(f)


def form_of(op, method):
    """Returns the op's method, or its function, or None."""
    for form in op["forms"]:
        if (form == "method") == method and hasattr(PLACES[form], op["lua_name"]):
            return getattr(PLACES[form], op["lua_name"])
    return None


def required(f):
    """Returns how many arguments a Python function must get."""
    return sum(p.default is p.empty and p.kind == p.POSITIONAL_OR_KEYWORD for p in inspect.signature(f).parameters.values())


def shown(f):
    """Returns True if errors of f list several signatures, "one" if they do so and list one, False if they name the one that f has. A
    function in Python has the errors of what it calls."""
    text = refusal(f, required(f) if is_python(f) else 40)
    return True if "but expected one of:" in text else "one" if "but expected (" in text else False


def overloaded(op):
    """Returns shown() of the function and of the method in a dict, or their common answer."""
    found = {name: shown(f) for name, f in (("function", form_of(op, False)), ("method", form_of(op, True))) if f}
    return found if len(set(found.values())) > 1 else next(iter(found.values()))


def listed(f):
    """Returns the signatures that errors of f list: of each the names of its parameters, and how many arguments it takes at
    least and at most."""
    out = []
    for text in re.findall(r"^ \* \((.*)\)$", refusal(f, 40), re.M):
        parts = [part for part in re.split(r", (?![^\[]*\])", text) if part not in ("*", "")]
        names = {NAMES.get(name, name) for name in (part.split(" = ")[0].split(" ")[-1] for part in parts)}
        out.append((names - UNNAMED, sum(" = " not in part for part in parts), len(parts)))
    return out


NAMES, UNNAMED = {"input": "self", "end": "stop"}, {"out", "layout", "pin_memory", "generator", "self"}


def owner(names, entries):
    """Returns the parameters of the entry that stands for a signature: the entry with all names and the fewest others."""
    return min((op["parameters"] for op in entries if names <= set(op["parameters"])), key=len, default=None)


def hides(op, entries):
    """Returns from how many arguments on errors list several signatures although one entry stands for them. None: never, or as
    the kinds of the entry's parameters tell the generator."""
    f = form_of(op, False) or form_of(op, True)
    alike = [entry["required"] for entry in entries if entry["parameters"] == op["parameters"]]
    by_kind = len(entries) == 1 and (op["operands"] or "generator" in op["parameters"])
    if is_python(f) or shown(f) is not True or by_kind:
        return None
    own = [(least, most) for names, least, most in listed(f) if owner(names, entries) == op["parameters"]]
    for count in range(op["required"], len(op["parameters"]) + 1):
        if sum(least <= count <= most for least, most in own) > sum(least <= count for least in alike):
            return count
    return None


KINDS = {"Tensor": "Tensor", "number": "Scalar", "int": "int", "float": "float", "bool": "bool"}


def refused(op, entries):
    """Returns [name, signature] of a signature that PyTorch has and the entries lack, or None: one with a dtype by position."""
    known = {name for entry in entries for name in entry["parameters"]}
    for schema in torch._C._jit_get_schemas_for_operator("aten::" + op["lua_name"]) if "torch" in op["forms"] else []:
        arguments = [a for a in schema.arguments if not a.is_out]
        if len(arguments) < len(schema.arguments):
            continue
        dtypes = [a.name for a in arguments if not a.kwarg_only and a.name.endswith("dtype") and a.name not in known]
        if not dtypes:
            continue
        parts = []
        for a in arguments:
            if a.kwarg_only and "*" not in parts:
                parts.append("*")
            kind = "dtype" if a.name in dtypes else KINDS[str(a.type)]
            parts.append(f"{kind} {a.name}" + (f"={a.default_value}" if a.has_default_value() else ""))
        return [f"{op['lua_name']}.{schema.overload_name}", f"({', '.join(parts)})"]
    return None


def facts(op, entries):
    """Returns the facts overloaded, hides and refused of a listed entry, without defaults. entries: all of its name."""
    out = {"overloaded": overloaded(op), "hides": hides(op, entries), "refused": refused(op, entries)}
    if out["overloaded"] == (len(entries) > 1):
        del out["overloaded"]
    return {key: found for key, found in out.items() if found is not None}
