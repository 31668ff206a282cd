-- The default dtype is what integers become.
local torch = require "torch"
torch.set_default_dtype(torch.float64)
print((torch.arange(3) / 2).dtype, (torch.arange(3) + 0.5).dtype, torch.arange(3):sqrt().dtype, torch.tensor(1.0).dtype)
print((torch.ones(2, {dtype = torch.float32}) + 0.5).dtype, torch.nn.Linear(1, 1).weight.dtype)
torch.set_default_dtype(torch.float16)
print((torch.arange(3) / 2).dtype, torch.zeros(1).dtype)
torch.set_default_dtype(torch.float32)
print((torch.arange(3) / 2).dtype)
