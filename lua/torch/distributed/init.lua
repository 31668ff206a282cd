-- distributed/init.lua: torch.distributed: groups of processes that train together. The parts hold the functions; classes that stand
-- alone (stores) have files beside this one.
local torch = ...
local distributed = {}
local SHOWN = {_make_nccl_premul_sum = true, _coalescing_manager = true}   -- as PyTorch's, in spite of their names

local parts = rawget(torch, "_distributed") and {"groups", "subgroups", "facts", "collectives", "point_to_point", "coalesced", "objects"} or {}
if parts[1] then torch._part "distributed.profile" end
for _, part in ipairs(parts) do
  for name, value in pairs(torch._part("distributed." .. part)) do
    if not name:find "^_" or SHOWN[name] then distributed[name] = value end
  end
end

torch._namespace(distributed, "torch.distributed")
if #parts > 0 then torch._part("distributed.absent").attach(distributed, "torch.distributed") end
return distributed
