-- ranks: 2 3
-- What DistributedDataParallel does with parameters that a pass leaves out, with passes that only accumulate, with buffers, frozen parameters,
-- several forward passes, and checkpoints of activations. Values are small whole numbers, so that every sum is exact.
local torch = require "torch"
local dist, nn = torch.distributed, torch.nn
local DDP = nn.parallel.DistributedDataParallel
dist.init_process_group "gloo"
local rank, size = dist.get_rank(), dist.get_world_size()

-- A module with three branches, each of which multiplies by a parameter.
local Branches = nn.Module:extend "Branches"
function Branches:init()
  self.a = nn.Parameter(torch.tensor{1., 2.})
  self.b = nn.Parameter(torch.tensor{3., 4.})
  self.c = nn.Parameter(torch.tensor{5., 6.})
  self:register_buffer("seen", torch.zeros(1))
end
function Branches:forward(x, names)
  local y = x
  for name in names:gmatch "%a" do y = y * self[name] end
  self.seen:add_(rank + 1)
  return y
end

local function gradients(module)
  local out = {}
  for _, name in ipairs{"a", "b", "c"} do
    local grad = module[name].grad
    out[#out + 1] = grad and ("%g,%g"):format(grad[0]:item(), grad[1]:item()) or "none"
  end
  return table.concat(out, " ")
end
local function clear(module)
  for p in module:parameters() do p.grad = nil end
end
local function x() return torch.tensor{1., 2.} * (size * (rank + 1)) end

for _, views in ipairs{false, true} do
  print("views", views)
  local module = Branches()
  local ddp = DDP(module, {find_unused_parameters = true, gradient_as_bucket_view = views})
  for _, names in ipairs{"abc", "ab", "a", rank == 0 and "ab" or "bc", rank == 0 and "a" or "abc"} do
    clear(module)
    ddp(x(), names):sum():backward()
    print("unused", gradients(module), module.seen:item())
  end
  ddp(x(), "ab"):sum():backward()
  print("added", gradients(module))

  module = Branches()
  ddp = DDP(module, {gradient_as_bucket_view = views})
  for _ = 1, 3 do
    clear(module)
    do
      local block <close> = ddp:no_sync()
      ddp(x(), "abc"):sum():backward()
    end
    print("alone", gradients(module))
    ddp(x(), "abc"):sum():backward()
    print("together", gradients(module), module.seen:item())
  end

  module = Branches()
  ddp = DDP(module, {static_graph = true, gradient_as_bucket_view = views})
  for _ = 1, 3 do
    clear(module)
    ddp(x(), "ac"):sum():backward()
    print("static", gradients(module))
  end

  module = Branches()
  module.b:requires_grad_(false)
  ddp = DDP(module, {gradient_as_bucket_view = views})
  for _ = 1, 2 do
    ddp(x(), "abc"):sum():backward()
    print("frozen", gradients(module))
  end

  module = Branches()
  ddp = DDP(module, {broadcast_buffers = false, gradient_as_bucket_view = views})
  for _ = 1, 2 do
    local first = ddp(x(), "abc")
    local second = ddp(x() * 2, "abc")
    first:add(second):sum():backward()
    print("two forwards", gradients(module), module.seen:item())
  end
end
dist.destroy_process_group()
