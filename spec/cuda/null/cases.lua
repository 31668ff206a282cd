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

function cases.layer_norm()
  local x, w, b = ones{64, 100}, ones{100}, ones{100}
  return function() return F.layer_norm(x, {100}, {weight = w, bias = b}) end
end

function cases.batch_norm()
  local x, w, b = ones{8, 4, 10, 10}, ones{4}, ones{4}
  return function() return F.batch_norm(x, nil, nil, {weight = w, bias = b, training = true}) end
end

function cases.depthwise()
  local x, w, b = ones{2, 4, 10, 10}, ones{4, 1, 3, 3}, ones{4}
  return function() return F.conv2d(x, w, b, {groups = 4}) end
end

function cases.attention()
  local q = ones{2, 4, 30, 8}
  return function() return F.scaled_dot_product_attention(q, q, q) end
end

function cases.scatter_add()
  local x, index = ones{40, 10}, torch.zeros({40, 10}, {dtype = torch.int64, device = "cuda"})
  return function() return x:scatter_add(1, index, x) end
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

-- Returns a function that replays what `step` does.
local function replayed(step)
  local side = torch.cuda.Stream()
  torch.cuda.stream(side, function()
    for _ = 1, 3 do step() end
  end)
  local graph = torch.cuda.CUDAGraph()
  torch.cuda.graph(graph, step)
  return function() graph:replay() end
end

function cases.replay()
  local net = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Dropout(0.1), nn.Linear(512, 10)):cuda()
  local optimizer = torch.optim.Adam(net:parameters(), {capturable = true})
  local x, labels = ones{64, 784}, torch.zeros({64}, {dtype = torch.int64, device = "cuda"})
  return replayed(function()
    local loss = F.cross_entropy(net(x), labels)
    optimizer:zero_grad()
    loss:backward()
    optimizer:step()
  end)
end

-- One token through twelve layers.
function cases.decode()
  local layer = nn.TransformerEncoderLayer(96, 4, {dim_feedforward = 384, batch_first = true, dropout = 0.0})
  local net = nn.TransformerEncoder(layer, 12):cuda():eval()
  local x = ones{1, 1, 96}
  return replayed(function() torch.no_grad(function() return net(x) end) end)
end

local run = cases[arg[1]]()
for _ = 1, tonumber(arg[2]) do run() end
