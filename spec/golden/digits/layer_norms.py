"""What PyTorch makes of layer normalization of float32: python spec/golden/digits/layer_norms.py writes layer_norms.txt, which
../../ops/layer_norm_digits_spec.lua reads. A line is the rows and columns, and the sums of the bits of the result and of the
gradients for weight and bias."""
import os
import torch

torch.set_num_threads(1)
lines = []
for rows, columns in ((64, 32), (5, 7), (30, 100), (3, 700), (200, 5)):
    torch.manual_seed(len(lines))
    x, w, b = torch.randn(rows, columns), torch.rand(columns).requires_grad_(), torch.randn(columns).requires_grad_()
    y = torch.nn.functional.layer_norm(x, (columns,), w, b)
    y.backward(torch.randn(rows, columns))
    bits = [t.detach().view(torch.int32).long().sum().item() for t in (y, w.grad, b.grad)]
    lines.append(" ".join(map(str, (rows, columns, *bits))) + "\n")
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "layer_norms.txt"), "w") as f:
    f.writelines(lines)
