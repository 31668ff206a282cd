"""Arguments that must fit together: a function for each operator whose sizes depend on one another. Each returns the arguments after
self, or a new self and these, or None if nothing fits."""
from random_programs.values import FLOATS, literal


def _matrix(self, dims, dtype=None):
    name = self.tensor(lambda t: t.dim() == dims and t.dtype in FLOATS) if self.chance(0.6) else None
    return name if name else self.hold(self.fresh(self.shape(dims),
                                                  "float32" if self.chance(0.8) else self.pick("float64", "int64", "bfloat16",
                                                                                               "float16")))[0]


def mm(self, op, s):
    a = _matrix(self, 2)
    t = self.objects.get(a)
    if t is None:
        return None
    return a, [self.of_shape([t.shape[-1], self.r.randint(1, 4)], t.dtype)]


def bmm(self, op, s):
    a = _matrix(self, 3)
    t = self.objects.get(a)
    return None if t is None else (a, [self.of_shape([t.shape[0], t.shape[2], self.r.randint(1, 4)], t.dtype)])


def mv(self, op, s):
    a = _matrix(self, 2)
    t = self.objects.get(a)
    return None if t is None else (a, [self.of_shape([t.shape[1]], t.dtype)])


def dot(self, op, s):
    a = _matrix(self, 1)
    t = self.objects.get(a)
    return None if t is None else (a, [self.of_shape([t.shape[0]], t.dtype)])


def outer(self, op, s):
    a = _matrix(self, 1)
    t = self.objects.get(a)
    return None if t is None else (a, [self.of_shape([self.r.randint(1, 4)], t.dtype)])


def matmul(self, op, s):
    a = _matrix(self, self.pick(1, 2, 2, 3, 4))
    t = self.objects.get(a)
    if t is None or t.dim() == 0:
        return None
    k = t.shape[-1]
    shape = self.r.choice([[k], [k, 2], [k, 3], [1, k, 2], [2, k, 1], [3, 1, k, 2]])
    if t.dim() >= 3 and self.chance(0.5):
        shape = list(t.shape[:-2]) + [k, self.r.randint(1, 3)]
    return a, [self.of_shape(shape, t.dtype)]


def inner(self, op, s):
    return None if s is None or s.dim() == 0 else [self.of_shape([self.r.randint(1, 3)] * self.r.randint(0, 2) + [s.shape[-1]], s.dtype)]


def addmm(self, op, s):
    n, k, m = (self.r.randint(1, 4) for _ in range(3))
    d = self.pick("float32", "float32", "float32", "float64", "bfloat16", "int64")
    return self.hold(self.fresh(self.r.choice([[n, m], [n, m], [m], [1], [], [n, 1]]), d))[0], [self.fresh([n, k], d),
                                                                                                self.fresh([k, m], d)]


def addmv(self, op, s):
    n, k = (self.r.randint(1, 4) for _ in range(2))
    return self.hold(self.fresh(self.r.choice([[n], [1], []]), "float32"))[0], [self.fresh([n, k], "float32"), self.fresh([k], "float32")]


def baddbmm(self, op, s):
    b, n, k, m = (self.r.randint(1, 3) for _ in range(4))
    shape = self.r.choice([[b, n, m], [n, m], [m], []]) if op.name == "baddbmm" else self.r.choice([[n, m], [m], []])
    return self.hold(self.fresh(shape, "float32"))[0], [self.fresh([b, n, k], "float32"), self.fresh([b, k, m], "float32")]


def linear(self, op, s):
    if s.dim() == 0:
        return None
    o = self.r.randint(1, 4)
    return [self.of_shape([o, s.shape[-1]], s.dtype)] + ([self.of_shape([o], s.dtype)] if self.chance(0.6) else [])


def bilinear(self, op, s):
    if s.dim() == 0:
        return None
    o, k = self.r.randint(1, 3), self.r.randint(1, 3)
    return [self.fresh(list(s.shape[:-1]) + [k], s.dtype), self.fresh([o, s.shape[-1], k], s.dtype)] + \
        ([self.fresh([o], s.dtype)] if self.chance(0.6) else [])


def multi_dot(self, op, s):
    k = [self.r.randint(1, 4) for _ in range(5)]
    return ["{" + ", ".join(self.fresh(k[i:i + 2], "float32") for i in range(self.r.randint(2, 4))) + "}"]


def join(self, op, s):
    t = self.objects.get(self.tensor() or "")
    if t is None:
        return None
    shape = list(t.shape)
    items = []
    d = self.r.randrange(len(shape)) if shape else 0
    for _ in range(self.r.randint(1, 3)):
        own = list(shape)
        if own and op.name in ("cat", "concat", "concatenate", "vstack", "row_stack", "hstack"):
            own[d] = self.r.randint(1, 3)
        items.append(self.of_shape(own, t.dtype if self.chance(0.7) else None))
    given = ["{" + ", ".join(items) + "}"]
    if op.name in ("cat", "concat", "concatenate") or op.name == "stack" and self.chance(0.5):
        given.append(literal(d - len(shape) if self.chance(0.2) and shape else d))
    return given


def gather(self, op, s):
    if s.dim() == 0 and self.chance(0.8):
        return None
    d = self.r.randrange(max(s.dim(), 1))
    shape = [self.r.randint(1, k) if k else 0 for k in s.shape]
    if shape and self.chance(0.5):
        shape[d] = self.r.randint(1, 4)
    index = self.positions(s.shape[d] if s.dim() else 1, shape)
    if op.name == "take_along_dim" and s.dim():
        shape = list(s.shape)
        shape[d] = self.r.randint(1, 3)
        return [self.positions(s.shape[d], shape), literal(d)]
    given = [literal(d), index]
    if op.name.startswith("scatter"):
        number = op.parameters[3].type == "Scalar" and op.name != "scatter_add"
        given.append(literal(self.number()) if number else self.fresh([k + (self.r.randint(0, 1)) for k in shape], s.dtype))
    return given


def index(self, op, s):
    if s.dim() == 0 and self.chance(0.8):
        return None
    d = self.r.randrange(max(s.dim(), 1))
    k = self.r.randint(1, 3)
    given = [literal(d), self.positions(s.shape[d] if s.dim() else 1, [k], self.pick("int64", "int64", "int32"))]
    if op.name.rstrip("_") in ("index_add", "index_copy"):
        shape = list(s.shape)
        if shape:
            shape[d] = k
        given.append(self.of_shape(shape, s.dtype))
    if op.name.rstrip("_") == "index_fill":
        given.append(literal(self.number()))
    return given


def index_put(self, op, s):
    if s.dim() == 0:
        return None
    k = self.r.randint(1, 3)
    many = self.r.randint(1, min(2, s.dim()))
    at = ", ".join(self.positions(s.shape[i], [k]) for i in range(many))
    return ["{" + at + "}", self.fresh([k] + list(s.shape[many:]) if self.chance(0.6) else [], s.dtype)]


def take(self, op, s):
    return [self.positions(s.numel())]


def reshape(self, op, s):
    if op.parameters[1].type == "dtype":
        return [self.dtype()]
    n = s.numel()
    shape, rest = [], n
    for _ in range(self.r.randint(0, 3)):
        k = self.r.choice([k for k in range(1, rest + 1) if rest % k == 0] or [1])
        shape.append(k)
        rest //= k
    if rest != 1:
        shape.append(rest)
    self.r.shuffle(shape)
    if shape and self.chance(0.3):
        shape[self.r.randrange(len(shape))] = -1
    return [self.size(shape)] if shape else ["{}"]


def expand(self, op, s):
    shape = [self.r.randint(1, 3) if k == 1 else self.r.choice([k, k, -1]) for k in s.shape]
    if self.chance(0.3):
        shape = [self.r.randint(1, 3)] + shape
    return [self.size(shape)]


def permute(self, op, s):
    d = list(range(s.dim()))
    self.r.shuffle(d)
    return [self.size([k - s.dim() if self.chance(0.15) else k for k in d])]


def narrow(self, op, s):
    if s.dim() == 0:
        return None
    d = self.r.randrange(s.dim())
    a = self.r.randint(0, s.shape[d])
    return [literal(d), literal(a - s.shape[d] if self.chance(0.1) else a),
            literal(self.r.randint(0, s.shape[d] - a) + (1 if self.chance(0.05) else 0))]


def select(self, op, s):
    if s.dim() == 0:
        return None
    d = self.r.randrange(s.dim())
    return [literal(d), literal(self.r.randrange(-s.shape[d] - 1,
                                                 s.shape[d] + 1) if s.shape[d] and self.chance(0.2) else self.r.randrange(max(s.shape[d], 1)))]


def unfold(self, op, s):
    if s.dim() == 0:
        return None
    d = self.r.randrange(s.dim())
    return [literal(d), literal(self.r.randint(0, s.shape[d])), literal(self.r.randint(1, 2))]


def as_strided(self, op, s):
    room = s.untyped_storage().nbytes() // s.element_size()
    n = self.r.randint(0, 3)
    size, stride = [self.r.randint(1, 3) for _ in range(n)], [self.r.randint(0, 3) for _ in range(n)]
    if sum((k - 1) * w for k, w in zip(size, stride)) >= room:
        return None
    return [literal(size), literal(stride)]


def swap(self, op, s):
    return [literal(self.dim(s)), literal(self.dim(s))]


def movedim(self, op, s):
    if s.dim() < 2 or self.chance(0.4):
        return [literal(self.dim(s)), literal(self.dim(s))]
    return [literal(self.r.sample(range(s.dim()), 2)), literal(self.r.sample(range(s.dim()), 2))]


def unflatten(self, op, s):
    if s.dim() == 0:
        return None
    d = self.r.randrange(s.dim())
    k = s.shape[d]
    a = self.r.choice([x for x in range(1, k + 1) if k % x == 0] or [1])
    return [literal(d), literal(self.r.choice([[a, k // a], [-1, a], [a, -1]]))]


def loss(self, op, s):
    n = op.name
    if n in ("binary_cross_entropy",):
        shape = self.shape()
        return self.hold(self.assigned_leaf("torch.rand(%s)" % literal(shape)))[0], [self.fresh_unit(shape)]
    if n == "binary_cross_entropy_with_logits":
        return [self.fresh_unit(s.shape)]
    if n == "kl_div":
        return ["torch.softmax(%s, -1)" % self.fresh(s.shape, "float32")]
    if n == "hinge_embedding_loss":
        return ["torch.randint(0, 2, %s):mul(2):sub(1)" % literal(list(s.shape))]
    if n in ("nll_loss", "cross_entropy"):
        classes = self.r.randint(2, 4)
        shape = self.r.choice([[classes], [self.r.randint(1, 4), classes], [self.r.randint(1, 4), classes], [2, classes, 3]])
        x = "torch.randn(%s)" % literal(shape)
        if n == "nll_loss":
            x += ":log_softmax(%d)" % (0 if len(shape) == 1 else 1)
        target = [] if len(shape) == 1 else [shape[0]] + shape[2:]
        t = self.positions(classes, target)
        if n == "cross_entropy" and self.chance(0.2):
            t = "torch.softmax(torch.randn(%s), %d)" % (literal(shape), 0 if len(shape) == 1 else 1)
        weight = [self.fresh_unit([classes])] if self.chance(0.3) else []
        return self.hold(self.assigned_leaf(x))[0], [t] + weight
    return [self.partner(s, broadcast=self.chance(0.1))]


def one_hot(self, op, s):
    return self.hold(self.positions(4))[0], []


def bincount(self, op, s):
    return self.hold(self.positions(5, [self.r.randint(0, 6)]))[0], []


def multinomial(self, op, s):
    return self.hold("torch.rand(%s)" % literal(self.shape(self.pick(1, 2))))[0], [literal(self.r.randint(1, 3))]


def bernoulli(self, op, s):
    if len(op.parameters) > 2 and op.parameters[1].name == "p":
        return None if self.chance(0.5) else [literal(self.pick(0.0, 0.3, 0.5, 1.0))]
    return self.hold("torch.rand(%s)" % literal(self.shape()))[0], []


def rot90(self, op, s):
    return None if s.dim() < 2 else [literal(self.int()), literal(self.r.sample(range(s.dim()), 2))]


def roll(self, op, s):
    return [literal(self.int())] + ([literal(self.dim(s))] if self.chance(0.7) else [])


def where(self, op, s):
    if len(op.parameters) == 1:
        return []
    t = self.objects.get(self.tensor() or "")
    if t is None:
        return None
    if op.called == ["x:where"]:
        return [self.mask(s), literal(self.number()) if self.chance(0.4) else self.partner(s)]
    one = [literal(self.number()) if self.chance(0.25) else self.partner(t) for _ in range(2)]
    return self.hold(self.mask(t))[0], one


def prelu(self, op, s):
    return [self.fresh([1] if s.dim() < 2 or self.chance(0.5) else [s.shape[1]], s.dtype)]


def masked_fill(self, op, s):
    return [self.mask(s), literal(self.number()) if op.parameters[2].type != "Tensor" or self.chance(0.2) else self.fresh([], s.dtype)]


def masked_select(self, op, s):
    return [self.mask(s)]


def sum_to_size(self, op, s):
    return [self.size([1 if self.chance(0.5) else k for k in s.shape][self.r.randint(0, 1):])]


def randint(self, op, s):
    shape = literal(self.shape())
    if op.parameters[0].name == "low":
        low = self.r.randint(-5, 3)
        return [literal(low), literal(low + self.r.randint(1, 9)), shape]
    return [literal(self.r.randint(1, 9)), shape]


def split_sizes(self, op, s):
    if s.dim() == 0:
        return None
    d = self.r.randrange(s.dim())
    if op.parameters[1].type == "int":
        return [literal(self.r.randint(1, 3)), literal(d)]
    k = s.shape[d]
    a = self.r.randint(0, k)
    return [literal([a, k - a]), literal(d)]


SPECIAL = {
    "mm": mm, "bmm": bmm, "mv": mv, "dot": dot, "vdot": dot, "outer": outer, "ger": outer, "matmul": matmul, "inner": inner,
    "addmm": addmm, "addmv": addmv, "baddbmm": baddbmm, "addbmm": baddbmm, "linear": linear, "bilinear": bilinear,
    "multi_dot": multi_dot, "cat": join, "concat": join, "concatenate": join, "stack": join, "vstack": join, "hstack": join,
    "dstack": join, "column_stack": join, "row_stack": join, "gather": gather, "scatter": gather, "scatter_add": gather,
    "take_along_dim": gather, "index_select": index, "index_add": index, "index_copy": index, "index_fill": index,
    "index_put": index_put, "take": take, "reshape": reshape, "view": reshape, "expand": expand, "broadcast_to": expand,
    "permute": permute, "narrow": narrow, "select": select, "unfold": unfold, "as_strided": as_strided, "transpose": swap,
    "swapaxes": swap, "swapdims": swap, "movedim": movedim, "moveaxis": movedim, "unflatten": unflatten, "one_hot": one_hot,
    "bincount": bincount, "multinomial": multinomial, "bernoulli": bernoulli, "rot90": rot90, "roll": roll, "where": where,
    "prelu": prelu, "masked_fill": masked_fill, "masked_select": masked_select, "sum_to_size": sum_to_size, "randint": randint,
    "split": split_sizes, "split_with_sizes": split_sizes,
}
for _n in ("l1_loss", "mse_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits", "kl_div",
           "hinge_embedding_loss", "nll_loss", "cross_entropy"):
    SPECIAL[_n] = loss
