-- distributed/delayed_all_reduce.lua: parameters of DistributedDataParallel whose gradients are reduced together once that of another parameter is there
-- (delay_all_reduce_named_params, param_to_hook_all_reduce). Their gradients are views of one buffer.
local torch = ...
local collectives = torch._part "distributed.collectives"
local driver = torch._distributed

local BROADCAST_BYTES = 25 << 20

local Delayed = {}
Delayed.__index = Delayed

--- named: a list of {name, parameter}. Makes the parameters those of rank 0, and hooks the reduction to `hooked`. Returns what prepare is called of.
function Delayed.start(named, hooked, group)
  local self = setmetatable({parameters = {}, views = {}}, Delayed)
  local detached, count, at = {}, 0, 0
  for i, entry in ipairs(named) do
    self.parameters[i], detached[i] = entry[2], entry[2]:detach()
    count = count + entry[2]:numel()
  end
  local first = self.parameters[1]
  self.buffer = torch.zeros(count, {dtype = first.dtype, device = first.device})
  driver.broadcast_coalesced(group.handle, detached, BROADCAST_BYTES, 0)
  for i, p in ipairs(self.parameters) do
    self.views[i] = self.buffer:narrow(0, at, p:numel()):view(p.shape)
    at = at + p:numel()
  end
  local buffer = self.buffer
  hooked:register_hook(function(grad)
    collectives.all_reduce(buffer:div_(group.count), {group = group})
    return grad
  end)
  return self
end

--- Makes gradients views of the buffer again, before a backward pass; those that are none begin with zeros.
function Delayed:prepare()
  local _ <close> = torch.no_grad()
  for i, p in ipairs(self.parameters) do
    if p.grad == nil then
      p.grad = self.views[i]
      p.grad:zero_()
    end
  end
end

return Delayed
