"""The PyTorch side of the table of networks; nets.lua is the Tocha side, with the same networks.

    nets.py NAME train|infer   prints "nanoseconds<TAB>loss<TAB>bytes grown<TAB>bytes of the process"
"""
import math
import os
import sys
import time

import torch

from measuring import status_bytes
from networks import nets

BATCHES, BATCH_NS, FIRST_STEPS = 5, 1e8, 3
now = time.process_time_ns if os.environ.get("CLOCK") == "processor" else time.perf_counter_ns

# ---- measuring ----


def nanoseconds(run):
    """Returns the nanoseconds of one run, from the shortest batch, because other processes can only make a batch longer."""

    def timed(count):
        start = now()
        for _ in range(count):
            run()
        return now() - start

    count = 1
    elapsed = timed(count)
    while elapsed < BATCH_NS:
        count = count * 10 if elapsed < BATCH_NS / 100 else math.ceil(count * BATCH_NS / elapsed)
        elapsed = timed(count)
    return min(timed(count) / count for _ in range(BATCHES))


def measure(make, what):
    before = status_bytes("VmRSS")
    torch.manual_seed(1)
    model, optimizer, loss, infer = make()

    def step():
        optimizer.zero_grad()
        value = loss()
        value.backward()
        optimizer.step()
        return value

    if what == "train":
        run = step
        for _ in range(FIRST_STEPS):
            check = step()
    else:
        model.eval()
        torch.set_grad_enabled(False)
        run = infer
        check = infer().abs().mean()
    shortest = nanoseconds(run)
    peak = status_bytes("VmHWM")
    print(f"{shortest:.0f}\t{check.item():.9g}\t{peak - before}\t{peak}")


measure(nets[sys.argv[1]], sys.argv[2])
