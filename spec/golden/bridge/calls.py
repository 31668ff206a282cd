"""A call from Lua as a call of Python: positional arguments, keywords, lists, and results as values of Lua."""
import numpy as np
import torch
from torch.nn.utils.rnn import PackedSequence

from bridge.values import LuaTable, Several, plain


def split_arguments(arguments):
    """Returns positional arguments and keywords: a plain table in last place holds keywords if it has nothing but string keys."""
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
    """Calls a function. If Python says that an argument is missing, an empty table in last place, which was taken for keywords,
    is that argument: a list. Not so for operators, whose last table holds keywords, those of torch.nn.functional too."""
    try:
        return f(*arguments, **keywords)
    except TypeError as problem:
        last = given[-1] if given else None
        empty = isinstance(last, LuaTable) and last.plain and not last.array and not last.fields
        missing = "required positional argument:" in str(problem) and getattr(f, "__module__", "") != "torch.nn.functional"
        if empty and missing and len(given) == len(arguments) + 1:
            return f(*arguments, [])
        raise


LISTS = {  # functions whose result is a list in Lua, too
    "split", "chunk", "unbind", "tensor_split", "split_with_sizes", "hsplit", "vsplit", "dsplit", "unsafe_split", "unsafe_split_with_sizes",
    "unsafe_chunk", "split_copy", "unbind_copy", "split_with_sizes_copy", "meshgrid", "broadcast_tensors", "atleast_1d", "atleast_2d",
    "atleast_3d", "gradient", "unravel_index", "nonzero", "where", "stride", "tolist", "size", "five_crop", "ten_crop", "FiveCrop", "TenCrop",
    "all_gather", "gather", "all_to_all",
}


def results(r, name=""):
    """Returns what a call gives to Lua: several results, or one value. The functions of LISTS give a list."""
    if isinstance(r, list) and r and isinstance(r[0], torch.utils.data.Dataset):
        return Several(r)
    if not isinstance(r, tuple) or isinstance(r, (torch.Size, PackedSequence)) or type(r).__name__ == "_IncompatibleKeys" or name in LISTS \
            or name.startswith("_foreach_"):
        return r
    if all(x is None or isinstance(x, (torch.Tensor, int, np.ndarray)) for x in r) or name.startswith("new_subgroups"):
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
