-- cpu only: names kernels of the CPU
-- Draws of a dtype that has none, into tensors without elements; channels of tensors that have none; triangles.
local torch = require "torch"
local F = torch.nn.functional
local function attempt(f, ...)
  local ok, result = pcall(f, ...)
  if ok then return print(result) end
  print((tostring(result):match "[^\n]*"))
end
for _, dtype in ipairs {torch.int64, torch.bool} do
  for _, name in ipairs {"exponential_", "log_normal_", "normal_", "cauchy_", "uniform_"} do
    attempt(torch.Tensor[name], torch.zeros {0, dtype = dtype})
    attempt(torch.Tensor[name], torch.zeros {3, dtype = dtype})
  end
  attempt(torch.Tensor.geometric_, torch.zeros {0, dtype = dtype}, 0.5)
  attempt(torch.Tensor.geometric_, torch.zeros {0, dtype = dtype}, 1.5)
  attempt(torch.Tensor.exponential_, torch.zeros {0, dtype = dtype}, -1)
end
for _, x in ipairs {torch.tensor(1.0), torch.ones(3)} do
  for _, p in ipairs {0.0, 0.5, 1.0} do
    attempt(F.dropout2d, x, p)
    attempt(F.dropout2d, x, p, false)
  end
end
for _, name in ipairs {"tril_indices", "triu_indices"} do
  for _, dtype in ipairs {torch.float32, torch.int32} do
    attempt(torch[name], -1, -1, {dtype = dtype})
    attempt(torch[name], 2, -1, {dtype = dtype})
    attempt(torch[name], 2, 2, {dtype = dtype})
  end
end
attempt(torch.tensor_split, torch.tensor(1.0), torch.tensor(1.0))
