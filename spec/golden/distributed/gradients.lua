-- ranks: 1 2 3
-- torch.distributed.nn.functional: results and gradients.
local torch = require "torch"
local dist = torch.distributed
dist.init_process_group("gloo")
local F = dist.nn.functional
local rank, size = dist.get_rank(), dist.get_world_size()
local last = size - 1

local function leaf(...) return (torch.tensor{...} * (rank + 1)):requires_grad_() end
local function weighted(t) return (t * torch.arange(1.0, t:numel() + 1):view_as(t)):sum() end
local function show(name, x, loss)
  loss:backward()
  print(name, loss:item(), x.grad)
end

local x = leaf(1.0, 2.0)
show("all_reduce", x, weighted(F.all_reduce(x)) * (rank + 1))
x = leaf(1.0, 2.0)
show("broadcast", x, weighted(F.broadcast(x, last)) * (rank + 1))
x = leaf(1.0, 2.0)
local y = F.reduce(x, last)
show("reduce", x, weighted(y) * (rank == last and 2 or 0))
x = leaf(1.0, 2.0)
local loss = 0
for i, part in ipairs(F.all_gather(x)) do loss = loss + weighted(part) * i * (rank + 1) end
show("all_gather", x, loss)
x = leaf(1.0, 2.0)
loss = 0
for i, part in ipairs(F.gather(x, last)) do loss = loss + weighted(part) * i end
show("gather", x, loss)
local inputs = {}
for i = 1, size do inputs[i] = leaf(1.0 * i, 2.0 * i) end
show("scatter", inputs[size], weighted(F.scatter(inputs, last)))
for i = 1, size do inputs[i] = leaf(1.0 * i, 2.0 * i) end
show("reduce_scatter", inputs[1], weighted(F.reduce_scatter(torch.zeros(2), inputs)) * (rank + 1))
local outputs = {}
for i = 1, size do inputs[i], outputs[i] = leaf(1.0 * i, 2.0 * i), torch.zeros(2) end
loss = 0
for i, part in ipairs(F.all_to_all(outputs, inputs)) do loss = loss + weighted(part) * i * (rank + 1) end
show("all_to_all", inputs[1], loss)
x = (torch.arange(2.0 * size) + rank):requires_grad_()
show("all_to_all_single", x, weighted(F.all_to_all_single(torch.zeros(2 * size), x)) * (rank + 1))
dist.destroy_process_group()
