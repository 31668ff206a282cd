-- torch.format is string.format that can take tensors.
local torch = require "torch"
print(torch.format("%.4f", torch.tensor(0.123456)))
print(torch.format("%d of %d", torch.tensor(3), 5))
print(torch.format("%5.1f|%s", torch.tensor(2.25), "text"))
print(torch.format("%.3e", torch.tensor(12345.678)))
print(torch.format("%8.3f", torch.tensor{{1.5}}))
print(torch.format("no tensors %g", 0.5))
