# blocks.py: measures what blocks.lua does, in PyTorch.
import time

import torch

torch.set_num_threads(1)


def measure(name, f):
    start = time.process_time()
    kept = f()
    print(f"{name}\t{time.process_time() - start:.3f}")
    return kept


measure("ones of 1 GB", lambda: torch.ones(1 << 28))
measure("200 tensors of 8 MB", lambda: [torch.ones(1 << 21) for _ in range(200)])
