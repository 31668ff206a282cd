-- nn/SyncBatchNorm.lua: torch.nn.SyncBatchNorm: a batch norm over the batches of all ranks, on the CPU, too. In one process it is
-- one of inputs with any number of dimensions.
local torch = ...
local support, nn = torch._part "support", torch.nn
local BatchNorm = nn.BatchNorm1d
local Sync = BatchNorm:extend "SyncBatchNorm"

local read = torch._define("SyncBatchNorm.__init__(num_features, eps=1e-5, momentum=0.1, affine=true, track_running_stats=true, process_group?, " ..
  "device?, dtype?, *, bias=true)")

function Sync:init(...)
  local a = read(...)
  BatchNorm.init(self, a.num_features, a.eps, a.momentum, a.affine, a.track_running_stats, {device = a.device, dtype = a.dtype, bias = a.bias})
  self.process_group = a.process_group
end

-- Returns true if the statistics of this call are those of several ranks.
local function is_shared(self)
  local dist = torch.distributed
  return self.training and dist.is_available() and dist.is_initialized() and dist.get_world_size(self.process_group) > 1
end

function Sync:forward(x)
  if x:dim() < 2 then support.fail("ValueError", "expected at least 2D input (got %dD input)", x:dim()) end
  if is_shared(self) then return torch._part "distributed.sync_batch_norm"(self, x) end
  if x:dim() == 2 or x:dim() == 3 then return BatchNorm.forward(self, x) end
  return BatchNorm.forward(self, x:flatten(2)):view(x.shape)
end

-- Returns a SyncBatchNorm with the members and options of a batch norm.
local function converted(module, group)
  local sync = Sync(module.num_features, module.eps, nil, module.affine, module.track_running_stats, group, {bias = module.bias ~= nil})
  sync.momentum = module.momentum
  for _, name in ipairs {"weight", "bias", "running_mean", "running_var", "num_batches_tracked"} do
    if module[name] ~= nil then sync[name] = module[name] end
  end
  return sync:train(module.training)
end

--- SyncBatchNorm.convert_sync_batchnorm(module[, process_group]) replaces every batch norm of the tree by a SyncBatchNorm.
function Sync.convert_sync_batchnorm(module, process_group)
  local out = module
  if module:isinstance{nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d} and not module:isinstance(Sync) then out = converted(module, process_group) end
  for name, child in module:named_children() do
    local new = Sync.convert_sync_batchnorm(child, process_group)
    if not rawequal(new, child) then out:set_submodule(name, new) end
  end
  return out
end

return Sync
