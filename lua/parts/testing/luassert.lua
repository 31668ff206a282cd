-- testing/luassert.lua: teaches luassert, the library of busted's assertions, about tensors:
--
--   assert.tensor.close(expected, actual [, {rtol = ..., atol = ...}])     torch.testing.assert_close's rules and words
--   assert.tensor.equal(expected, actual)                                  the same shape, dtype and numbers
--   assert.shape({2, 3}, tensor)
--   assert.has_error(f, "text")                                            errors of torch's by their message
--   assert.are.equal, assert.are.same                                      on tensors: assert.tensor.equal, also inside of tables
--
-- Messages show tensors as print does. assert(mask:all()), which holds for every tensor, gives a warning.
local torch = ...
local support = torch._part "support"

-- Returns true if a test takes two tensors as the same.
local function same_tensors(a, b)
  if not (torch.is_tensor(a) and torch.is_tensor(b)) then return false end
  if rawequal(a, b) then return true end
  return a.dtype == b.dtype and a.device == b.device and torch.equal(a, b)
end

local function is_state(value) return type(value) == "userdata" and torch._python_type(value) == "torch.OrderedDict" end

-- Returns true if two state dicts have the same entries.
local function same_states(a, b)
  if not (is_state(a) and is_state(b)) or #a ~= #b then return false end
  for name, value in pairs(a) do
    local other = b[name]
    if not same_tensors(value, other) and (torch.is_tensor(value) or value ~= other) then return false end
  end
  return true
end

-- Swaps the arguments: luassert's messages show the first as passed and the second as expected.
local function swap(arguments) arguments[1], arguments[2] = arguments[2], arguments[1] end

local function set_message(state, text)
  if not rawget(state, "failure_message") then state.failure_message = text end
end

local function close(testing)
  return function(state, arguments)
    local options = {check_device = true, check_dtype = true, check_layout = true}
    local given = arguments[3]
    if type(given) == "number" then given = {rtol = 0, atol = given} end
    for key, value in pairs(support.is_plain(given) and given or {}) do options[key] = value end
    local kind, text = testing._difference(arguments[2], arguments[1], options)
    if kind and kind ~= "AssertionError" then torch._raise(kind, text) end
    if kind then set_message(state, text) end
    swap(arguments)
    return kind == nil
  end
end

local function text_of_shape(shape)
  local sizes = {}
  for i = 1, #shape do sizes[i] = tostring(support.is_plain(shape) and shape[i] or shape[i - 1]) end
  return "(" .. table.concat(sizes, ", ") .. ")"
end

local function shape(state, arguments)
  local expected, t = arguments[1], arguments[2]
  if torch.is_tensor(expected) then
    expected, t = t, expected
  else
    swap(arguments)
  end
  if not torch.is_tensor(t) then
    set_message(state, ("a tensor expected, not %s"):format(torch._python_type(t)))
    return false
  end
  local wanted, got = text_of_shape(expected), text_of_shape(t.shape)
  if wanted ~= got then set_message(state, ("the shape is %s, not %s"):format(got, wanted)) end
  return wanted == got
end

local function format_tensor(value)
  if torch.is_tensor(value) then return "(tensor) " .. tostring(value) end
end

-- Makes luassert's own comparison accept tensors.
local function teach_comparison(luassert, util, assertions)
  local deepcompare = util.deepcompare
  function util.deepcompare(a, b, ...)
    if torch.is_tensor(a) or torch.is_tensor(b) then return same_tensors(a, b) end
    if is_state(a) and is_state(b) then return same_states(a, b) end
    return deepcompare(a, b, ...)
  end
  for _, name in ipairs{"equals", "equal", "same"} do
    local old = assertions[name]
    luassert:register("assertion", name, function(state, arguments, level)
      if torch.is_tensor(arguments[1]) or torch.is_tensor(arguments[2]) then
        swap(arguments)
        if arguments[3] ~= nil then set_message(state, arguments[3]) end
        return same_tensors(arguments[1], arguments[2])
      end
      if name == "same" and is_state(arguments[1]) and is_state(arguments[2]) then
        swap(arguments)
        return same_states(arguments[1], arguments[2])
      end
      return old.callback(state, arguments, level)
    end, old.positive_message, old.negative_message)
  end
end

-- Makes has_error(f, "text") compare the text with the message of an error of torch, without the place and the hint.
local function teach_errors(luassert, assertions)
  for _, name in ipairs{"error", "errors"} do
    local old = assertions[name]
    luassert:register("assertion", name, function(state, arguments, level)
      local f, expected = arguments[1], arguments[2]
      if type(expected) == "string" then
        arguments[1] = function()
          local ok, e = pcall(f)
          if not ok then error(type(e) == "table" and rawget(e, "message") == expected and expected or e, 0) end
        end
      end
      return old.callback(state, arguments, (level or 1) + 1)
    end, old.positive_message, old.negative_message)
  end
end

local WARNING = "a tensor is always true in Lua: assert(mask:all():item())"

-- Makes luassert's call (`assert(x)`) and Lua's own assert warn if they get a tensor.
local function warn_of_tensors(luassert)
  local metatable = getmetatable(luassert)
  local call, plain = metatable.__call, _G.assert
  function metatable.__call(self, value, ...)
    if torch.is_tensor(value) then torch._warn(WARNING) end
    return call(self, value, ...)
  end
  if type(plain) == "function" then
    function _G.assert(value, ...) -- luacheck: ignore 121
      if torch.is_tensor(value) then torch._warn(WARNING) end
      return plain(value, ...)
    end
  end
end

return function(testing)
  local luassert = require "luassert"
  local util, namespaces = require "luassert.util", require "luassert.namespaces"
  luassert:add_formatter(format_tensor)
  teach_comparison(luassert, util, namespaces.assertion)
  teach_errors(luassert, namespaces.assertion)
  local equals = namespaces.assertion.equals
  luassert:register("assertion", "tensor_close", close(testing), "assertion.same.positive", "assertion.same.negative")
  luassert:register("assertion", "tensor_equal", function(_, arguments)
    swap(arguments)
    return same_tensors(arguments[1], arguments[2])
  end, equals.positive_message, equals.negative_message)
  luassert:register("assertion", "shape", shape, "assertion.same.positive", "assertion.same.negative")
  warn_of_tensors(luassert)
end
