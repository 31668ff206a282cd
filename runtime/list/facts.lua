-- facts.lua: reads runtime/ops/FAMILY/pytorch.json, what PyTorch alone decides about the operators of a family.
-- python spec/golden/facts.py asks PyTorch and writes these files; its text says what the keys mean.
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

--- Adds to `into` the facts of a family, by the names of its operators. A family without the file has none.
function facts.read(path, into)
  local file <close> = io.open(path)
  if not file then return end
  for name, of in pairs(assert(load("return " .. as_lua(file:read "a"), path, "t", {}))()) do into[name] = of end
end

return facts
