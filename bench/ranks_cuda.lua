-- ranks_cuda.lua: the backend nccl on one GPU that all ranks share (bench/on_card ranks): results, times, memory, and the death of the
-- last rank. Prints a line a check: "ok" or "FAILED" and its name; and a line a time: "time", bytes, microseconds.
--   RANK=0 WORLD_SIZE=2 MEETING=file NCCL_MULTI_RANK_GPU_ENABLE=1 tocha bench/ranks_cuda.lua
local torch = require "torch"
local dist, nn = torch.distributed, torch.nn
local rank, size = tonumber(os.getenv "RANK"), tonumber(os.getenv "WORLD_SIZE")
local small = os.getenv "SMALL" == "1"

torch.cuda.set_device(0)
dist.init_process_group("nccl", {init_method = "file://" .. os.getenv "MEETING", rank = rank, world_size = size, timeout = 30, device_id = 0})

local function check(name, fine, more) print(fine and "ok" or "FAILED", ("%s, rank %d of %d%s"):format(name, rank, size, more and ": " .. more or "")) end
local function full(count, value, dtype) return torch.full({count}, value, {dtype = dtype, device = "cuda"}) end
local function is_all(tensor, value) return tensor:eq(value):all():item() end
local ranks_sum = size * (size + 1) // 2

-- --- results ------------------------------------------------------------------------------------------------------------

for _, dtype in ipairs{"float32", "float64", "float16", "bfloat16", "int32", "int64", "uint8"} do
  local x = full(1000, rank + 1, torch[dtype])
  dist.all_reduce(x)
  check("all_reduce of " .. dtype, is_all(x, ranks_sum))
end
for _, case in ipairs{{"AVG", ranks_sum / size}, {"MAX", size}, {"MIN", 1}} do
  local x = full(1001, rank + 1, torch.float32)
  dist.all_reduce(x, dist.ReduceOp[case[1]])
  check("all_reduce by " .. case[1], is_all(x, case[2]))
end
local scaled = full(10, rank + 1, torch.float32)
dist.all_reduce(scaled, dist._make_nccl_premul_sum(0.5))
check("all_reduce by PREMUL_SUM", is_all(scaled, ranks_sum / 2))
local sent = full(999, rank, torch.float32)
dist.broadcast(sent, size - 1)
check("broadcast", is_all(sent, size - 1))
local gathered = torch.zeros({size, 500}, {device = "cuda"})
dist.all_gather_into_tensor(gathered, full(500, rank + 1, torch.float32))
check("all_gather", gathered:sum():item() == 500 * ranks_sum)
local part = full(100, 0, torch.float32)
dist.reduce_scatter_tensor(part, full(100 * size, rank + 1, torch.float32))
check("reduce_scatter", is_all(part, ranks_sum))
local exchanged = full(size, 0, torch.float32)
dist.all_to_all_single(exchanged, full(size, rank + 1, torch.float32))
check("all_to_all", exchanged:sum():item() == ranks_sum)
if size > 1 then
  local from = full(5000, -1, torch.float32)
  for _, work in ipairs(dist.batch_isend_irecv{dist.P2POp(dist.isend, full(5000, rank, torch.float32), (rank + 1) % size),
    dist.P2POp(dist.irecv, from, (rank - 1) % size)}) do work:wait() end
  check("send and recv in a ring", is_all(from, (rank - 1) % size))
end

local net = nn.Sequential(nn.Linear(50, 100), nn.Tanh(), nn.Linear(100, 10)):cuda()
local model = nn.parallel.DistributedDataParallel(net, {device_ids = {0}})
local optimizer = torch.optim.SGD(net:parameters(), {lr = 0.1})
for _ = 1, 5 do
  optimizer:zero_grad()
  model(torch.randn({8, 50}, {device = "cuda"})):pow(2):mean():backward()
  optimizer:step()
end
local parameters = nn.utils.parameters_to_vector(net:parameters()):detach()
local all = torch.zeros({size, parameters:numel()}, {device = "cuda"})
dist.all_gather_into_tensor(all, parameters)
check("DistributedDataParallel is equal on all ranks", is_all(all, all[0]))

-- --- times and memory ---------------------------------------------------------------------------------------------------

for _, bytes in ipairs(small and {4, 65536} or {4, 65536, 1 << 20, 64 << 20}) do
  local x, rounds, best = full(bytes // 4, 1, torch.float32), bytes > 1 << 20 and 10 or 100, math.huge
  for _ = 1, small and 1 or 7 do
    torch.cuda.synchronize()
    local began = torch._clock()
    for _ = 1, rounds do dist.all_reduce(x, dist.ReduceOp.AVG) end
    torch.cuda.synchronize()
    best = math.min(best, (torch._clock() - began) / rounds)
  end
  check(("all_reduce of %d B leaves its values"):format(bytes), is_all(x, 1))
  if rank == 0 then print("time", bytes, ("%.1f"):format(best * 1e6)) end
end
collectgarbage()
local before = torch.cuda.memory_allocated()
for _ = 1, 50 do dist.all_reduce(full(100000, 1, torch.float32)) end
dist.barrier()
collectgarbage()
check("no memory is kept", torch.cuda.memory_allocated() <= before, ("%d B before, %d B after"):format(before, torch.cuda.memory_allocated()))

-- --- a death ------------------------------------------------------------------------------------------------------------

if size > 1 then
  dist.barrier()
  if rank == size - 1 then os.execute "kill -9 $PPID" end
  local began = torch._clock()
  local ok, why = pcall(function()
    for _ = 1, 1000 do dist.all_reduce(full(1000, 1, torch.float32)) end
    torch.cuda.synchronize()
  end)
  local first = tostring(why):match "[^\n]*"
  check("the death of a rank is an error", not ok and first:find("Rank " .. size - 1, 1, true) ~= nil, ("%.2f s, %s"):format(torch._clock() - began, first))
  check("the GPU goes on", full(3, 2, torch.float32):sum():item() == 6)
end
