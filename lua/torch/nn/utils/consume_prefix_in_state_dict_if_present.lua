-- nn/utils/consume_prefix_in_state_dict_if_present.lua: removes the "module." of a wrapped model from names.
local torch = ...

local function without(text, prefix) return text:sub(1, #prefix) == prefix and text:sub(#prefix + 1) or nil end

return torch._define("consume_prefix_in_state_dict_if_present(state_dict, prefix)", function(state, prefix)
  local renamed = {}
  for name, value in pairs(state) do
    if without(name, prefix) then renamed[#renamed + 1] = {name, value} end
  end
  for _, entry in ipairs(renamed) do
    state[entry[1]] = nil
    state[without(entry[1], prefix)] = entry[2]   -- at the end, as in PyTorch
  end
  local versions = getmetatable(state) ~= nil and state._metadata
  if not versions then return end
  local new = torch.serialization.OrderedDict()
  for path, facts in pairs(versions) do
    if path .. "." == prefix then
      new[""] = facts
    elseif path ~= "" then
      new[without(path, prefix) or path] = facts
    end
  end
  state._metadata = new
end)
