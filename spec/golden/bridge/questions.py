"""Answers the questions of the Lua side (surface.lua): attributes, calls, subscripts, iteration, and so on, by name."""
import importlib
import operator
import os
import re
import traceback
import types

import numpy as np
import torch
from torch import nn

from bridge.calls import apply, results, split_arguments, subscript
from bridge.classes import LuaModule, apply_function, dispatcher, extend, tuples
from bridge.companions import attribute
from bridge.lua54 import CALLBACK, gettop, pushboolean, pushlstring, settop
from bridge.values import METHOD, LuaFunction, Several, Shape, get, plain, put, state


def getattribute(o, k):
    if isinstance(o, types.ModuleType):
        return attribute(o, k)
    if isinstance(o, dict):
        return o.get(k)
    if isinstance(o, (nn.Module, torch.utils.data.Dataset)) and isinstance(k, int):
        return o[k]
    if isinstance(o, nn.Module) and not hasattr(o, k):
        return None
    v = getattr(o, k)
    if isinstance(o, np.ndarray) and k == "shape":
        return Shape(v)
    if isinstance(o, type) or isinstance(v, (nn.Module, torch.Tensor, torch.autograd.graph.Node)):
        return v
    return METHOD if callable(v) else v


def call_method(name, o, *rest):
    f = getattr(o, name)
    if isinstance(o, torch.autograd.graph.Node) and name in ("register_hook", "register_prehook"):
        return f(lambda *grads: tuples(plain(rest[0](*grads))))
    if name == "add_param_group":       # takes one table with string keys
        return f(plain(rest[0]))
    arguments, keywords = split_arguments(rest)
    if name in ("register_buffer", "register_parameter") and rest[-1] is None:
        arguments.append(None)
    if isinstance(f, LuaFunction):
        return f(*arguments)
    return results(f(*arguments, **keywords), name)


def call(f, *rest):
    arguments, keywords = split_arguments(rest)
    if getattr(f, "__module__", "") == "torch.autograd.functional":
        r = f(*(tuples(a) for a in arguments), **{k: tuples(v) for k, v in keywords.items()})
        return r if f.__name__ in ("jacobian", "hessian") else Several(r)
    if f is nn.Unflatten:               # prints the sizes as they were given
        arguments = [tuple(a) if isinstance(a, list) else a for a in arguments]
    if f is torch.frombuffer and arguments and isinstance(arguments[0], str):    # a string of Lua is bytes
        arguments[0] = arguments[0].encode()
    return results(apply(f, rest, arguments, keywords), getattr(f, "__name__", ""))


def forward(m, *rest):
    if isinstance(m, LuaModule):
        while rest and rest[-1] is None:
            rest = rest[:-1]
        r = m(*rest)
        return Several(r) if type(r) is tuple else r
    arguments, keywords = split_arguments(rest)
    return results(m(*arguments, **keywords))


def set_attribute(o, k, v):
    if isinstance(o, dict):
        if v is None:
            o.pop(k, None)
        else:
            o[k] = plain(v)
    elif isinstance(k, int):
        o[k] = v
    elif not (isinstance(o, nn.Module) and v is None and not hasattr(o, k)):
        setattr(o, k, plain(v))


def set_index(o, k, v):
    o[subscript(k)] = plain(v)


def following(iterator):
    try:
        r = plain(next(iterator))
    except StopIteration:
        return None
    return Several(r) if isinstance(r, (tuple, list)) else r


def shown(o):
    return repr(o) if isinstance(o, (nn.Module, np.ndarray)) else str(o)


def registered(m, k):
    return k in m._parameters or k in m._modules or k in m._buffers


def new_object(cls):
    o = cls.__new__(cls)
    if isinstance(o, nn.Module):
        nn.Module.__init__(o)
    return o


BINARY = {"div": operator.truediv, "idiv": operator.floordiv, "band": operator.and_, "bor": operator.or_, "bxor": operator.xor,
          "shl": operator.lshift, "shr": operator.rshift}


def binary(name, a, b):
    f = BINARY.get(name) or getattr(operator, name)
    return f(a, b)


QUESTIONS = {
    "getattr": getattribute, "callmethod": call_method, "call": call, "forward": forward, "setattr": set_attribute,
    "index": lambda o, k: o[subscript(k)], "setindex": set_index, "binary": binary,
    "unary": lambda name, a: -a if name == "unm" else ~a,
    "equal": lambda a, b: bool(a == b), "compare": lambda name, a, b: bool(a < b) if name == "lt" else bool(a <= b),
    "length": len, "string": shown, "format": lambda o: format(o, "") if isinstance(o, torch.Tensor) else shown(o),
    "next": following, "iterator": iter, "keys": lambda o: list(o.keys()),
    "enter": lambda o: o.__enter__() and None, "leave": lambda o: o.__exit__(None, None, None) and None,
    "extend": extend, "apply": apply_function, "new": new_object, "registered": registered, "isinstance": isinstance,
    "items": lambda *a: Several(x.item() if isinstance(x, torch.Tensor) else x for x in a),
    "dispatcher": lambda f: dispatcher.__setitem__(0, f), "numpy": lambda: np,
    "module": importlib.import_module,
}


def keywords_by_name(message):
    """Sorts the keywords of "got (Tensor, keepdim=bool, dim=int, )", which PyTorch lists in the order of a hash table."""
    def by_name(found):
        parts = re.split(r", (?=\w+=|$)", found.group(1))
        keywords = sorted(p for p in parts if "=" in p)
        return "got (" + ", ".join([p for p in parts if "=" not in p and p] + keywords) + ("" if parts[-1] else ", ") + "), but"
    return re.sub(r"got \((.*?=.*?)\), but", by_name, message)


def bridge(L):
    saved, state[0] = state[0], L
    try:
        arguments = [get(L, i) for i in range(1, gettop(L) + 1)]
        r = QUESTIONS[arguments[0]](*arguments[1:])
        settop(L, 0)
        pushboolean(L, 1)
        if isinstance(r, Several):
            for x in r:
                put(L, x)
            return 1 + len(r)
        put(L, r)
        return 2
    except BaseException as e:
        if os.environ.get("GOLDEN_TRACE"):
            traceback.print_exc()
        settop(L, 0)
        pushboolean(L, 0)
        message = keywords_by_name(str(e.args[0] if isinstance(e, KeyError) and e.args else e)).encode()
        pushlstring(L, message, len(message))
        kind = type(e).__name__.encode()
        pushlstring(L, kind, len(kind))
        return 3
    finally:
        state[0] = saved


BRIDGE = CALLBACK(bridge)
