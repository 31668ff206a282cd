-- backends.lua: torch.backends: the abilities of this build, and the switches that programs set.
local torch = ...
local support = torch._part "support"
local build = torch._build()

local function no() return false end
local function answer(value) return function() return value end end

-- --- switches: fields that read and set something of the context ----------------------------------------

-- Adds fields to a namespace that a switch reads and sets: switches = {name = {read, set}}. Returns the namespace.
local function with_switches(namespace, switches)
  local meta = getmetatable(namespace)
  local unknown = meta.__index
  function meta.__index(space, name)
    local switch = switches[name]
    if switch then return switch[1]() end
    return unknown(space, name)
  end
  function meta.__newindex(space, name, value)
    local switch = switches[name]
    if switch then switch[2](value) else rawset(space, name, value) end
  end
  function meta.__pairs(space)
    local values = {}
    for name, value in next, space do values[name] = value end
    for name, switch in pairs(switches) do values[name] = switch[1]() end
    return next, values
  end
  return namespace
end

local function set_digits(value)
  if value ~= "pytorch" and value ~= "fast" then
    support.fail("ValueError", 'torch.backends.cpu.digits must be "pytorch" or "fast", got %s',
      type(value) == "string" and ("%q"):format(value) or tostring(value))
  end
  torch._which_digits(value)
end

local capability = {avx2 = "AVX2", avx512 = "AVX512"}

-- --- torch.backends.cuda.matmul: assignments are switches of the context --------------------------------

-- the functions that read and set a switch
local switches = {
  allow_tf32 = {
    function() return torch.get_float32_matmul_precision() ~= "highest" end,
    function(value)
      local allowed = torch.get_float32_matmul_precision() ~= "highest"
      if value ~= allowed then torch.set_float32_matmul_precision(value and "high" or "highest") end
    end,
    refusal = {"RuntimeError", "set_allow_tf32_cublas expects a bool, but got %s"},
  },
  allow_fp16_reduced_precision_reduction = {
    function() return torch._reduced_precision(torch.float16) end,
    function(value) torch._reduced_precision(torch.float16, value) end,
    refusal = {"TypeError", "allow_fp16_reduced_precision_reduction expects a bool or a tuple/list of bools, but got <class '%s'>"},
  },
  allow_bf16_reduced_precision_reduction = {
    function() return torch._reduced_precision(torch.bfloat16) end,
    function(value) torch._reduced_precision(torch.bfloat16, value) end,
    refusal = {"TypeError", "allow_bf16_reduced_precision_reduction expects a bool or a tuple/list of bools, but got <class '%s'>"},
  },
}

local function switch(name)
  return switches[name] or support.fail("AttributeError", "Unknown attribute %s", tostring(name))
end

local matmul = setmetatable({}, {
  __index = function(_, name) return switch(name)[1]() end,
  __newindex = function(_, name, value)
    local s = switch(name)
    if type(value) ~= "boolean" then support.fail(s.refusal[1], s.refusal[2], torch._python_type(value)) end
    s[2](value)
  end,
  __pairs = function()
    local values = {}
    for name, s in pairs(switches) do values[name] = s[1]() end
    return next, values
  end,
})

-- --- torch.backends.cuda: libraries -----------------------------------------------------------------------

local linalg_libraries = {default = "_LinalgBackend.Default", cusolver = "_LinalgBackend.Cusolver", magma = "_LinalgBackend.Magma"}
local preferred_linalg = "default"

-- Sets the library that torch.linalg prefers on a GPU, unless it is nil, and returns PyTorch's name of the preferred one. Only cuSOLVER
-- is ever called.
local function preferred_linalg_library(backend)
  if backend ~= nil then
    if type(backend) ~= "string" then support.fail("RuntimeError", "Unknown input value type.") end
    if not linalg_libraries[backend] then
      support.fail("RuntimeError", "Unknown input value. Choose from: default, cusolver, magma.")
    end
    preferred_linalg = backend
  end
  return linalg_libraries[preferred_linalg]
end

-- --- torch.backends.cudnn -------------------------------------------------------------------------------

-- Returns the functions that read and set a switch of cuDNN, and the words for a value of another type.
local function cudnn_switch(name, kind, refused_by)
  local function read() return torch._cudnn(name) end
  local function set(value)
    local fits = kind == "an int" and math.type(value) == "integer" or kind == "a bool" and type(value) == "boolean"
    if not fits then support.fail("RuntimeError", "%s expects %s, but got %s", refused_by, kind, torch._python_type(value)) end
    torch._cudnn(name, value)
  end
  return {read, set}
end

local cudnn_switches = {
  enabled = cudnn_switch("enabled", "a bool", "set_enabled_cudnn"),
  benchmark = cudnn_switch("benchmark", "a bool", "set_benchmark_cudnn"),
  benchmark_limit = cudnn_switch("benchmark_limit", "an int", "set_benchmark_limit_cudnn"),
  deterministic = cudnn_switch("deterministic", "a bool", "set_deterministic_cudnn"),
  allow_tf32 = cudnn_switch("allow_tf32", "a bool", "set_allow_tf32_cublas"),   -- PyTorch's name
}

local function set_all(values)
  for name, value in pairs(values) do cudnn_switches[name][2](value) end
end

local cudnn = {}
function cudnn.version() return (torch._cuda.library "cudnn") or nil end
function cudnn.is_available() return cudnn.version() ~= nil end

--- Sets all switches for a block: `local _ <close> = torch.backends.cudnn.flags{enabled = false}`, or flags(options, f).
local read_flags = torch._define "flags(enabled=false, benchmark=false, benchmark_limit=10, deterministic=false, allow_tf32=true)"
function cudnn.flags(...)
  local arguments = table.pack(...)
  local block = type(arguments[arguments.n]) == "function" and table.remove(arguments, arguments.n)
  local values, before = read_flags(table.unpack(arguments, 1, arguments.n - (block and 1 or 0))), {}
  for name, fields in pairs(cudnn_switches) do before[name] = fields[1]() end
  local function restore() set_all(before) end
  local ok, message = pcall(set_all, values)
  if not ok then
    restore()
    error(message, 0)
  end
  return support.guarded(restore, block)
end

local of_cuda = {is_built = function() return torch.cuda.is_available() end, matmul = matmul, preferred_linalg_library = preferred_linalg_library}
for name, f in pairs(torch._part "nn.attention_backends".switches) do of_cuda[name] = f end

return torch._namespace({
  cpu = with_switches(torch._namespace({
    get_cpu_capability = answer(capability[build.kernels] or "DEFAULT"),
  }, "torch.backends.cpu"), {digits = {function() return torch._which_digits() end, set_digits}}),
  cuda = torch._namespace(of_cuda, "torch.backends.cuda"),
  cudnn = with_switches(torch._namespace(cudnn, "torch.backends.cudnn"), cudnn_switches),
  mps = torch._namespace({is_available = no, is_built = no}, "torch.backends.mps"),
  mkl = torch._namespace({is_available = no}, "torch.backends.mkl"),
  mkldnn = torch._namespace({is_available = function() return torch._onednn() ~= nil end}, "torch.backends.mkldnn"),
  openmp = torch._namespace({is_available = no}, "torch.backends.openmp"),
}, "torch.backends")
