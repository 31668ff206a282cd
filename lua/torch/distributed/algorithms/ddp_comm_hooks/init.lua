-- ddp_comm_hooks/init.lua: torch.distributed.algorithms.ddp_comm_hooks: hooks that replace the all_reduce of gradients, in a file for each kind,
-- and their names: ddp_comm_hooks.register_ddp_comm_hook(ddp_comm_hooks.DDPCommHookType.FP16_COMPRESS, ddp)
local torch = ...
local support = torch._part "support"

local MODULE = "torch.distributed.algorithms.ddp_comm_hooks"
local space = {}

-- Returns a name's value: what registers the hook of a file. rank: that of PowerSGD, whose state is made of the process group.
local function kind(name, file, hook, rank)
  return setmetatable({name = name, register = function(model, state)
    local hooks = torch._part(MODULE .. "." .. file)
    if rank then state = hooks.PowerSGDState(state, {matrix_approximation_rank = rank}) end
    model:register_comm_hook(state, hooks[hook])
  end}, {__name = "DDPCommHookType", __tostring = function(self) return "DDPCommHookType." .. self.name end})
end

--- The hooks by their names.
space.DDPCommHookType = {
  ALLREDUCE = kind("ALLREDUCE", "default_hooks", "allreduce_hook"),
  FP16_COMPRESS = kind("FP16_COMPRESS", "default_hooks", "fp16_compress_hook"),
  BF16_COMPRESS = kind("BF16_COMPRESS", "default_hooks", "bf16_compress_hook"),
  QUANTIZE_PER_TENSOR = kind("QUANTIZE_PER_TENSOR", "quantization_hooks", "quantization_pertensor_hook"),
  QUANTIZE_PER_CHANNEL = kind("QUANTIZE_PER_CHANNEL", "quantization_hooks", "quantization_perchannel_hook"),
  POWER_SGD = kind("POWER_SGD", "powerSGD_hook", "powerSGD_hook", 1),
  POWER_SGD_RANK2 = kind("POWER_SGD_RANK2", "powerSGD_hook", "powerSGD_hook", 2),
  BATCHED_POWER_SGD = kind("BATCHED_POWER_SGD", "powerSGD_hook", "batched_powerSGD_hook", 1),
  BATCHED_POWER_SGD_RANK2 = kind("BATCHED_POWER_SGD_RANK2", "powerSGD_hook", "batched_powerSGD_hook", 2),
  NOOP = kind("NOOP", "debugging_hooks", "noop_hook"),
}

local read = torch._define "register_ddp_comm_hook(comm_hook_type, model, state?)"

--- register_ddp_comm_hook(comm_hook_type, model, state): gives a DistributedDataParallel the hook of that name. state: the process group.
function space.register_ddp_comm_hook(...)
  local a = read(...)
  if type(a.comm_hook_type) ~= "table" or not a.comm_hook_type.register then
    support.fail("TypeError", "register_ddp_comm_hook(): a DDPCommHookType expected, but got %s", torch._python_type(a.comm_hook_type))
  end
  a.comm_hook_type.register(a.model, a.state)
end

return torch._namespace(space, MODULE)
