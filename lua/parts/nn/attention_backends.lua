-- nn/attention_backends.lua: the ways to compute scaled_dot_product_attention, and the switches for them: torch.nn.attention, and
-- the functions of torch.backends.cuda whose names end in _sdp.
local torch = ...
local support = torch._part "support"
local define = torch._define

-- --- the backends ----------------------------------------------------------------------------------------

local backend_class = {__tostring = function(backend) return "SDPBackend." .. backend.name end}
-- Their numbers are those of tocha_attention_backend.
local SDPBackend = {}
for name, value in pairs{ERROR = -1, MATH = 0, FLASH_ATTENTION = 1, EFFICIENT_ATTENTION = 2, CUDNN_ATTENTION = 3, OVERRIDEABLE = 4} do
  SDPBackend[name] = setmetatable({name = name, value = value}, backend_class)
end
local switched = {"MATH", "FLASH_ATTENTION", "EFFICIENT_ATTENTION", "CUDNN_ATTENTION"}
-- the order in which they are tried
local order = {1, 2, 0, 3}

local function is_allowed(name) return torch._attention_backends() >> SDPBackend[name].value & 1 == 1 end

-- Allows these backends (bits) alone, in the order that is set.
local function allow(bits)
  local matrices_first = true
  for _, value in ipairs(order) do
    if value == 0 then break end
    matrices_first = matrices_first and value == 3 -- CUDNN_ATTENTION computes nothing
  end
  torch._attention_backends(bits, matrices_first)
end

local function is_backend(value) return getmetatable(value) == backend_class end

-- Returns the bits of a list of backends, and their numbers. What is no backend does not count.
local function bits_of(list)
  local bits, numbers = 0, {}
  for _, backend in ipairs(list) do
    if is_backend(backend) and backend.value >= 0 and backend.value < 4 then
      local bit = 1 << backend.value
      if bits & bit == 0 then numbers[#numbers + 1] = backend.value end
      bits = bits | bit
    end
  end
  return bits, numbers
end

-- Puts these numbers first in the order.
local function prefer(numbers)
  local seen, all = {}, {}
  for _, list in ipairs{numbers, order} do
    for _, value in ipairs(list) do
      if not seen[value] then all[#all + 1] = value end
      seen[value] = true
    end
  end
  order = all
end

local read_kernel = define "sdpa_kernel(backends, set_priority=false)"

-- Allows these backends for a block: until the guard is closed or, given a function, while it runs. numbers: the order, or nil.
local function use(bits, numbers, f)
  local old_bits, old_order = torch._attention_backends(), order
  if numbers then prefer(numbers) end
  allow(bits)
  return support.guarded(function()
    order = old_order
    allow(old_bits)
  end, f)
end

-- Takes the function off the end of arguments.
local function without_function(...)
  local arguments = table.pack(...)
  local f = arguments[arguments.n]
  if type(f) ~= "function" then return nil, ... end
  return f, table.unpack(arguments, 1, arguments.n - 1)
end

local function sdpa_kernel(f, ...)
  local given = read_kernel(...)
  local backends = given.backends
  if not is_backend(backends) and not support.is_plain(backends) then
    support.fail("AssertionError", "Backend must be an instance of SDPBackend or a list of SDPBackend instances, got %s",
      torch._python_type(backends))
  end
  local bits, numbers = bits_of(is_backend(backends) and {backends} or backends)
  return use(bits, given.set_priority and numbers, f)
end

-- --- the switches of torch.backends.cuda -----------------------------------------------------------------

local switches = {}

local function check_bool(value, name)
  if type(value) ~= "boolean" then
    support.fail("RuntimeError", "set_sdp_use_%s expects a bool, but got %s", name, torch._python_type(value))
  end
end

for name, backend in pairs{flash = "FLASH_ATTENTION", mem_efficient = "EFFICIENT_ATTENTION", math = "MATH", cudnn = "CUDNN_ATTENTION"} do
  switches[name .. "_sdp_enabled"] = function() return is_allowed(backend) end
  switches["enable_" .. name .. "_sdp"] = define("enable_" .. name .. "_sdp(enabled)", function(enabled)
    check_bool(enabled, name == "cudnn" and name or "math")
    local bit = 1 << SDPBackend[backend].value
    allow(enabled and torch._attention_backends() | bit or torch._attention_backends() & ~bit)
  end)
end

local reduction = false -- products of whole matrices sum in float32 in either case
switches.allow_fp16_bf16_reduction_math_sdp = define("allow_fp16_bf16_reduction_math_sdp(enabled)", function(enabled)
  check_bool(enabled, "math")
  reduction = enabled
end)
function switches.fp16_bf16_reduction_math_sdp_allowed() return reduction end

--- Returns true if there is a GPU with the tensor cores that the kernel needs.
function switches.is_flash_attention_available() return torch.cuda.is_available() and torch.cuda.is_bf16_supported() end

local params_class = {__name = "SDPAParams"}
--- The arguments of a call of scaled_dot_product_attention, for can_use_flash_attention.
switches.SDPAParams = define("SDPAParams(query, key, value, attn_mask, dropout, is_causal, enable_gqa)",
  function(query, key, value, attn_mask, dropout, is_causal, enable_gqa)
    return setmetatable({query = query, key = key, value = value, attn_mask = attn_mask, dropout = dropout, is_causal = is_causal,
      enable_gqa = enable_gqa}, params_class)
  end)

for name, backend in pairs{flash = "FLASH_ATTENTION", efficient = "EFFICIENT_ATTENTION", cudnn = "CUDNN_ATTENTION"} do
  local function_name = ("can_use_%s_attention"):format(name)
  switches[function_name] = define(function_name .. "(params, debug=false)", function(params, debug)
    if getmetatable(params) ~= params_class then
      support.fail("TypeError", "_%s(): incompatible function arguments: SDPAParams expected, got %s", function_name,
        torch._python_type(params))
    end
    local on_gpu = params.query.device.type == "cuda" and params.key.device.type == "cuda" and params.value.device.type == "cuda"
    if not on_gpu and debug then
      torch._warn(("All tensors need to be on cuda device. Got query on device: %s, key on device: %s, value on device: %s"):format(
        tostring(params.query.device), tostring(params.key.device), tostring(params.value.device)))
    end
    return on_gpu and torch._can_use_attention(SDPBackend[backend].value, params.query, params.key, params.value,
      params.attn_mask, params.dropout, params.enable_gqa)
  end)
end

local read_old = define "sdp_kernel(enable_flash=true, enable_math=true, enable_mem_efficient=true, enable_cudnn=true)"
local function sdp_kernel(f, ...)
  local given = read_old(...)
  torch._warn("`torch.backends.cuda.sdp_kernel()` is deprecated. In the future, this context manager will be removed. Please see " ..
    "`torch.nn.attention.sdpa_kernel()` for the new context manager, with updated signature.", "FutureWarning")
  local enabled = {given.enable_math, given.enable_flash, given.enable_mem_efficient, given.enable_cudnn}
  local bits = 0
  for i in ipairs(switched) do bits = enabled[i] and bits | 1 << (i - 1) or bits end
  return use(bits, nil, f)
end
function switches.sdp_kernel(...) return sdp_kernel(without_function(...)) end

return {SDPBackend = SDPBackend, switches = switches, sdpa_kernel = function(...) return sdpa_kernel(without_function(...)) end}
