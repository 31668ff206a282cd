-- compared.lua: finds comparisons such as `a == 2` in a line of Lua that should be a method, a:eq(2), for hints and for the warning at x[a == 2].
local torch = ...
local compared = {}

local methods = {["=="] = "eq", ["~="] = "ne", ["<"] = "lt", [">"] = "gt", ["<="] = "le", [">="] = "ge"}

-- Returns the first comparison below a node of a tree, as a method. Unless within is true, only those in subscripts or before methods.
local function find(node, text, within)
  if type(node) ~= "table" then return nil end
  if node.tag == "Op" and methods[node.operator] and within then
    local left, right = node.left, node.right
    local object = text:sub(left.first, left.last)
    if left.tag == "Op" or left.tag == "Unary" then object = "(" .. object .. ")" end
    return ("%s:%s(%s)"):format(object, methods[node.operator], text:sub(right.first, right.last))
  end
  local found = node.key and type(node.key) == "table" and find(node.key, text, true) or node.tag == "Method" and find(node.object, text, true)
  for key, child in next, node do
    if found then break end
    if type(child) == "table" and key ~= "variable" and key ~= "variables" and key ~= "call" and key ~= "owner" and key ~= "parameters" then
      found = find(child, text, within)
    end
  end
  return found or nil
end

--- Returns the comparison in a line that is a whole statement, as a method: "a:eq(2)"; nil if there is none. anywhere: not only in
-- subscripts and before methods.
function compared.method_in(line, anywhere)
  local parse = torch._part "check.parser"
  local statement = line:gsub("^%s*elseif%s", "if "):gsub("^%s*else%s", "")
  for _, ending in ipairs {"", " end", " until true", ")", "})", "}"} do
    for _, beginning in ipairs {"", "local _ = "} do
      local text = beginning .. statement .. ending
      local tree = parse(text)
      if not tree.syntax and #tree.findings == 0 then return find(tree.body, text, anywhere) end
    end
  end
end

local seen = {}   -- places that were checked

--- Warns of a boolean subscript that is the result of a comparison in that line of a chunk, once for each place.
function compared.warn(source, line, value)
  local place = ("%s:%d"):format(source:sub(1, 200), line)
  if seen[place] then return end
  seen[place] = true
  local text = torch._part "hints.source".line(source, line)
  local method = text and text:find "[=~<>]=" and compared.method_in(text)
  if method then
    torch._warn(("the subscript is %s, the answer of Lua's comparison, and no mask. A mask is x[%s]"):format(value, method))
  end
end

return compared
