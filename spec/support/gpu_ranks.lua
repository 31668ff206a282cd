-- gpu_ranks.lua: runs a text on the ranks of a world with a simulated GPU each. It begins with torch, dist, nn, F, rank and size.
local ranks = require "ranks"
local gpu_ranks = {}

gpu_ranks.BEGINNING = [[
local torch = require "torch"
local dist, nn, F = torch.distributed, torch.nn, torch.nn.functional
local rank, size = tonumber(os.getenv "RANK"), tonumber(os.getenv "WORLD_SIZE")
torch.cuda.set_device(rank)
]]

--- Returns the variables of a rank, and more.
function gpu_ranks.environment(more)
  local all = {TOCHA_CUDA = "simulate", TOCHA_SIMULATED_GPUS = 4}
  for name, value in pairs(more or {}) do all[name] = value end
  return all
end

--- Runs a text on `size` ranks, with more variables. Returns how each ended, and the seconds that all took.
function gpu_ranks.start(size, text, more)
  return ranks.run(gpu_ranks.BEGINNING .. text, size, {seconds = 30, environment = gpu_ranks.environment(more)})
end

--- Does the same, expects that all succeed, and returns what each printed.
function gpu_ranks.run(size, text, more)
  local outputs = {}
  for i, ended in ipairs(gpu_ranks.start(size, text .. "\ndist.destroy_process_group()\n", more)) do
    if ended.status ~= 0 then error(("rank %d: %s%s"):format(i - 1, ended.errors, ended.output), 2) end
    outputs[i] = ended.output
  end
  return outputs
end

return gpu_ranks
