-- layout.lua: the look of a text while it is edited: colours and indentation.
local torch = ...
local lexer = torch._part "prompt.lexer"
local layout = {}

-- The styles of the editor, in its order.
local styles = {plain = 0, keyword = 1, string = 2, number = 3, comment = 4, bracket = 5, other = 0, name = 0, symbol = 0, unfinished = 2}
local constants = {["nil"] = true, ["true"] = true, ["false"] = true}

--- Returns a string with the style of each byte of the text. cursor: its position, from 1.
function layout.styles(text, cursor)
  local tokens, out, at = lexer.tokens(text), {}, 1
  local open, close = lexer.pair(tokens, cursor)
  for _, token in ipairs(tokens) do
    local style = styles[token.kind]
    if constants[token.text] then style = styles.number end
    if token.kind == "unfinished" and token.text:match "^%-%-" then style = styles.comment end
    if token == open or token == close then style = styles.bracket end
    out[#out + 1] = ("\0"):rep(token.first - at) .. string.char(style):rep(token.last - token.first + 1)
    at = token.last + 1
  end
  out[#out + 1] = ("\0"):rep(#text - at + 1)
  return table.concat(out)
end

local width = 2
local dedenting = {["end"] = true, ["until"] = true, ["else"] = true, ["elseif"] = true, ["}"] = true, [")"] = true, ["]"] = true}

local function indent_of(line) return #line:match "^ *" end

-- Returns the number of blocks and brackets that a line leaves open, and true if it begins by closing one.
local function balance(line)
  local tokens = lexer.tokens(line)
  local depth, lowest = 0, 0
  local function change(by)
    depth = depth + by
    lowest = math.min(lowest, depth)
  end
  local loops = 0
  for _, token in ipairs(tokens) do
    local word = (token.kind == "keyword" or token.kind == "symbol") and token.text
    if word == "for" or word == "while" then loops = loops + 1 end
    if word == "(" or word == "{" or word == "[" or word == "function" or word == "if" or word == "for" or word == "while"
      or word == "repeat" then
      change(1)
    elseif word == "do" then
      if loops > 0 then loops = loops - 1 else change(1) end
    elseif word == ")" or word == "}" or word == "]" or word == "end" or word == "until" then
      change(-1)
    end
  end
  local first = tokens[1]
  local dedents = first and first.kind ~= "string" and dedenting[first.text] or false
  return depth, lowest, dedents, first and (first.text == "else" or first.text == "elseif")
end

-- Returns true if a string or a comment of several lines continues where the cursor's line begins.
local function begins_inside(text, cursor)
  local first = cursor
  while first > 1 and text:byte(first - 1) ~= 10 do first = first - 1 end
  for _, token in ipairs(lexer.tokens(text:sub(1, cursor - 1))) do
    if token.first < first and token.last >= first then return true end
  end
  return false
end

--- Returns the columns in front of the cursor's line (-1: unchanged), and those in front of a line after it.
function layout.indent(text, cursor)
  if begins_inside(text, cursor) then return -1, 0 end
  local before, lines = text:sub(1, cursor - 1), {}
  for line in (before .. "\n"):gmatch "(.-)\n" do lines[#lines + 1] = line end
  local line = table.remove(lines)
  local own, wanted = indent_of(line), -1
  local depth, _, dedents, continues = balance(line)
  if dedents and #lines > 0 then -- the line closes a block: it gets the column of the line that opened the block
    local open = 1
    for i = #lines, 1, -1 do
      local of, lowest = balance(lines[i])
      if open + lowest - of <= 0 or of >= open then
        wanted = indent_of(lines[i])
        break
      end
      open = open - of
    end
    if wanted >= 0 then own = wanted end
  end
  local next_line = own + (depth > 0 and width or 0)
  if continues then next_line = own + width end
  return wanted, next_line
end

return layout
