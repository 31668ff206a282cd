-- amp.lua: torch.amp: mixed precision.
local torch = ...
local support = torch._part "support"

local amp = torch._functions "torch.amp"
amp.autocast = torch.autocast

local function check_device(device_type)
  if type(device_type) ~= "string" then
    support.fail("ValueError", "Expected `device_type` of type `str`, got: `%s`", support.python_class(device_type))
  end
end

-- Returns a floating tensor of the device, except a float64 one, in dtype; also casts the tensors in a table.
local function cast(value, device_type, dtype)
  if torch.is_tensor(value) then
    local casts = value:is_floating_point() and value.device.type == device_type and value.dtype ~= torch.float64
    return casts and value:to(dtype) or value
  elseif support.is_plain(value) then
    local all = {}
    for k, v in pairs(value) do all[k] = cast(v, device_type, dtype) end
    return all
  end
  return value
end

-- Returns a decorator of a function whose first parameter is ctx: decorate(f, options), or decorate(options)(f).
local function decorator(wrap)
  return function(f, options)
    if support.is_plain(f) then return function(g) return wrap(g, f) end end
    return wrap(f, options or {})
  end
end

--- Decorates the forward of an autograd.Function for autocast. It runs in the region's mode or, given cast_inputs, without
-- autocast on inputs of that dtype.
amp.custom_fwd = decorator(function(f, options)
  local device_type, dtype = options.device_type, options.cast_inputs
  check_device(device_type)
  return function(ctx, ...)
    ctx._dtype = torch.get_autocast_dtype(device_type)
    local enabled = torch.is_autocast_enabled(device_type)
    ctx._fwd_used_autocast = enabled and not dtype
    if not dtype or not enabled then return f(ctx, ...) end
    local arguments = table.pack(...)
    for i = 1, arguments.n do arguments[i] = cast(arguments[i], device_type, dtype) end
    local _ <close> = torch.autocast(device_type, {enabled = false})
    return f(ctx, table.unpack(arguments, 1, arguments.n))
  end
end)

--- Decorates the matching backward, which runs in the mode of the forward.
amp.custom_bwd = decorator(function(f, options)
  local device_type = options.device_type
  check_device(device_type)
  return function(ctx, ...)
    local _ <close> = torch.autocast(device_type, {enabled = ctx._fwd_used_autocast, dtype = ctx._dtype})
    return f(ctx, ...)
  end
end)

return torch._namespace(amp, "torch.amp")
