"""PyTorch's table of given statistics. Writes summary.expected, which spec/devices/statistics_spec.lua reads.

python spec/golden/memory/summary.py
"""
import os

import torch
from torch.cuda import memory

METRICS = ("allocated_bytes active_bytes requested_bytes reserved_bytes inactive_split_bytes allocation active segment "
           "inactive_split").split()
POOLS = ["all", "large_pool", "small_pool"]
KINDS = ["current", "peak", "allocated", "freed"]


def value(m, p, k):
    return (m * 37 + p * 11 + k * 5 + 1) * 1000**k * (13 if m % 2 else 1)


stats = {f"{metric}.{pool}.{kind}": value(m, p, k) for m, metric in enumerate(METRICS) for p, pool in enumerate(POOLS)
         for k, kind in enumerate(KINDS)}
for m, metric in enumerate(["oversize_allocations", "oversize_segments"]):
    stats.update({f"{metric}.{kind}": value(m, 0, k) for k, kind in enumerate(KINDS)})
stats.update(num_ooms=3, num_alloc_retries=12)
memory.memory_stats = lambda device=None: stats
memory._get_device_index = lambda device, optional=False: device
torch.cuda.memory_stats = memory.memory_stats
with open(os.path.join(os.path.dirname(__file__), "summary.expected"), "w") as f:
    f.write(memory.memory_summary(1) + "\f\n" + memory.memory_summary(0, abbreviated=True))
