-- utils.lua: torch.utils; torch.utils.data is put together when it is first asked for.
local torch = ...

local function make_data()
  local data = {DataLoader = torch._part "_loader"}
  for name, class in pairs(torch._part "_sampler") do data[name] = class end
  for name, class in pairs(torch._part "_dataset") do data[name] = class end
  for name, f in pairs(torch._part "_collate") do data[name] = f end
  for _, name in ipairs{"draw_seed", "sample_of", "item", "source", "rows"} do data[name] = nil end -- for parts alone
  function data.get_worker_info() return nil end -- there are no workers
  return torch._namespace(data, "torch.utils.data")
end

return setmetatable({}, {
  __index = function(utils, key)
    if key ~= "data" then return nil end
    utils.data = make_data()
    return utils.data
  end,
})
