"""The PyTorch side of the table; cases.lua is the Tocha side, with the same cases.

    cases.py speed [PATTERN]   prints "name<TAB>nanoseconds<TAB>ns[<TAB>bytes moved]"
    cases.py memory [PATTERN]  prints "name<TAB>bytes<TAB>bytes"
"""
import os
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn, optim

from measuring import status_bytes

BATCHES, BATCH_NS = 7, 2e7

cases = []


def case(name, bytes_moved=None):
    """Registers prepare(). It returns run(n), which does the work n times."""

    def register(prepare):
        cases.append((name, prepare, bytes_moved))
        return prepare

    return register


# ---- small tensors: the cost of one operator beside its arithmetic ----


def matrix():
    return torch.arange(9.0).reshape(3, 3) / 7


@case("a + b, 3x3")
def _():
    a, b = matrix(), matrix()

    def run(n):
        for _ in range(n):
            a + b

    return run


@case("a + b, 3x3, recorded")
def _():
    a, b = matrix().requires_grad_(), matrix()

    def run(n):
        for _ in range(n):
            a + b

    return run


@case("x * 2 + 1, 3x3")
def _():
    x = matrix()

    def run(n):
        for _ in range(n):
            x * 2 + 1

    return run


@case("item()")
def _():
    x = torch.tensor(0.5)

    def run(n):
        for _ in range(n):
            x.item()

    return run


@case("zeros(3, 3)")
def _():
    def run(n):
        for _ in range(n):
            torch.zeros(3, 3)

    return run


@case("x[1, 1]")
def _():
    x = matrix()

    def run(n):
        for _ in range(n):
            x[1, 1]

    return run


def register_matmul(size, dtype=torch.float32):
    @case(f"matmul {'' if dtype == torch.float32 else str(dtype)[6:] + ' '}{size}x{size}")
    def _():
        a, b = torch.rand(size, size).to(dtype), torch.rand(size, size).to(dtype)

        def run(n):
            for _ in range(n):
                a.matmul(b)

        return run


register_matmul(8)

# ---- large tensors: the speed of a loop over memory ----


def register_add(text, size):
    @case(f"x + y, {text} floats", 12 * size)
    def _():
        x, y = torch.rand(size), torch.rand(size)

        def run(n):
            for _ in range(n):
                x + y

        return run


register_add("1e3", 1000)
register_add("1e5", 100000)
register_add("1e7", 10000000)


@case("x + y into out, 1e7 floats", 120000000)
def _():
    x, y = torch.rand(10000000), torch.rand(10000000)
    out = torch.zeros(10000000)

    def run(n):
        for _ in range(n):
            torch.add(x, y, out=out)

    return run


@case("exp, 1e6 floats", 8000000)
def _():
    x = torch.rand(1000000)

    def run(n):
        for _ in range(n):
            torch.exp(x)

    return run


@case("sum, 1e7 floats", 40000000)
def _():
    x = torch.rand(10000000)

    def run(n):
        for _ in range(n):
            torch.sum(x)

    return run


def extremes(dtype):
    def prepare():
        x = (torch.arange(10000000) % 100).to(dtype)

        def run(n):
            for _ in range(n):
                x.amax()

        return run

    return prepare


for dtype in (torch.uint8, torch.int16, torch.int32):
    case(f"amax, 1e7 {str(dtype)[6:]}", 10000000 * dtype.itemsize)(extremes(dtype))


@case("pdist, 1000x100")
def _():
    x = torch.rand(1000, 100)

    def run(n):
        for _ in range(n):
            torch.pdist(x)

    return run


@case("bincount, 1e6 uint8")
def _():
    x = (torch.arange(1000000) % 100).to(torch.uint8)

    def run(n):
        for _ in range(n):
            x.bincount()

    return run


@case("softmax of rows, 1000x1000", 8000000)
def _():
    x = torch.rand(1000, 1000)

    def run(n):
        for _ in range(n):
            torch.softmax(x, 1)

    return run


register_matmul(64)
register_matmul(256)
register_matmul(1024)
register_matmul(64, torch.bfloat16)
register_matmul(256, torch.bfloat16)
register_matmul(1024, torch.bfloat16)
register_matmul(64, torch.float16)
register_matmul(256, torch.float16)

# ---- autograd and training ----


@case("1000 operators forward and backward")
def _():
    x = matrix().requires_grad_()

    def run(n):
        for _ in range(n):
            y = x
            for _ in range(1000):
                y = y * 1.001
            y.sum().backward()
            x.grad = None

    return run


def training_step(model, optimizer, loss_fn, x, y):
    def run(n):
        for _ in range(n):
            optimizer.zero_grad()
            loss_fn(model(x), y).backward()
            optimizer.step()

    return run


@case("net 1-10-10-1, 40 rows, SGD step")
def _():
    x = torch.arange(0, 0.8, 0.02).unsqueeze(1)
    model = nn.Sequential(nn.Linear(1, 10), nn.Linear(10, 10), nn.Linear(10, 1))
    optimizer = optim.SGD(model.parameters(), lr=0.01)
    return training_step(model, optimizer, nn.L1Loss(), x, 0.7 * x + 0.3)


@case("net 64-64-10, batch 32, Adam step")
def _():
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = optim.Adam(model.parameters(), lr=0.001)
    x, y = torch.rand(32, 64), torch.randint(0, 10, (32,))
    return training_step(model, optimizer, nn.CrossEntropyLoss(), x, y)


@case("net 784-512-512-10, batch 64, Adam step")
def prepare_mlp():
    model = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(),
                          nn.Linear(512, 10))
    optimizer = optim.Adam(model.parameters(), lr=0.001)
    x, y = torch.rand(64, 784), torch.randint(0, 10, (64,))
    return training_step(model, optimizer, nn.CrossEntropyLoss(), x, y)


def read_digits():
    """Returns the 1797 digits of data/digits.csv: 64 pixels and a label on each line."""
    with open("data/digits.csv") as lines:
        rows = [[int(number) for number in line.split(",")] for line in lines]
    table = torch.tensor(rows)
    return table[:, :64].float() / 16, table[:, 64]


def digits_loader():
    dataset = torch.utils.data.TensorDataset(*read_digits())
    return torch.utils.data.DataLoader(dataset, batch_size=32, shuffle=True)


def passes_over(loader, samples):

    def run(n):
        for _ in range(n):
            rows = 0
            for x, _label in loader:
                rows += x.shape[0]
            assert rows == samples

    return run


@case("loader, 1797 digits in batches of 32")
def _():
    return passes_over(digits_loader(), 1797)


def pictures(workers):
    """Loads the images of bench/pictures.lua, with the usual transforms of ImageNet."""

    @case(f"loader, 128 pictures in files, {workers} workers")
    def _():
        from torchvision import datasets, transforms as T

        transform = T.Compose([T.RandomResizedCrop(224), T.RandomHorizontalFlip(), T.ToTensor(),
                               T.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))])
        dataset = datasets.ImageFolder(os.environ["PICTURES"], transform=transform)
        return passes_over(torch.utils.data.DataLoader(dataset, batch_size=32, shuffle=True, num_workers=workers,
                                                       persistent_workers=workers > 0), 128)


pictures(0)
pictures(2)


@case("digits 64-64-10, one epoch with a loader")
def _():
    loader = digits_loader()
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = optim.Adam(model.parameters(), lr=0.001)

    def run(n):
        for _ in range(n):
            for x, y in loader:
                optimizer.zero_grad()
                F.cross_entropy(model(x), y).backward()
                optimizer.step()

    return run


# ---- measuring ----


def nanoseconds(run):
    count = 1
    while True:
        start = time.perf_counter_ns()
        run(count)
        elapsed = time.perf_counter_ns() - start
        if elapsed >= BATCH_NS:
            break
        count = count * 10 if elapsed < BATCH_NS / 100 else int(count * BATCH_NS // elapsed) + 1
    times = []
    for _ in range(BATCHES):
        start = time.perf_counter_ns()
        run(count)
        times.append((time.perf_counter_ns() - start) / count)
    return sorted(times)[BATCHES // 2]


def main():
    what = sys.argv[1] if len(sys.argv) > 1 else "speed"
    pattern = sys.argv[2] if len(sys.argv) > 2 else ""
    if what == "speed":
        for name, prepare, bytes_moved in cases:
            if pattern in name:
                torch.manual_seed(1)
                value = nanoseconds(prepare())
                print(f"{name}\t{value:.1f}\tns\t{bytes_moved or ''}", flush=True)
    elif pattern in "memory of training":
        before = status_bytes("VmRSS")
        prepare_mlp()(100)
        peak = status_bytes("VmHWM")
        print(f"memory of training: 784-512-512-10\t{peak - before}\tbytes")
        print(f"memory of training: whole process\t{peak}\tbytes")


main()
