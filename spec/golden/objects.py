"""objects.py: files that hold objects, as programs save them whole, and tensors of types that Tocha lacks, for
spec/serialization/objects_spec.lua: python spec/golden/objects.py

Beside each value whose numbers are to be read stands what PyTorch and NumPy make of it, as plain tensors."""
import argparse
import collections
import dataclasses
import datetime
import enum
import functools
import os
import pathlib
import pickle
import random
import sys
import types
import warnings

import numpy as np
import torch
from safetensors.torch import save_file

import legacy

warnings.simplefilter("ignore")
here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "checkpoints")


class Color(enum.Enum):
    RED = 1


class Strategy(str, enum.Enum):
    NO = "no"


@dataclasses.dataclass
class Arguments:
    lr: float = 0.1
    output: str = "out"
    strategy: Strategy = Strategy.NO


@dataclasses.dataclass
class Slots:
    __slots__ = ("a", "b")
    a: int
    b: int


class Entries(dict):
    pass


class Items(list):
    pass


class Keywords:
    def __new__(cls, *, a):
        return object.__new__(cls)

    def __getnewargs_ex__(self):
        return (), {"a": 5}


Point = collections.namedtuple("Point", "x y")
strange = types.ModuleType("strange")
for c in (Color, Strategy, Arguments, Slots, Entries, Items, Keywords, Point):
    c.__module__ = "strange"
    setattr(strange, c.__name__, c)
sys.modules["strange"] = strange


def network():
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3), torch.nn.Sequential(torch.nn.Linear(3, 1)))
    net[0].register_buffer("scratch", torch.ones(1), persistent=False)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.5)
    net(torch.arange(8.0).reshape(4, 2)).sum().backward()
    optimizer.step()
    return net, optimizer


def objects():
    entries, items = Entries(a=1), Items([1, 2])
    entries.extra = 7
    day = datetime.datetime(2024, 2, 3, 4, 5, 6, 789)
    return {
        "namespace": argparse.Namespace(lr=0.5, layers=[1, 2]),
        "enum": Color.RED, "string_enum": Strategy.NO, "dataclass": Arguments(), "slots": Slots(1, 2), "point": Point(3, 4),
        "entries": entries, "items": items, "keywords": Keywords(a=5), "by_enum": {Color.RED: 5},
        "deque": collections.deque([1, 2, 3], maxlen=5), "defaultdict": collections.defaultdict(list, {"k": [1]}),
        "counter": collections.Counter("aab"), "frozenset": frozenset([1]), "bytearray": bytearray(b"xy"),
        "path": pathlib.PurePosixPath("/home/x/y.pt"), "relative": pathlib.PurePosixPath("a/b"),
        "date": day.date(), "time": day.time(), "datetime": day, "duration": datetime.timedelta(days=1, seconds=2),
        "zone": day.replace(microsecond=0, tzinfo=datetime.timezone(datetime.timedelta(hours=-3, minutes=-30))),
        "partial": functools.partial(torch.nn.functional.relu, inplace=True), "function": torch.nn.functional.relu,
        "class": torch.nn.Linear, "size_class": torch.Size, "complex": 1 + 2j,
    }


def arrays():
    return {
        "float": np.float64(1.5), "int": np.int32(-7), "bool": np.bool_(True), "str": np.str_("hé"), "bytes": np.bytes_(b"ab"),
        "rows": np.arange(6, dtype=np.float32).reshape(2, 3), "columns": np.asfortranarray(np.arange(6).reshape(2, 3)),
        "empty": np.zeros((0, 3)), "scalar": np.array(2.5), "bools": np.array([True, False]),
        "uint16": np.array([1, 65535], np.uint16), "uint32": np.array([1, 2**32 - 1], np.uint32),
        "uint64": np.array([1, 5], np.uint64), "too_large": np.array([2**64 - 1], np.uint64), "big_endian": np.arange(3, dtype=">i4"),
        "strings": np.array([["ab", "c"], ["é", ""]]), "byte_strings": np.array([b"ab", b"c"]),
        "objects": np.array([{"a": 1}, None, [1]], dtype=object), "object": np.array({"a": 2}, dtype=object),
        "complex": np.array([1 + 2j]), "dates": np.array(["2024-02-03"], "datetime64[D]"), "dtype": np.dtype("f4"),
        "state": np.random.RandomState(0).get_state(),
    }


def tensors():
    every = torch.arange(256, dtype=torch.int32).to(torch.uint8)
    held = {"uint16": torch.tensor([[1, 2, 65535]], dtype=torch.uint16), "uint32": torch.tensor([1, 2**32 - 1], dtype=torch.uint32),
            "uint64": torch.tensor([1, 2], dtype=torch.uint64)}
    for name in ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"):
        held[name] = every.clone().view(getattr(torch, name))
    wide = {"uint16": torch.int32, "uint32": torch.int64, "uint64": torch.int64}
    as_held = {name: t.to(wide.get(name, torch.float32)).to(wide.get(name, torch.bfloat16)) for name, t in held.items()}
    lacking = {"complex64": torch.tensor([1 + 2j]), "complex128": torch.tensor([1 + 2j], dtype=torch.complex128),
               "too_large": torch.tensor([2**64 - 1], dtype=torch.uint64), "sparse": torch.eye(3).to_sparse(),
               "csr": torch.eye(3).to_sparse_csr(), "quantized": torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.quint8),
               "negative": torch.ones(2, dtype=torch.complex64).conj().imag}
    shared = torch.arange(6).to(torch.uint16).reshape(2, 3)
    return {"held": held, "as_held": as_held, "lacking": lacking, "shared": [shared, shared.t()], "plain": torch.ones(2),
            "parameter": torch.nn.Parameter(torch.ones(3).to(torch.float8_e4m3fn), requires_grad=False)}


def write(name, value, save=torch.save, **options):
    save(value, os.path.join(here, name), **options)


def main():
    for protocol in (2, 3, 4, 5):
        write(f"objects_{protocol}.pt", objects(), pickle_protocol=protocol)
        write(f"arrays_{protocol}.pt", arrays(), pickle_protocol=protocol)
    for protocol in (2, 4):
        write(f"objects_legacy_{protocol}.pt", objects(), legacy.save, pickle_protocol=protocol)
    net, optimizer = network()
    write("whole.pt", {"net": net, "optimizer": optimizer, "parallel": torch.nn.DataParallel(net), "state": net.state_dict(),
                       "optimizer_state": optimizer.state_dict(), "scheduler": torch.optim.lr_scheduler.StepLR(optimizer, 3)})
    write("whole_legacy.pt", net, legacy.save)
    write("lazy.pt", torch.nn.Sequential(torch.nn.LazyLinear(3), torch.nn.LazyBatchNorm1d()).state_dict())
    random.seed(1)
    write("rng_state.pth", {"python": random.getstate(), "numpy": np.random.RandomState(0).get_state(), "cpu": torch.get_rng_state()})
    write("types.pt", tensors())
    write("types_legacy.pt", tensors(), legacy.save)
    t = tensors()
    save_file({**t["held"], "complex64": t["lacking"]["complex64"], "plain": t["plain"]}, os.path.join(here, "types.safetensors"))
    with open(os.path.join(here, "plain.pkl"), "wb") as f:
        pickle.dump({"x": np.arange(3), "names": ["a", "b"], "n": argparse.Namespace(a=1)}, f)
    np.save(os.path.join(here, "object_dict.npy"), {"weights": np.arange(3), "name": "a"}, allow_pickle=True)
    np.save(os.path.join(here, "object_list.npy"), np.array([np.arange(2), "x", None], dtype=object), allow_pickle=True)
    np.save(os.path.join(here, "strings.npy"), np.array([["ab", "c"], ["é", ""]]))
    np.save(os.path.join(here, "uint32.npy"), np.array([[1, 2], [3, 2**32 - 1]], np.uint32, order="F"))
    np.savez(os.path.join(here, "mixed.npz"), x=np.arange(3), o=np.array([{"a": 1}], dtype=object), c=np.array([1j]), u=np.array([65535], np.uint16),
             s=np.array(["a", "bc"]))


main()
