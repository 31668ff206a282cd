-- utils/data/pin.lua: the values of a batch with their tensors in page-locked memory, for the loader and for its workers.
local torch = ...
local support = torch._part "support"

-- Returns a value with its tensors, also those in tables, in page-locked memory. Tensors that are there already stay.
local function pin(value)
  if torch.is_tensor(value) then return value.device.type == "cpu" and value:pin_memory() or value end
  if not support.is_plain(value) then return value end
  local pinned = {}
  for key, part in pairs(value) do pinned[key] = pin(part) end
  return pinned
end

local function pinned(first, ...)
  if first == nil or select("#", ...) == 0 then return pin(first) end
  return pin(first), pinned(...)
end

return pinned
