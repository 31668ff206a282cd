-- expression.lua: turns the expressions of the list of modules (sizes, bounds, conditions) into C.
--
-- The notation is Python's: numbers, 'text', names, + - * / // %, comparisons, and, or, not, sqrt(x). A name is an option
-- of the constructor or a local. Of a parameter that is there already: weight.size(1), fan_in(weight), fan_out(weight).
-- A quotient by zero is zero: a layer without inputs has bounds of zero.
local expression = {}

local function tokens(text)
  local out, at = {}, 1
  while true do
    at = text:find("%S", at)
    if not at then return out end
    local s = text:match("^[%a_][%w_]*", at) or text:match("^%d+%.?%d*e?%-?%d*", at) or text:match("^'[^']*'", at) or
      text:match("^//", at) or text:match("^[<>=!]=", at) or text:sub(at, at)
    out[#out + 1] = s
    at = at + #s
  end
end

local Parser = {}
Parser.__index = Parser

function Parser:fail(message) error(("%s: in '%s': %s"):format(self.scope.where, self.text, message), 0) end
function Parser:peek() return self.tokens[self.at] end
function Parser:take(expected)
  local t = self.tokens[self.at]
  if t == nil or expected and t ~= expected then self:fail(("'%s' expected"):format(expected or "something")) end
  self.at = self.at + 1
  return t
end
function Parser:accept(token)
  if self:peek() ~= token then return false end
  self.at = self.at + 1
  return true
end

function Parser:number(e)
  if e.kind ~= "int" and e.kind ~= "float" then self:fail(("%s is no number"):format(e.text or "a part")) end
  return e
end

function Parser:boolean(e)
  if e.kind ~= "bool" then self:fail(("%s is not true or false"):format(e.text or "a part")) end
  return e
end

local function real(e)
  if e.c:match "^%d+$" then return e.c .. ".0" end
  return e.kind == "int" and ("(double)%s"):format(e.c) or e.c
end

-- C's operators where an overflow is defined and no divisor is zero.
local whole = {
  ["+"] = "(int64_t)((uint64_t)%s + (uint64_t)%s)", ["-"] = "(int64_t)((uint64_t)%s - (uint64_t)%s)",
  ["*"] = "(int64_t)((uint64_t)%s * (uint64_t)%s)", ["//"] = "tocha_floor_quotient(%s, %s)", ["%"] = "tocha_modulo(%s, %s)",
}

function Parser:arithmetic(sign, a, b)
  a, b = self:number(a), self:number(b)
  if sign == "/" then return {kind = "float", c = ("tocha_quotient(%s, %s)"):format(real(a), real(b))} end
  if a.kind == "int" and b.kind == "int" then return {kind = "int", c = whole[sign]:format(a.c, b.c)} end
  if sign == "//" or sign == "%" then self:fail(sign .. " is for whole numbers") end
  return {kind = "float", c = ("(%s %s %s)"):format(real(a), sign, real(b))}
end

function Parser:any()
  local a = self:all()
  while self:accept "or" do a = {kind = "bool", c = ("(%s || %s)"):format(self:boolean(a).c, self:boolean(self:all()).c)} end
  return a
end

function Parser:all()
  local a = self:negation()
  while self:accept "and" do a = {kind = "bool", c = ("(%s && %s)"):format(self:boolean(a).c, self:boolean(self:negation()).c)} end
  return a
end

function Parser:negation()
  if self:accept "not" then return {kind = "bool", c = "!" .. self:boolean(self:negation()).c} end
  return self:comparison()
end

local compares = {["<"] = true, [">"] = true, ["<="] = true, [">="] = true, ["=="] = true, ["!="] = true}
function Parser:comparison()
  local a = self:sum()
  if not compares[self:peek()] then return a end
  local sign = self:take()
  local b = self:number(self:sum())
  if compares[self:peek()] then self:fail "two comparisons in a row: write `and`" end
  return {kind = "bool", c = ("(%s %s %s)"):format(self:number(a).c, sign, b.c)}
end

function Parser:sum()
  local a = self:product()
  while self:peek() == "+" or self:peek() == "-" do a = self:arithmetic(self:take(), a, self:product()) end
  return a
end

function Parser:product()
  local a = self:sign()
  local signs = {["*"] = true, ["/"] = true, ["//"] = true, ["%"] = true}
  while signs[self:peek()] do a = self:arithmetic(self:take(), a, self:sign()) end
  return a
end

function Parser:sign()
  if not self:accept "-" then return self:atom() end
  local e = self:number(self:sign())
  return {kind = e.kind, c = (e.kind == "int" and "(int64_t)(0 - (uint64_t)%s)" or "(0 - %s)"):format(e.c)}   -- 0 - 0.0 is 0, as -0 in Python
end

-- The name of a parameter or buffer declared before.
function Parser:member()
  local name = self:take()
  if not self.scope.members[name] then self:fail(name .. " is no parameter above") end
  return name
end

function Parser:call(name)
  self:take "("
  local e
  if name == "sqrt" then
    e = {kind = "float", c = ("sqrt(%s)"):format(real(self:number(self:sum())))}
  elseif name == "fan_in" or name == "fan_out" then
    e = {kind = "float", c = ("tocha_%s(cx, %s)"):format(name, self:member())}
  else
    self:fail("unknown function " .. name)
  end
  self:take ")"
  return e
end

function Parser:atom()
  local t = self:take()
  if t == "(" then
    local e = self:any()
    self:take ")"
    return e
  elseif t:match "^'" then
    return {kind = "string", c = '"' .. t:sub(2, -2) .. '"', text = t}
  elseif t:match "^%d" then
    return {kind = t:find "[.e]" and "float" or "int", c = t}
  elseif t == "true" or t == "false" then
    return {kind = "bool", c = t}
  elseif self:peek() == "(" then
    return self:call(t)
  elseif self:peek() == "." then
    self.at = self.at - 1
    local member = self:member()
    self:take "."
    self:take "size"
    self:take "("
    local dim = self:number(self:sum())
    self:take ")"
    return {kind = "int", c = ("tocha_size_along(cx, %s, %s)"):format(member, dim.c)}
  end
  local known = self.scope.names[t] or self:fail("unknown name " .. t)
  return {kind = known.kind, c = known.c, text = t}
end

--- Reads an expression: {kind = "int", "float", "bool" or "string", c = "its C"}. scope: where (for messages), names
--- (name -> {kind, c}), members (name -> true, for those that are C variables). want: "number" or "boolean", if it must be.
function expression.read(text, scope, want)
  local parser = setmetatable({tokens = tokens(text), at = 1, text = text, scope = scope}, Parser)
  local e = parser:any()
  if parser:peek() then parser:fail(("unexpected '%s'"):format(parser:peek())) end
  return want and parser[want](parser, e) or e
end

--- The C of a number as a double.
expression.real = real

--- "a, f(b, c), d" -> {"a", "f(b, c)", "d"}
function expression.split(text)
  local out, depth, from = {}, 0, 1
  for at = 1, #text do
    local c = text:sub(at, at)
    if c == "(" then depth = depth + 1 elseif c == ")" then depth = depth - 1 end
    if c == "," and depth == 0 then
      out[#out + 1] = text:sub(from, at - 1)
      from = at + 1
    end
  end
  out[#out + 1] = text:sub(from)
  for i, part in ipairs(out) do out[i] = part:match "^%s*(.-)%s*$" end
  if #out == 1 and out[1] == "" then out[1] = nil end
  return out
end

return expression
