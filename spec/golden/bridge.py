"""Lua programs on PyTorch: Lua is loaded through ctypes, and surface.lua, the Lua side, asks this side for everything (QUESTIONS).
run(path) runs one program. GOLDEN_TRACE=1 shows Python's tracebacks."""
import ctypes as C
import importlib
import os
import types
import warnings

warnings.filterwarnings("ignore")
import numpy as np
import torch
import torch.nn.utils.prune
from lua54 import (  # Lua's C interface
    CALLBACK, newstate, openlibs, loadfilex, pcallk, gettop, settop, ltype, toboolean, isinteger, tointegerx,
    tonumberx, tolstring, pushnil, pushboolean, pushinteger, pushnumber, pushlstring, createtable, rawseti, rawgeti,
    rawget, setfield, lnext, lref, pushcclosure, setglobal, getglobal, rawlen, pushvalue, absindex, getmetatable,
    checkstack, REGISTRY,
)
from torch_datasets import DATASETS
from torch import nn
from torch.nn.utils.rnn import PackedSequence

HERE = os.path.dirname(os.path.abspath(__file__))

# --- objects that Lua holds by number ------------------------------------------------
objects, numbers = {}, {}
state = [None]


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
    """several results of one call"""


class Shape(tuple):
    """the shape of an array: prints as Python's tuple"""


class Method:
    """something callable that Lua finds in an object"""


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
    return LuaTable(array, fields, no_metatable)


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


# --- arguments, results, subscripts ----------------------------------------------------
def plain(a):
    """a Lua table is a list, or a dictionary when it has nothing but string keys"""
    if isinstance(a, LuaTable):
        if a.fields and not a.array:
            return {k: plain(x) for k, x in a.fields.items()}
        return [plain(x) for x in a.array]
    if isinstance(a, tuple) and type(a) is tuple:
        return tuple(plain(x) for x in a)
    return a


def split_arguments(arguments):
    """rule 3 of the surface: which table holds keywords"""
    arguments = list(arguments)
    while arguments and arguments[-1] is None:
        arguments.pop()
    keywords = {}
    last = arguments[-1] if arguments else None
    if isinstance(last, LuaTable) and last.plain:
        if len(arguments) == 1 and last.fields:
            keywords, arguments = last.fields, last.array
        elif len(arguments) > 1 and not last.array:
            keywords = arguments.pop().fields
    keywords = {("end" if k == "stop" else k): plain(v) for k, v in keywords.items()}
    if isinstance(keywords.get("betas"), list):
        keywords["betas"] = tuple(keywords["betas"])
    return [plain(a) for a in arguments], keywords


def apply(f, given, arguments, keywords):
    """calls f; an empty table in last place that was taken for keywords is a list if an argument is missing"""
    try:
        return f(*arguments, **keywords)
    except TypeError as problem:
        last = given[-1] if given else None
        empty = isinstance(last, LuaTable) and last.plain and not last.array and not last.fields
        if empty and len(given) == len(arguments) + 1 and "required positional argument" in str(problem):
            return f(*arguments, [])
        raise


LISTS = {"split", "chunk", "unbind", "meshgrid", "tensor_split", "split_with_sizes", "hsplit", "vsplit", "gradient", "unravel_index", "nonzero", "where",
         "stride", "broadcast_tensors", "tolist", "size", "five_crop", "ten_crop", "FiveCrop", "TenCrop"}


def results(r, name=""):
    if isinstance(r, PackedSequence):
        return r
    if isinstance(r, list) and r and isinstance(r[0], torch.utils.data.Dataset):
        return Several(r)
    if isinstance(r, tuple) and not isinstance(r, torch.Size) and type(r).__name__ != "_IncompatibleKeys" \
            and name not in LISTS and all(x is None or isinstance(x, (torch.Tensor, int, np.ndarray)) for x in r):
        return Several(r)
    if type(r) is tuple and len(r) == 2 and isinstance(r[0], (torch.Tensor, PackedSequence)) \
            and isinstance(r[1], (torch.Tensor, tuple)):   # what recurrent layers give
        return Several(r)
    return r


def part(s):
    s = s.strip()
    if s == "...":
        return Ellipsis
    if s in ("None", "True", "False"):
        return {"None": None, "True": True, "False": False}[s]
    if ":" in s:
        return slice(*[int(x) if x.strip() else None for x in s.split(":")])
    return int(s)


def subscript(k):
    if isinstance(k, str):
        parts = [part(x) for x in k.split(",") if x.strip()]
        return tuple(parts) if "," in k else parts[0]
    if isinstance(k, LuaTable):
        return tuple(part(x) if isinstance(x, str) else plain(x) for x in k.array)
    return k


# --- classes written in Lua ---------------------------------------------------------------
dispatcher = [None]     # a Lua function (object, method name, ...)


def has_lua(self, name):
    return dispatcher[0](self, "?", name)


class LuaModule(nn.Module):
    def forward(self, *arguments):
        if not has_lua(self, "forward"):
            raise NotImplementedError(
                f'Module [{type(self).__name__}] is missing the required "forward" function')
        return call_lua(dispatcher[0].reference, (self, "forward", *arguments))

    def extra_repr(self):
        return dispatcher[0](self, "extra_repr") if has_lua(self, "extra_repr") else ""

    def __repr__(self):
        return dispatcher[0](self, "__tostring") if has_lua(self, "__tostring") else super().__repr__()


class LuaDataset(torch.utils.data.Dataset):
    def __init__(self):
        pass

    def __getitem__(self, i):
        return dispatcher[0](self, "getitem", i)

    def __len__(self):
        return dispatcher[0](self, "__len")


class LuaStream(torch.utils.data.IterableDataset):
    def __init__(self):
        pass

    def __iter__(self):
        following = dispatcher[0](self, "iter")
        while (sample := following()) is not None:
            yield sample


def extend(base, name):
    if base is torch.utils.data.IterableDataset:
        base = LuaStream
    if base is nn.Module:
        base = LuaModule
    elif base is torch.utils.data.Dataset:
        base = LuaDataset
    elif issubclass(base, torch.autograd.Function):
        return type(name, (torch.autograd.Function,), {"__module__": "__main__"})
    return type(name, (base,), {"__module__": "__lua__"})


def apply_function(cls, *arguments):
    """what a torch.autograd.Function written in Lua does: its methods are static"""
    def static(name):
        return staticmethod(lambda *a: plain(call_lua(dispatcher[0].reference, (cls, "static", name, *a))))
    for name in ("forward", "backward", "setup_context"):
        if has_lua(cls, name):
            setattr(cls, name, static(name))
    r = cls.apply(*[plain(a) for a in arguments])
    return Several(r) if type(r) is tuple else r


def tuples(a):
    return tuple(tuples(x) for x in a) if isinstance(a, list) else a


# --- what Lua asks -------------------------------------------------------------------------
def getattribute(o, k):
    if isinstance(o, types.ModuleType):
        return DATASETS if o is torch and k == "datasets" else getattr(o, k)
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
    return results(apply(f, rest, arguments, keywords), name)


def call(f, *rest):
    arguments, keywords = split_arguments(rest)
    if getattr(f, "__module__", "") == "torch.autograd.functional":
        r = f(*(tuples(a) for a in arguments), **{k: tuples(v) for k, v in keywords.items()})
        return r if f.__name__ in ("jacobian", "hessian") else Several(r)
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


def binary(name, a, b):
    import operator as O
    f = {"add": O.add, "sub": O.sub, "mul": O.mul, "div": O.truediv, "idiv": O.floordiv, "mod": O.mod, "pow": O.pow,
         "band": O.and_, "bor": O.or_, "bxor": O.xor, "shl": O.lshift, "shr": O.rshift}[name]
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
            import traceback
            traceback.print_exc()
        settop(L, 0)
        pushboolean(L, 0)
        message = str(e.args[0] if isinstance(e, KeyError) and e.args else e).encode()
        pushlstring(L, message, len(message))
        return 2
    finally:
        state[0] = saved


BRIDGE = CALLBACK(bridge)


def run(path):
    """runs one Lua program in this process; Lua's own error text, or None"""
    torch.set_num_threads(1)
    if "GOLDEN_DEVICE" in os.environ:
        torch.set_default_device(os.environ["GOLDEN_DEVICE"])
    L = newstate()
    openlibs(L)
    state[0] = L
    pushcclosure(L, BRIDGE, 0)
    setglobal(L, b"__bridge")
    pushinteger(L, number_of(torch))
    setglobal(L, b"__torch_number")
    if loadfilex(L, os.path.join(HERE, "surface.lua").encode(), None) or pcallk(L, 0, 0, 0, 0, None):
        return "surface: " + str(text(L, -1))
    getglobal(L, b"__run")
    if loadfilex(L, path.encode(), None) or pcallk(L, 1, 0, 0, 0, None):
        return str(text(L, -1))
    return None
