-- lexer.lua: the tokens of a Lua text that may be unfinished: for colours, brackets, completion, indentation, and for `local` at
-- the outermost level. A token is a table {kind, text, first, last}; kinds: name, keyword, number, string, comment, symbol,
-- unfinished (a string or comment without its end) and other.
local lexer = {}

local keywords = {}
for word in ([[and break do else elseif end false for function goto if in local nil not or repeat return then true until
while]]):gmatch "%a+" do keywords[word] = true end
lexer.keywords = keywords

-- Returns the end of a long bracket that opens at `at`, nil if it has no end, or false if none opens there.
local function long_bracket(text, at)
  local level = text:match("^%[(=*)%[", at)
  if not level then return false end
  local _, last = text:find("]" .. level .. "]", at + #level + 2, true)
  return last
end

local function quoted(text, at)
  local quote, position = text:sub(at, at), at + 1
  while true do
    local found = text:find("[\\\n" .. quote .. "]", position)
    if not found then return nil end
    local c = text:sub(found, found)
    if c == quote then return found end
    if c == "\n" then return nil, found - 1 end
    if text:match("^\\z", found) then -- skips the blanks after it, and line breaks
      position = text:match("^\\z%s*()", found)
    else
      position = found + 2
    end
  end
end

local function comment(text, at)
  local last = long_bracket(text, at + 2)
  if last == false then return text:match("^[^\n]*()", at) - 1 end
  return last
end

local function number(text, at)
  local last = text:match("^0[xX][%x.]*[pP]?[+-]?%d*()", at)
  if text:match("^0[xX]", at) then
    return (text:match("^0[xX][%x.]*[pP][+-]?%d+()", at) or text:match("^0[xX][%x.]*()", at) or last) - 1
  end
  return (text:match("^%d*%.?%d*[eE][+-]?%d+()", at) or text:match("^%d*%.?%d*()", at)) - 1
end

local symbols = {"...", "<<", ">>", "//", "==", "~=", "<=", ">=", "::", ".."}

local function symbol(text, at)
  for _, s in ipairs(symbols) do
    if text:sub(at, at + #s - 1) == s then return at + #s - 1 end
  end
  return at
end

-- Returns the kind and the end of the token at `at`.
local function token_at(text, at)
  local c = text:sub(at, at)
  if c:match "[%a_]" then
    local last = text:match("^[%w_]*()", at) - 1
    return keywords[text:sub(at, last)] and "keyword" or "name", last
  elseif c:match "%d" or text:match("^%.%d", at) then
    return "number", number(text, at)
  elseif c == '"' or c == "'" then
    local last, line = quoted(text, at)
    return last and "string" or "unfinished", last or line or #text
  elseif text:match("^%-%-", at) then
    local last = comment(text, at)
    return last and "comment" or "unfinished", last or #text
  elseif text:match("^%[=*%[", at) then
    local last = long_bracket(text, at)
    return last and "string" or "unfinished", last or #text
  elseif c:match "[%p]" then
    return "symbol", symbol(text, at)
  end
  return "other", at
end

--- Returns all tokens, comments included.
function lexer.tokens(text)
  local tokens, at = {}, 1
  while true do
    at = text:find("%S", at)
    if not at then return tokens end
    local kind, last = token_at(text, at)
    tokens[#tokens + 1] = {kind = kind, text = text:sub(at, last), first = at, last = last}
    at = last + 1
  end
end

-- --- nesting ---------------------------------------------------------------------------------------------------

local opening = {["("] = ")", ["["] = "]", ["{"] = "}"}
local closing = {[")"] = true, ["]"] = true, ["}"] = true}
-- Words that open a block of their own. `do` belongs to its `for` or `while`, `then` to its `if`.
local openers = {["function"] = true, ["if"] = true, ["for"] = true, ["while"] = true, ["repeat"] = true}
local closers = {["end"] = true, ["until"] = true}

--- Calls visit(token, depth) for each token except comments. depth is the number of blocks and brackets around the token (an
-- opening or closing token itself is outside). Returns the stack of tokens that are open at the end.
function lexer.walk(tokens, visit)
  local stack, loops = {}, 0 -- loops: `for` and `while` before their `do`
  for _, token in ipairs(tokens) do
    local word = (token.kind == "keyword" or token.kind == "symbol") and token.text
    local closes = word and (closing[word] or token.kind == "keyword" and closers[word])
    if closes then stack[#stack] = nil end
    if visit and token.kind ~= "comment" then visit(token, #stack) end
    if word == "for" or word == "while" then loops = loops + 1 end
    if word == "do" then
      if loops > 0 then loops = loops - 1 else stack[#stack + 1] = token end
    elseif word and (opening[word] or token.kind == "keyword" and openers[word]) then
      stack[#stack + 1] = token
    end
  end
  return stack
end

--- Returns the first and last token of the pair of brackets with a bracket at a position or just before it, or nil.
function lexer.pair(tokens, position)
  local stack, found = {}, nil
  for _, token in ipairs(tokens) do
    if token.kind == "symbol" and opening[token.text] then
      stack[#stack + 1] = token
    elseif token.kind == "symbol" and closing[token.text] then
      local open = table.remove(stack)
      if open and opening[open.text] == token.text then
        for _, one in ipairs {open, token} do
          if one.first == position or one.first == position - 1 and not found then found = {open, token} end
        end
      end
    end
  end
  if found then return found[1], found[2] end
end

return lexer
