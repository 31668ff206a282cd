"""Prints the random numbers of PyTorch's CUDA generator for a seed, as random_numbers.lua prints Tocha's."""
import torch


def show(name, t):
    flat = t.reshape(-1).double().cpu()
    n = flat.shape[0]
    words = [name]
    for i in (0, 1, 2, 3, 255, 256, 1023, n // 2, n - 2, n - 1):
        if 0 <= i < n:
            words.append("%.9g" % flat[i].item())
    words.append("sum %.6g" % flat.sum().item())
    print(" ".join(words))


def on(*size):
    return {"size": size, "device": "cuda"}


torch.cuda.manual_seed(42)
for n in (1, 5, 1024, 1000003):
    show(f"rand {n}", torch.rand(**on(n)))
    show(f"randn {n}", torch.randn(**on(n)))
    show(f"randint {n}", torch.randint(0, 1000, (n,), device="cuda"))
    show(f"rand float64 {n}", torch.rand(n, device="cuda", dtype=torch.float64))
    show(f"rand float16 {n}", torch.rand(n, device="cuda", dtype=torch.float16))
    show(f"normal_ {n}", torch.empty(**on(n)).normal_(2, 3))
    show(f"uniform_ {n}", torch.empty(**on(n)).uniform_(-1, 1))
    show(f"exponential_ {n}", torch.empty(**on(n)).exponential_())
    show(f"bernoulli {n}", torch.bernoulli(torch.full((n,), 0.3, device="cuda")))
    show(f"bernoulli_ {n}", torch.empty(**on(n)).bernoulli_(0.7))
    show(f"dropout {n}", torch.nn.functional.dropout(torch.ones(**on(n)), 0.5))
    show(f"randperm {n}", torch.randperm(n, device="cuda"))
torch.cuda.manual_seed(7)
show("multinomial", torch.multinomial(torch.rand(**on(8, 50)), 20))
show("multinomial with replacement", torch.multinomial(torch.rand(**on(8, 50)), 20, True))
show("kaiming", torch.nn.init.kaiming_uniform_(torch.empty(**on(300, 200))))
