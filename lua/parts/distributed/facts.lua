-- distributed/facts.lua: torch.distributed's constants, and what is there: backends, how the process was started, the debug level.
local torch = ...
local support = torch._part "support"
local driver, fail, define = torch._distributed, support.fail, torch._define
local environment = os.getenv or function() return nil end

local facts = {}

-- Makes an unknown name in a table of constants an error: nil as an operation or a backend would mean the default one.
local function strict(constants, class, metatable)
  local names = {}
  for name in pairs(constants) do names[#names + 1] = name end
  table.sort(names)
  metatable = metatable or {}
  metatable.__index = function(_, name)
    torch._raise("AttributeError", ("type object '%s' has no attribute '%s'"):format(class, tostring(name)), "it has " .. table.concat(names, ", "))
  end
  return setmetatable(constants, metatable)
end

-- --- reductions ---------------------------------------------------------------------------------------------------

-- The operations in the order of tocha_reduce_op. Only nccl has the last one.
local ops = {"SUM", "AVG", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR", "PREMUL_SUM"}

local Op = {__name = "RedOpType", __tostring = function(op) return "RedOpType." .. op.name end}
Op.__concat = function(a, b) return tostring(a) .. tostring(b) end

--- What a reduction does with the values of all ranks: ReduceOp.SUM and so on.
facts.ReduceOp = {}
for i, name in ipairs(ops) do facts.ReduceOp[name] = setmetatable({name = name, number = i - 1}, Op) end
strict(facts.ReduceOp, "torch._C._distributed_c10d.ReduceOp")

--- Returns a reduction that multiplies this rank's values by a factor, a number or a tensor of one, and adds. Only nccl has it.
facts._make_nccl_premul_sum = define("_make_nccl_premul_sum(factor)", function(factor)
  if torch.is_tensor(factor) then factor = factor:item() end
  return setmetatable({name = "PREMUL_SUM", number = facts.ReduceOp.PREMUL_SUM.number, factor = factor}, Op)
end)

--- Returns the number of a reduction in C. Raises for another value.
function facts._number_of(op)
  if getmetatable(op) == Op then
    if op.factor then driver.set_factor(op.factor) end
    return op.number
  end
  return torch._raise("TypeError", ("op must be a torch.distributed.ReduceOp, not %s"):format(torch._python_type(op)),
    "op = torch.distributed.ReduceOp.SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR or BXOR")
end

--- Returns true if a reduction has a meaning for complex numbers.
facts.supports_complex = define("supports_complex(reduceOp)", function(op)
  return op == facts.ReduceOp.SUM or op == facts.ReduceOp.AVG or op == facts.ReduceOp.PREMUL_SUM
end)

--- The old name of ReduceOp.
facts.reduce_op = setmetatable({}, {__index = function(_, name)
  torch._warn("`torch.distributed.reduce_op` is deprecated, please use `torch.distributed.ReduceOp` instead", "FutureWarning")
  return facts.ReduceOp[name]
end})

-- The codes of errors, which err.code is.
for _, kind in ipairs{"DistError", "DistBackendError", "DistStoreError", "DistNetworkError", "QueueEmptyError"} do facts[kind] = kind end

-- --- backends -----------------------------------------------------------------------------------------------------

-- Returns true if a backend is there; C also returns the version of its library.
local function is_available(backend) return (driver.is_backend_available(backend)) end

--- Returns true if the library of a backend is there: "gloo", "mpi", "nccl", "fake", or several as in "cpu:gloo,cuda:nccl".
facts.is_backend_available = define("is_backend_available(backend)", function(backend)
  for pair in tostring(backend):lower():gmatch "[^,]+" do
    if not is_available(pair:match ":(.*)$" or pair) then return false end
  end
  return true
end)
--- Returns true if libgloo's plug-in is there.
function facts.is_gloo_available() return is_available "gloo" end
--- Returns true if an MPI is there.
function facts.is_mpi_available() return is_available "mpi" end
--- Returns true if NCCL is there.
function facts.is_nccl_available() return is_available "nccl" end
--- Returns false: there is no backend for UCC.
function facts.is_ucc_available() return false end
--- Returns false: there is no backend for XCCL.
function facts.is_xccl_available() return false end

--- The names of the backends: Backend.GLOO is "gloo", and so is Backend "GLOO".
facts.Backend = strict({GLOO = "gloo", MPI = "mpi", NCCL = "nccl", FAKE = "fake", UCC = "ucc", XCCL = "xccl", UNDEFINED = "undefined"}, "Backend",
  {__call = function(_, name) return name:lower() end})

local default_backends = {cpu = "gloo", cuda = "nccl"}

--- Returns the backend that a device's tensors take by default.
facts.get_default_backend_for_device = define("get_default_backend_for_device(device)", function(device)
  local kind = torch.device(device).type
  return default_backends[kind] or fail("ValueError", "Default backend not registered for device : %s", support.python(device))
end)

-- --- how the process was started -------------------------------------------------------------------------------------

--- Returns true if torchrun or tocharun started this process.
function facts.is_torchelastic_launched() return environment "TORCHELASTIC_RUN_ID" ~= nil end

--- Returns the number of this process among those of its host, which the launcher sets as LOCAL_RANK; fallback_rank without a launcher.
facts.get_node_local_rank = define("get_node_local_rank(fallback_rank?)", function(fallback_rank)
  local text = environment "LOCAL_RANK"
  if text then return math.tointeger(tonumber(text)) end
  if fallback_rank ~= nil then return math.tointeger(fallback_rank) end
  return fail("RuntimeError", "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow `get_node_local_rank` to work, " ..
    "assuming you are not running in a multi-device context and want the code to run locally instead.")
end)

-- --- the debug level -------------------------------------------------------------------------------------------------

local Level = {__name = "DebugLevel", __tostring = function(level) return "DebugLevel." .. level.name end}
Level.__concat = function(a, b) return tostring(a) .. tostring(b) end

--- The debug levels OFF, INFO, DETAIL. What PyTorch checks at DETAIL is always checked here.
facts.DebugLevel = {}
for i, name in ipairs{"OFF", "INFO", "DETAIL"} do facts.DebugLevel[name] = setmetatable({name = name, value = i - 1}, Level) end
strict(facts.DebugLevel, "torch._C._distributed_c10d.DebugLevel")

local level

--- Sets the debug level as TORCH_DISTRIBUTED_DEBUG says.
function facts.set_debug_level_from_env()
  local given = (environment "TORCH_DISTRIBUTED_DEBUG" or "OFF"):upper()
  level = rawget(facts.DebugLevel, given) or fail("RuntimeError", "The value of TORCH_DISTRIBUTED_DEBUG must be OFF, INFO, or DETAIL.")
end
facts.set_debug_level_from_env()

--- Returns the debug level, which TORCH_DISTRIBUTED_DEBUG sets.
function facts.get_debug_level() return level end

--- Sets the debug level: DebugLevel.OFF, INFO or DETAIL.
facts.set_debug_level = define("set_debug_level(level)", function(new)
  if getmetatable(new) ~= Level then fail("TypeError", "set_debug_level(): expected a DebugLevel, not %s", torch._python_type(new)) end
  level = new
end)

--- The seconds that operations wait for other ranks if init_process_group is given no timeout.
facts.default_pg_timeout = 1800

return facts
