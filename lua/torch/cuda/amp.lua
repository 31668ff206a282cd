-- cuda/amp.lua: torch.cuda.amp: the older spellings of torch.amp for CUDA.
local torch = ...
local amp = torch._functions "torch.cuda.amp"

-- Returns torch.amp's decorator for CUDA, with options or without: decorate(f), decorate(options)(f), decorate(f, options).
local function for_cuda(name)
  return function(f, options)
    torch._warn(("`torch.cuda.amp.%s(args...)` is deprecated. Please use `torch.amp.%s(args..., device_type='cuda')` instead."):format(name, name),
      "FutureWarning")
    if type(f) == "table" and options == nil then f, options = nil, f end
    local full = {device_type = "cuda", cast_inputs = options and options.cast_inputs}
    if f == nil then return torch.amp[name](full) end
    return torch.amp[name](f, full)
  end
end
amp.custom_fwd = for_cuda "custom_fwd"
amp.custom_bwd = for_cuda "custom_bwd"

return torch._namespace(amp, "torch.cuda.amp")
