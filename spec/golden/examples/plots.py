import torch
import common  # noqa: F401 (one thread)

torch.manual_seed(0)
samples = torch.randn(1000)
print("mean %.4f, deviation %.4f" % (samples.mean(), samples.std()))
