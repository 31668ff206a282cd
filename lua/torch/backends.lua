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

return torch._namespace({
  cpu = with_switches(torch._namespace({
    get_cpu_capability = answer(capability[build.kernels] or "DEFAULT"),
  }, "torch.backends.cpu"), {digits = {function() return torch._which_digits() end, set_digits}}),
  cuda = torch._namespace({
    is_built = function() return torch.cuda.is_available() end,
    matmul = matmul,
    preferred_linalg_library = preferred_linalg_library,
  }, "torch.backends.cuda"),
  -- switches of a missing library may be set and have no effect
  cudnn = {is_available = no, version = answer(nil), enabled = true, benchmark = false, deterministic = false,
    allow_tf32 = true},
  mps = torch._namespace({is_available = no, is_built = no}, "torch.backends.mps"),
  mkl = torch._namespace({is_available = no}, "torch.backends.mkl"),
  mkldnn = torch._namespace({is_available = function() return torch._onednn() ~= nil end}, "torch.backends.mkldnn"),
  openmp = torch._namespace({is_available = no}, "torch.backends.openmp"),
}, "torch.backends")
