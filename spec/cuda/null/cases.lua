-- cases.lua: what the budget measures: cases.lua NAME N runs it N times. Each name gives a function to run.
local torch = require "torch"
local nn, F = torch.nn, torch.nn.functional

local function ones(...) return torch.ones(..., {device = "cuda"}) end

local cases = {}

function cases.add()
  local a, b = ones{3, 3}, ones{3, 3}
  return function() return a + b end
end

function cases.add_in_place()
  local a, b = ones{3, 3}, ones{3, 3}
  return function() a:add_(b) end
end

function cases.sum()
  local a = ones{100, 100}
  return function() return a:sum() end
end

function cases.softmax()
  local a = ones{10, 100}
  return function() return a:softmax(1) end
end

function cases.matmul()
  local a, b = ones{32, 32}, ones{32, 32}
  return function() return a:matmul(b) end
end

function cases.linear()
  local x, w, b = ones{32, 32}, ones{32, 32}, ones{32}
  return function() return F.linear(x, w, b) end
end

function cases.item()
  local a = ones{1}
  return function() return a:item() end
end

function cases.train()
  local net = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)):cuda()
  local optimizer = torch.optim.Adam(net:parameters())
  local x, labels = ones{64, 784}, torch.zeros({64}, {dtype = torch.int64, device = "cuda"})
  return function()
    local loss = F.cross_entropy(net(x), labels)
    optimizer:zero_grad()
    loss:backward()
    optimizer:step()
  end
end

local run = cases[arg[1]]()
for _ = 1, tonumber(arg[2]) do run() end
