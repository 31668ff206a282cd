-- facts.lua: reads runtime/ops/FAMILY/pytorch.json, facts about the operators of a family that only PyTorch can
-- tell. python spec/golden/facts.py asks PyTorch and writes these files. Its text explains the keys.
local facts = {}

-- Returns the text of JSON as a Lua expression.
local function as_lua(json)
  local out, at = {}, 1
  while true do
    local before, quote = json:match('^([^"]*)()"', at)
    local plain = (before or json:sub(at)):gsub("%[", "{"):gsub("%]", "}"):gsub("null", "nil")
    out[#out + 1] = plain:gsub("^%s*:", "=")
    if not before then return table.concat(out) end
    local stop = quote
    repeat stop = json:find('"', stop + 1, true) until #json:sub(quote + 1, stop - 1):match "\\*$" % 2 == 0
    local text = json:sub(quote, stop)
    at = stop + 1
    out[#out + 1] = json:find("^%s*:", at) and "[" .. text .. "]" or text
  end
end

--- Adds the facts of a family to `into`, by the names of its operators. A missing file means no facts.
function facts.read(path, into)
  local file <close> = io.open(path)
  if not file then return end
  for name, of in pairs(assert(load("return " .. as_lua(file:read "a"), path, "t", {}))()) do into[name] = of end
end

return facts
