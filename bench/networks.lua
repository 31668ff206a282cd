-- networks.lua: the networks that nets.lua (on the CPU) and families_cuda.lua (on a GPU) measure; networks.py has PyTorch's.
local torch = require "torch"
local nn, optim, F = torch.nn, torch.optim, torch.nn.functional

-- Adds a network. make() returns it, its optimizer, its loss of one batch, and its forward of batch 1.
local nets = {}
local function net(name, make) nets[#nets + 1] = {name = name, make = make} end

local function classifier(model, optimizer, x, y, loss_fn)
  return model, optimizer, function() return loss_fn(model(x), y) end, function() return model(x:narrow(0, 0, 1)) end
end

-- ---- layer upon layer ----

net("tutorial 1-10-10-1, 40 rows", function()
  local x = torch.arange(0, 0.8, 0.02):unsqueeze(1)
  local model = nn.Sequential(nn.Linear(1, 10), nn.Linear(10, 10), nn.Linear(10, 1))
  return classifier(model, optim.SGD(model:parameters(), {lr = 0.01}), x, 0.7 * x + 0.3, nn.L1Loss())
end)

net("tutorial 2-10-10-1, 800 rows", function()
  local model = nn.Sequential(nn.Linear(2, 10), nn.ReLU(), nn.Linear(10, 10), nn.ReLU(), nn.Linear(10, 1))
  local x = torch.rand(800, 2)
  return classifier(model, optim.SGD(model:parameters(), {lr = 0.1}), x, x:sum{dim = 1, keepdim = true}:round():clamp(0, 1),
    nn.BCEWithLogitsLoss())
end)

net("MLP 784-512-512-10, b64", function()
  local model = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))
  return classifier(model, optim.Adam(model:parameters(), {lr = 0.001}), torch.rand(64, 784), torch.randint(0, 10, {64}),
    nn.CrossEntropyLoss())
end)

-- ---- pictures ----

net("TinyVGG 3x64x64, b32", function()
  local function block(from, to)
    return nn.Sequential(nn.Conv2d(from, to, 3), nn.ReLU(), nn.Conv2d(to, to, 3), nn.ReLU(), nn.MaxPool2d(2))
  end
  local model = nn.Sequential(block(3, 10), block(10, 10), nn.Sequential(nn.Flatten(), nn.Linear(10 * 13 * 13, 3)))
  return classifier(model, optim.Adam(model:parameters(), {lr = 0.001}), torch.rand(32, 3, 64, 64), torch.randint(0, 3, {32}),
    nn.CrossEntropyLoss())
end)

net("MNIST convnet, b64", function()
  local model = nn.Sequential(nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout(0.25),
    nn.Flatten(), nn.Linear(9216, 128), nn.ReLU(), nn.Dropout(0.5), nn.Linear(128, 10), nn.LogSoftmax(1))
  return classifier(model, optim.Adadelta(model:parameters(), {lr = 1.0}), torch.rand(64, 1, 28, 28), torch.randint(0, 10, {64}),
    nn.NLLLoss())
end)

net("ResNet-18 on CIFAR, b32", function()
  local model = torch.vision.models.resnet18{num_classes = 10}
  model.conv1 = nn.Conv2d(3, 64, 3, {padding = 1, bias = false})
  model.maxpool = nn.Identity()
  local optimizer = optim.SGD(model:parameters(), {lr = 0.1, momentum = 0.9, weight_decay = 5e-4})
  return classifier(model, optimizer, torch.rand(32, 3, 32, 32), torch.randint(0, 10, {32}), nn.CrossEntropyLoss())
end)

-- ---- sequences ----

local VOCABULARY = 1000

local Words = nn.Module:extend "Words"

function Words:init(class)
  self.embedding = nn.Embedding(VOCABULARY, 256)
  self.layers = class(256, 256, 2)
  self.head = nn.Linear(256, VOCABULARY)
end

function Words:forward(x) return self.head((self.layers(self.embedding(x)))) end

local function words(class)
  local model = Words(class)
  local x, y = torch.randint(0, VOCABULARY, {35, 32}), torch.randint(0, VOCABULARY, {35 * 32})
  local function loss() return F.cross_entropy(model(x):view(-1, VOCABULARY), y) end
  return model, optim.SGD(model:parameters(), {lr = 1.0}), loss, function() return model(x:narrow(1, 0, 1)) end
end

net("LSTM 2x256, 35x32", function() return words(nn.LSTM) end)
net("GRU 2x256, 35x32", function() return words(nn.GRU) end)

net("Transformer 4x256, 128 tokens, b16", function()
  local layer = nn.TransformerEncoderLayer(256, 4, 1024, {batch_first = true})
  local model = nn.Sequential(nn.Embedding(VOCABULARY, 256), nn.TransformerEncoder(layer, 4, {enable_nested_tensor = false}),
    nn.Linear(256, VOCABULARY))
  local x, y = torch.randint(0, VOCABULARY, {16, 128}), torch.randint(0, VOCABULARY, {16 * 128})
  local function loss() return F.cross_entropy(model(x):view(-1, VOCABULARY), y) end
  return model, optim.Adam(model:parameters(), {lr = 1e-4}), loss, function() return model(x:narrow(0, 0, 1)) end
end)

local Block = nn.Module:extend "Block"

function Block:init(width, heads)
  self.heads = heads
  self.ln_1 = nn.LayerNorm(width)
  self.c_attn = nn.Linear(width, 3 * width)
  self.c_proj = nn.Linear(width, width)
  self.ln_2 = nn.LayerNorm(width)
  self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
end

function Block:forward(x)
  local b, t, c = x:size(0), x:size(1), x:size(2)
  local parts = self.c_attn(self.ln_1(x)):split(c, 2)
  for i, part in ipairs(parts) do parts[i] = part:view(b, t, self.heads, c // self.heads):transpose(1, 2) end
  local q, k, v = table.unpack(parts)
  local y = F.scaled_dot_product_attention(q, k, v, {is_causal = true})
  x = x + self.c_proj(y:transpose(1, 2):contiguous():view(b, t, c))
  return x + self.mlp(self.ln_2(x))
end

local GPT = nn.Module:extend "GPT"

function GPT:init(vocabulary, tokens, width, heads, layers)
  self.wte = nn.Embedding(vocabulary, width)
  self.wpe = nn.Embedding(tokens, width)
  self.blocks = nn.ModuleList()
  for _ = 1, layers do self.blocks:append(Block(width, heads)) end
  self.ln_f = nn.LayerNorm(width)
  self.lm_head = nn.Linear(width, vocabulary, {bias = false})
end

function GPT:forward(x)
  x = self.wte(x) + self.wpe(torch.arange(x:size(1)))
  for i = 0, #self.blocks - 1 do x = self.blocks[i](x) end
  return self.lm_head(self.ln_f(x))
end

net("GPT 4x192, 128 characters, b12", function()
  local model = GPT(65, 128, 192, 6, 4)
  local x, y = torch.randint(0, 65, {12, 128}), torch.randint(0, 65, {12 * 128})
  local function loss() return F.cross_entropy(model(x):view(-1, 65), y) end
  return model, optim.AdamW(model:parameters(), {lr = 1e-3}), loss, function() return model(x:narrow(0, 0, 1)) end
end)

net("Muon, 256-512-256, b32", function()
  local model = nn.Sequential(nn.Linear(256, 512, {bias = false}), nn.ReLU(), nn.Linear(512, 256, {bias = false}))
  return classifier(model, optim.Muon(model:parameters()), torch.rand(32, 256), torch.rand(32, 256), nn.MSELoss())
end)

return nets
