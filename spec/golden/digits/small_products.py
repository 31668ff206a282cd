"""What PyTorch makes of small products of float32: python spec/golden/digits/small_products.py writes small_products.txt, which
../../ops/pieces_spec.lua reads. A line is the sizes m, n, k, the layouts (N or T), whether a bias is added, and the sum of the
result's bits. To be run on a processor with AVX-512 that is not Intel's: MKL adds in another order on those."""
import os, random
import torch

torch.set_num_threads(1)
random.seed(1)
lines = []
for i in range(300):
    m, n = random.choice([1, 1, 2, 3, 4, 5, 8, 16, 33, 64]), random.choice([1, 1, 2, 3, 5, 7, 10, 11, 12, 17, 20, 32, 50])
    k = random.choice([2, 3, 4, 5, 7, 8, 9, 13, 16, 20, 27, 32, 40, 64, 100, 128, 193, 200, 300, 400])
    layout, bias = random.choice(["NN", "NT", "NT", "TN", "TT"]), random.choice([0, 1])
    if min(m, n) > 1 and (m < 4 or n < 12) and m * n * k > {"NN": 1 << 17, "TN": 1 << 17, "TT": 1 << 14, "NT": 1 << 22}[layout]:
        continue  # OpenBLAS's, whose loops are much faster
    torch.manual_seed(len(lines))
    a = torch.randn(m, k) if layout[0] == "N" else torch.randn(k, m).t()
    b = torch.randn(k, n) if layout[1] == "N" else torch.randn(n, k).t()
    c = torch.randn(n)
    out = torch.addmm(c, a, b) if bias else torch.mm(a, b)
    bits = (out.contiguous().view(torch.int32).long() * torch.arange(1, m * n + 1).view(m, n)).sum().item()
    lines.append(f"{m} {n} {k} {layout} {bias} {bits}\n")
for n in list(range(1, 50)) + [63, 100, 257, 1000, 4097]:  # inner products: m and k are 0
    torch.manual_seed(len(lines))
    a, b = torch.randn(n), torch.randn(n)
    lines.append(f"0 {n} 0 NN 0 {torch.dot(a, b).view(torch.int32).item()}\n")
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "small_products.txt"), "w") as f:
    f.writelines(lines)
