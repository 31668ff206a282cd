"""checkpoints.py: small files as PyTorch and safetensors write them, for spec/serialization: python spec/golden/checkpoints.py

Every value can be told from its place: the specs know what each file holds."""
import collections
import os
import sys
import zipfile

import torch
from safetensors.torch import save_file

import legacy

here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "checkpoints")
dtypes = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64".split()


def values():
    x = torch.arange(12.0).reshape(3, 4)
    batch_norm = torch.nn.BatchNorm1d(2)
    return {
        "model": batch_norm.state_dict(),
        "x": x,
        "transposed": x.t(),
        "part": x[1:, 2:],
        "expanded": torch.ones(1).expand(2, 3),
        "parameter": torch.nn.Parameter(torch.ones(2)),
        "frozen": torch.nn.Parameter(torch.ones(2), requires_grad=False),
        "leaf": torch.zeros(2, requires_grad=True),
        "dtypes": {name: torch.tensor([0, 1, 2]).to(getattr(torch, name)) for name in dtypes},
        "scalar": torch.tensor(3.5),
        "empty": torch.zeros(0, 4),
        "meta": torch.ones(2, 3, device="meta"),
        "size": torch.Size([1, 2]),
        "dtype": torch.float16,
        "device": torch.device("cuda", 0),
        "host": torch.device("cpu"),
        "set": {7},
        "bytes": b"abc\xff\x00",
        "none": None,
        "tuple": (1, 2.5, "a", True, None),
        "pair": (1, (2,)),
        "list": [1, [2, 3], []],
        "holes": [None, 1, None],
        "numbers": [0, -1, 255, 256, 65536, -(2 ** 31), 2 ** 40, -(2 ** 63), 0.1],
        "big": 2 ** 70,
        "texts": ["", "äöü", "a'b\n"],
        "ordered": collections.OrderedDict([("z", 1), ("a", 2)]),
        3: "three",
        (1, "k"): "tuple",
        False: "flag",
        None: "none",
    }


def optimizer_state(make):
    torch.manual_seed(0)
    model = torch.nn.Linear(2, 3)
    optimizer = make(model.parameters())
    start = {k: v.clone() for k, v in model.state_dict().items()}
    x = torch.arange(8.0).reshape(4, 2) / 8

    def step():
        optimizer.zero_grad()
        model(x).pow(2).mean().backward()
        optimizer.step()

    step()
    step()
    middle = {k: v.clone() for k, v in model.state_dict().items()}
    state = optimizer.state_dict()
    saved = {"param_groups": state["param_groups"],
             "state": {k: {n: v.clone() for n, v in s.items()} for k, s in state["state"].items()}}
    step()
    return {"x": x, "start": start, "model": middle, "optimizer": saved, "after": model.state_dict()}


class Foreign:
    pass


def write(name, value, save=torch.save, **options):
    save(value, os.path.join(here, name), **options)


def main():
    os.makedirs(here, exist_ok=True)
    write("values.pt", values())
    write("values_legacy.pt", values(), legacy.save)
    write("values_protocol4.pt", {"a": [1, "x", b"y", {2}]}, pickle_protocol=4)
    torch.serialization.set_crc32_options(False)
    write("values_without_sums.pt", values())
    torch.serialization.set_crc32_options(True)
    with zipfile.ZipFile(os.path.join(here, "values.pt")) as stored:  # as somebody packs it again
        with zipfile.ZipFile(os.path.join(here, "values_deflated.pt"), "w", zipfile.ZIP_DEFLATED) as packed:
            for name in stored.namelist():
                packed.writestr(zipfile.ZipInfo(name), stored.read(name), zipfile.ZIP_DEFLATED)
    sys.modules["strange"] = type(sys)("strange")
    Foreign.__module__ = "strange"
    sys.modules["strange"].Foreign = Foreign
    write("foreign.pt", {"a": Foreign()})
    write("complex.pt", {"a": torch.zeros(2, dtype=torch.complex64)})
    t, d, w = torch.arange(3.0), {"a": 1}, torch.nn.Parameter(torch.ones(2))
    write("twice.pt", [t, t, d, d, w, w, t.clone()])
    write("cuda.pt", {"a": torch.ones(2)}, legacy.save)
    with open(os.path.join(here, "cuda.pt"), "r+b") as f:  # as a file from a GPU says: the location is a text of the pickle
        data = f.read()
        f.seek(0)
        f.write(data.replace(b"X\x03\x00\x00\x00cpu", b"X\x06\x00\x00\x00cuda:0"))
    optim = torch.optim
    write("optimizers.pt", {
        "SGD": optimizer_state(lambda p: optim.SGD(p, lr=0.1, momentum=0.9)),
        "Adam": optimizer_state(lambda p: optim.Adam(p, lr=0.01, amsgrad=True)),
        "AdamW": optimizer_state(lambda p: optim.AdamW(p, lr=0.01, betas=(0.8, 0.99))),
        "RMSprop": optimizer_state(lambda p: optim.RMSprop(p, momentum=0.5, centered=True)),
        "Adagrad": optimizer_state(lambda p: optim.Adagrad(p, lr=0.1)),
    })
    tensors = {name: torch.tensor([0, 1, 2]).to(getattr(torch, name)) for name in dtypes}
    tensors["scalar"] = torch.tensor(3.5)
    tensors["empty"] = torch.zeros(0, 4)
    tensors['ä"\n'] = torch.arange(6.0).reshape(3, 2)
    save_file(tensors, os.path.join(here, "values.safetensors"), {"format": "pt"})


main()
