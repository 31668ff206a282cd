-- distributed/mixed_precision.lua: DistributedDataParallel's own mixed precision: passes and reductions in few bits, parameters and optimizer in all of
-- theirs. A parameter is a copy in few bits from the forward pass until its gradient is reduced.
local torch = ...
local support = torch._part "support"
local collectives = torch._part "distributed.collectives"

local mixed = {}

local read = torch._define "_MixedPrecision.__init__(param_dtype?, reduce_dtype?, buffer_dtype?)"

--- _MixedPrecision{param_dtype =, reduce_dtype =, buffer_dtype =}: dtypes of parameters and inputs within a pass, of reductions (param_dtype
-- by default), and of buffers.
local Config = support.class("_MixedPrecision", nil, "torch.nn.parallel.distributed")
mixed._MixedPrecision = Config
function Config:init(...)
  for name, value in pairs(read(...)) do self[name] = value end
end

local Precision = {}
Precision.__index = Precision

-- Gives a parameter another memory, and its gradient that dtype.
local function swap(p, data)
  local grad = p.grad
  p.grad = nil
  p.data = data
  if grad ~= nil then p.grad = grad:to(data.dtype) end
end

-- Gives parameters their own values back.
local function restore(self, tensors)
  for _, p in ipairs(tensors) do
    local full = self.full[p]
    if full then swap(p, full) end
    self.full[p] = nil
  end
end

-- Adds up gradients in the reduction's dtype, and ends the time of the copies.
local function reduce(self, bucket)
  local buffer = bucket:buffer()
  local dtype = self.config.reduce_dtype or self.config.param_dtype or buffer.dtype
  local sent = buffer:to(dtype)
  return collectives.all_reduce(sent, {group = self.group, async_op = true}):get_future():and_then(function()
    restore(self, bucket:is_last() and self.tensors or bucket:parameters())
    return sent:div_(self.group.count)
  end)
end

--- Makes buffers those of the configuration, and begins for a module. ignored: the names of parameters and buffers that are left alone.
-- Returns what before_forward, cast and restore are called of.
function mixed.start(config, ddp, ignored)
  local self = setmetatable({config = config, group = ddp.process_group, full = {}, tensors = {}}, Precision)
  local skipped = {}
  for _, name in ipairs(ignored) do skipped[name] = true end
  for name, p in ddp.module:named_parameters() do
    if not skipped[name] then table.insert(self.tensors, p) end
  end
  for name, buffer in ddp.module:named_buffers() do
    if config.buffer_dtype and not skipped[name] then buffer.data = buffer:to(config.buffer_dtype) end
  end
  ddp:register_comm_hook(self, reduce)
  return self
end

--- Replaces parameters by copies.
function Precision:before_forward()
  local dtype = self.config.param_dtype
  if not dtype then return end
  for _, p in ipairs(self.tensors) do
    self.full[p] = p.data
    swap(p, self.full[p]:to(dtype))
  end
end

--- Returns an input in the dtype of the pass.
function Precision:cast(t)
  local dtype = self.config.param_dtype
  return dtype and t:is_floating_point() and t:to(dtype) or t
end

--- Gives all parameters their own values back: before a pass, or after one without a backward pass.
function Precision:restore() restore(self, self.tensors) end

return mixed
