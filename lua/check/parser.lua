-- parser.lua: the syntax tree of a Lua script for tocha --check, with every name bound to its variable. Python's spellings with an
-- obvious meaning in Lua (!=, +=, **, &&, ||) are reported, and read as their Lua form.
--
-- An expression is a table {tag, first, last, ...}: first and last are offsets in the text. Tags: Nil True False Number String Vararg
-- Function Table Name Index Call Method Op Unary Paren. A called expression has its Call as the field call. A variable is {name, at,
-- uses, sources}: uses are the Name nodes that read it; sources are the origins of its values: {value = expression, result = n},
-- {loop = statement, result = n}, {number = true}, {parameter = function, index = n} or {none = true}.
local torch = ...
local lexer = torch._part "prompt.lexer"

local Parser = {}
Parser.__index = Parser

-- --- tokens --------------------------------------------------------------------------------------

local END = {kind = "end", text = "<eof>", first = math.huge, last = math.huge}

function Parser:fail() error({syntax = self.token.first}, 0) end

function Parser:advance()
  self.previous, self.at = self.token, self.at + 1
  self.token = self.tokens[self.at] or END
  return self.previous
end

local function is_word(token, text) return token.text == text and (token.kind == "symbol" or token.kind == "keyword") end

function Parser:is(text) return is_word(self.token, text) end

-- Returns true if the next two tokens are these symbols without a blank between them.
function Parser:is_pair(first, second)
  local next_token = self.tokens[self.at + 1] or END
  return self:is(first) and is_word(next_token, second) and next_token.first == self.token.last + 1
end

function Parser:accept(text) return self:is(text) and self:advance() or nil end

function Parser:expect(text) return self:accept(text) or self:fail() end

function Parser:name()
  if self.token.kind ~= "name" then self:fail() end
  return self:advance()
end

function Parser:report(at, message, write) self.findings[#self.findings + 1] = {at = at, message = message, write = write} end

-- --- scopes --------------------------------------------------------------------------------------

function Parser:declare(name, at, source)
  local variable = {name = name, at = at, uses = {}, sources = {source}}
  self.scope.names[name] = variable
  self.variables[#self.variables + 1] = variable
  return variable
end

function Parser:find(name)
  local scope = self.scope
  while scope do
    if scope.names[name] then return scope.names[name] end
    scope = scope.outer
  end
  local global = self.globals[name]
  if not global then
    global = {name = name, uses = {}, sources = {}, global = true}
    self.globals[name] = global
  end
  return global
end

function Parser:open() self.scope = {names = {}, outer = self.scope} end

function Parser:close() self.scope = self.scope.outer end

-- --- expressions ---------------------------------------------------------------------------------

local literals = {["nil"] = "Nil", ["true"] = "True", ["false"] = "False", ["..."] = "Vararg"}

function Parser:node(tag, first, fields)
  fields.tag, fields.first, fields.last = tag, first, self.previous.last
  return fields
end

function Parser:expressions()
  local list = {}
  repeat list[#list + 1] = self:expression() until not self:accept ","
  return list
end

function Parser:constructor()
  local first, items = self:expect "{".first, {}
  while not self:is "}" do
    local item = {}
    local following = self.tokens[self.at + 1] or END
    if self.token.kind == "name" and is_word(following, "=") then
      item.name, item.at = self.token.text, self.token.first
      self:advance()
      self:advance()
    elseif self:accept "[" then
      item.key = self:expression()
      self:expect "]"
      self:expect "="
    end
    item.value = self:expression()
    items[#items + 1] = item
    if not (self:accept "," or self:accept ";") then break end
  end
  self:expect "}"
  return self:node("Table", first, {items = items})
end

-- Parses a function behind the word `function` and its name. owner: the expression of which a method's self is an object, or nil.
function Parser:body(first, owner)
  local f = {parameters = {}, returns = {}, owner = owner}
  local outer = self.inside
  self.inside = f
  self:open()
  local function parameter(name, at)
    local index = #f.parameters + 1
    f.parameters[index] = self:declare(name, at, {parameter = f, index = index})
  end
  if owner then parameter("self", first) end
  self:expect "("
  while not self:is ")" do
    if self:accept "..." then f.is_vararg = true else parameter(self.token.text, self:name().first) end
    if not self:accept "," then break end
  end
  self:expect ")"
  f.body = self:statements()
  self:expect "end"
  self:close()
  self.inside = outer
  return self:node("Function", first, f)
end

function Parser:primary()
  local token = self.token
  local tag = literals[token.text]
  if token.kind == "number" then
    self:advance()
    return self:node("Number", token.first, {value = tonumber(token.text)})
  elseif token.kind == "string" then
    self:advance()
    local value = load("return " .. token.text, "=", "t")
    return self:node("String", token.first, {value = value and value() or ""})
  elseif tag and token.kind ~= "name" then
    self:advance()
    return self:node(tag, token.first, {})
  elseif self:is "function" then
    self:advance()
    return self:body(token.first)
  elseif self:is "{" then
    return self:constructor()
  elseif self:is "(" then
    self:advance()
    local inner = self:expression()
    self:expect ")"
    return self:suffixed(self:node("Paren", token.first, {inner = inner}))
  end
  return self:suffixed(self:use(self:name()))
end

-- Returns a Name node that reads its variable.
function Parser:use(token)
  local variable = self:find(token.text)
  local node = self:node("Name", token.first, {name = token.text, variable = variable})
  variable.uses[#variable.uses + 1] = node
  return node
end

-- Marks a node as one that is assigned to, so that a name does not count as read.
local function as_target(node)
  if node.tag == "Name" then
    for i, use in ipairs(node.variable.uses) do
      if use == node then table.remove(node.variable.uses, i) end
    end
  end
  return node
end

function Parser:arguments()
  if self.token.kind == "string" or self:is "{" then
    local token = self.token
    if self:is "{" then return {self:constructor()} end
    self:advance()
    return {self:node("String", token.first, {value = load("return " .. token.text, "=", "t")()})}
  end
  self:expect "("
  local list = self:is ")" and {} or self:expressions()
  self:expect ")"
  return list
end

-- Parses the fields, subscripts and calls that follow a name or a parenthesis.
function Parser:suffixed(node)
  local first = node.first
  while true do
    if self:accept "." then
      local name = self:name()
      node = self:node("Index", first, {object = node, name = name.text, at = name.first})
    elseif self:accept "[" then
      local key = self:expression()
      self:expect "]"
      node = self:node("Index", first, {object = node, key = key, at = key.first, name = key.tag == "String" and key.value or nil})
    elseif self:accept ":" then
      local name = self:name()
      local object = node
      local arguments = self:arguments()
      node = self:node("Method", first, {object = object, name = name.text, at = name.first, arguments = arguments})
    elseif self:is "(" or self:is "{" or self.token.kind == "string" then
      local callee, arguments = node, self:arguments()
      node = self:node("Call", first, {callee = callee, arguments = arguments})
      callee.call = node
    else
      return node
    end
  end
end

-- Left and right priorities, as in Lua's manual.
local priorities = {
  ["or"] = {1, 1}, ["and"] = {2, 2}, ["<"] = {3, 3}, [">"] = {3, 3}, ["<="] = {3, 3}, [">="] = {3, 3}, ["~="] = {3, 3}, ["=="] = {3, 3},
  ["|"] = {4, 4}, ["~"] = {5, 5}, ["&"] = {6, 6}, ["<<"] = {7, 7}, [">>"] = {7, 7}, [".."] = {9, 8}, ["+"] = {10, 10}, ["-"] = {10, 10},
  ["*"] = {11, 11}, ["/"] = {11, 11}, ["//"] = {11, 11}, ["%"] = {11, 11}, ["^"] = {14, 13},
}
local UNARY = 12

local spellings = {{"!", "=", "~=", "not equal is ~= in Lua"}, {"*", "*", "^", "a power is x ^ 2 in Lua"}, {"&", "&", "and", "&& is `and` in Lua"},
  {"|", "|", "or", "|| is `or` in Lua"}}

-- Returns the binary operator at this place and its first token, or nil if there is none. For Python's operators, returns Lua's.
function Parser:operator()
  for _, spelling in ipairs(spellings) do
    if self:is_pair(spelling[1], spelling[2]) then
      self:report(self.token.first, ("%s%s is not Lua"):format(spelling[1], spelling[2]), spelling[4])
      self:advance()
      return spelling[3], self.token.first
    end
  end
  local following = self.tokens[self.at + 1] or END
  if priorities[self.token.text] and self.token.kind ~= "name" and self.token.kind ~= "string" and
      not (is_word(following, "=") and following.first == self.token.last + 1 and self.in_statement) then
    return self.token.text, self.token.first
  end
end

function Parser:expression(limit)
  local first = self.token.first
  local left
  if self:is "not" or self:is "-" or self:is "#" or self:is "~" then
    local operator = self:advance().text
    local operand = self:expression(UNARY)
    left = self:node("Unary", first, {operator = operator, operand = operand})
  else
    left = self:primary()
  end
  while true do
    local operator, at = self:operator()
    local priority = operator and priorities[operator]
    if not priority or priority[1] <= (limit or 0) then return left end
    self:advance()
    local right = self:expression(priority[2])
    left = self:node("Op", first, {operator = operator, at = at, left = left, right = right})
  end
end

-- --- statements ----------------------------------------------------------------------------------

local block_ends = {["end"] = true, ["else"] = true, ["elseif"] = true, ["until"] = true}

function Parser:statements()
  local list = {}
  while self.token ~= END and not (self.token.kind == "keyword" and block_ends[self.token.text]) do
    if not self:accept ";" then
      local returns = self:is "return"
      list[#list + 1] = self:statement()
      if returns then break end
    end
  end
  return list
end

function Parser:block()
  self:open()
  local list = self:statements()
  self:close()
  return list
end

-- Gives variables the values of a list of expressions.
function Parser:give(variables, values)
  for i, variable in ipairs(variables) do
    local value, result = values[i], 1
    if not value and #values > 0 then value, result = values[#values], i - #values + 1 end
    variable.sources[#variable.sources + 1] = value and {value = value, result = result} or {none = true}
  end
end

function Parser:local_statement()
  if self:accept "function" then
    local name = self:name()
    local variable = self:declare(name.text, name.first)
    local f = self:body(name.first)
    variable.sources[1] = {value = f, result = 1}
    return {tag = "Local", variables = {variable}, values = {f}}
  end
  local names = {}
  repeat
    names[#names + 1] = self:name()
    if self:accept "<" then
      self:name()
      self:expect ">"
    end
  until not self:accept ","
  local values = self:accept "=" and self:expressions() or {}
  local variables = {}
  for i, name in ipairs(names) do variables[i] = self:declare(name.text, name.first) end
  self:give(variables, values)
  return {tag = "Local", variables = variables, values = values}
end

function Parser:function_statement()
  local first = self.token.first
  local target = self:use(self:name())
  if not self:is "." and not self:is ":" then as_target(target) end
  while self:accept "." do
    local name = self:name()
    target = self:node("Index", first, {object = target, name = name.text, at = name.first})
  end
  local owner
  if self:accept ":" then
    owner = target
    local name = self:name()
    target = self:node("Index", first, {object = target, name = name.text, at = name.first})
  end
  local f = self:body(first, owner)
  if target.tag == "Name" then self:give({target.variable}, {f}) end
  return {tag = "Assign", targets = {target}, values = {f}, defines = true}
end

function Parser:for_statement()
  local names = {self:name()}
  local loop = {tag = "Fornum", variables = {}}
  if self:accept "=" then
    loop.values = self:expressions()
  else
    while self:accept "," do names[#names + 1] = self:name() end
    self:expect "in"
    loop.tag, loop.values = "Forin", self:expressions()
  end
  self:expect "do"
  self:open()
  for i, name in ipairs(names) do
    loop.variables[i] = self:declare(name.text, name.first, loop.tag == "Fornum" and {number = true} or {loop = loop, result = i})
  end
  loop.body = self:statements()
  self:expect "end"
  self:close()
  return loop
end

function Parser:if_statement()
  local clauses = {}
  repeat
    local clause = {condition = self:expression()}
    self:expect "then"
    clause.body = self:block()
    clauses[#clauses + 1] = clause
  until not self:accept "elseif"
  if self:accept "else" then clauses[#clauses + 1] = {body = self:block()} end
  self:expect "end"
  return {tag = "If", clauses = clauses}
end

local compound = {["+"] = true, ["-"] = true, ["*"] = true, ["/"] = true, ["//"] = true, ["%"] = true, ["^"] = true, [".."] = true}

-- Parses an assignment or a call.
function Parser:plain_statement()
  local first = self.token.first
  self.in_statement = true
  local target = self:primary()
  self.in_statement = false
  local operator = self.token.text
  if compound[operator] and self:is_pair(operator, "=") then
    self:report(self.token.first, ("Lua has no %s="):format(operator), nil)
    local finding = self.findings[#self.findings]
    self:advance()
    self:advance()
    local value = self:expression()
    local text = self.text:sub(first, target.last)
    finding.write = ("%s = %s %s %s"):format(text, text, operator, self.text:sub(value.first, value.last))
    local whole = self:node("Op", first, {operator = operator, at = finding.at, left = target, right = value})
    if target.tag == "Name" then self:give({target.variable}, {whole}) end
    return {tag = "Assign", targets = {target}, values = {whole}}
  end
  if not self:is "=" and not self:is "," then
    if target.tag ~= "Call" and target.tag ~= "Method" then self:fail() end
    return {tag = "Do", calls = {target}, body = {}}
  end
  local targets = {as_target(target)}
  while self:accept "," do targets[#targets + 1] = as_target(self:primary()) end
  self:expect "="
  local values = self:expressions()
  for i, one in ipairs(targets) do
    if one.tag ~= "Name" and one.tag ~= "Index" then error({syntax = one.first}, 0) end
    if one.tag == "Name" then
      local result = values[i] and 1 or i - #values + 1
      table.insert(one.variable.sources, {value = values[i] or values[#values], result = result})
    end
  end
  return {tag = "Assign", targets = targets, values = values}
end

function Parser:return_statement()
  local ends = self.token == END or self:is ";" or self.token.kind == "keyword" and block_ends[self.token.text]
  local values = ends and {} or self:expressions()
  self:accept ";"
  if self.inside then table.insert(self.inside.returns, values) end
  return {tag = "Return", values = values}
end

local function closed(self, statement)
  self:expect "end"
  return statement
end

local by_word = {
  ["local"] = Parser.local_statement, ["function"] = Parser.function_statement, ["for"] = Parser.for_statement, ["if"] = Parser.if_statement,
  ["return"] = Parser.return_statement,
  ["do"] = function(self) return closed(self, {tag = "Do", calls = {}, body = self:block()}) end,
  ["break"] = function() return {tag = "Do", calls = {}, body = {}} end,
  ["goto"] = function(self)
    self:name()
    return {tag = "Do", calls = {}, body = {}}
  end,
  ["while"] = function(self)
    local condition = self:expression()
    self:expect "do"
    return closed(self, {tag = "While", condition = condition, body = self:block()})
  end,
  ["repeat"] = function(self)
    self:open()
    local body = self:statements()
    self:expect "until"
    local condition = self:expression()
    self:close()
    return {tag = "While", condition = condition, body = body}
  end,
}

function Parser:statement()
  local read = self.token.kind == "keyword" and by_word[self.token.text]
  if read then
    self:advance()
    return read(self)
  end
  if self:accept "::" then
    self:name()
    self:expect "::"
    return {tag = "Do", calls = {}, body = {}}
  end
  return self:plain_statement()
end

-- --- a complete program --------------------------------------------------------------------------

--- Returns the tree of a text: {body, globals, variables, findings}. syntax: the offset of the token with a syntax error, or nil.
return function(text)
  local tokens = {}
  for _, token in ipairs(lexer.tokens(text)) do
    if token.kind ~= "comment" then tokens[#tokens + 1] = token end
  end
  local parser = setmetatable({text = text, tokens = tokens, at = 0, globals = {}, variables = {}, findings = {}, token = END}, Parser)
  parser:advance()
  parser:open()
  local ok, body = pcall(function()
    local list = parser:statements()
    if parser.token ~= END then parser:fail() end
    return list
  end)
  if not ok and type(body) ~= "table" then error(body, 0) end
  return {text = text, body = ok and body or {}, globals = parser.globals, variables = parser.variables, findings = parser.findings,
    syntax = not ok and body.syntax or nil}
end
