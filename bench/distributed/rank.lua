-- rank.lua: a rank of bench/distributed/table.lua: carries out the commands that it reads from $COMMANDS, a FIFO of its own, and sleeps
-- between them, so that another team of ranks can be measured in turns. Rank 0 writes an answer to $ANSWERS for each of them.
--   collective NAME BYTES REPEATS   the seconds of one
--   train NET STEPS                 the seconds of a step: by DistributedDataParallel, or, in a process alone, without it
--   plain NET STEPS                 the same without it
--   states                          the bytes of Adam's states on this rank, and of all
--   leave
-- rank.py is PyTorch's side.
local torch = require "torch"
local now = require "bench_clock"
local nets = dofile "bench/distributed/nets.lua"
local dist = torch.distributed
local rank, size = tonumber(os.getenv "RANK") or 0, tonumber(os.getenv "WORLD_SIZE") or 1
local ranked = os.getenv "WORLD_SIZE" ~= nil

local function seconds_of(run, repeats)
  run()   -- the ranks do not read a command at the same moment
  local start = now()
  for _ = 1, repeats do run() end
  return (now() - start) / 1e9 / repeats
end

-- ---- collectives ----

local collectives = {}

function collectives.all_reduce(count)
  local x = torch.zeros(count)
  return function() dist.all_reduce(x) end
end

function collectives.broadcast(count)
  local x = torch.zeros(count)
  return function() dist.broadcast(x, 0) end
end

function collectives.all_gather(count)
  local all, x = torch.zeros(count), torch.zeros(count // size)
  return function() dist.all_gather_into_tensor(all, x) end
end

function collectives.reduce_scatter(count)
  local x, all = torch.zeros(count // size), torch.zeros(count)
  return function() dist.reduce_scatter_tensor(x, all) end
end

function collectives.barrier() return function() dist.barrier() end end

-- ---- training ----

local steps = {}

local function new_step(name, shares)
  torch.manual_seed(0)
  local net = nets[name]()
  local module = shares and torch.nn.parallel.DistributedDataParallel(net.module) or net.module
  local optimizer = net.optimizer(module:parameters())
  return function()
    optimizer:zero_grad()
    net.loss(module(net.x), net.y):backward()
    optimizer:step()
  end
end

local function state_bytes(optimizer)
  local sum = 0
  for _, values in pairs(optimizer:state_dict().state) do
    for _, value in pairs(values) do
      if torch.is_tensor(value) then sum = sum + value:numel() * value:element_size() end
    end
  end
  return sum
end

-- Returns an optimizer after a step of a transformer, whose parameters can be dealt out evenly (an MLP's largest one is most of it).
local function stepped(make)
  local layer = torch.nn.TransformerEncoderLayer(64, 4, {dim_feedforward = 256})
  local module = torch.nn.TransformerEncoder(layer, 4)
  local optimizer = make(module:parameters())
  module(torch.rand(5, 2, 64)):sum():backward()
  optimizer:step()
  return optimizer
end

-- ---- commands ----

local commands = {}

function commands.collective(name, bytes, repeats) return seconds_of(collectives[name](bytes // 4), repeats) end

local function train(name, count, shares)
  local key = name .. tostring(shares)
  if not steps[key] then
    steps[key] = new_step(name, shares)
    for _ = 1, 5 do steps[key]() end
  end
  return seconds_of(steps[key], count)
end

function commands.train(name, count) return train(name, count, ranked) end
function commands.plain(name, count) return train(name, count, false) end

function commands.states()
  local zero = stepped(function(p) return dist.optim.ZeroRedundancyOptimizer(p, {optimizer_class = torch.optim.Adam, lr = 1e-3}) end)
  local adam = stepped(function(p) return torch.optim.Adam(p, {lr = 1e-3}) end)
  return state_bytes(zero.optim) .. "\t" .. state_bytes(adam)
end

local answers = rank == 0 and assert(io.open(os.getenv "ANSWERS", "w"))
local input = assert(io.open(("%s.%d"):format(os.getenv "COMMANDS", rank)))
if ranked then dist.init_process_group(os.getenv "BACKEND") end
for line in input:lines() do
  if line == "leave" then break end
  local words = {}
  for word in line:gmatch "%S+" do words[#words + 1] = math.tointeger(tonumber(word)) or word end
  local answer = commands[words[1]](table.unpack(words, 2))
  if answers then answers:write(answer, "\n"):flush() end
end
if ranked then dist.destroy_process_group() end
