# ranks_cuda.py: PyTorch's times for those of ranks_cuda.lua.
import os, time
import torch
import torch.distributed as dist

rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
torch.cuda.set_device(0)
dist.init_process_group("nccl", init_method="file://" + os.environ["MEETING"], rank=rank, world_size=size, device_id=torch.device("cuda:0"))
for nbytes in (4, 65536, 1 << 20, 64 << 20):
    x, rounds, best = torch.ones(nbytes // 4, device="cuda"), 10 if nbytes > 1 << 20 else 100, float("inf")
    for _ in range(7):
        torch.cuda.synchronize()
        began = time.perf_counter()
        for _ in range(rounds):
            dist.all_reduce(x, dist.ReduceOp.AVG)
        torch.cuda.synchronize()
        best = min(best, (time.perf_counter() - began) / rounds)
    if rank == 0:
        print("time", nbytes, f"{best * 1e6:.1f}", sep="\t", flush=True)
dist.destroy_process_group()
