"""Classes of PyTorch that a Lua program extends: their methods are called back in Lua."""
import torch
from torch import nn

from bridge.values import Several, call_lua, plain

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
    """Applies a torch.autograd.Function written in Lua, whose methods are static; or a module's own apply, the module first."""
    if not issubclass(cls, torch.autograd.Function):
        module, f = arguments
        return module.apply(f)
    def static(name):
        return staticmethod(lambda *a: plain(call_lua(dispatcher[0].reference, (cls, "static", name, *a))))
    for name in ("forward", "backward", "setup_context"):
        if has_lua(cls, name):
            setattr(cls, name, static(name))
    r = cls.apply(*[plain(a) for a in arguments])
    return Several(r) if type(r) is tuple else r


def tuples(a):
    return tuple(tuples(x) for x in a) if isinstance(a, list) else a
