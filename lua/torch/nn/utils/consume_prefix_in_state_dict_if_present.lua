-- nn/utils/consume_prefix_in_state_dict_if_present.lua: names without the "module." that a wrapped model's have.
local torch = ...

local function without(text, prefix) return text:sub(1, #prefix) == prefix and text:sub(#prefix + 1) or nil end

return torch._define("consume_prefix_in_state_dict_if_present(state_dict, prefix)", function(state, prefix)
  local entries = {}
  for name, value in pairs(state) do entries[#entries + 1] = {name, value} end
  for _, entry in ipairs(entries) do state[entry[1]] = nil end   -- all anew, so that they keep their order
  for _, entry in ipairs(entries) do state[without(entry[1], prefix) or entry[1]] = entry[2] end
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
