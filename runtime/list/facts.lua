-- facts.lua: reads runtime/ops/FAMILY/pytorch.json, facts about the operators of a family that only PyTorch can
-- tell. python spec/golden/facts.py asks PyTorch and writes these files. Its text explains the keys.
local json = require "json"
local facts = {}

--- Adds the facts of a family to `into`, by the names of its operators. A missing file means no facts.
function facts.read(path, into)
  local file <close> = io.open(path)
  if not file then return end
  for name, of in pairs(json.decode(file:read "a", path)) do into[name] = of end
end

return facts
