"""A Lua state whose torch is PyTorch, and programs that run in it."""
import os

import torch
import torch.nn.utils.prune

from bridge.lua54 import getglobal, loadfilex, newstate, openlibs, pcallk, pushcclosure, pushinteger, setglobal
from bridge.questions import BRIDGE
from bridge.values import number_of, state, text

SURFACE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "surface.lua")


def start():
    """a new Lua state; surface.lua makes torch and the modules that programs require"""
    L = state[0] = newstate()
    openlibs(L)
    pushcclosure(L, BRIDGE, 0)
    setglobal(L, b"__bridge")
    pushinteger(L, number_of(torch))
    setglobal(L, b"__torch_number")
    run_file(L, SURFACE)
    return L


def run_file(L, path, runner=None):
    """runs a file, as the argument of the global function runner if there is one; raises Lua's own error text"""
    if runner:
        getglobal(L, runner)
    if loadfilex(L, path.encode(), None) or pcallk(L, 1 if runner else 0, 0, 0, 0, None):
        raise RuntimeError(str(text(L, -1)))


def run(path):
    """runs one program in this process; Lua's own error text, or None"""
    torch.set_num_threads(1)
    if "GOLDEN_DEVICE" in os.environ:
        torch.set_default_device(os.environ["GOLDEN_DEVICE"])
    try:
        run_file(start(), path, b"__run")
    except RuntimeError as problem:
        return str(problem)
    return None
