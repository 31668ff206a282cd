"""The PyTorch side of the table for a GPU; cases_cuda.lua is the Tocha side, with the same cases.

    cases_cuda.py speed [PATTERN]   see measuring_cuda.py
    cases_cuda.py bare [PATTERN]    the matrix products into an existing tensor, and a copy: little
                                    more than the library's own time, if bare_cuda.cpp cannot be built
"""
import torch
import torch.nn.functional as F
from torch import nn, optim

from measuring_cuda import SMALL, bare_cases, case, cuda, main, rand, sized

# ---- small tensors: the cost of one operator beside its arithmetic ----


def matrix():
    return torch.arange(9.0, device=cuda).reshape(3, 3) / 7


@case("a + b, 3x3")
def _():
    a, b = matrix(), matrix()
    return lambda: a + b


@case("a + b, 3x3, recorded")
def _():
    a, b = matrix().requires_grad_(), matrix()
    return lambda: a + b


@case("x * 2 + 1, 3x3")
def _():
    x = matrix()
    return lambda: x * 2 + 1


@case("x[1, 1]")
def _():
    x = matrix()
    return lambda: x[1, 1]


@case("zeros(3, 3)")
def _():
    return lambda: torch.zeros(3, 3, device=cuda)


@case("sum, 3x3")
def _():
    x = matrix()
    return lambda: x.sum()


@case("matmul 8x8")
def _():
    a, b = rand(8, 8), rand(8, 8)
    return lambda: a.matmul(b)


@case("item()")
def _():
    x = torch.tensor(0.5, device=cuda)
    return lambda: x.item()


# ---- memory: bytes moved, beside a copy on the GPU ----

MANY = sized(64 * 1024 * 1024, 16 * 1024)
ROWS = sized(8192, 64)


def prepare_copy():
    x, y = rand(MANY), rand(MANY)
    return lambda: y.copy_(x)


case("copy on the GPU, float32", 8 * MANY)(prepare_copy)
case("copy on the GPU, float32", 8 * MANY, bare_cases)(prepare_copy)


def name_of(dtype):
    return str(dtype)[6:]


def register_add(dtype):
    @case(f"x + y, {name_of(dtype)}", 3 * dtype.itemsize * MANY)
    def _():
        x, y = rand(MANY).to(dtype), rand(MANY).to(dtype)
        return lambda: x + y


for t in (torch.float32, torch.bfloat16, torch.float16):
    register_add(t)


@case("x + y into out, float32", 12 * MANY)
def _():
    x, y = rand(MANY), rand(MANY)
    out = torch.zeros(MANY, device=cuda)
    return lambda: torch.add(x, y, out=out)


@case("gelu, float32", 8 * MANY)
def _():
    x = rand(MANY)
    return lambda: F.gelu(x)


@case("relu_, bfloat16", 4 * MANY)
def _():
    x = rand(MANY).to(torch.bfloat16)
    return lambda: torch.relu_(x)


@case("x + row, float32", 8 * ROWS * ROWS)
def _():
    x, row = rand(ROWS, ROWS), rand(ROWS)
    return lambda: x + row


@case("x + y.T, float32", 12 * ROWS * ROWS)
def _():
    x, y = rand(ROWS, ROWS), rand(ROWS, ROWS).T
    return lambda: x + y


@case("float32 to bfloat16", 6 * MANY)
def _():
    x = rand(MANY)
    return lambda: x.to(torch.bfloat16)


@case("sum, float32", 4 * MANY)
def _():
    x = rand(MANY)
    return lambda: x.sum()


@case("sum, bfloat16", 2 * MANY)
def _():
    x = rand(MANY).to(torch.bfloat16)
    return lambda: x.sum()


def register_sum(dim):
    @case(f"sum over dim {dim}, float32", 4 * ROWS * ROWS)
    def _():
        x = rand(ROWS, ROWS)
        return lambda: x.sum(dim)


register_sum(0)
register_sum(1)


@case("max over dim 1, float32", 4 * ROWS * ROWS)
def _():
    x = rand(ROWS, ROWS)
    return lambda: x.max(1)


def register_softmax(dtype):
    @case(f"softmax of rows, {name_of(dtype)}", 2 * dtype.itemsize * ROWS * ROWS)
    def _():
        x = rand(ROWS, ROWS).to(dtype)
        return lambda: torch.softmax(x, 1)


register_softmax(torch.float32)
register_softmax(torch.bfloat16)


@case("softmax of short rows (128), float32", 8 * MANY)
def _():
    x = rand(MANY // 128, 128)
    return lambda: torch.softmax(x, 1)


@case("cross_entropy and backward, float32")
def _():
    x = rand(ROWS, ROWS).requires_grad_()
    labels = torch.randint(0, ROWS, (ROWS,), device=cuda)

    def call():
        x.grad = None
        F.cross_entropy(x, labels).backward()

    return call


# ---- matrix products ----


def register_matmul(name, size):
    dtype = torch.float32 if name == "tf32" else getattr(torch, name)
    title = f"matmul {name} {size}x{size}"

    def matrices():
        torch.backends.cuda.matmul.allow_tf32 = name == "tf32"
        return rand(size, size).to(dtype), rand(size, size).to(dtype)

    @case(title)
    def _():
        a, b = matrices()
        return lambda: a.matmul(b)

    @case(title, None, bare_cases)
    def _():
        a, b = matrices()
        out = torch.empty_like(a)
        return lambda: torch.mm(a, b, out=out)


for kind in ("float32", "tf32", "bfloat16", "float16"):
    for n in (32, 64) if SMALL else (256, 1024, 4096, 8192):
        register_matmul(kind, n)


@case("bmm bfloat16 64 of 256x256")
def _():
    count, size = sized(64, 2), sized(256, 16)
    a, b = rand(count, size, size).to(torch.bfloat16), rand(count, size, size).to(torch.bfloat16)
    return lambda: torch.bmm(a, b)


@case("linear bfloat16 4096x4096 with bias")
def _():
    size = sized(4096, 32)
    layer = nn.Linear(size, size).to(cuda, torch.bfloat16).requires_grad_(False)
    x = rand(size, size).to(torch.bfloat16)
    return lambda: layer(x)


# ---- optimizers: one step over 10 million parameters in 50 tensors ----


def parameters():
    values = [nn.Parameter(rand(sized(400, 4), 500)) for _ in range(50)]
    for p in values:
        p.grad = rand(sized(400, 4), 500)
    return values


def register_optimizer(name, make, options, passes):
    @case(f"{name}, 10M parameters", passes * 4 * sized(10000000, 100000))
    def _():
        optimizer = make(parameters(), **options)
        return lambda: optimizer.step()


register_optimizer("SGD with momentum", optim.SGD, {"lr": 0.01, "momentum": 0.9}, 5)
register_optimizer("Adam", optim.Adam, {"lr": 0.001}, 7)
register_optimizer("Adam, fused", optim.Adam, {"lr": 0.001, "fused": True}, 7)
register_optimizer("AdamW, fused", optim.AdamW, {"lr": 0.001, "fused": True}, 7)

# ---- training ----


def training_step(model, optimizer, loss_fn, x, y):
    """Returns the step of the tutorials, whose batch comes from the host."""

    def call():
        inputs, labels = x.to(cuda), y.to(cuda)
        optimizer.zero_grad()
        loss_fn(model(inputs), labels).backward()
        optimizer.step()

    return call


def mixed_step(model, optimizer, loss_fn, x, y, dtype):
    """Returns a step with autocast and a scaler, whose batch is on the GPU already."""
    scaler = torch.amp.GradScaler("cuda", enabled=dtype == torch.float16)

    def call():
        optimizer.zero_grad()
        with torch.autocast("cuda", dtype=dtype):
            loss = loss_fn(model(x), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()

    return call


@case("tutorial 03: 64-64-10, batch 32, Adam")
def _():
    model = nn.Sequential(nn.Flatten(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10)).to(cuda)
    return training_step(model, optim.Adam(model.parameters(), lr=0.001), nn.CrossEntropyLoss(),
                         torch.rand(32, 1, 8, 8), torch.randint(0, 10, (32,)))


@case("tutorial 05: 20-50-2, batch 64, SGD")
def _():
    model = nn.Sequential(nn.Linear(20, 50), nn.ReLU(), nn.Linear(50, 2)).to(cuda)
    optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    return training_step(model, optimizer, nn.CrossEntropyLoss(), torch.rand(64, 20),
                         torch.randint(0, 2, (64,)))


@case("tutorial 04: 1-10-10-1, autocast, scaler")
def _():
    model = nn.Sequential(nn.Linear(1, 10), nn.Linear(10, 10), nn.Linear(10, 1)).to(cuda)
    x = torch.arange(0, 0.8, 0.02, device=cuda).unsqueeze(1)
    return mixed_step(model, optim.SGD(model.parameters(), lr=0.01), nn.L1Loss(), x, 0.7 * x + 0.3,
                      torch.float16)


def classifier(sizes, batch):
    layers = []
    for i in range(len(sizes) - 1):
        layers.append(nn.Linear(sizes[i], sizes[i + 1]))
        if i < len(sizes) - 2:
            layers.append(nn.ReLU())
    model = nn.Sequential(*layers).to(cuda)
    return model, rand(batch, sizes[0]), torch.randint(0, sizes[-1], (batch,), device=cuda)


@case("net 784-512-512-10, batch 64, Adam step")
def _():
    model, x, y = classifier((784, 512, 512, 10), 64)
    return training_step(model, optim.Adam(model.parameters(), lr=0.001), nn.CrossEntropyLoss(), x, y)


def register_large_net(dtype):
    @case(f"net 1024-4096-4096-1000, 4096 rows, {name_of(dtype)}")
    def _():
        sizes = (1024, sized(4096, 64), sized(4096, 64), 1000)
        model, x, y = classifier(sizes, sized(4096, 16))
        return mixed_step(model, optim.AdamW(model.parameters(), lr=0.001), nn.CrossEntropyLoss(), x, y,
                          dtype)


register_large_net(torch.float16)
register_large_net(torch.bfloat16)

main()
