-- ops_spec.lua: walks the list of operators. For each sample call: the results and gradients against
-- PyTorch's (golden/ops.json), gradients against finite differences in float64, the shapes on the
-- meta device, the in-place form against the plain one, strided inputs against contiguous ones.
package.path = "spec/?.lua;runtime/?.lua;" .. package.path
local torch = require "torch"
local samples = require "samples"
local F = torch.nn.functional

-- --- golden values -----------------------------------------------------------------------------------
-- A reader for the JSON that golden/ops.py writes (numbers, strings, arrays, objects, true, false).
local function read_json(text)
  local at = 1
  local value
  local function skip() at = text:find("[^%s,:]", at) or #text + 1 end
  local function string_()
    local stop = at
    repeat stop = text:find('"', stop + 1, true) until text:sub(stop - 1, stop - 1) ~= "\\"
    local s = text:sub(at + 1, stop - 1):gsub("\\n", "\n"):gsub("\\(.)", "%1")
    at = stop + 1
    return s
  end
  function value()
    skip()
    local c = text:sub(at, at)
    if c == '"' then return string_() end
    if c == "[" or c == "{" then
      local out, close = {}, c == "[" and "]" or "}"
      at = at + 1
      skip()
      while text:sub(at, at) ~= close do
        if c == "[" then
          out[#out + 1] = value()
        else
          local key = string_()
          out[key] = value()
        end
        skip()
      end
      at = at + 1
      return out
    end
    local word = text:match("^[%w%.%-%+]+", at)
    at = at + #word
    if word == "true" then return true elseif word == "false" then return false elseif word == "null" then return nil end
    return tonumber(word) or error("bad number " .. word)
  end
  return value()
end

local file = assert(io.open "spec/golden/ops.json")
local golden = read_json(file:read "a")
file:close()

-- --- inputs -------------------------------------------------------------------------------------------
local function make(spec, s, dtype, options)
  local n, values = 1, {}
  for _, d in ipairs(spec.shape) do n = n * d end
  for k = 0, n - 1 do
    local u = samples.unit(k, s)
    if spec.values == "bool" then values[k + 1] = u % 2 == 1
    elseif spec.values == "int" then values[k + 1] = u % spec.limit
    elseif spec.values == "positive" then values[k + 1] = (u + 1) / 64
    elseif spec.values == "unit" then values[k + 1] = (u + 1) / 128
    elseif spec.values == "sorted" then values[k + 1] = k / 8 - 1
    else values[k + 1] = u / 32 - 1.5625 end
  end
  local kind = ({bool = torch.bool, int = torch.int64})[spec.values]
  local t = torch.tensor({table.unpack(values)}, {dtype = spec.dtype and torch[spec.dtype] or kind or dtype})
  t = t:reshape(spec.shape)
  if options and options.strided and t.ndim > 0 then     -- the same values, every other element apart
    local wide = torch.zeros({t:numel() * 2}, {dtype = t.dtype})
    local view = wide["::2"]
    view:copy_(t:reshape{t:numel()})
    t = view:as_strided(t:size(), (function()
      local strides, step = {}, 2
      for i = t.ndim - 1, 0, -1 do strides[i + 1] = step; step = step * math.max(t.shape[i], 1) end
      return strides
    end)())
  end
  if options and options.meta then t = t:to "meta" end
  return t
end

local function build(call, dtype, options)
  local positional, keywords, leaves, names = {}, {}, {}, {}
  local function value(argument, s, name)
    if argument.kind == "tensor" then
      local t = make(argument, s, dtype, options)
      leaves[#leaves + 1], names[#names + 1] = t, name
      return t
    elseif argument.kind == "tensors" then
      local list = {}
      for i, spec in ipairs(argument) do
        list[i] = make(spec, s + 3 * (i - 1), dtype, options)
        leaves[#leaves + 1], names[#names + 1] = list[i], name
      end
      return list
    end
    return argument.value
  end
  for i, argument in ipairs(call.positional) do
    positional[i] = value(argument, i - 1, call.op.parameters[i] and call.op.parameters[i].name)
  end
  for key, argument in pairs(call.keywords) do
    local v = value(argument, 7, key)
    if key == "dtype" then v = torch[v] end
    keywords[key] = v
  end
  if next(keywords) then positional[#positional + 1] = keywords end
  return positional, leaves, names
end

local function callee(op)
  for _, form in ipairs(op.forms) do
    if form == "torch" then return torch[op.lua_name] end
    if form == "method" then return function(self, ...) return self[op.lua_name](self, ...) end end
    if form == "nn.functional" then return F[op.lua_name] end
  end
end

local function results_of(op, arguments)
  torch.manual_seed(1)
  local out = table.pack(callee(op)(table.unpack(arguments)))
  if op.list then return out[1] end
  return out
end

-- --- comparing --------------------------------------------------------------------------------------------
local function close(a, b, tolerance)
  if type(a) == "boolean" or type(b) == "boolean" then return a == b end
  if a == b or (a ~= a and b ~= b) then return true end
  return math.abs(a - b) <= tolerance + tolerance * math.abs(b)
end

local function flat(t) return t:detach():reshape{-1}:tolist() end

local function compare(got, expected, tolerance, what)
  if expected.value ~= nil then
    if expected.value == "none" then return assert.is_true(got == nil or torch.equal(got, torch.zeros_like(got)), what) end
    assert.is_true(close(torch.is_tensor(got) and got:item() or got, expected.value, tolerance), what)
    return
  end
  assert.are.equal("torch." .. expected.dtype, tostring(got.dtype), what .. ": dtype")
  assert.are.equal("torch.Size([" .. table.concat(expected.shape, ", ") .. "])", tostring(got.shape), what .. ": shape")
  local values = flat(got)
  for k, value in ipairs(values) do
    local wanted = expected.values[k]
    if type(wanted) == "string" then wanted = wanted == "nan" and 0 / 0 or wanted == "inf" and math.huge or -math.huge end
    if not close(value, wanted, tolerance) then
      error(("%s: element %d is %s, PyTorch has %s"):format(what, k - 1, value, wanted), 0)
    end
  end
end

-- The scalar whose gradient is compared: sum(result * weight) over floating-point results.
local function weighted(results)
  local total
  for i = 1, #results do
    local r = results[i]
    if torch.is_tensor(r) and r:is_floating_point() and r.requires_grad then
      local shape = {}
      for d = 0, r.ndim - 1 do shape[d + 1] = r.shape[d] end
      local w = make({shape = shape, values = "float"}, 20 + i - 1, r.dtype)
      local term = (r * w:to(r.dtype)):sum()
      total = total and total + term or term
    end
  end
  return total
end

local function differentiable(op)
  local set = {}
  for name in pairs(op.grad or {}) do set[name] = true end
  for _, name in ipairs(op.differentiable or {}) do set[name] = true end
  return set
end

local function leaves_of(op, call, dtype)
  local arguments, tensors, names = build(call, dtype)
  local wanted, leaves = differentiable(op), {}
  for i, t in ipairs(tensors) do
    if wanted[names[i]] and t:is_floating_point() then leaves[#leaves + 1] = t:requires_grad_() end
  end
  return arguments, leaves
end

-- --- the walk ------------------------------------------------------------------------------------------------
local list = samples.load()

local function each(name, test, condition)
  describe(name, function()
    for _, op in ipairs(list) do
      local runnable = not op.inplace_of and #op.forms > 0 and (not condition or condition(op))
      for i, call in ipairs(runnable and samples.calls(op) or {}) do
        it(op.name .. (i > 1 and " #" .. i or ""), function() test(op, call, i) end)
      end
    end
  end)
end

local function tolerance_of(op) return op.tolerance or 2e-5 end

each("forward as PyTorch:", function(op, call, i)
  local expected = golden[op.name][i]
  if expected.error then
    local ok = pcall(results_of, op, (build(call)))
    assert.is_false(ok, "PyTorch refuses this call: " .. expected.error)
    return
  end
  local results = results_of(op, (build(call)))
  for k, e in ipairs(expected.results) do compare(results[k], e, tolerance_of(op), op.name .. " result " .. k - 1) end
end, function(op) return golden[op.name] end)

each("gradient as PyTorch:", function(op, call, i)
  local expected = golden[op.name][i].gradients
  if not expected then return end
  local arguments, leaves = leaves_of(op, call)
  local total = weighted(results_of(op, arguments))
  local grads = table.pack(torch.autograd.grad(total, leaves, {allow_unused = true}))
  for k, e in ipairs(expected) do compare(grads[k], e, 10 * tolerance_of(op), op.name .. " gradient " .. k - 1) end
end, function(op) return golden[op.name] and next(differentiable(op)) end)

each("gradient by finite differences:", function(op, call)
  local arguments, leaves = leaves_of(op, call, torch.float64)
  local total = weighted(results_of(op, arguments))
  if not total then return end
  local grads = table.pack(torch.autograd.grad(total, leaves, {allow_unused = true}))
  local step = 1e-6
  for k, leaf in ipairs(leaves) do
    local flat_leaf = leaf.data:view{-1}
    for e = 0, leaf:numel() - 1 do
      local value = flat_leaf[e]:item()
      local sides = {}
      for side = -1, 1, 2 do
        flat_leaf[e] = value + side * step
        sides[side] = weighted(results_of(op, arguments)):item()
      end
      flat_leaf[e] = value
      local numeric = (sides[1] - sides[-1]) / (2 * step)
      local exact = grads[k] and grads[k]:reshape{-1}[e]:item() or 0
      if not close(numeric, exact, 2e-5) then
        error(("%s: gradient %d, element %d is %g, by differences %g"):format(op.name, k - 1, e, exact, numeric), 0)
      end
    end
  end
end, function(op) return next(differentiable(op)) and not op.nogradcheck end)

each("shape on meta:", function(op, call)
  local expected = results_of(op, (build(call)))
  local ok, got = pcall(results_of, op, (build(call, nil, {meta = true})))
  if not ok then
    -- what depends on values cannot be known on meta, and must say so
    assert.truthy(tostring(got):find "meta", op.name .. ": " .. tostring(got))
    return
  end
  for k = 1, #expected do
    if torch.is_tensor(expected[k]) then
      assert.are.equal(tostring(expected[k].shape), tostring(got[k].shape))
      assert.are.equal(tostring(expected[k].dtype), tostring(got[k].dtype))
    end
  end
end, function(op) return not op.value end)

each("strided inputs:", function(op, call)
  local expected = results_of(op, (build(call)))
  local got = results_of(op, (build(call, nil, {strided = true})))
  for k = 1, #expected do
    if torch.is_tensor(expected[k]) then
      local a, b = flat(expected[k]), flat(got[k])
      for e = 1, #a do assert.is_true(close(b[e], a[e], tolerance_of(op)), op.name .. " on strided inputs") end
    else
      assert.are.equal(expected[k], got[k])
    end
  end
end, function(op) return not op.writes_self end)

each("in place:", function(op, call)
  local name = op.lua_name .. "_"
  local expected = results_of(op, (build(call)))[1]
  local arguments = build(call)
  if not torch.is_tensor(arguments[1]) then return end
  torch.manual_seed(1)
  local ok, got = pcall(function(self, ...) return self[name](self, ...) end, table.unpack(arguments))
  if not ok then   -- only where the result does not fit into self
    assert.is_true(tostring(expected.shape) ~= tostring(arguments[1].shape) or expected.dtype ~= arguments[1].dtype, tostring(got))
    return
  end
  assert.is_true(rawequal(got, arguments[1]), name .. " returns self")
  local a, b = flat(expected), flat(got)
  for e = 1, #a do assert.is_true(close(b[e], a[e], tolerance_of(op)), name) end
end, function(op) return op.inplace end)
