-- metrics_spec.lua: torch.metrics over ranks: compute() answers for what all ranks have seen, as one process does that has seen it all.
local busted = require "busted"
local ranks = require "ranks"

busted.describe("torch.metrics on several ranks", function()
  busted.it("computes over all of them, however many batches each has", function()
    local program = [[
local torch = require "torch"
local dist, metrics = torch.distributed, torch.metrics
dist.init_process_group("gloo", {timeout = 10})
local rank, size = dist.get_rank(), dist.get_world_size()

local function batch(step, r)
  torch.manual_seed(10 * step + r)
  return torch.randn(6, 3):softmax(1), torch.randint(0, 3, {6})
end
local options = {task = "multiclass", num_classes = 3}
for _, name in ipairs{"Accuracy", "F1Score", "ConfusionMatrix", "AUROC"} do
  local shared, alone, own = metrics[name](options), metrics[name]{task = "multiclass", num_classes = 3, sync_on_compute = false}, metrics[name](options)
  for r = 0, size - 1 do
    for step = 1, r do alone:update(batch(step, r)) end   -- rank 0 has none
  end
  for step = 1, rank do
    local here = shared(batch(step, rank))
    own:reset()
    own:update(batch(step, rank))
    own.sync_on_compute = false
    assert(here:equal(own:compute()), name)
  end
  assert(torch.allclose(shared:compute(), alone:compute()) and torch.allclose(shared:compute(), alone:compute()), name)
  shared:sync()
  assert(torch.allclose(shared:compute(), alone:compute()), name)
  assert(not pcall(shared.sync, shared))
  shared:unsync()
  assert(not pcall(shared.unsync, shared))
end

local mean = metrics.MeanMetric()
mean:update(torch.tensor{1.0, 4.0} * rank, torch.tensor{1.0, 1.0 + rank})
local sum, weight = 0, 0
for r = 0, size - 1 do sum, weight = sum + r + 4 * r * (1 + r), weight + 2 + r end
assert(math.abs(mean:compute():item() - sum / weight) < 1e-6)

local pair = dist.new_group{0, 1}
if rank < 2 then
  local two = metrics.MeanMetric{process_group = pair}
  two:update(rank)
  assert(two:compute():item() == 0.5)
end
local everywhere = metrics.MeanMetric{dist_sync_on_step = true}
assert(everywhere(rank):item() == (size - 1) / 2)
dist.destroy_process_group()
assert(metrics.MeanMetric()(3):item() == 3)
]]
    for _, ended in ipairs(ranks.run(program, 3)) do
      assert.equal(0, ended.status, ended.errors .. ended.output)
      assert.equal("", ended.errors)
    end
  end)
end)
