-- python_line.lua: a line of Python as the Lua that it means, for hints: lists, tuples, slices, keywords, f-strings, methods
-- with a dot. Lines whose meaning is uncertain (comprehensions, blocks, `in`) are not translated.
local python_line = {}

-- --- tokens and groups -------------------------------------------------------------------------------------------

local closing = {["("] = ")", ["["] = "]", ["{"] = "}"}
local words = {True = "true", False = "false", None = "nil", ["!="] = "~=", ["**"] = "^"}
local refused = {["for"] = true, ["in"] = true, ["@"] = true, [":="] = true, ["yield"] = true, ["await"] = true, ["import"] = true}

-- Returns the string that begins at i: its kind (f, r or neither), the text between the quotes, and the position of its end.
local function string_at(text, i)
  local prefix, quote = text:match("^([fFrRbB]?)([\"'])", i)
  if not quote then return nil end
  local first = i + #prefix
  if text:sub(first, first + 2) == quote:rep(3) then
    local stop = text:find(quote:rep(3), first + 3, true)
    return stop and "long", text:sub(first + 3, stop and stop - 1), stop and stop + 2
  end
  local at = first + 1
  while at <= #text do
    local c = text:sub(at, at)
    if c == quote then return prefix:lower(), text:sub(first + 1, at - 1), at end
    at = at + (c == "\\" and prefix:lower() ~= "r" and 2 or 1)
  end
end

-- Returns the tokens of a line: {kind = "name", "number", "string" or "sign", text = ...}, or nil if a string does not end.
local function tokens_of(line)
  local out, i = {}, 1
  while true do
    i = line:find("%S", i)
    if not i then return out end
    local kind, content, stop = string_at(line, i)
    local name = line:match("^[%a_][%w_]*", i)
    local number = line:match("^%.?%d[%d_.]*[eE][+-]?%d+", i) or line:match("^%.?%d[%w_.]*", i)
    if kind then
      out[#out + 1] = {kind = "string", prefix = kind, text = content, source = line:sub(i, stop)}
    elseif line:find("^[\"']", i) then
      return nil
    elseif line:sub(i, i) == "#" then
      out.comment, stop = line:sub(i + 1), #line
    elseif name or number then
      out[#out + 1] = {kind = name and "name" or "number", text = name or number:gsub("_", "")}
      stop = i + #(name or number) - 1
    else
      local sign = line:match("^%*%*=?", i) or line:match("^//=?", i) or line:match("^%.%.%.", i) or line:match("^[!=<>:+*/%-%%@]=", i)
        or line:sub(i, i)
      out[#out + 1] = {kind = "sign", text = sign}
      stop = i + #sign - 1
    end
    i = stop + 1
  end
end

-- Makes a group of the tokens in brackets: {kind = "group", open = "(", items = {sequence, ...}}. Returns the sequences between
-- commas.
local function grouped(tokens, state, close)
  local items, item = {}, {}
  while true do
    local token = tokens[state.at]
    if not token then
      if close then error("unfinished", 0) end
      break
    end
    state.at = state.at + 1
    if token.kind == "sign" and closing[token.text] then
      local inside, trailing = grouped(tokens, state, closing[token.text])
      item[#item + 1] = {kind = "group", open = token.text, items = inside, trailing = trailing}
    elseif token.kind == "sign" and token.text == close then
      break
    elseif token.kind == "sign" and token.text:find "^[%)%]}]$" then
      error("unbalanced", 0)
    elseif close and token.kind == "sign" and token.text == "," then
      items[#items + 1], item = item, {}
    else
      item[#item + 1] = token
    end
  end
  local trailing = #items > 0 and #item == 0
  if #item > 0 then items[#items + 1] = item end
  return items, trailing
end

-- --- writing -----------------------------------------------------------------------------------------------------

local write   -- writes a sequence

local function is(token, text) return token ~= nil and token.kind ~= "string" and token.text == text end

local function position(sequence, text, first)
  for i = first or 1, #sequence do
    if is(sequence[i], text) then return i end
  end
end

local function all(items, context)
  local out = {}
  for i, item in ipairs(items) do out[i] = write(item, context) end
  return out
end

local function quoted(text) return '"' .. text:gsub('\\?"', '\\"') .. '"' end

-- Returns f"loss {x:.3f}" as parts that .. joins, or as torch.format if a number has a format.
local function f_string(text, context)
  local pieces, pattern, values, forms = {}, "", {}, false
  for before, inner in (text .. "{}"):gmatch "(.-)(%b{})" do
    if before ~= "" then pieces[#pieces + 1] = quoted(before) end
    pattern = pattern .. before:gsub("%%", "%%%%")
    inner = inner:sub(2, -2)
    local expression, form = inner:match "^(.-):([^:%]]*)$"
    expression = expression or inner
    if expression:find "=$" then
      pieces[#pieces + 1] = quoted(expression)
      pattern = pattern .. expression
      expression = expression:sub(1, -2)
    end
    if expression ~= "" then
      local value = python_line.expression(expression, context)
      if not value then error("a value", 0) end
      pieces[#pieces + 1] = value:find "^[%w_.]+$" and value or value:find "^[%w_.:]+%b()$" and value or "(" .. value .. ")"
      values[#values + 1] = value
      forms = forms or form ~= nil
      pattern = pattern .. "%" .. (form and form:gsub("[<>,]", "") or "s")
      if form and not form:find "%a$" then pattern = pattern .. "s" end
    end
  end
  if forms then return ("torch.format(%s, %s)"):format(quoted(pattern), table.concat(values, ", ")) end
  return #pieces > 0 and table.concat(pieces, " .. ") or '""'
end

local function string_text(token, context)
  if token.prefix == "f" then return f_string(token.text, context) end
  if token.prefix == "r" or token.prefix == "long" then return "[[" .. token.text .. "]]" end
  if token.prefix ~= "" then error("bytes", 0) end
  return token.source
end

-- Returns an item of a subscript with a variable in it: `a:b` is a .. ":" .. b.
local function place(item, context)
  local colon = position(item, ":")
  if not colon then return write(item, context) end
  local parts = {'":"'}
  if colon > 1 then table.insert(parts, 1, write({table.unpack(item, 1, colon - 1)}, context)) end
  if colon < #item then parts[#parts + 1] = write({table.unpack(item, colon + 1)}, context) end
  return table.concat(parts, " .. ")
end

-- Returns a subscript. Numbers, slices, None and ... are a text. With variables it is a table.
local function subscript(group, context)
  local texts, is_text, slices = {}, true, #group.items > 1
  for i, item in ipairs(group.items) do
    local parts, names = {}, false
    for _, token in ipairs(item) do
      slices = slices or is(token, ":") or is(token, "...") or is(token, "None")
      names = names or token.kind == "group" or token.kind == "string" or token.kind == "name" and token.text ~= "None"
      parts[#parts + 1] = token.kind ~= "group" and token.text or ""
    end
    if not names then texts[i] = table.concat(parts) end
    is_text = is_text and not names
  end
  if not slices then return "[" .. write(group.items[1], context) .. "]" end
  if is_text then return '["' .. table.concat(texts, ", ") .. '"]' end
  for i, item in ipairs(group.items) do texts[i] = texts[i] and quoted(texts[i]) or place(item, context) end
  return #texts == 1 and "[" .. texts[1] .. "]" or "[{" .. table.concat(texts, ", ") .. "}]"
end

-- Words of Lua that are names in Python.
local reserved = {}
for name in ("do end function goto local nil repeat then until elseif true false"):gmatch "%S+" do reserved[name] = true end

--- Returns a name as the key of a table.
function python_line.key(name) return reserved[name] and ("[%q]"):format(name) or name end

local function call(group, context, head)
  local given, keywords = {}, {}
  for _, item in ipairs(group.items) do
    if #item > 2 and item[1].kind == "name" and is(item[2], "=") then
      keywords[#keywords + 1] = python_line.key(item[1].text) .. " = " .. write({table.unpack(item, 3)}, context)
    elseif is(item[1], "*") or is(item[1], "**") then
      error("unpacking", 0)
    else
      given[#given + 1] = write(item, context)
    end
  end
  if #keywords == 0 then return "(" .. table.concat(given, ", ") .. ")" end
  if head == "print" then error("print's keywords", 0) end
  local t = "{" .. table.concat(keywords, ", ") .. "}"
  return #given == 0 and t or "(" .. table.concat(given, ", ") .. ", " .. t .. ")"
end

local function dict(group, context)
  local out = {}
  for i, item in ipairs(group.items) do
    local colon = position(item, ":")
    if not colon then error("a set", 0) end
    local key, value = write({table.unpack(item, 1, colon - 1)}, context), write({table.unpack(item, colon + 1)}, context)
    out[i] = (key:match '^"([%a_][%w_]*)"$' or "[" .. key .. "]") .. " = " .. value
  end
  return "{" .. table.concat(out, ", ") .. "}"
end

-- Returns true if the text so far ends in a value, to which a bracket then belongs.
local function ends_in_value(token) return token ~= nil and (token.kind ~= "sign") and not (token.kind == "name" and words[token.text]) end

local function group_text(group, before, context)
  local follows = ends_in_value(before) and not is(before, "not") and not is(before, "and") and not is(before, "or") and not is(before, "return")
  if group.open == "(" and follows then return call(group, context, before.text) end
  if group.open == "[" and follows then return subscript(group, context) end
  if group.open == "{" then return dict(group, context) end
  local inside = all(group.items, context)
  if group.open == "(" and (is(before, "==") or is(before, "!=")) and #inside ~= 1 then return "torch.Size{" .. table.concat(inside, ", ") .. "}" end
  if group.open == "(" and #inside == 1 and not group.trailing then return "(" .. inside[1] .. ")" end
  return "{" .. table.concat(inside, ", ") .. "}"
end

local plain = {len = "#", str = "tostring"}

-- Functions that Lua lacks, and methods that strings have in Lua.
local absent, of_strings = {}, {upper = true, lower = true, find = true}
for name in ("sum sorted enumerate zip map filter list tuple dict set range isinstance int float abs max min round open input type dir super next iter " ..
    "listdir append extend items keys values indices"):gmatch "%S+" do absent[name] = true end

-- Fails for a name, before a call or a dot, that has no counterpart.
local function check_name(sequence, i)
  local token, before, after = sequence[i], sequence[i - 1], sequence[i + 1]
  local called = after and after.kind == "group" and after.open == "("
  local method = is(before, ".")
  if token.text:find "^__" then error(token.text, 0) end
  if absent[token.text] and (called and not method or method and (token.text == "values" or token.text == "indices" or token.text == "append")) then
    error(token.text, 0)
  end
  if method and sequence[i - 2].kind == "string" and not of_strings[token.text] then error(token.text, 0) end
end

-- Returns true if the call after a dot at i is of a method: of an object of the session, of a result, of a string.
local function is_method(sequence, i, context)
  local after, root = sequence[i + 2], i - 1
  if not (after and after.kind == "group" and after.open == "(") then return false end
  local before = sequence[root]
  if not before or before.kind == "group" or before.kind == "string" then return true end
  while root > 2 and is(sequence[root - 1], ".") do root = root - 2 end
  return sequence[root].kind == "group" or sequence[root].kind == "name" and context.is_object(sequence[root].text)
end

-- Appends a token with the right blanks: operators have blanks around them; signs after another sign, dots and colons have none.
local function joined(out, token, text)
  local last = out[#out]
  local tight = token.kind == "sign" and (text == "." or text == ":" or text == ",") or last == nil or last == "." or last == ":" or last == "#"
    or token.glued or last == "-" and out.unary
  out.unary = token.kind == "sign" and text == "-" and (last == nil or out.last_sign)
  out.last_sign = token.kind == "sign"
  if not tight and not (out.after_unary) then out[#out + 1] = " " end
  out.after_unary = out.unary
  out[#out + 1] = text
end

local function write_plain(sequence, context)
  local out, i = {}, 1
  while i <= #sequence do
    local token, before = sequence[i], sequence[i - 1]
    local text = words[token.text] or token.text
    if token.kind ~= "group" and token.kind ~= "string" and refused[token.text] then error(token.text, 0) end
    if token.kind == "name" then check_name(sequence, i) end
    if is(token, "is") then
      text = is(sequence[i + 1], "not") and "~=" or "=="
      if text == "~=" then i = i + 1 end
    elseif token.kind == "string" and is(sequence[i + 1], "%") then
      local rest = {table.unpack(sequence, i + 2)}
      local values = #rest == 1 and rest[1].kind == "group" and rest[1].open == "(" and all(rest[1].items, context) or {write(rest, context)}
      text, i = ("(%s):format(%s)"):format(string_text(token, context), table.concat(values, ", ")), #sequence
    elseif token.kind == "string" and is(sequence[i + 1], ".") and is(sequence[i + 2], "join") and (sequence[i + 3] or {}).open == "(" then
      text, i = ("table.concat(%s, %s)"):format(table.concat(all(sequence[i + 3].items, context), ", "), string_text(token, context)), i + 3
    elseif token.kind == "string" then
      text = string_text(token, context)
      if is(sequence[i + 1], ".") then text = "(" .. text .. ")" end
    elseif token.kind == "group" then
      text = group_text(token, before, context)
      token.glued = ends_in_value(before)
    elseif is(token, ".") and is_method(sequence, i, context) then
      text = ":"
    elseif token.kind == "name" and plain[token.text] and sequence[i + 1] and sequence[i + 1].open == "(" and not is(before, ".") then
      text = plain[token.text]
    end
    if token.kind == "group" and is(before, "len") and text:find "^%([%w_.]+%)$" then text = text:sub(2, -2) end
    joined(out, token, text)
    i = i + 1
  end
  return table.concat(out)
end

-- Returns an expression that may contain lambda and `a if c else b`.
function write(sequence, context)
  local condition, lambda = position(sequence, "if"), position(sequence, "lambda")
  if lambda then
    local colon = position(sequence, ":", lambda) or error("lambda", 0)
    local before = write_plain({table.unpack(sequence, 1, lambda - 1)}, context)
    local parameters = write_plain({table.unpack(sequence, lambda + 1, colon - 1)}, context)
    return ("%sfunction(%s) return %s end"):format(before ~= "" and before .. " " or "", parameters, write({table.unpack(sequence, colon + 1)}, context))
  end
  local otherwise = condition and position(sequence, "else", condition)
  if not otherwise then return write_plain(sequence, context) end
  local first = 1
  for i = condition, 1, -1 do
    if is(sequence[i], "=") then first = i + 1 break end
  end
  local function part(from, to) return write({table.unpack(sequence, from, to)}, context) end
  local head = first > 1 and part(1, first - 1) .. " " or ""
  return ("%s%s and %s or %s"):format(head, part(condition + 1, otherwise - 1), part(first, condition - 1), part(otherwise + 1, #sequence))
end

--- Returns a Python expression as Lua's, or nil if it is not understood.
function python_line.expression(text, context)
  local tokens = tokens_of(text)
  if not tokens then return nil end
  local fine, result = pcall(function()
    return write(grouped(tokens, {at = 1})[1] or {}, context)
  end)
  return fine and result or nil
end

--- Returns the number of brackets that a line opens and does not close, and the line without its comment.
function python_line.depth(line)
  local tokens, depth = tokens_of(line), 0
  for _, token in ipairs(tokens or {}) do
    if token.kind == "sign" then depth = depth + (closing[token.text] and 1 or token.text:find "^[%)%]}]$" and -1 or 0) end
  end
  return depth, tokens and tokens.comment and line:sub(1, #line - #tokens.comment - 1) or line
end

local function compiles(lua) return load("return " .. lua, "=", "t") ~= nil or load(lua, "=", "t") ~= nil end

--- Returns the line as Lua, or nil if it is not understood or is Lua already. is_object(name): returns true if a name of the
-- session has methods.
function python_line.lua(line, is_object)
  if #line > 500 then return nil end -- too long for a hint
  local context = {is_object = is_object}
  local head, rest = line:match "^%s*(%l+)%s+(.+)$"
  local tokens = tokens_of(line)
  local lua
  if head == "assert" then
    lua = "assert(" .. (python_line.expression(rest:gsub(",%s*([\"'].*)$", ""), context) or "?") .. (rest:match ",%s*([\"'].*)$" and ", "
      .. rest:match ",%s*([\"'].*)$" or "") .. ")"
  elseif head == "del" then
    lua = rest .. " = nil"
  else
    local target, sign, value = line:match "^%s*([%a_][%w_.%[%]\"']*)%s*([%+%-%*/%%])=%s*([^=].*)$"
    if not target then target, sign, value = line:match "^%s*([%a_][%w_.%[%]\"']*)%s*(%*%*)=%s*(.+)$" end
    if target then
      value = python_line.expression(value, context)
      lua = value and ("%s = %s %s %s"):format(target, target, words[sign] or sign, value:find "^[%w_.]+$" and value or "(" .. value .. ")")
    else
      lua = python_line.expression(line, context)
    end
  end
  if not lua then return nil end
  lua = lua:match "^%s*(.-)%s*$"
  if tokens and tokens.comment then lua = lua .. (lua ~= "" and " " or "") .. "--" .. tokens.comment end
  return lua:gsub("%s", "") ~= line:gsub("%s", "") and compiles(lua) and lua or nil
end

return python_line
