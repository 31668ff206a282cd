"""rank.py: a rank of bench/distributed/table.lua by PyTorch; see rank.lua."""
import os
import sys
import time

import torch
import torch.distributed as dist

sys.path.insert(0, "bench/distributed")
import nets  # noqa: E402

ranked = "WORLD_SIZE" in os.environ
rank, size = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))


def seconds_of(run, repeats):
    run()
    start = time.perf_counter()
    for _ in range(repeats):
        run()
    return (time.perf_counter() - start) / repeats


def new_collective(name, count):
    x, whole, part = torch.zeros(count), torch.zeros(count), torch.zeros(count // size)
    return {
        "all_reduce": lambda: dist.all_reduce(x),
        "broadcast": lambda: dist.broadcast(x, 0),
        "all_gather": lambda: dist.all_gather_into_tensor(whole, part),
        "reduce_scatter": lambda: dist.reduce_scatter_tensor(part, whole),
        "barrier": lambda: dist.barrier(),
    }[name]


steps = {}


def new_step(name):
    torch.manual_seed(0)
    net = getattr(nets, name)()
    module = torch.nn.parallel.DistributedDataParallel(net.module) if ranked else net.module
    optimizer = net.optimizer(module.parameters())

    def step():
        optimizer.zero_grad()
        net.loss(module(net.x), net.y).backward()
        optimizer.step()

    for _ in range(5):
        step()
    return step


def answer(kind, name, *numbers):
    numbers = [int(n) for n in numbers]
    if kind == "collective":
        return seconds_of(new_collective(name, numbers[0] // 4), numbers[1])
    if name not in steps:
        steps[name] = new_step(name)
    return seconds_of(steps[name], numbers[0])


answers = open(os.environ["ANSWERS"], "w") if rank == 0 else None
with open(f"{os.environ['COMMANDS']}.{rank}") as commands:
    if ranked:
        dist.init_process_group("gloo")
    for line in commands:
        if line == "leave\n":
            break
        result = answer(*line.split())
        if answers:
            print(result, file=answers, flush=True)
if ranked:
    dist.destroy_process_group()
