-- ddp_resume_spec.lua: a training that goes on from a checkpoint has the digits of one that was never interrupted, with three ranks, too: the plan of
-- DistributedDataParallel's buckets travels with the module's state.
local busted = require "busted"
local ranks = require "ranks"

local PROGRAM = [[
local torch = require "torch"
local dist, nn = torch.distributed, torch.nn
local DDP = nn.parallel.DistributedDataParallel
dist.init_process_group("gloo", {timeout = 20})
local rank = dist.get_rank()
local STEPS = 5

local function make()
  torch.manual_seed(1)
  return nn.Sequential(nn.Linear(16, 10), nn.Tanh(), nn.Linear(10, 6), nn.Tanh(), nn.Linear(6, 4))
end
local function sgd(ddp) return torch.optim.SGD(ddp:parameters(), {lr = 0.1, momentum = 0.9}) end
local function train(ddp, optim, from, after)
  for step = from, STEPS do
    torch.manual_seed(100 * step + rank)
    optim:zero_grad()
    ddp(torch.randn(5, 16)):square():mean():backward()
    optim:step()
    if after then after(step) end
  end
  return nn.utils.parameters_to_vector(ddp:parameters()):detach()
end

-- Returns a value as it is after it was saved and loaded.
local function through_file(value)
  local path = os.tmpname()
  torch.save(value, path)
  value = torch.load(path)
  os.remove(path)
  return value
end

local saved = {}
local ddp = DDP(make())
local optim = sgd(ddp)
local expected = train(ddp, optim, 1, function(step)
  saved[step] = through_file{plain = ddp.module:state_dict(), wrapped = ddp:state_dict(), optim = optim:state_dict()}
end)

local ways = {}
function ways.before(model, state)
  model:load_state_dict(state.plain)
  return DDP(model)
end
function ways.on_rank_0(model, state) return rank == 0 and ways.before(model, state) or DDP(model) end
function ways.inside(model, state)
  local new = DDP(model)
  new.module:load_state_dict(state.plain)
  return new
end
function ways.outside(model, state)
  local new = DDP(model, {init_sync = false})
  new:load_state_dict(state.wrapped)
  return new
end
function ways.without_prefix(model, state)
  local dict = state.wrapped
  nn.utils.consume_prefix_in_state_dict_if_present(dict, "module.")
  model:load_state_dict(dict)
  return DDP(model)
end
function ways.copied(model, state)
  model:load_state_dict(state.plain)
  return DDP(torch.deepcopy(model))
end

local function resumed(way, state, step)
  local new = way(make(), state)
  local own = sgd(new)
  own:load_state_dict(state.optim)
  return train(new, own, step + 1)
end
for _, step in ipairs{1, 2, STEPS - 1} do
  for _, name in ipairs{"before", "on_rank_0", "inside", "outside", "without_prefix", "copied"} do   -- in one order on all ranks
    local state = torch.deepcopy(saved[step])
    if not resumed(ways[name], state, step):equal(expected) then print(name, step) end
  end
end

-- What does not fit is not taken: the plan of another number of ranks, or of other parameters.
local state = saved[2]
local text = state.plain._metadata[""].ddp_buckets
local function rejects(other)
  local model = make()
  state.plain._metadata[""].ddp_buckets = other
  model:load_state_dict(state.plain)
  assert(not select(2, DDP(model).reducer:buckets()), other)
end
assert(text:find "^3 ranks: torch.float32 10x16, ")
rejects((text:gsub("^3", "2")))
rejects((text:gsub("10x16", "16x10")))
rejects((text:gsub("%d+$", "7")))
rejects((text:gsub(" %d+$", "")))
rejects((text:gsub("(%d+) %d+$", "%1 %1")))
rejects(text .. ", ,")
assert(DDP(make(), {find_unused_parameters = true}):state_dict()._metadata.module.ddp_buckets == nil)

-- Without the plan, the digits are others: the test would notice.
for _, dict in ipairs{saved[1].plain, saved[1].wrapped} do dict._metadata = nil end
for _, name in ipairs{"before", "outside"} do
  if resumed(ways[name], saved[1], 1):equal(expected) then print(name, "without a plan") end
end
dist.destroy_process_group()
]]

busted.describe("DistributedDataParallel's buckets", function()
  busted.it("are those of the checkpoint", function()
    for _, ended in ipairs(ranks.run(PROGRAM, 3, {seconds = 60})) do
      assert.equal(0, ended.status, ended.errors .. ended.output)
      assert.equal("", ended.output)
    end
  end)
end)
