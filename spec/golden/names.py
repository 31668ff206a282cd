"""names.py: writes lua/hints/pytorch_names.lua, PyTorch's public names, from PyTorch itself: what the hint of an unknown name
needs to say that PyTorch has it. `python spec/golden/names.py`"""
import importlib, os, pkgutil, types
import torch

SPACES = """torch torch.nn torch.nn.functional torch.nn.init torch.nn.utils torch.nn.utils.rnn torch.nn.parallel torch.optim
torch.optim.lr_scheduler torch.autograd torch.autograd.functional torch.autograd.graph
torch.cuda torch.cuda.amp torch.cpu torch.cpu.amp torch.amp torch.linalg torch.special torch.fft
torch.utils torch.utils.data torch.random torch.backends torch.backends.cuda torch.backends.cudnn torch.backends.mps
torch.accelerator torch.multiprocessing torch.version torch.testing torch.mps torch.distributions torch.serialization torch.nn.parameter
torch.distributed torch.distributed.nn.functional""".split()
# torchvision's namespaces, by the names that they have in Tocha
VISION = {name.replace("torchvision", "torch.vision", 1): name for name in """torchvision torchvision.transforms torchvision.transforms.functional
torchvision.transforms.v2 torchvision.models torchvision.ops torchvision.io torchvision.utils torchvision.datasets""".split()}
CLASSES = {"torch.Tensor": torch.Tensor, "torch.nn.Module": torch.nn.Module, "torch.optim.Optimizer": torch.optim.Optimizer,
           "torch.utils.data.DataLoader": torch.utils.data.DataLoader, "torch.Generator": torch.Generator}


def is_public(name, value):
    if name.startswith("_"):
        return False
    if isinstance(value, types.ModuleType):
        return value.__name__.startswith("torch") and value is not torch
    home = getattr(value, "__module__", None)
    return not isinstance(home, str) or home.split(".")[0] in ("torch", "torchvision", "") or name in getattr(torch, "__all__", ())


def names_of(thing):
    found = set(getattr(thing, "__all__", ()))
    for name in dir(thing):
        if thing is torch and not isinstance(getattr(thing, name), types.ModuleType):
            continue  # its __all__ is complete, and much of its compiled part lies beside it
        try:
            value = getattr(thing, name)
        except Exception:
            continue
        if is_public(name, value):
            found.add(name)
    if thing in (torch, torch.utils, torch.nn.utils, torch.optim):
        found.update(module.name for module in pkgutil.iter_modules(thing.__path__))
    return sorted(name for name in found if name.isidentifier() and not name.startswith("_"))


def main():
    out = ["-- pytorch_names.lua: the public names of PyTorch %s, written by spec/golden/names.py; do not edit.\nreturn {\n"
           % torch.__version__.split("+")[0]]
    spaces = {name: importlib.import_module(name) for name in SPACES}
    spaces.update({space: importlib.import_module(name) for space, name in VISION.items()})
    for space, thing in sorted({**spaces, **CLASSES}.items()):
        line, lines = "", []
        head = '  ["%s"] = [[ ' % space
        for name in names_of(thing):
            if len(line) + len(name) > (120 if lines else min(120, 160 - len(head))):
                lines.append(line.rstrip())
                line = ""
            line += name + " "
        lines.append(line.rstrip())
        out.append(head + "\n    ".join(lines) + " ]],\n")
    out.append("}\n")
    where = os.path.join(os.path.dirname(__file__), "..", "..", "lua", "hints", "pytorch_names.lua")
    with open(where, "w") as f:
        f.write("".join(out))


main()
