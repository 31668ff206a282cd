-- Tensors through DLPack: memory, strides, dtypes, and what is refused.
local torch = require "torch"

local function try(...)
  local fine, problem = pcall(...)
  print(fine or tostring(problem):match "^[^\n]*")
end

local x = torch.arange(6):reshape(2, 3)
local y = torch.from_dlpack(x)
y[0][1] = 10
print(x)
print(table.unpack(torch.from_dlpack(x:t()):stride()))
print(torch.from_dlpack(x, {copy = true}):add_(1))
print(x)
for _, name in ipairs{"bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"} do
  print(torch.from_dlpack(torch.ones(3, {dtype = torch[name]})["1:"]))
end
print(torch.from_dlpack(torch.zeros(0, 3)).shape)
print(torch.from_dlpack(torch.to_dlpack(x)))
print(torch.from_dlpack(x:__dlpack__{max_version = {1, 0}, read_only = true}))
local capsule = x:__dlpack__()
torch.from_dlpack(capsule)
try(torch.from_dlpack, capsule)
try(torch.from_dlpack, 5)
try(torch.from_dlpack)
try(torch.to_dlpack, 3)
try(torch.to_dlpack, torch.ones(2, {requires_grad = true}))
try(function() return torch.ones(2, {requires_grad = true}):__dlpack__() end)
try(function() return torch.empty(2, {device = "meta"}):__dlpack__() end)
try(function() return torch.empty(2, {device = "meta"}):__dlpack_device__() end)
try(function() return x:to("cpu"):__dlpack__{stream = 3} end)
try(function() return x:__dlpack__{read_only = true} end)
try(function() return x:__dlpack__{dl_device = {77, 0}} end)
try(function() return torch.from_dlpack(torch.ones(2, {requires_grad = true})) end)
