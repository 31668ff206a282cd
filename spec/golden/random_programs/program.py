"""A random program while it runs on PyTorch: a Lua state of its own, in which statements are run one by one."""
import os

import torch

from bridge.classes import dispatcher
from bridge.lua54 import close, getglobal, loadbuffer, pcallk, pushlstring, settop
from bridge.program import start
from bridge.values import get, numbers, objects, text

SUPPORT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support")
SETUP = f"""
package.path = "{SUPPORT}/?.lua;" .. package.path
torch = require "torch"
__answer = require("statements").answer
""".encode()


class Program:
    """a Lua state with torch in it, and PyTorch's settings as at the start of a process"""

    def __init__(self):
        torch.set_grad_enabled(True)
        torch.set_default_dtype(torch.float32)
        torch.set_printoptions(profile="default")
        torch.default_generator.manual_seed(0)
        self.L = start()
        if loadbuffer(self.L, SETUP, len(SETUP), b"=setup", None) or pcallk(self.L, 0, 0, 0, 0, None):
            raise RuntimeError(text(self.L, -1))

    def run(self, source):
        """what a statement gives, as spec/support/statements.lua tells it"""
        getglobal(self.L, b"__answer")
        b = source.encode()
        pushlstring(self.L, b, len(b))
        getglobal(self.L, b"_G")
        failed = pcallk(self.L, 2, 1, 0, 0, None)
        said = text(self.L, -1)
        settop(self.L, 0)
        if failed:
            raise RuntimeError(said)
        return said

    def value(self, name):
        """the PyTorch object that a global variable holds"""
        getglobal(self.L, name.encode())
        v = get(self.L, -1)
        settop(self.L, 0)
        return v

    def close(self):
        objects.clear()
        numbers.clear()
        dispatcher[0] = None
        torch.set_grad_enabled(True)
        close(self.L)
