-- The CPU, CUDA and MPS: choosing a device, moving tensors and a model to it, and the error that
-- tensors on different devices are.
local torch = require "torch"
local nn, F = torch.nn, torch.nn.functional

local device = torch.cuda.is_available() and "cuda" or "cpu"
print(device)

device = torch.backends.mps.is_available() and "mps" or device

local tensor1 = torch.ones(3, 3)
print("Device upon initialization: " .. tensor1.device)

-- moving the tensor to the gpu
tensor1 = tensor1:to(device)
print("Device after moving: " .. tensor1.device)

-- we can also choose the device upon tensor creation
local tensor2 = torch.ones(2, 2, {device = device})
print("Device upon initialization: " .. tensor2.device)

-- a model
local TestModel = nn.Module:extend "TestModel"

function TestModel:init()
  self.layer1 = nn.Linear(10, 5)
  self.layer2 = nn.Linear(5, 1)
end

function TestModel:forward(x)
  x = self.layer1(x)
  x = F.relu(x)
  x = self.layer2(x)
  return x
end

local model = TestModel()
print("Model device upon initialization: " .. model.layer1.weight.device)
model:to(device)
print("Model device after moving: " .. model.layer1.weight.device)
print(model)
print(model(torch.ones(4, 10, {device = device})).shape)

-- Cross-device calculations are errors, not surprises.  The "meta" device holds
-- shapes without data, so the same mistake can be shown on any machine.
local other = torch.ones(3, 3, {device = device == "cpu" and "meta" or "cpu"})
local here = torch.ones(3, 3, {device = device})
local ok, err = pcall(function() return here + other end)
print(ok, (tostring(err):match("Expected all tensors[^\n]*")))
