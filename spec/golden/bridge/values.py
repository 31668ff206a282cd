"""Values of Lua and of Python: each side reads and writes the other's. Objects of PyTorch are numbers to Lua."""
import ctypes as C
import types

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence

from bridge.lua54 import (
    REGISTRY, absindex, checkstack, createtable, getglobal, getmetatable, gettop, isinteger, lnext, lref, ltype, pcallk,
    pushboolean, pushinteger, pushlstring, pushnil, pushnumber, pushvalue, rawget, rawgeti, rawlen, rawseti, setfield, settop,
    toboolean, tointegerx, tolstring, tonumberx,
)

objects, numbers = {}, {}     # number -> object that Lua holds, id of the object -> number
state = [None]                # the running Lua state


def number_of(o):
    h = numbers.get(id(o))
    if h is None or objects.get(h) is not o:
        h = numbers[id(o)] = len(objects) + 1
        objects[h] = o
    return h


class LuaTable:
    def __init__(self, array, fields, plain):
        self.array, self.fields, self.plain = array, fields, plain


class LuaFunction:
    def __init__(self, reference):
        self.reference = reference

    def __call__(self, *arguments):
        return plain(call_lua(self.reference, arguments))


class LuaError(RuntimeError):
    pass


class Several(list):
    """Several results of one call."""


class Shape(tuple):
    """The shape of an array, which prints as Python's tuple."""


class Method:
    """Something callable that Lua finds in an object."""


METHOD = Method()


def text(L, i):
    n = C.c_size_t()
    p = tolstring(L, i, C.byref(n))
    return C.string_at(p, n.value).decode("utf-8", "replace") if p else None


def get(L, i):
    t = ltype(L, i)
    if t <= 0:
        return None
    if t == 1:
        return bool(toboolean(L, i))
    if t == 3:
        return tointegerx(L, i, None) if isinteger(L, i) else tonumberx(L, i, None)
    if t == 4:
        return text(L, i)
    if t == 6:
        pushvalue(L, i)
        return LuaFunction(lref(L, REGISTRY))
    if t != 5:
        raise TypeError("bridge: a Lua value of type %d" % t)
    i = absindex(L, i)
    checkstack(L, 10)
    pushlstring(L, b"__py", 4)
    rawget(L, i)
    h = tointegerx(L, -1, None) if ltype(L, -1) == 3 else None
    settop(L, -2)
    if h is not None:
        return objects[h]
    no_metatable = not getmetatable(L, i)
    if not no_metatable:
        settop(L, -2)
    array, fields = [], {}
    for k in range(1, rawlen(L, i) + 1):
        rawgeti(L, i, k)
        array.append(get(L, -1))
        settop(L, -2)
    pushnil(L)
    while lnext(L, i):
        if ltype(L, -2) == 4:
            fields[text(L, -2)] = get(L, -1)
        settop(L, -2)
    return LuaTable(array, dict(sorted(fields.items())), no_metatable)   # Lua has no order of its own


KINDS = [(torch.Tensor, "tensor"), (nn.Module, "module"), (torch.Size, "size"), (torch.dtype, "dtype"),
         (torch.device, "device"), (types.ModuleType, "namespace"), (Method, "method"), (type, "function"),
         (np.ndarray, "array"), (Shape, "object"), (dict, "dictionary"), (torch.utils.data.DataLoader, "loader"),
         (torch.autograd.graph.Node, "object"), (torch.utils.data.Dataset, "object"), (torch.Generator, "object"),
         (torch.utils.data.Sampler, "loader")]


def kind(o):
    for cls, name in KINDS:
        if isinstance(o, cls):
            return name
    if hasattr(o, "__next__"):
        return "iterator"
    if hasattr(o, "__enter__") and hasattr(o, "__exit__"):
        return "block"
    return "function" if callable(o) else "object"


def put(L, v):
    checkstack(L, 10)
    if v is None:
        pushnil(L)
    elif isinstance(v, (bool, np.bool_)):
        pushboolean(L, bool(v))
    elif isinstance(v, (int, np.integer)):
        pushinteger(L, C.c_longlong(int(v)).value)
    elif isinstance(v, (float, np.floating)):
        pushnumber(L, float(v) if v == v else abs(float(v)))   # Python shows no sign of a nan
    elif isinstance(v, str):
        b = v.encode()
        pushlstring(L, b, len(b))
    elif isinstance(v, list) or isinstance(v, tuple) and not isinstance(v, (torch.Size, Shape, PackedSequence)) \
            and type(v).__name__ != "_IncompatibleKeys":
        createtable(L, len(v), 0)
        for k, x in enumerate(v):
            put(L, x)
            rawseti(L, -2, k + 1)
    elif isinstance(v, LuaFunction):
        rawgeti(L, REGISTRY, v.reference)
    elif isinstance(v, LuaTable):
        createtable(L, 0, 0)
        for k, x in enumerate(v.array):
            put(L, x)
            rawseti(L, -2, k + 1)
        for k, x in v.fields.items():
            put(L, x)
            setfield(L, -2, k.encode())
    else:
        b = kind(v).encode()
        getglobal(L, b"__wrap")
        pushinteger(L, number_of(v))
        pushlstring(L, b, len(b))
        if pcallk(L, 2, 1, 0, 0, None):
            raise RuntimeError("bridge: wrap: " + str(text(L, -1)))


def call_lua(reference, arguments):
    L = state[0]
    base = gettop(L)
    rawgeti(L, REGISTRY, reference)
    for a in arguments:
        put(L, a)
    if pcallk(L, len(arguments), -1, 0, 0, None):
        getglobal(L, b"tostring")
        pushvalue(L, -2)
        pcallk(L, 1, 1, 0, 0, None)
        message = text(L, -1)
        settop(L, base)
        raise LuaError(message.replace("\nhint: (bridge)", ""))
    results = [get(L, k) for k in range(base + 1, gettop(L) + 1)]
    settop(L, base)
    return results[0] if len(results) == 1 else tuple(results) if results else None


def plain(a):
    """Returns a list for a Lua table, or a dictionary if it has nothing but string keys."""
    if isinstance(a, LuaTable):
        if a.fields and not a.array:
            return {k: plain(x) for k, x in a.fields.items()}
        return [plain(x) for x in a.array]
    if isinstance(a, tuple) and type(a) is tuple:
        return tuple(plain(x) for x in a)
    return a
