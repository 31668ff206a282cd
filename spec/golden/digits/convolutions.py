"""Writes convolutions.txt, PyTorch's bits of convolutions of float32, which
../../ops/convolution_digits_spec.lua reads. A line is the dimensions of space, whether it is transposed, images, channels in and out,
groups, kernel, stride, padding, size, and the sums of the bits of the result and of the gradients for weight, bias and input (of every
fifth line, of the input itself, which needs none). To be run on a processor with AVX-512: oneDNN adds in another order on others."""
import os
import torch

torch.set_num_threads(1)
cases = []
for n in (1, 4, 32):
    for cin, cout in ((1, 6), (1, 32), (3, 10), (6, 16), (8, 16), (10, 10), (20, 50), (32, 64), (64, 64)):
        for k, padding in ((1, 0), (3, 1), (5, 0)):
            for stride in (1, 2):
                if (n < 32 or cin < 20) and (n > 4 or k > 1 or cin > 1):  # a row times a matrix: MKL's
                    cases.append((2, 0, n, cin, cout, 1, k, stride, padding, 14))
cases += [(2, 0, n, *rest) for n in (1, 8) for rest in (
    (3, 16, 1, 7, 2, 3, 32), (3, 64, 1, 4, 2, 1, 16), (64, 128, 1, 4, 2, 1, 8), (16, 16, 16, 3, 1, 1, 16), (32, 32, 32, 3, 2, 1, 16),
    (8, 8, 8, 3, 1, 1, 16), (16, 8, 1, 5, 3, 0, 30), (128, 256, 1, 3, 2, 1, 8), (64, 128, 1, 1, 2, 0, 32))]
cases += [(2, 1, n, *rest) for n in (1, 8) for rest in (
    (100, 64, 1, 4, 1, 0, 1), (64, 32, 1, 4, 2, 1, 8), (16, 3, 1, 4, 2, 1, 16), (8, 1, 1, 4, 2, 1, 14), (10, 20, 1, 3, 1, 1, 10), (4, 6, 1, 2, 2, 0, 9))]
cases += [(1, 0, n, *rest) for n in (1, 8) for rest in ((4, 8, 1, 3, 1, 1, 50), (16, 32, 1, 5, 2, 2, 64), (80, 128, 1, 3, 1, 1, 40), (6, 6, 6, 3, 1, 1, 40))]
cases += [(1, 1, 4, 8, 4, 1, 4, 2, 1, 20), (3, 0, 2, 3, 8, 1, 3, 1, 1, 8), (3, 0, 2, 16, 16, 1, 3, 1, 1, 6)]
cases += [(space, 0, 3, cin, cout, 1, k, stride, padding, 14)  # where half of a window and more lies in the padding
          for space in (1, 2) for cin, cout in ((1, 32), (3, 10), (3, 16), (8, 16)) for k, stride, padding in ((2, 1, 1), (3, 1, 2), (4, 1, 2), (5, 1, 3))]

lines = []
for case in cases:
    space, transposed, n, cin, cout, groups, k, stride, padding, size = case
    torch.manual_seed(len(lines))
    x = torch.randn(n, cin, *[size] * space).requires_grad_(len(lines) % 5 > 0)
    shape = (cin, cout // groups) if transposed else (cout, cin // groups)
    w = torch.randn(*shape, *[k] * space).requires_grad_()
    b = torch.randn(cout).requires_grad_()
    call = getattr(torch.nn.functional, f"conv_transpose{space}d" if transposed else f"conv{space}d")
    y = call(x, w, b, stride=stride, padding=padding, groups=groups)
    y.backward(torch.randn(y.shape))
    bits = [t.detach().view(torch.int32).long().sum().item() for t in (y, w.grad, b.grad, x if x.grad is None else x.grad)]
    lines.append(" ".join(map(str, (*case, *bits))) + "\n")
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "convolutions.txt"), "w") as f:
    f.writelines(lines)
