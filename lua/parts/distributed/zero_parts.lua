-- distributed/zero_parts.lua: who has which parameter of a ZeroRedundancyOptimizer.
local torch = ...

local parts = {}

-- Returns the parameters of a group, the largest first; those of one size in their order.
local function by_size(params)
  local order = {}
  for i, p in ipairs(params) do order[i] = {place = i, size = p:numel(), p = p} end
  table.sort(order, function(a, b) return a.size > b.size or a.size == b.size and a.place < b.place end)
  return order
end

--- Returns the groups of each rank (1 is rank 0): each parameter falls to the rank that has the fewest elements so far.
function parts.partition(param_groups, ranks)
  local all, sizes = {}, {}
  for r = 1, ranks do all[r], sizes[r] = {}, 0 end
  for g, group in ipairs(param_groups) do
    for r = 1, ranks do
      all[r][g] = {}
      for key, value in pairs(group) do all[r][g][key] = value end
      all[r][g].params = {}
    end
    for _, entry in ipairs(by_size(group.params)) do
      local least = 1
      for r = 2, ranks do
        if sizes[r] < sizes[least] then least = r end
      end
      table.insert(all[least][g].params, entry.p)
      sizes[least] = sizes[least] + entry.size
    end
  end
  return all
end

--- Copies the options of groups to other groups; the parameters stay.
function parts.copy_options(from, to)
  for g, group in ipairs(from) do
    for key, value in pairs(group) do
      if key ~= "params" and to[g][key] ~= value then to[g][key] = value end
    end
  end
end

--- Moves the data of a rank's trainable parameters into one tensor for each dtype and device. Adds it, and the parameters outside, to `sent`.
function parts.flatten(params, sent)
  local kinds = {}
  for _, p in ipairs(params) do
    if p.requires_grad then
      local name = tostring(p.dtype) .. tostring(p.device)
      if not kinds[name] then
        kinds[name] = {}
        kinds[#kinds + 1] = name
      end
      table.insert(kinds[name], p)
    else
      sent[#sent + 1] = p
    end
  end
  for _, name in ipairs(kinds) do
    local count, at = 0, 0
    for _, p in ipairs(kinds[name]) do count = count + p:numel() end
    local flat = torch.empty(count, {dtype = kinds[name][1].dtype, device = kinds[name][1].device})
    for _, p in ipairs(kinds[name]) do
      local view = flat:narrow(0, at, p:numel()):view(p.shape)
      view:copy_(p:detach())
      p.data = view
      at = at + p:numel()
    end
    sent[#sent + 1] = flat
  end
end

return parts
