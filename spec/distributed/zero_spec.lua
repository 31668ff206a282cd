-- zero_spec.lua: ZeroRedundancyOptimizer over every optimizer: the bits of one process, and 1/n of the states. Its partition, states and errors
-- against PyTorch's are in spec/golden/distributed/zero.lua.
local busted = require "busted"
local ranks = require "ranks"

local BEGINNING = [[
local torch = require "torch"
local dist, nn = torch.distributed, torch.nn
local Zero = dist.optim.ZeroRedundancyOptimizer
dist.init_process_group("gloo", {timeout = 10})
local rank, size = dist.get_rank(), dist.get_world_size()

local optimizers = {{"SGD", {lr = 0.1, momentum = 0.9}}, {"Adam", {amsgrad = true}}, {"AdamW", {}}, {"Adagrad", {}}, {"Adadelta", {}}, {"Adamax", {}},
  {"NAdam", {}}, {"RAdam", {}}, {"RMSprop", {momentum = 0.5}}, {"Rprop", {}}, {"ASGD", {}}, {"Adafactor", {}}, {"Muon", {}}}

local function parameters()
  local list = {}
  torch.manual_seed(5)
  for i = 1, 8 do list[i] = nn.Parameter(torch.randn(30, 40)) end
  return list
end
local function copied(options, more)
  local copy = {}
  for key, value in pairs(options) do copy[key] = value end
  for key, value in pairs(more or {}) do copy[key] = value end
  return copy
end
local function steps(optim, list, from, to)
  for step = from, to do
    torch.manual_seed(step)
    for _, p in ipairs(list) do p.grad = torch.randn(p.shape) end
    optim:step()
  end
end
local function equal(a, b)
  for i in ipairs(a) do
    if not a[i]:equal(b[i]) then return false end
  end
  return true
end
local function bytes(state)
  local sum = 0
  for _, values in pairs(state) do
    for _, value in pairs(values) do
      if torch.is_tensor(value) then sum = sum + value:numel() * value:element_size() end
    end
  end
  return sum
end
]]

local function run(size, text)
  for _, ended in ipairs(ranks.run(BEGINNING .. text .. "\ndist.destroy_process_group()\n", size, {seconds = 60})) do
    assert.equal(0, ended.status, ended.errors .. ended.output)
    assert.equal("", ended.output)
  end
end

busted.describe("ZeroRedundancyOptimizer", function()
  for size = 2, 4, 2 do
    busted.it(("on %d ranks has every optimizer's bits and 1/%d of its states, and goes on from saved states"):format(size, size), function()
      run(size, [[
for _, case in ipairs(optimizers) do
  local name, options = table.unpack(case)
  local one, many, again = parameters(), parameters(), parameters()
  local alone = torch.optim[name](one, copied(options))
  local zero = Zero(many, copied(options, {optimizer_class = torch.optim[name]}))
  steps(alone, one, 1, 3)
  steps(zero, many, 1, 3)
  if not equal(one, many) then print(name, "other values") end
  local part, whole = bytes(zero.optim:state_dict().state), bytes(alone:state_dict().state)
  if part > whole / size * 1.05 then print(name, "states", part, whole) end

  zero:consolidate_state_dict()
  local saved = {rank == 0 and zero:state_dict() or nil}
  dist.broadcast_object_list(saved, 0)
  for number, values in pairs(alone:state_dict().state) do
    for key, value in pairs(values) do
      if torch.is_tensor(value) and not value:equal(saved[1].state[number][key]) then print(name, "saved", number, key) end
    end
  end
  local _ <close> = torch.no_grad()
  for i, p in ipairs(again) do p:copy_(one[i]) end
  local other = Zero(again, copied(options, {optimizer_class = torch.optim[name], parameters_as_bucket_view = true}))
  other:load_state_dict(saved[1])
  steps(alone, one, 4, 5)
  steps(other, again, 4, 5)
  if not equal(one, again) then print(name, "other values after loading") end
end]])
    end)
  end

  for _, size in ipairs{2, 3} do
    busted.it(("trains a GPT on %d ranks as one process does, with 1/%d of the states, and goes on from a file"):format(size, size), function()
      run(size, [[
local F = nn.functional
local WIDTH, LENGTH, WORDS = 16, 8, 13
local GPT = nn.Module:extend "GPT"
function GPT:init()
  self.words = nn.Embedding(WORDS, WIDTH)
  self.layers = nn.TransformerEncoder(nn.TransformerEncoderLayer(WIDTH, 2, {dim_feedforward = 32, dropout = 0.0, batch_first = true}), 6)
  self.head = nn.Linear(WIDTH, WORDS)
end
function GPT:forward(words)
  local mask = torch.full({LENGTH, LENGTH}, -math.huge, {dtype = self.head.weight.dtype}):triu(1)
  return self.head(self.layers(self.words(words), {mask = mask, is_causal = true}))
end
local function new(dtype)
  torch.manual_seed(1)
  return GPT():to(dtype)
end
-- The gradients of keys' biases are only rounding.
local function trained(model)
  for name, p in model:named_parameters() do p.requires_grad = not name:find "in_proj_bias" end
  return model
end
local function train(model, optimizer, first, last, from, rows)
  for step = first, last do
    torch.manual_seed(step)
    local words = torch.randint(0, WORDS, {2 * size, LENGTH + 1})[{("%d:%d"):format(from, from + rows)}]
    optimizer:zero_grad()
    F.cross_entropy(model(words[{":", ":-1"}]):reshape(-1, WORDS), words[{":", "1:"}]:reshape(-1)):backward()
    optimizer:step()
  end
end
local function difference(a, b)
  local x, y = nn.utils.parameters_to_vector(a:parameters()), nn.utils.parameters_to_vector(b:parameters())
  return ((x - y):abs():max() / y:abs():max()):item()
end

for _, case in ipairs{{torch.float32, 1e-6}, {torch.float64, 1e-13}} do
  local alone, model, again = trained(new(case[1])), trained(new(case[1])), trained(new(case[1]))
  local options = {lr = 1e-3, eps = 1e-4}
  local optimizer = torch.optim.AdamW(alone:parameters(), copied(options))
  train(alone, optimizer, 1, 8, 0, 2 * size)
  local ddp = nn.parallel.DistributedDataParallel(model, {gradient_as_bucket_view = true})
  local zero = Zero(ddp:parameters(), copied(options, {optimizer_class = torch.optim.AdamW, parameters_as_bucket_view = true}))
  train(ddp, zero, 1, 5, 2 * rank, 2)
  local part, whole = bytes(zero.optim:state_dict().state), bytes(optimizer:state_dict().state)
  if part > whole / size * 1.05 then print("states", part, whole) end

  zero:consolidate_state_dict()
  local path = {os.tmpname()}
  dist.broadcast_object_list(path)
  if rank == 0 then torch.save({model = model:state_dict(), optimizer = zero:state_dict()}, path[1]) end
  dist.barrier()
  local saved = torch.load(path[1])
  again:load_state_dict(saved.model)
  local ddp_again = nn.parallel.DistributedDataParallel(again)
  local other = Zero(ddp_again:parameters(), copied(options, {optimizer_class = torch.optim.AdamW}))
  other:load_state_dict(saved.optimizer)
  train(ddp_again, other, 6, 8, 2 * rank, 2)
  if difference(again, alone) > case[2] then print(case[1], "against one process", difference(again, alone)) end
  train(ddp, zero, 6, 8, 2 * rank, 2)
  if difference(model, again) > case[2] then print(case[1], "after loading", difference(model, again)) end
  dist.barrier()
  if rank == 0 then os.remove(path[1]) end
end]])
    end)
  end

  busted.it("takes ranks without parameters, closures and schedulers", function()
    run(3, [[
local one, many = {nn.Parameter(torch.ones(2))}, {nn.Parameter(torch.ones(2))}
local alone = torch.optim.Adam(one, {lr = 0.1})
local zero = Zero(many, torch.optim.Adam, {lr = 0.1})
local decay, zero_decay = torch.optim.lr_scheduler.StepLR(alone, 1, 0.5), torch.optim.lr_scheduler.StepLR(zero, 1, 0.5)
for _ = 1, 3 do
  local function closure(list, optim)
    return function()
      optim:zero_grad()
      local loss = list[1]:square():sum()
      loss:backward()
      return loss
    end
  end
  local a, b = alone:step(closure(one, alone)), zero:step(closure(many, zero))
  if not equal(one, many) or rank == 0 and not a:equal(b) then print(one[1], many[1], a, b) end
  decay:step()
  zero_decay:step()
end]])
  end)
end)
