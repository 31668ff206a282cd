"""Random programs. Each statement is run on PyTorch as it is made, so that the next one can use its results."""
import random

import torch

from random_programs.calls import LEFT_OUT, Calls
from random_programs.questions import Questions
from random_programs.tensors import Tensors
from random_programs.training import Training
from random_programs.values import Values


def usable(operators):
    """Returns the overloads by name of the operators that a Generator may call."""
    found = {}
    for o in operators:
        if o.name not in LEFT_OUT:
            found.setdefault(o.name, []).append(o)
    return found


KINDS = [("create", 14), ("call", 34), ("inplace", 10), ("arithmetic", 10), ("get", 8), ("set", 8), ("autograd", 14), ("module", 7),
         ("optimizer", 3), ("data", 2), ("ask", 6), ("random", 3), ("mistake", 5)]


class Generator(Tensors, Training, Questions, Calls, Values):
    def __init__(self, seed, operators, program):
        super().__init__(random.Random(seed))
        self.by_name = operators
        self.names_of = sorted(operators)
        self.inplace_names = [n for n in self.names_of if any(o.inplace for o in operators[n])]
        self.program = program
        self.statements = []          # (label, source, what PyTorch answers)
        self.count = 0
        self.modules, self.optimizers, self.datasets = {}, [], {}

    def emit(self, source, label, targets=()):
        answer = self.program.run(source)
        self.statements.append((label, source, answer))
        for name in targets:
            v = self.program.value(name)
            if isinstance(v, torch.Tensor) and v.device.type == "cpu":
                self.objects[name] = v
            elif name in self.objects:
                del self.objects[name]
        return not answer.startswith("error")

    def name(self):
        self.count += 1
        return "t%d" % self.count

    def assign(self, text, label):
        name = self.name()
        self.emit("%s = %s return %s" % (name, text, name), label, [name])
        return name, self.objects.get(name)

    def make(self, size):
        self.emit("torch.manual_seed(%d)" % self.r.randrange(100), "seed")
        for _ in range(2):
            self.create()
        while len(self.statements) < size:
            try:
                getattr(self, self.r.choices([k for k, _ in KINDS], [w for _, w in KINDS])[0])()
            except (RuntimeError, IndexError, ValueError):      # PyTorch forbids even to ask some views; what there is so far counts
                break
        if self.chance(0.3):
            for n in sorted(self.objects)[:12]:
                self.emit("return " + n, "dump")
        return self.statements

    def shared(self, name):
        """Returns the variables that share memory with this one, at most three."""
        t = self.objects.get(name)
        if t is None or t.numel() == 0:
            return []
        p = t.untyped_storage().data_ptr()
        return [n for n, o in self.objects.items() if n != name and o.numel() and o.untyped_storage().data_ptr() == p][:3]
