-- sync_batch_norm_spec.lua: SyncBatchNorm on several ranks against a batch norm over the whole batch in one process; and DistributedSampler's warning.
local busted = require "busted"
local ranks = require "ranks"

local function run(size, text)
  local outputs, errors = {}, {}
  for i, ended in ipairs(ranks.run(text, size, {seconds = 60})) do
    assert.equal(0, ended.status, ended.errors .. ended.output)
    outputs[i], errors[i] = ended.output, ended.errors
  end
  return outputs, errors
end

local PROGRAM = [[
local torch = require "torch"
local dist, nn = torch.distributed, torch.nn
dist.init_process_group("gloo", {timeout = 10})
local rank, size = dist.get_rank(), dist.get_world_size()

-- Ranks have rows of the batch: rank 0 has two, the next ones one more each.
local first, rows, total = 0, 2 + rank, 0
for r = 0, size - 1 do
  if r < rank then first = first + 2 + r end
  total = total + 2 + r
end

local function off(a, b) return ((a - b):abs():max() / b:abs():max():clamp{min = 1e-3}):item() end
local function check(name, limit, a, b)
  if not (off(a, b) <= limit) then print(name, off(a, b)) end
end

local function compare(name, dtype, limit, shape, make, options)
  local function norm(class)
    local n = class(3, options):to(dtype)
    if n.weight then
      torch.no_grad(function() n.weight:copy_(torch.tensor{0.5, 1.5, 2}); n.bias:copy_(torch.tensor{1, 0, -1}) end)
    end
    return n
  end
  local one, many = norm(make), norm(nn.SyncBatchNorm)
  torch.manual_seed(2)
  for pass = 1, 3 do
    local x = (torch.randn{total, 3, table.unpack(shape)} * 3 + 1):to(dtype)
    local w = torch.randn{total, 3, table.unpack(shape)}:to(dtype)
    local whole, part = x:clone():requires_grad_(), x:narrow(0, first, rows):clone():requires_grad_()
    local y, z = one(whole), many(part)
    check(name .. " output", limit, z:detach(), y:detach():narrow(0, first, rows))
    if pass == 3 then one:zero_grad(); many:zero_grad() end
    (y * w):sum():backward();
    (z * w:narrow(0, first, rows)):sum():backward()
    check(name .. " gradient", limit, part.grad, whole.grad:narrow(0, first, rows))
  end
  for _, field in ipairs{"weight", "bias"} do
    if many[field] then
      local grad = many[field].grad
      dist.all_reduce(grad)
      check(name .. " " .. field, limit, grad, one[field].grad)
    end
  end
  if many.running_mean then
    check(name .. " mean", limit, many.running_mean, one.running_mean)
    check(name .. " variance", limit, many.running_var, one.running_var)
    if many.num_batches_tracked:item() ~= 3 then print(name, "batches", many.num_batches_tracked) end
  end
  one:eval()
  many:eval()
  local x = torch.randn{rows, 3, table.unpack(shape)}:to(dtype)
  if many.running_mean then check(name .. " eval", limit, many(x):detach(), one(x):detach()) end
end

for _, case in ipairs{{torch.float64, 1e-13}, {torch.float32, 2e-5}} do
  local dtype, limit = table.unpack(case)
  local name = tostring(dtype)
  compare(name .. " 1d", dtype, limit, {}, nn.BatchNorm1d, {})
  compare(name .. " 2d", dtype, limit, {4, 5}, nn.BatchNorm2d, {})
  compare(name .. " 3d", dtype, limit, {2, 3, 2}, nn.BatchNorm3d, {momentum = 0.3})
  compare(name .. " without parameters", dtype, limit, {4}, nn.BatchNorm1d, {affine = false})
  compare(name .. " without statistics", dtype, limit, {4}, nn.BatchNorm1d, {track_running_stats = false})
end
]]

busted.describe("SyncBatchNorm", function()
  for size = 2, 3 do
    busted.it(("on %d ranks is a batch norm of the whole batch"):format(size), function()
      for _, output in ipairs((run(size, PROGRAM .. "dist.destroy_process_group()\n"))) do assert.equal("", output) end
    end)
  end

  busted.it("replaces the batch norms of a module, whose values it keeps", function()
    local outputs = run(2, [[
local torch = require "torch"
local dist, nn = torch.distributed, torch.nn
dist.init_process_group("gloo", {timeout = 10})
local rank = dist.get_rank()
local net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Sequential(nn.ReLU(), nn.BatchNorm2d(2, {affine = false, momentum = 0.2})))
net[1].weight:detach():fill_(3)
net = nn.SyncBatchNorm.convert_sync_batchnorm(net)
print(net[1], net[2][1], net[1].weight[0]:item())
local norm = nn.SyncBatchNorm(2)
norm.momentum = nil
for i = 1, 2 do norm(torch.full({1, 2}, i * 2.0 + rank)) end
print(norm.running_mean[0]:item(), norm.running_var[0]:item())
print(pcall(norm, torch.ones(2)))
dist.destroy_process_group()
]])
    for _, output in ipairs(outputs) do
      assert.equal("SyncBatchNorm(2, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)\t" ..
        "SyncBatchNorm(2, eps=1e-05, momentum=0.2, affine=False, bias=False, track_running_stats=True)\t3.0\n" ..
        "3.5\t0.5\nfalse\texpected at least 2D input (got 1D input)\n", (output:gsub("\n%a+ [^\n]*script.lua[^\n]*", ""):gsub("\nin [^\n]*", "")))
    end
  end)
end)

busted.describe("DistributedSampler", function()
  busted.it("warns once of a second epoch in the same order", function()
    local outputs, errors = run(2, [[
local torch = require "torch"
torch.distributed.init_process_group("gloo", {timeout = 10})
local sampler = torch.utils.data.distributed.DistributedSampler(torch.utils.data.TensorDataset(torch.arange(6)))
for _, epoch in ipairs{0, 0, 1, -1, -1} do   -- -1: not set
  if epoch >= 0 then sampler:set_epoch(epoch) end
  for _ in sampler:iter() do end
end
torch.distributed.destroy_process_group()
]])
    assert.equal("", outputs[1])
    for _, text in ipairs(errors) do
      assert.truthy(text:find "a second epoch in the order of epoch 1; call sampler:set_epoch%(epoch%)")
      assert.equal(1, select(2, text:gsub("second epoch", "")))
    end
  end)
end)
