-- cuda/nvtx.lua: torch.cuda.nvtx: ranges and marks with names for the tool that watches the process (Nsight Systems). Without a tool
-- they do nothing.
local torch = ...
local driver, define = torch._profiler, torch._define
local nvtx = {}

--- Begins a range within those that are open. Returns its depth from 0, or -2 without a tool.
nvtx.range_push = define("range_push(msg)", function(msg) return driver.nvtx_push(msg) end)
--- Ends the last range. Returns its depth.
function nvtx.range_pop() return driver.nvtx_pop() end
--- Begins a range that any thread may end. Returns its number.
nvtx.range_start = define("range_start(msg)", function(msg) return driver.nvtx_start(msg) end)
nvtx.range_end = define("range_end(range_id)", function(id) driver.nvtx_end(id) end)
--- Marks a point in time.
nvtx.mark = define("mark(msg)", function(msg) driver.nvtx_mark(msg) end)

local Range = {__close = function() driver.nvtx_pop() end}

--- range(msg, values...[, function]): a range for a block: `local _ <close> = nvtx.range "epoch"`, or a function that is called in it.
-- Each {} in msg is replaced by the next value.
function nvtx.range(msg, ...)
  local values = table.pack(...)
  local f = values[values.n]
  local at = 0
  msg = msg:gsub("{}", function()
    at = at + 1
    return tostring(values[at])
  end)
  driver.nvtx_push(msg)
  local range <const> = setmetatable({}, Range)
  if type(f) ~= "function" then return range end
  local _ <close> = range
  return f()
end

return torch._namespace(nvtx, "torch.cuda.nvtx")
