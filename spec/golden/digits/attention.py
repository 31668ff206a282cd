"""Writes attention.txt, PyTorch's bits of attention, which ../../ops/attention_digits_spec.lua
reads. A line is the dtype, 1 where it is causal, the batch, heads, rows and columns, and the sum of the bits of the result."""
import os
import torch

torch.set_num_threads(1)
lines = []
for dtype in (torch.float32, torch.bfloat16):
    for causal in (0, 1):
        for shape in ((4, 2, 16, 16), (1, 1, 40, 64), (2, 2, 100, 32), (1, 3, 20, 24)):
            torch.manual_seed(len(lines))
            q, k, v = [torch.randn(shape).to(dtype) for _ in range(3)]
            y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal == 1)
            bits = y.contiguous().view(torch.int32 if dtype == torch.float32 else torch.int16).long().sum().item()
            lines.append(" ".join(map(str, (str(dtype)[6:], causal, *shape, bits))) + "\n")
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "attention.txt"), "w") as f:
    f.writelines(lines)
