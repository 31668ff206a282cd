"""gloo.py: times all_reduce of float32 by PyTorch's gloo, as engine.c does: python gloo.py RANK SIZE PORT"""
import os
import sys
import time

import torch
import torch.distributed as dist

BATCHES = 15
rank, size, port = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=port, GLOO_SOCKET_IFNAME="lo")
torch.set_num_threads(1)
dist.init_process_group("gloo", rank=rank, world_size=size)
bytes_ = 4
while bytes_ <= 64 << 20:
    data, best = torch.zeros(bytes_ // 4), 1e9
    repeats = max(2, 20000000 // (bytes_ + 100000))
    for _ in range(BATCHES):
        start = time.perf_counter()
        for _ in range(repeats):
            dist.all_reduce(data)
        best = min(best, (time.perf_counter() - start) / repeats)
    if rank == 0:
        print(bytes_, f"{best:.9f}", flush=True)
    bytes_ *= 128 if bytes_ < 65536 else 4
dist.destroy_process_group()
