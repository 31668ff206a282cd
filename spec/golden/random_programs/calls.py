"""A random call of an operator, made from its signature."""
from random_programs.fitting import SPECIAL
from random_programs.values import literal

LEFT_OUT = {"_amp_foreach_non_finite_check_and_unscale_", "_amp_update_scale_", "empty", "empty_like", "empty_strided",
            "new_empty", "cpu", "repeat", "_unique2", "native_dropout"}
STRINGS = {"reduction": ["mean", "sum", "none", "none", "avg"], "rounding_mode": ["trunc", "floor", "floor", "round"],
           "approximate": ["none", "tanh", "tanh", "x"], "indexing": ["ij", "xy", "xy"], "p": ["fro", "fro", "nuc"],
           "memory_format": [None]}
GUARDED = {"bincount", "one_hot", "repeat_interleave", "polygamma"}


class Calls:
    """needs Values"""

    def argument(self, op, p, s):
        r, name = self.r, p.name
        kind = p.type
        if kind == "Tensor":
            if name in ("mask", "condition"):
                return self.mask(s) if s is not None else self.fresh(self.shape(), "bool")
            if name in ("index", "indices"):
                return self.positions(s.shape[0] if s is not None and s.dim() else 1)
            return self.partner(s) if s is not None else self.any_tensor()
        if kind == "Operand":
            return literal(self.number()) if self.chance(0.45) or s is None else self.partner(s)
        if kind == "Scalar":
            return literal(self.number())
        if kind == "float":
            if name == "p" and self.chance(0.9):
                return literal(r.choice([0.0, 0.25, 0.5, 0.5, 1.0, 0.9]))
            return literal(self.float() if self.chance(0.8) else self.int())
        if kind == "int":
            if name in ("k", "chunks", "sections", "n", "repeats", "steps", "bins", "split_size", "num_samples", "num_classes", "m", "row",
                        "col"):
                return literal(r.choice([1, 2, 2, 3, 4, 5, 0, -1]))
            return literal(self.int())
        if kind == "bool":
            return literal(self.chance(0.5))
        if kind == "string":
            v = r.choice(STRINGS.get(name, ["none"]))
            return None if v is None else '"%s"' % v
        if kind == "dtype":
            return self.dtype()
        if kind == "dim":
            return literal(self.dim(s)) if s is not None else "0"
        if kind == "dim[]":
            return literal(self.dims(s)) if s is not None else "0"
        if kind == "dim...":
            d = self.dims(s) if s is not None else [0]
            d = d if isinstance(d, list) else [d]
            return literal(d) if self.chance(0.5) else literal(d)[1:-1] or "{}"
        if kind == "index":
            return literal(r.randrange(-4, 4))
        if kind in ("size...", "size[]", "int[]"):
            shape = self.shape()
            return literal(shape) if kind != "size..." else self.size(shape)
        if kind == "Generator":
            return "torch.Generator():manual_seed(%d)" % r.randrange(9)
        if kind == "device":
            return '"cpu"'
        if kind == "Tensor[]" or kind == "Tensor...":
            t = self.objects.get(self.tensor() or "")
            items = [self.partner(t) if t is not None else self.any_tensor() for _ in range(r.randint(1, 3))]
            return "{" + ", ".join(items) + "}" if kind == "Tensor[]" or self.chance(0.3) else ", ".join(items)
        return "nil"

    def call(self, op, inplace=False):
        """(text of the call, name of self) or None"""
        r = self.r
        called = [c for c in op.called if not c.startswith("linalg") or self.chance(0.7)]
        if inplace:
            called = ["x:" + op.inplace]
        if not called:
            return None
        form = r.choice(called)
        parameters = list(op.parameters)
        floats = "loss" in op.name or "nn.functional" in form or op.name in ("normal", "bernoulli", "lerp", "std", "var", "mean")
        name = s = None
        if parameters and parameters[0].type == "Tensor":
            name = self.float_tensor() if floats and self.chance(0.85) else self.any_tensor()
            if op.name in GUARDED and not self.small(name):
                return None
            s = self.objects.get(name)
            if s is None:
                name, s = self.hold(name)
        special = SPECIAL.get(op.name.rstrip("_")) if self.chance(0.93) else None
        if special:
            given = special(self, op, s)
            if given is None:
                return None
            if isinstance(given, tuple):         # self was chosen anew
                name, given = given
            positional = ([name] if name else []) + given
            rest = [p for p in parameters[len(positional):] if p.optional]
        else:
            positional, rest = [], []
            for p in parameters:
                if p.keyword or p.optional:
                    rest.append(p)
                elif not positional and name:
                    positional.append(name)
                else:
                    positional.append(self.argument(op, p, s))
        # optional ones: the first few by position, others by keyword
        keywords = []
        in_order = True
        for p in rest:
            if p.name in ("size_average", "reduce", "_stacklevel", "device", "implicit", "non_blocking", "sparse_grad", "memory_format",
                          "output_size"):
                in_order = False
                continue
            if not self.chance(0.35):
                in_order = False
                continue
            if p.type == "Generator" and self.chance(0.6) or p.name == "requires_grad" and self.chance(0.4) or \
                    p.name == "inplace" and self.chance(0.7):
                in_order = False
                continue
            v = self.argument(op, p, s)
            if v is None:
                in_order = False
                continue
            if in_order and not p.keyword and self.chance(0.6):
                positional.append(v)
            else:
                in_order = False
                keywords.append(((p.name if p.name != "end" else "stop"), v))
        if op.out and not inplace and self.chance(0.05) and not form.startswith("x:"):
            keywords.append(("out", self.tensor() or "torch.zeros(0)"))
        kw = self.options(*keywords)
        if form.startswith("x:"):
            if not name:
                return None
            method = form[2:]
            target = name if name.isidentifier() else "(" + name + ")"
            rest = [x for x in positional[1:]]
            if kw and not rest and self.chance(0.6):
                return "%s:%s%s" % (target, method, kw), name
            return "%s:%s(%s)" % (target, method, self.arguments(*rest, kw)), name
        path = ("torch." if not form.startswith("torch.") else "") + form
        if kw and self.chance(0.2):
            return "%s{%s, %s}" % (path, ", ".join(positional), kw[1:-1]) if positional else path + kw, name
        return "%s(%s)" % (path, self.arguments(*positional, kw)), name

    def hold(self, text):
        """gives an expression a variable: the name and the tensor"""
        return self.assign(text, "create")

    def small(self, name):
        t = self.objects.get(name)
        return t is None or t.numel() == 0 or bool((t.double().abs() < 200).all())
