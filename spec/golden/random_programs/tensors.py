"""Statements that make tensors: factories, operators, in-place forms, subscripts."""
import re

import torch

from random_programs.values import FLOATS, literal


class Tensors:
    """needs Values, Calls and a Generator's emit and assign"""

    def create(self):
        r = self.r
        shape = self.shape()
        k = r.random()
        if k < 0.35:
            text = self.fresh(shape)
        elif k < 0.5:
            which = r.choice(["zeros", "ones", "rand", "randn"])
            kw = self.options(("dtype", self.maybe(0.4, self.dtype())), ("requires_grad", self.maybe(0.3, "true")))
            if self.chance(0.3):
                text = "torch.%s%s" % (which, "{" + literal(shape)[1:-1] + (", " if shape and kw else "") + (kw[1:-1] if kw else "") + "}")
                if not shape:
                    text = "torch.%s(%s)" % (which, self.arguments("{}", kw))
            elif self.chance(0.1):
                text = "torch.%s{size = %s%s}" % (which, literal(shape), ", " + kw[1:-1] if kw else "")
            else:
                text = "torch.%s(%s)" % (which, self.arguments(self.size(shape), kw))
        elif k < 0.65:
            mixed = self.chance(0.15)
            make = self.number if mixed else r.choice([self.float, self.float, lambda: r.randrange(-4, 9), lambda: self.chance(0.5)])
            shape = [min(x, 3) for x in shape[:3]]
            values = self.nested(shape, make)
            if self.chance(0.04):
                values = values.replace("}", ", 1}", 1)
            kw = self.options(("dtype", self.maybe(0.4, self.dtype())), ("requires_grad", self.maybe(0.3, "true")))
            if self.chance(0.1) and kw and values.startswith("{"):
                text = "torch.tensor{%s, %s}" % (values, kw[1:-1])
            elif not kw and values.startswith("{") and self.chance(0.4):
                text = "torch.tensor" + values
            else:
                text = "torch.%s(%s)" % (r.choice(["tensor"] * 5 + ["as_tensor"]), self.arguments(values, kw))
        elif k < 0.8:
            step = r.choice([1, 1, 2, 0.5, -1, 0.3, 3])
            start, stop = self.r.choice([(0, 5), (1, 6), (0.0, 3.0), (5, 0), (-2, 4), (0.5, 4)])
            kw = self.options(("dtype", self.maybe(0.3, self.dtype())), ("requires_grad", self.maybe(0.15, "true")))
            kind = r.random()
            if kind < 0.4:
                text = "torch.arange(%s)" % self.arguments(literal(r.choice([0, 3, 6, 10, 4.0, 2.5, 12])), kw)
            elif kind < 0.7:
                text = "torch.arange(%s)" % self.arguments(literal(start), literal(stop), literal(step), kw)
            elif kind < 0.9:
                text = "torch.linspace(%s)" % self.arguments(literal(start), literal(stop), str(r.randint(1, 7)), kw)
            else:
                text = "torch.logspace(%s)" % self.arguments(literal(r.choice([0, -1.0, 1])), literal(r.choice([1, 2.0, 2])),
                                                             str(r.randint(1, 5)), kw)
        elif k < 0.9 and self.objects:
            x = self.any_tensor()
            kw = self.options(("dtype", self.maybe(0.4, self.dtype())), ("requires_grad", self.maybe(0.2, "true")))
            kind = r.random()
            if kind < 0.5:
                text = "torch.%s(%s)" % (r.choice(["zeros_like", "ones_like", "rand_like", "randn_like"]), self.arguments(x, kw))
            elif kind < 0.7:
                text = "torch.full_like(%s)" % self.arguments(x, literal(self.number()), kw)
            elif x.isidentifier():
                text = r.choice(["%s:new_zeros(%s)" % (x, self.arguments(self.size(shape), kw)),
                                 "%s:new_ones(%s)" % (x, self.arguments(self.size(shape), kw)),
                                 "%s:new_full(%s)" % (x, self.arguments(literal(shape), literal(self.number()), kw)),
                                 "%s:new_tensor(%s)" % (x, self.arguments(self.nested(shape[:2], self.number), kw))])
            else:
                text = x
        else:
            text = r.choice([
                "torch.full(%s)" % self.arguments(literal(shape), literal(self.number()),
                                                  self.options(("dtype", self.maybe(0.4, self.dtype())))),
                "torch.eye(%s)" % self.arguments(str(r.randint(1, 4)), self.maybe(0.4, str(r.randint(1, 4))),
                                                 self.options(("dtype", self.maybe(0.4, self.dtype())))),
                "torch.randperm(%d)" % r.randint(0, 8),
                "torch.normal(%s, %s, %s)" % (literal(self.float()), literal(abs(self.float())), literal(shape)),
                "torch.scalar_tensor(%s)" % self.arguments(literal(self.number()), self.options(("dtype", self.maybe(0.4, self.dtype())))),
                "torch.empty(%s):fill_(%s)" % (self.size(shape), literal(self.number())),
                "torch.tril_indices(%d, %d, %d)" % (r.randint(0, 4), r.randint(0, 4), r.randint(-1, 2)),
                "nn.Parameter(%s)" % self.fresh(shape, "float32"),
            ]).replace("nn.", "torch.nn.")
        name, t = self.assign(text, "create")
        if t is not None and t.dtype in FLOATS and t.is_leaf and not t.requires_grad and self.chance(0.3):
            self.emit("%s:requires_grad_() return %s" % (name, name), "create", [name])

    def assigned_leaf(self, text):
        return text

    def fresh_unit(self, shape):
        return "torch.rand(%s)" % literal(list(shape))

    def call(self):
        op = self.r.choice(self.by_name[self.r.choice(self.names_of)])
        made = super().call(op)
        if not made:
            return
        text, name = made
        count = op.result.count(",") + 1 if op.result.startswith("(") else 1
        if op.name.endswith("_"):
            self.run_inplace(text, name, op.name)
            return
        if op.result.endswith("[]"):
            self.emit("return " + text, op.name)
            if self.chance(0.4):
                self.assign("(%s)[%d]" % (text, self.r.randint(1, 2)), op.name)
            return
        names = [self.name() for _ in range(count)]
        if self.chance(0.04) and count == 1:        # methods chain
            text += self.r.choice([":sum()", ":mean()", ":T", ":t()", ":contiguous()", ":clone()", ":double()", ":long()", ":unsqueeze(0)",
                                   ":flatten()"]).replace(":T", ".T")
        self.emit("%s = %s return %s" % (", ".join(names), text, ", ".join(names)), op.name, names)

    def inplace(self):
        op = self.r.choice([o for o in self.by_name[self.r.choice(self.inplace_names)] if o.inplace])
        made = super().call(op, inplace=True)
        if made:
            self.run_inplace(made[0], made[1], op.inplace)

    def run_inplace(self, text, name, label):
        if not name:
            self.emit("return " + text, label)
            return
        if self.chance(0.15):
            text = "torch.no_grad(function() return %s end)" % text
        tail = ", ".join([name] + self.shared(name)) if name.isidentifier() else "nil"
        self.emit("local r = %s return r, %s" % (text, tail), label, [name] + self.shared(name))

    def random(self):
        x = self.any_tensor()
        if not x.isidentifier():
            return
        f = self.r.choice(["normal_()", "uniform_()", "uniform_(-1, 2)", "random_(5)", "random_(-2, 7)", "random_()", "bernoulli_()",
                           "bernoulli_(0.3)", "exponential_()",
                           "geometric_(0.4)", "log_normal_()", "cauchy_()", "normal_(2, 0.5)", "zero_()",
                           "fill_(%s)" % literal(self.number())])
        self.run_inplace("%s:%s" % (x, f), x, f.split("(")[0])

    def arithmetic(self):
        r = self.r
        x = self.any_tensor()
        t = self.objects.get(x)
        k = r.random()
        if k < 0.12:
            text = r.choice(["-%s", "~%s"]) % x
        else:
            op = r.choice(["+", "-", "*", "/", "+", "-", "*", "/", "//", "%", "^", "&", "|", "~", "<<", ">>"])
            y = literal(self.number()) if self.chance(0.4) or t is None else self.partner(t)
            if y.startswith("-") or y.startswith("("):
                y = "(" + y + ")"
            a, b = (y, x) if self.chance(0.35) else (x, y)
            text = "%s %s %s" % (a, op, b)
        self.assign(text, "operator " + text.split(" ")[1] if " " in text and k >= 0.12 else "unary " + text[0])

    def subscript(self, t):
        r = self.r
        k = r.random()
        if k < 0.15:
            return str(r.randrange(-t.shape[0] - 1, t.shape[0] + 1) if t.dim() else 0)
        if k < 0.25:
            return self.mask(t)
        if k < 0.32 and t.dim():
            return self.positions(t.shape[0])
        items, tensors = [], False
        d = 0
        while d < t.dim() and not (items and self.chance(0.2)):
            n = t.shape[d]
            k = r.random()
            if k < 0.3:
                items.append(str(r.randrange(-n, n) if n and not self.chance(0.05) else n))
            elif k < 0.65:
                a = "" if self.chance(0.4) else str(r.randint(-n - 1, n + 1))
                b = "" if self.chance(0.4) else str(r.randint(-n - 1, n + 1))
                c = "" if self.chance(0.7) else ":" + r.choice(["1", "2", "2", "3", "-1", "0", ""])
                items.append(a + ":" + b + c)
            elif k < 0.72:
                items.append("...")
                d = max(d, t.dim() - r.randint(1, 2))
                if "..." in items[:-1] and not self.chance(0.1):
                    items.pop()
            elif k < 0.8:
                items.append("None")
                d -= 1
            elif k < 0.92:
                items.append(self.positions(n, self.pick([2], [2], [3], [1], [2, 1], [])))
                tensors = True
            elif k < 0.96:
                items.append("{%s}" % ", ".join(str(r.randrange(-n, n) if n else 0) for _ in range(r.randint(1, 3))))
                tensors = True
            else:
                items.append(self.fresh([n], "bool"))
                tensors = True
            d += 1
        if not items:
            items = [r.choice(["...", "None", ":"])]
        if tensors or self.chance(0.4):
            return "{" + ", ".join(i if not re.fullmatch(r"[-\d]*:.*|\.\.\.|None", i) else '"%s"' % i for i in items) + "}"
        return '"' + ", ".join(items) + '"'

    def get(self):
        x = self.tensor(lambda t: t.dim() > 0 or self.chance(0.1))
        if x:
            self.assign("%s[%s]" % (x, self.subscript(self.objects[x])), "get")

    def set(self):
        x = self.tensor(lambda t: t.dim() > 0 or self.chance(0.1))
        if not x:
            return
        t = self.objects[x]
        key = self.subscript(t)
        if self.chance(0.5):
            value = literal(self.number())
        else:
            part = self.part(x, key)
            value = self.partner(part) if part is not None else self.any_tensor()
        statement = "%s[%s] = %s" % (x, key, value)
        if self.chance(0.15):
            statement = "torch.no_grad(function() %s end)" % statement
        also = self.shared(x)
        self.emit("%s return %s" % (statement, ", ".join([x] + also)), "set", [x] + also)

    def part(self, x, key):
        state = torch.get_rng_state()
        self.program.run("__part = %s[%s]" % (x, key))
        v = self.program.value("__part")
        self.program.run("__part = nil")
        torch.set_rng_state(state)
        return v if isinstance(v, torch.Tensor) else None
