"""Asks for the errors of torch.nn.functional for an argument of a wrong kind, with an object of an unknown class in its place."""
import collections, re
import torch
import torch.nn.functional as F
from ops import RENAMED, arguments


class Unknown:
    """Has nothing that strings and numbers lack. It has a negative, like a number."""

    def __neg__(self):
        return self


USES = [
    (r"'Unknown' object has no attribute '(\w+)'", r"\1"),
    (r"object of type 'Unknown' has no (len\(\))", r"\1"),
    (r"'<' not supported between instances of 'Unknown' and 'float'", "< float"),
    (r"unsupported operand type\(s\) for \+: 'Unknown' and 'str'", "+ str"),
    (r"\w+\(\): argument .* found element of type Unknown at pos 0", "pair()"),
]
COMPLAINT = re.compile(r"(\w+)\(\): argument '(\w+)' \(position (\d+)\) must be (.*), (?:not|but found element of type) (?:Unknown|NoneType)")


def place(op):
    return F if "nn.functional" in op["forms"] else torch


def refusal(op, call, name, wrong):
    """Returns the error of the call with a wrong value of the parameter, or ""."""
    args, kw, _ = arguments(op, call)
    i = op["parameters"].index(name)
    if i < len(args):
        args[i] = wrong
    else:
        kw[RENAMED.get(name, name)] = wrong
    try:
        getattr(place(op), op["lua_name"])(*args, **kw)
    except Exception as e:
        return str(e)
    return ""


def use(text):
    """Returns the use that fails with this text, or None."""
    return next((re.match(words, text).expand(of) for words, of in USES if re.match(words, text)), None)


def complaint(text):
    """Returns the origin of an error about an argument: the function, its name of the parameter, the position, and the kind."""
    found = COMPLAINT.match(text)
    return found and (found.group(1), found.group(2), int(found.group(3)), found.group(4))


def uses(op):
    """Returns, by parameter, what the function does with it first, as the first sample call tells which fails for that, or in the
    parser of C++ for the parameter at this place."""
    out = {}
    for i, name in enumerate(op["parameters"]):
        for text in (refusal(op, call, name, Unknown()) for call in op["calls"]):
            found, said = use(text), complaint(text)
            if found:
                out[name] = found
            if found or said and said[2] == i + 1:
                break
    return out


def complaints(op, method):
    """Returns, by parameter, the complaint of its kind, or of the kind of its elements, if that has its place. method: the function
    behind it is called as this method of the first argument."""
    out = {}
    for i, name in enumerate(op["parameters"]):
        for wrong in (Unknown(), *([Unknown()] * n for n in (1, 2, 3))):
            said = complaint(refusal(op, op["calls"][0], name, wrong))
            if said:
                if said[2] == (i if said[0] == method else i + 1):
                    out[name] = said
                break
    return out


def refuses_none(op):
    """Returns True if the function behind it refuses None for a list that may be left out."""
    given = len(op["calls"][0]["positional"])
    for name in op["parameters"][op["required"]:]:
        said = complaint(refusal(op, op["calls"][0], name, None))
        if said and said[3].startswith("tuple"):
            return True
    return False


def facts(op, called):
    """Returns the uses that errors show, and of the function behind it. called: the name that errors call this one."""
    out, found = {}, uses(op)
    method = found.get(op["parameters"][0])
    said = complaints(op, method)
    names = collections.Counter(of[0] for of in said.values())
    inner = max(names, key=lambda name: (names[name], name == called), default=None)
    given = {a["name"] for a in op["calls"][0]["positional"]}   # others were asked by keyword, and yet have a position
    spelled = {name: of[1] for name, of in said.items()
               if of[0] == inner and (of[1] != RENAMED.get(name, name) or name not in given and of[3] != "Number")}
    if inner and (inner != called or inner == method or refuses_none(op)):
        out["inner"] = inner
    found = {name: of for name, of in found.items() if of != "pair()" or name in said and said[name][0] == inner}
    own = dict(zip(op["parameters"], op["kinds"]))
    kinds = {name: of[3] for name, of in said.items() if of[0] == inner and of[3] != own[name]}
    return {key: of for key, of in {"uses": found, **out, "inner_parameters": spelled, "inner_kinds": kinds, "names": own_names(op)}.items() if of}


def own_names(op):
    """Returns, by parameter, the names of those that the function must get, if it has others than the entry."""
    try:
        getattr(place(op), op["lua_name"])()
    except TypeError as e:
        found = re.findall(r"'(\w+)'", str(e)) if "required positional argument" in str(e) else []
        return {name: own for name, own in zip(op["parameters"], found) if RENAMED.get(name, name) != own}
    except Exception:
        pass
    return {}
