-- expressions.lua: reads the formulas of all lists: gradient rules (gradients.lua), sizes, bounds and conditions of
-- modules (members.lua), optimizers (write_rules.lua). Each of these allows only a part of the notation.
--
--   expressions: numbers, 'texts', names, f(a, key=b), x.f(a), [a, b], + - * / // % ^, < <= > >= == !=, and or not
--   statements:  name = expression;  if condition then ... elseif ... else ... end;  -- a comment
--
-- Trees are {"+", a, b}, {"-", a}, {"name", name = "x"}, {"number", text = "0.5"}, {"string", text = "floor"}, {"list", a, b},
-- {"call", a, name = "f", keys = {key = b}, of = "x"}; a statement is {"set", expression, name = "x"} or
-- {"if", {condition or false, block}, ...}.
local expressions = {}

local binary = {   -- C's operator and its precedence
  ["or"] = {"||", 1}, ["and"] = {"&&", 2}, ["=="] = {"==", 3}, ["!="] = {"!=", 3}, ["<"] = {"<", 4}, ["<="] = {"<=", 4},
  [">"] = {">", 4}, [">="] = {">=", 4}, ["+"] = {"+", 5}, ["-"] = {"-", 5}, ["*"] = {"*", 6}, ["/"] = {"/", 6},
  ["//"] = {"//", 6}, ["%"] = {"%", 6},
}
local UNARY, POWER, ATOM = 7, 8, 9

local function tokens(text)
  local out, at = {}, 1
  while true do
    at = text:find("%S", at)
    if not at then return out end
    if text:find("^%-%-", at) then
      at = text:find("\n", at, true) or #text + 1
    else
      local token = text:match("^[%a_][%w_]*", at) or text:match("^%d+%.?%d*[eE][+-]?%d+", at) or text:match("^%d+%.?%d*", at) or
        text:match("^'[^']*'", at) or text:match("^//", at) or text:match("^[<>=!]=", at) or text:sub(at, at)
      out[#out + 1] = token
      at = at + #token
    end
  end
end

local Parser = {}
Parser.__index = Parser

function Parser:peek() return self.tokens[self.at] end
function Parser:fail(message, ...) error(("%s: in '%s': "):format(self.where, self.text) .. message:format(...), 0) end
function Parser:take(expected)
  local token = self.tokens[self.at]
  if not token and not expected then self:fail "it ends too early" end
  if expected and token ~= expected then self:fail("'%s' expected near %s", expected, token and "'" .. token .. "'" or "the end") end
  self.at = self.at + 1
  return token
end
function Parser:accept(token)
  if self:peek() ~= token then return false end
  self.at = self.at + 1
  return true
end

-- Reads the arguments of a call, or the items of a list, up to the closing bracket.
function Parser:items(node, closing)
  if self:accept(closing) then return node end
  repeat
    local key
    if node.keys and self.tokens[self.at + 1] == "=" then
      key = self:take()
      self:take "="
    end
    local e = self:expression(0)
    if key then node.keys[key] = e else node[#node + 1] = e end
  until not self:accept ","
  self:take(closing)
  return node
end

function Parser:atom()
  local token = self:take()
  if token == "(" then
    local e = self:expression(0)
    self:take ")"
    return e
  elseif token == "[" then
    return self:items({"list"}, "]")
  elseif token:find "^%d" then
    return {"number", text = token}
  elseif token:find "^'" then
    return {"string", text = token:sub(2, -2)}
  elseif not token:find "^[%a_]" or binary[token] then
    self:fail("unexpected '%s'", token)
  end
  local of
  if self:accept "." then of, token = token, self:take() end
  if not of and self:peek() ~= "(" then return {"name", name = token} end
  self:take "("
  return self:items({"call", name = token, keys = {}, of = of}, ")")
end

function Parser:power()
  local a = self:atom()
  if self:accept "^" then return {"^", a, self:unary()} end
  return a
end

function Parser:unary()
  if self:accept "-" then return {"-", self:unary()} end
  if self:accept "not" then return {"not", self:unary()} end
  return self:power()
end

function Parser:expression(minimum)
  local a = self:unary()
  while true do
    local sign = binary[self:peek()]
    if not sign or sign[2] <= minimum then return a end
    local token = self:take()
    a = {token, a, self:expression(sign[2])}
  end
end

local block_ends = {["end"] = true, ["else"] = true, ["elseif"] = true}

function Parser:statement()
  if not self:accept "if" then
    local name = self:take()
    self:take "="
    return {"set", self:expression(0), name = name}
  end
  local s = {"if"}
  repeat
    local condition = self:expression(0)
    self:take "then"
    s[#s + 1] = {condition, self:block()}
  until not self:accept "elseif"
  if self:accept "else" then s[#s + 1] = {false, self:block()} end
  self:take "end"
  return s
end

function Parser:block()
  local out = {}
  while self:peek() and not block_ends[self:peek()] do
    if not self:accept ";" then out[#out + 1] = self:statement() end
  end
  return out
end

local function read(text, where, rule)
  local parser = setmetatable({tokens = tokens(text), at = 1, text = text, where = where}, Parser)
  local tree = parser[rule](parser, 0)
  if parser:peek() then parser:fail("unexpected '%s'", parser:peek()) end
  return tree
end

--- Return the tree of an expression, and the list of a block's statements. where: for messages.
function expressions.read(text, where) return read(text, where, "expression") end
function expressions.read_block(text, where) return read(text, where, "block") end

--- Splits a list at its commas: "a, f(b, c), d" -> {"a", "f(b, c)", "d"}
function expressions.split(text)
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

--- Calls visit(name) for each name that the expression reads.
function expressions.each_name(e, visit)
  if e[1] == "name" then visit(e.name) end
  for i = 2, #e do
    if type(e[i]) == "table" then expressions.each_name(e[i], visit) end
  end
end

--- Calls visit(assignment) for each assignment of the block.
function expressions.each_set(block, visit)
  for _, s in ipairs(block) do
    if s[1] == "set" then
      visit(s)
    else
      for i = 2, #s do expressions.each_set(s[i][2], visit) end
    end
  end
end

--- Calls visit(name) for each name that the statements of a block read.
function expressions.each_read(block, visit)
  for _, s in ipairs(block) do
    if s[1] == "set" then
      expressions.each_name(s[2], visit)
    else
      for i = 2, #s do
        if s[i][1] then expressions.each_name(s[i][1], visit) end
        expressions.each_read(s[i][2], visit)
      end
    end
  end
end

local not_numbers = {["//"] = true, ["%"] = true, string = true, list = true}

-- Returns an expression as C, and the precedence of its outermost operator. The functions of style produce C:
-- name(x), number(text), call(name, args), power(a, b). Optional functions are whole(e), which may return C for a
-- whole subtree, and binary(sign, a, b) for operators. fail(format, ...) raises.
local function write(e, style)
  local kind = e[1]
  if not_numbers[kind] then style.fail("no place for a %s in a formula of numbers", kind) end
  if kind == "call" and (e.of or next(e.keys)) then style.fail("%s() takes numbers alone", e.name) end
  local whole = style.whole and style.whole(e)
  if whole then return whole, ATOM end
  local function operand(x, minimum)
    local text, level = write(x, style)
    return level < minimum and "(" .. text .. ")" or text
  end
  if kind == "number" then return style.number(e.text), ATOM end
  if kind == "name" then return style.name(e.name), ATOM end
  if kind == "^" then return style.power((write(e[2], style)), (write(e[3], style))), ATOM end
  if kind == "not" then return "!" .. operand(e[2], UNARY), UNARY end
  if kind == "call" then
    local args = {}
    for i = 2, #e do args[#args + 1] = (write(e[i], style)) end
    return style.call(e.name, args, e), ATOM
  end
  if #e == 2 then return "-" .. operand(e[2], POWER), UNARY end
  local sign = binary[kind]
  local level = sign[2]
  if style.binary then return style.binary(sign[1], operand(e[2], level), operand(e[3], level + 1)), ATOM end
  -- brackets avoid compilers' warnings about && inside ||
  local left = operand(e[2], kind == "or" and 3 or level)
  return ("%s %s %s"):format(left, sign[1], operand(e[3], kind == "or" and 3 or level + 1)), level
end

--- Returns the expression as C.
function expressions.c(e, style) return (write(e, style)) end

return expressions
