-- sample_calls.lua: makes the sample calls of the list (samples.lua): creates their arguments, and finds the operator.
local torch = require "torch"
local samples = require "samples"
local calls = {}

-- --- inputs -------------------------------------------------------------------------------------------
-- Returns the strides of a tensor with `step` between its elements, the last dimension fastest.
local function apart(t, step)
  local strides = {}
  for i = t.ndim, 1, -1 do strides[i] = step; step = step * math.max(t.shape[i - 1], 1) end
  return strides
end

-- Functions that return the same values in another layout: every other element of a larger storage, or the dimensions in memory
-- in reverse order.
local layouts = {
  stepped = function(t)
    local wide = torch.zeros({t:numel() * 2 + 1}, {dtype = t.dtype})
    local view = wide:as_strided(t:size(), apart(t, 2), 1)
    return view:copy_(t)
  end,
  reversed = function(t)
    local order = {}
    for d = 1, t.ndim do order[d] = t.ndim - d end
    return t:permute(order):contiguous():permute(order)
  end,
}

function calls.make(spec, s, options)
  local n, values = 1, {}
  for _, d in ipairs(spec.shape) do n = n * d end
  local name = samples.dtype(spec, options.dtype, options.cast and options.cast(spec))
  for k = 0, n - 1 do values[k + 1] = samples.element(spec, k, s, name) end
  local t = torch.tensor({table.unpack(values)}, {dtype = torch[name]}):reshape(spec.shape)
  if options.layout and t.ndim > 0 then t = layouts[options.layout](t) end
  if spec.cpu then return t:cpu() end
  return options.meta and t:to "meta" or t
end

function calls.tensors_of(argument)
  return argument.kind == "tensor" and {argument} or argument.items or {}
end

-- Returns the argument that a call takes for each of `arguments`, and its tensors with the parameters' names.
-- options: dtype (a name), cast(spec) -> name, layout, meta, change(t, i) -> the replacement of the i-th tensor.
function calls.build(call, options)
  options = options or {}
  local positional, keywords, leaves, names = {}, {}, {}, {}
  local function tensor(spec, s)
    local t = calls.make(spec, s, options)
    if options.change then t = options.change(t, #leaves + 1) end
    leaves[#leaves + 1], names[#names + 1] = t, spec.name
    return t
  end
  local function value(argument, s)
    if argument.kind == "tensor" then return tensor(argument, s) end
    if argument.kind == "tensors" then
      local list = {}
      for i, spec in ipairs(argument.items) do list[i] = tensor(spec, s + 3 * (i - 1)) end
      return list
    end
    return argument.kind == "dtype" and torch[argument.value] or argument.value
  end
  for i, argument in ipairs(call.positional) do positional[i] = value(argument, i - 1) end
  local order = {}
  for key in pairs(call.keywords) do order[#order + 1] = key end
  table.sort(order)
  for _, key in ipairs(order) do keywords[key] = value(call.keywords[key], 7) end
  for key, extra in pairs(options.keywords or {}) do keywords[key] = extra end
  if next(keywords) then positional[#positional + 1] = keywords end
  return positional, leaves, names
end

-- --- calls ----------------------------------------------------------------------------------------------
local places = {torch = torch, ["nn.functional"] = torch.nn.functional, linalg = rawget(torch, "linalg") or {}, special = torch.special, _VF = torch._VF}

function calls.callee(name, form)
  if form == "method" then return function(self, ...) return self[name](self, ...) end end
  return places[form][name]
end

function calls.invoke(call, arguments)
  torch.manual_seed(1)
  local out = table.pack(call(table.unpack(arguments)))
  if #out == 1 and type(out[1]) == "table" and not torch.is_tensor(out[1]) then return out[1] end   -- a list
  return out
end

function calls.results_of(op, arguments)
  if op.writes_self then arguments = {arguments[1]:clone(), table.unpack(arguments, 2)} end
  return calls.invoke(calls.callee(op.lua_name, op.forms[1]), arguments)
end

-- --- gradients ---------------------------------------------------------------------------------------------
--- Returns the arguments, and those of their tensors that get a gradient.
function calls.leaves_of(op, call, dtype)
  local arguments, tensors, names = calls.build(call, {dtype = dtype})
  local wanted, leaves = samples.differentiable(op), {}
  for i, t in ipairs(tensors) do
    if wanted[names[i]] and t:is_floating_point() then leaves[#leaves + 1] = t:requires_grad_() end
  end
  return arguments, leaves
end

--- Returns the scalar whose gradient is compared: sum(result * weight) over floating-point results (that
--- require grad, or all).
function calls.weighted(results, seed, all)
  local total
  for i = 1, results.n or #results do
    local r = results[i]
    if torch.is_tensor(r) and r:is_floating_point() and (all or r.requires_grad) then
      local shape = {}
      for d = 0, r.ndim - 1 do shape[d + 1] = r.shape[d] end
      local w = calls.make({shape = shape, values = "float"}, seed + i - 1, {dtype = "float64"}):to(r.device, r.dtype)
      local term = (r * w):sum()
      total = total and total + term or term
    end
  end
  return total
end

return calls
