"""distributed_engine.py: asks PyTorch's gloo for the sums of 2 to 5 ranks, and writes spec/c/distributed_gloo.def.

    python spec/golden/distributed_engine.py

The inputs are those of fill_golden in spec/c/distributed_elements.h. A line has the hash of each rank's result.
"""
import os

import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing as mp

OPS = ["SUM", "AVG", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR"]
DTYPES = ["bool", "uint8", "int8", "int32", "int64", "float16", "bfloat16", "float32", "float64"]
FLOATING = ["float16", "bfloat16", "float32", "float64"]


def mixed(rank, count):
    i = np.arange(count, dtype=np.uint64)
    mask = np.uint64(0xFFFFFFFF)
    x = (i * np.uint64(2654435761) + np.uint64((rank + 1) * 40503 * 65537)) & mask
    x ^= x >> np.uint64(15)
    x = (x * np.uint64(2246822519)) & mask
    x ^= x >> np.uint64(13)
    x = (x * np.uint64(3266489917)) & mask
    return (x ^ (x >> np.uint64(16))).astype(np.uint32)


def filled(name, count, rank):
    x, dtype = mixed(rank, count), getattr(torch, name)
    if name in ("float32", "float64"):
        values = x.view(np.int32).astype(np.float64) * 2.0**-29
    elif name in FLOATING:
        values = (x.view(np.int32) >> 21).astype(np.float64) * 2.0**-8
    elif name == "bool":
        values = (x >> 16) & 1
    else:
        values = x >> 16
    values = torch.from_numpy(np.ascontiguousarray(values.astype(np.float64 if name in FLOATING else np.int64)))
    return values.to(torch.float32).to(dtype) if name in ("float16", "bfloat16") else values.to(dtype)


def hash_of(tensor):
    data = tensor.ne(0) if tensor.dtype == torch.bool else tensor   # PyTorch's sum of true and true is a byte of 2
    byte = data.contiguous().view(torch.uint8).numpy().astype(np.uint64)
    i = np.arange(len(byte), dtype=np.uint64)
    with np.errstate(over="ignore"):
        return int(((byte + np.uint64(1)) * (i * np.uint64(2 * 2654435761) + np.uint64(1))).sum(dtype=np.uint64))


def reduce_scatter_inputs(name, count, rank, size):
    return filled(name, count * size, rank)


def result(kind, op, name, count, rank, size):
    op = getattr(dist.ReduceOp, op)
    if kind == "ALL_REDUCE":
        x = filled(name, count, rank)
        dist.all_reduce(x, op)
    elif kind == "REDUCE":
        x = filled(name, count, rank)
        dist.reduce(x, size - 1, op)
        x = x if rank == size - 1 else x[:0]
    else:
        whole, x = filled(name, count * size, rank), torch.empty(count, dtype=getattr(torch, name))
        if kind == "REDUCE_SCATTER":
            dist.reduce_scatter_tensor(x, whole, op)
        else:
            dist.reduce_scatter(x, list(whole.view(size, count).unbind()), op)
    return x


def cases():
    for count in (1, 5, 1000, 1000000):
        for name in DTYPES:
            for op in OPS:
                if op == "AVG" and name not in FLOATING or op in ("BAND", "BOR", "BXOR") and name in FLOATING:
                    continue
                if count > 1000 and (op not in ("SUM", "AVG") or name == "bool"):
                    continue
                for kind in ("ALL_REDUCE", "REDUCE", "REDUCE_SCATTER", "REDUCE_SCATTER_LIST"):
                    if kind == "ALL_REDUCE" or op in ("SUM", "AVG") and name in FLOATING and count < 1000000:
                        yield kind, op, name, count


def run(rank, size, port, lines):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), GLOO_SOCKET_IFNAME="lo")
    dist.init_process_group("gloo", rank=rank, world_size=size)
    for kind, op, name, count in cases():
        own, all_hashes = hash_of(result(kind, op, name, count, rank, size)), [None] * size
        dist.all_gather_object(all_hashes, own)
        if rank == 0:
            numbers = ", ".join(f"0x{h:x}u" for h in all_hashes)
            lines.put(f"GOLDEN({kind}, {op}, {name.upper()}, {count}, {size}, {numbers})")
    dist.destroy_process_group()


if __name__ == "__main__":
    torch.set_num_threads(1)
    out = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "c", "distributed_gloo.def"), "w")
    print("/* distributed_gloo.def: what PyTorch's gloo answers, by spec/golden/distributed_engine.py.\n *\n"
          " *   GOLDEN(kind, op, dtype, count, ranks, the hash of each rank's result) */", file=out)
    for size in (2, 3, 4, 5):
        lines = mp.get_context("spawn").SimpleQueue()
        context = mp.spawn(run, (size, 29650 + size, lines), size, join=False)
        while not context.join(0.05):
            while not lines.empty():
                print(lines.get(), file=out)
        while not lines.empty():
            print(lines.get(), file=out)
    out.close()
