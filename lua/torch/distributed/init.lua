-- distributed/init.lua: torch.distributed: groups of processes that train together. The parts hold the functions; classes that stand
-- alone (stores) have files beside this one.
local torch = ...
local distributed = {}

local parts = rawget(torch, "_distributed") and {"groups", "subgroups", "facts", "collectives", "point_to_point", "coalesced", "objects"} or {}
if parts[1] then torch._part "distributed.profile" end
for _, part in ipairs(parts) do
  for name, value in pairs(torch._part("distributed." .. part)) do
    if not name:find "^_" or name == "_make_nccl_premul_sum" then distributed[name] = value end
  end
end

torch._namespace(distributed, "torch.distributed")
local meta = getmetatable(distributed)
local look_up = meta.__index

function meta.__index(t, name)
  local reason = #parts > 0 and torch._part "distributed.absent"[name]
  if not reason then return look_up(t, name) end
  return torch._raise("AttributeError", ("module 'torch.distributed' has no attribute '%s'"):format(name), reason)
end

return distributed
