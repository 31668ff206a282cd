"""What PyTorch makes of batch normalization of float32: python spec/golden/digits/batch_norms.py writes batch_norms.txt, which
../../ops/batch_norm_digits_spec.lua reads. A line is 1 for training, the images, channels, rows and columns (0: none), and the sums of the
bits of the result, of the gradients for input, weight and bias, and of the running mean and variance."""
import os
import torch

torch.set_num_threads(1)
lines = []
for training in (1, 0):
    for n, channels, rows, columns in ((32, 64, 0, 0), (128, 16, 0, 0), (7, 8, 0, 0), (16, 8, 1, 1), (8, 16, 6, 6), (4, 3, 7, 7), (5, 4, 2, 2),
                                       (2, 6, 1, 20), (16, 8, 32, 32)):
        torch.manual_seed(len(lines))
        shape = (n, channels, rows, columns) if rows else (n, channels)
        x = (torch.randn(shape) + 2).requires_grad_()
        w, b = torch.rand(channels).requires_grad_(), torch.randn(channels).requires_grad_()
        mean, var = torch.randn(channels), torch.rand(channels) + 0.5
        y = torch.nn.functional.batch_norm(x, mean, var, w, b, training == 1)
        y.backward(torch.randn(shape))
        bits = [t.detach().view(torch.int32).long().sum().item() for t in (y, x.grad, w.grad, b.grad, mean, var)]
        lines.append(" ".join(map(str, (training, n, channels, rows, columns, *bits))) + "\n")
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "batch_norms.txt"), "w") as f:
    f.writelines(lines)
