-- cpu only: names kernels of the CPU
-- A kernel that has nothing to do refuses nothing: tensors without elements, sequences of one.
local torch = require "torch"
local function try(f, ...)
  local ok, e = pcall(f, ...)
  print((tostring(ok and e or e.message):gsub("\n.*", "")))
end
local function empty(dtype) return torch.zeros(0, {dtype = dtype}) end
for _, dtype in ipairs{torch.bool, torch.int64} do
  for _, name in ipairs{"exponential_", "log_normal_", "cauchy_", "normal_", "uniform_"} do try(empty(dtype)[name], empty(dtype)) end
  try(empty(dtype).geometric_, empty(dtype), 0.5)
  try(torch.bernoulli, empty(dtype))
  try(torch.softmax, empty(dtype), 0)
  try(torch.log_softmax, torch.zeros({2, 0}, {dtype = dtype}), 0)
  try(torch.softmax, torch.zeros(0, 2), 1, dtype)
  try(torch.cumsum, empty(torch.float32), 0, {dtype = dtype})
  try(torch.cumprod, torch.tensor(2.5), 0, {dtype = dtype})
  try(torch.cumsum, torch.tensor{2.5}, 0, {dtype = dtype})
  try(empty(dtype).cumsum_, empty(dtype), 0)
  try(torch.ones({}, {dtype = dtype}).cumprod_, torch.ones({}, {dtype = dtype}), 0)
  try(torch.ones({1}, {dtype = dtype}).cumprod_, torch.ones({1}, {dtype = dtype}), 0)
end
for _, f in ipairs{torch.remainder, torch.fmod, torch.floor_divide} do
  try(f, empty(torch.int64), torch.tensor(0))
  try(f, empty(torch.int64), 0)
  try(f, torch.tensor{1}, torch.tensor(0))
end
for steps = 0, 2 do
  for _, dtype in ipairs{torch.bool, torch.uint8, torch.int32} do
    for _, f in ipairs{torch.linspace, torch.logspace} do
      try(f, -1, 2, steps, {dtype = dtype})
      try(f, 2, -1, steps, {dtype = dtype})
      try(f, 0, 1, steps, {dtype = dtype})
      try(f, 1e10, 1, steps, {dtype = dtype})
      try(f, 2.5, 300, steps, {dtype = dtype})
      try(f, 20, -1000, steps, {dtype = dtype})
    end
  end
end
try(torch.bincount, empty(torch.int64), torch.ones(1, 1))
try(torch.bincount, empty(torch.int64), torch.ones(3), 2)
try(torch.bincount, empty(torch.int64), torch.ones(0))
try(torch.bincount, torch.zeros({0, 2}, {dtype = torch.int64}))
try(torch.bincount, empty(torch.int64), {minlength = -1})
try(torch.histc, torch.zeros(0), {max = math.huge})
try(torch.histc, torch.zeros(0), {min = 1, max = 0})
try(torch.histc, torch.zeros(2), {max = math.huge})
try(torch.inner, torch.zeros(0), torch.zeros(1, 1, 0))
try(torch.inner, torch.zeros(2, 0), torch.zeros(3, 0))
try(torch.inner, torch.zeros(2, 0), torch.zeros(0))
