-- member_expressions.lua: turns the expressions of the list of modules (sizes, bounds, conditions) into C.
--
-- Their meaning is Python's. A name is an option of the constructor or a local variable. Functions of a parameter
-- that was declared before are weight.size(1), fan_in(weight) and fan_out(weight). A quotient by zero is zero, so a
-- layer without inputs has bounds of zero.
local expressions = require "expressions"
local expression = {split = expressions.split}

local Typed = {}   -- turns a tree into typed C; scope and, for messages, text
Typed.__index = Typed

function Typed:fail(message) error(("%s: in '%s': %s"):format(self.scope.where, self.text, message), 0) end

function Typed:number(e)
  if e.kind ~= "int" and e.kind ~= "float" then self:fail(("%s is no number"):format(e.text or "a part")) end
  return e
end

function Typed:boolean(e)
  if e.kind ~= "bool" then self:fail(("%s is not true or false"):format(e.text or "a part")) end
  return e
end

--- Returns the C of a number as a double.
function expression.real(e)
  if e.c:match "^%d+$" then return e.c .. ".0" end
  return e.kind == "int" and ("(double)%s"):format(e.c) or e.c
end
local real = expression.real

-- C's operators in forms for which overflow is defined and no divisor is zero.
local whole = {
  ["+"] = "(int64_t)((uint64_t)%s + (uint64_t)%s)", ["-"] = "(int64_t)((uint64_t)%s - (uint64_t)%s)",
  ["*"] = "(int64_t)((uint64_t)%s * (uint64_t)%s)", ["//"] = "tocha_floor_quotient(%s, %s)", ["%"] = "tocha_modulo(%s, %s)",
}
local logical = {["and"] = "&&", ["or"] = "||"}
local compares = {["<"] = true, [">"] = true, ["<="] = true, [">="] = true, ["=="] = true, ["!="] = true}

function Typed:binary(sign, a, b)
  if logical[sign] then
    return {kind = "bool", c = ("(%s %s %s)"):format(self:boolean(a).c, logical[sign], self:boolean(b).c)}
  end
  a, b = self:number(a), self:number(b)
  if compares[sign] then return {kind = "bool", c = ("(%s %s %s)"):format(a.c, sign, b.c)} end
  if sign == "/" then return {kind = "float", c = ("tocha_quotient(%s, %s)"):format(real(a), real(b))} end
  if not whole[sign] then self:fail(sign .. " is unknown here") end
  if a.kind == "int" and b.kind == "int" then return {kind = "int", c = whole[sign]:format(a.c, b.c)} end
  if sign == "//" or sign == "%" then self:fail(sign .. " is for whole numbers") end
  return {kind = "float", c = ("(%s %s %s)"):format(real(a), sign, real(b))}
end

-- Returns the name of a parameter or buffer declared before.
function Typed:member(name)
  if not self.scope.members[name] then self:fail(tostring(name) .. " is no parameter above") end
  return name
end

function Typed:call(e)
  local argument = e[2] or self:fail(e.name .. "() needs an argument")
  if e.of then
    if e.name ~= "size" then self:fail("unknown method " .. e.name) end
    return {kind = "int", c = ("tocha_size_along(cx, %s, %s)"):format(self:member(e.of), self:number(self:typed(argument)).c)}
  elseif e.name == "sqrt" then
    return {kind = "float", c = ("sqrt(%s)"):format(real(self:number(self:typed(argument))))}
  elseif e.name == "fan_in" or e.name == "fan_out" then
    return {kind = "float", c = ("tocha_%s(cx, %s)"):format(e.name, self:member(argument.name))}
  end
  self:fail("unknown function " .. e.name)
end

function Typed:typed(e)
  local kind = e[1]
  if kind == "number" then return {kind = e.text:find "[.e]" and "float" or "int", c = e.text} end
  if kind == "string" then return {kind = "string", c = '"' .. e.text .. '"', text = "'" .. e.text .. "'"} end
  if kind == "call" then return self:call(e) end
  if kind == "list" then self:fail "a list has no place here" end
  if kind == "name" then
    if e.name == "true" or e.name == "false" then return {kind = "bool", c = e.name} end
    local known = self.scope.names[e.name] or self:fail("unknown name " .. e.name)
    return {kind = known.kind, c = known.c, text = e.name}
  end
  if kind == "not" then return {kind = "bool", c = "!" .. self:boolean(self:typed(e[2])).c} end
  if #e == 2 then
    local a = self:number(self:typed(e[2]))   -- 0 - 0.0 is 0, as -0 in Python
    return {kind = a.kind, c = (a.kind == "int" and "(int64_t)(0 - (uint64_t)%s)" or "(0 - %s)"):format(a.c)}
  end
  if compares[kind] and compares[e[2][1]] then self:fail "two comparisons in a row: write `and`" end
  return self:binary(kind, self:typed(e[2]), self:typed(e[3]))
end

--- Reads an expression and returns {kind = "int", "float", "bool" or "string", c = "its C"}. scope: where (for
-- messages), names (name -> {kind, c}), members (name -> true, for those that are C variables). want: "number" or
-- "boolean" if the kind must be one.
function expression.read(text, scope, want)
  local typed = setmetatable({text = text, scope = scope}, Typed)
  local e = typed:typed(expressions.read(text, scope.where))
  return want and typed[want](typed, e) or e
end

return expression
