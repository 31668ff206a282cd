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

-- Returns a call of a module of the GPU with an input of these sizes.
local function call(module, ...)
  local net, x = module:cuda(), ones{...}
  return function() return net(x) end
end

function cases.conv2d_module() return call(nn.Conv2d(4, 8, 3), 2, 4, 10, 10) end
function cases.batch_norm_module() return call(nn.BatchNorm2d(4), 8, 4, 10, 10) end
function cases.layer_norm_module() return call(nn.LayerNorm(100), 64, 100) end
function cases.max_pool_module() return call(nn.MaxPool2d(2), 2, 4, 10, 10) end

function cases.embedding_module()
  local net, index = nn.Embedding(10, 16):cuda(), torch.zeros({4, 5}, {dtype = torch.int64, device = "cuda"})
  return function() return net(index) end
end

-- Returns a call of a module's self attention.
local function self_attention(batch_first, keywords)
  local net, x = nn.MultiheadAttention(32, 4, {batch_first = batch_first}):cuda(), ones{4, 10, 32}
  return function() return net(x, x, x, keywords) end
end

function cases.multihead() return self_attention(false, {need_weights = false}) end
function cases.multihead_batch_first() return self_attention(true, {need_weights = false}) end
function cases.multihead_weights() return self_attention(false, {need_weights = true}) end

function cases.encoder_layer()
  return call(nn.TransformerEncoderLayer{32, 4, 64, batch_first = true}:eval(), 4, 10, 32)
end

-- One token through 12 layers of a language model in bfloat16, 768 wide with 12 heads, beside 64 tokens before it.
function cases.decode()
  local width, heads, layers, before = 768, 12, {}, 64
  local where = {dtype = torch.bfloat16, device = "cuda"}
  for i = 1, 12 do
    layers[i] = {
      norm1 = nn.LayerNorm(width, where), norm2 = nn.LayerNorm(width, where),
      qkv = nn.Linear(width, 3 * width, where), out = nn.Linear(width, width, where),
      up = nn.Linear(width, 4 * width, where), down = nn.Linear(4 * width, width, where),
      keys = torch.zeros({1, heads, 128, width // heads}, where), values = torch.zeros({1, heads, 128, width // heads}, where),
    }
  end
  local token, position = torch.ones({1, 1, width}, where), torch.tensor({before}, {device = "cuda"})
  local function step()
    local x = token
    for _, l in ipairs(layers) do
      local q, k, v = table.unpack(l.qkv(l.norm1(x)):view(1, 1, 3, heads, width // heads):transpose(1, 3):unbind(2))
      l.keys:index_copy_(2, position, k)
      l.values:index_copy_(2, position, v)
      local seen = F.scaled_dot_product_attention(q, l.keys:narrow(2, 0, before + 1), l.values:narrow(2, 0, before + 1))
      x = x + l.out(seen:transpose(1, 2):reshape(1, 1, width))
      x = x + l.down(F.gelu(l.up(l.norm2(x))))
    end
    return x
  end
  return function() return torch.no_grad(step) end
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

-- Begins one of two ranks (check.lua). Returns torch.distributed.
local function begin_rank()
  local dist = torch.distributed
  local meeting = "file://" .. os.getenv "NULL_CUDA_MEETING"
  dist.init_process_group("nccl", {init_method = meeting, rank = tonumber(os.getenv "RANK"), world_size = 2})
  return dist
end

-- Sends to the other rank, and receives from it, as one operation.
function cases.exchange()
  local dist = begin_rank()
  local peer, x, y = 1 - dist.get_rank(), ones{1000}, ones{1000}
  local ops = {dist.P2POp(dist.isend, x, peer), dist.P2POp(dist.irecv, y, peer)}
  return function() dist.batch_isend_irecv(ops)[1]:wait() end
end

function cases.all_to_all()
  local dist = begin_rank()
  local x, y = ones{1000}, ones{1000}
  return function() dist.all_to_all_single(y, x) end
end

-- Eight sums as one operation.
function cases.coalesced_sums()
  local dist = begin_rank()
  local tensors = {}
  for i = 1, 8 do tensors[i] = ones{1000} end
  return function()
    local _ <close> = dist._coalescing_manager()
    for _, t in ipairs(tensors) do dist.all_reduce(t) end
  end
end

-- Returns a step of training of one of two ranks.
local function distributed_step(net, sizes, bucket_cap_mb)
  begin_rank()
  local options = {device_ids = {0}, bucket_cap_mb = bucket_cap_mb, init_sync = false}   -- what it would compare is nowhere
  local model = nn.parallel.DistributedDataParallel(net:cuda(), options)
  local optimizer = torch.optim.SGD(net:parameters(), {lr = 0.1, momentum = 0.9})
  local x, labels = ones(sizes), torch.zeros({sizes[1]}, {dtype = torch.int64, device = "cuda"})
  return function()
    local loss = F.cross_entropy(model(x), labels)
    optimizer:zero_grad()
    loss:backward()
    optimizer:step()
  end
end

function cases.ddp_mlp()
  local net = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))
  return distributed_step(net, {64, 784}, 0.001)   -- a bucket for almost each parameter
end

-- ResNet-50's layers, of an eighth of its width: the host has as much to do.
function cases.ddp_resnet50()
  local Block = nn.Module:extend "Block"
  function Block:init(inputs, width, stride)
    local function layer(from, to, size, step)
      return nn.Sequential(nn.Conv2d(from, to, size, {stride = step, padding = size // 2, bias = false}), nn.BatchNorm2d(to))
    end
    self.one = layer(inputs, width, 1, 1)
    self.two = layer(width, width, 3, stride)
    self.three = layer(width, 4 * width, 1, 1)
    self.short = (inputs ~= 4 * width or stride > 1) and layer(inputs, 4 * width, 1, stride) or nil
  end
  function Block:forward(x)
    local y = self.three(F.relu(self.two(F.relu(self.one(x)))))
    return F.relu(y + (self.short and self.short(x) or x))
  end
  local first = nn.Conv2d(3, 8, 7, {stride = 2, padding = 3, bias = false})
  local layers, from = {first, nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(3, {stride = 2, padding = 1})}, 8
  for stage, count in ipairs{3, 4, 6, 3} do
    for i = 1, count do
      local width = 8 << (stage - 1)
      layers[#layers + 1] = Block(from, width, i == 1 and stage > 1 and 2 or 1)
      from = 4 * width
    end
  end
  for _, last in ipairs{nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(from, 1000)} do layers[#layers + 1] = last end
  return distributed_step(nn.Sequential(table.unpack(layers)), {2, 3, 64, 64})
end

-- Returns a function that replays what `step` does.
local function replayed(step)
  local side = torch.cuda.Stream()
  torch.cuda.synchronize()
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

function cases.replayed_decode() return replayed(cases.decode()) end

local run = cases[arg[1]]()
for _ = 1, tonumber(arg[2]) do run() end
if torch.distributed.is_initialized() then torch.distributed.destroy_process_group() end
