-- nccl_spec.lua: the backend nccl on simulated GPUs, one for each rank. Their NCCL is cuda/simulator/nccl.cpp.
local busted = require "busted"
local gpu_ranks = require "gpu_ranks"
local lfs = require "lfs"
local hosts = require "hosts"
local ranks = require "ranks"

local BEGINNING, environment, start, run = gpu_ranks.BEGINNING, gpu_ranks.environment, gpu_ranks.start, gpu_ranks.run

busted.describe("the backend nccl on simulated GPUs", function()
  for size, case in pairs{[1] = {250, "float32"}, [2] = {1500, "bfloat16 bool"}, [4] = {1900, "float16 int64", 2}} do
    busted.it(("has the model's answers on %d ranks"):format(size), function()
      local program = "spec/distributed/collectives_program.lua"
      local options = {seconds = 60, environment = environment{SPEC_BACKEND = "nccl", SPEC_DTYPES = case[2], TORCH_NCCL_RANKS_PER_ROOT = case[3]}}
      for _, ended in ipairs(ranks.run(program, size, options)) do
        assert.equal(0, ended.status, ended.errors)
        local tried, wrong = ended.output:match "(%d+) tried, (%d+) wrong\n$"
        assert.equal("0", wrong, ended.output)
        assert.is_true(tonumber(tried) >= case[1], "only " .. tried .. " cases")
      end
    end)
  end

  busted.it("orders operations after the work of the tensors' stream, and what follows after them", function()
    for _, output in ipairs(run(2, [[
dist.init_process_group("nccl", {timeout = 10})
local tensors, works = {}, {}
for i = 1, 8 do
  tensors[i] = torch.zeros({1000}, {device = "cuda"}):add_(rank + i)   -- a kernel that has not run yet
  works[i] = dist.all_reduce(tensors[i], {async_op = true})
end
for _, work in ipairs(works) do work:wait() end
print(tensors[8]:mul(2):max():item(), torch.stack(tensors):sum():item())]])) do
      assert.equal("34.0\t80000.0\n", output)   -- 2 * (8 + 9); 1000 * the sum of 2 * i + 1
    end
  end)

  busted.it("lets the script go on while the GPU waits", function()
    local slow = {TOCHA_SIMULATOR_NCCL_SECONDS = 1.5}
    for _, output in ipairs(run(2, [[
dist.init_process_group("nccl", {timeout = 20})
local x, y = torch.ones({1000}, {device = "cuda"}), torch.ones({1000}, {device = "cuda"})
dist.all_reduce(x)                                       -- opens the channel
local work = dist.all_reduce(y, {async_op = true})
dist.all_reduce(x)
work:wait()
print(work:is_completed())
local z = x + y
print(work:is_completed(), z:sum():item(), work:is_completed())
local strided = torch.ones({4, 4}, {device = "cuda"}):t():narrow(0, 0, 2)
dist.broadcast(strided:mul_(rank + 1), 1)
print(strided:sum():item())
dist.barrier()]], slow)) do
      assert.equal("false\nfalse\t6000.0\ttrue\n16.0\n", output)
    end
    for _, output in ipairs(run(2, [[
dist.init_process_group("nccl", {timeout = 20})
local x = torch.ones({1000}, {device = "cuda"})
local work = dist.all_reduce(x, {async_op = true})
work:wait()
print(work:is_completed(), x:sum():item())]], {TOCHA_SIMULATOR_NCCL_SECONDS = 0.3, TORCH_NCCL_BLOCKING_WAIT = 1})) do
      assert.equal("true\t2000.0\n", output)
    end
  end)

  busted.it("makes the next wait for the GPU fail if what the script went on with did", function()
    local never, text = {TOCHA_SIMULATOR_NCCL_SECONDS = 1000}, [[
dist.init_process_group("nccl", {timeout = 1.5})
local x = torch.ones({1000}, {device = "cuda"})
dist.all_reduce(x)
if rank == 1 and %s then os.execute "sleep 0.3; kill -9 $PPID" end
local ok, why = pcall(function() return x:sum():item() end)
print(ok, why)
print(torch.ones({3}, {device = "cuda"}):add(1):sum():item())
print(pcall(dist.all_reduce, x))]]
    local ended = start(2, text:format "false", never)
    for rank = 0, 1 do
      local lines = ("false\t[Rank %d] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1, OpType=ALLREDUCE, NumelIn=1000, " ..
        "NumelOut=1000, Timeout(ms)=1500) ran for "):format(rank)
      local output = ended[rank + 1].output
      assert.truthy(output:find(lines, 1, true) == 1, output .. ended[rank + 1].errors)
      assert.truthy(output:find("\n6.0\nfalse\t[Rank", 1, true), output)
    end
    ended = start(2, text:format "true", never)
    assert.truthy(ended[1].output:find "^false\tRank 1 %(process %d+ on [^)]*%) has died", ended[1].output .. ended[1].errors)
    assert.truthy(ended[1].output:find("\n6.0\nfalse\tRank 1", 1, true), ended[1].output)
  end)

  busted.it("sends in a ring, in both directions at once", function()
    for rank, output in ipairs(run(4, [[
dist.init_process_group("nccl", {timeout = 10})
local left, right = (rank - 1) % size, (rank + 1) % size
local function new(value) return torch.full({100000}, value, {device = "cuda"}) end
for _ = 1, 5 do
  local from_left, from_right = new(-1.0), new(-1.0)
  for _, work in ipairs(dist.batch_isend_irecv{dist.P2POp(dist.isend, new(rank + 0.5), right),
    dist.P2POp(dist.isend, new(rank + 0.25), left), dist.P2POp(dist.irecv, from_left, left),
    dist.P2POp(dist.irecv, from_right, right)}) do work:wait() end
  assert(from_left:eq(left + 0.5):all():item() and from_right:eq(right + 0.25):all():item())
end
print(left, right)]])) do
      assert.equal(("%d\t%d\n"):format((rank - 2) % 4, rank % 4), output)
    end
  end)

  busted.it("trains under DistributedDataParallel as one process does on the CPU over the whole batch", function()
    local outputs = run(2, [[
dist.init_process_group("cpu:gloo,cuda:nccl", {timeout = 10})
local function train(device, options)
  torch.manual_seed(3)
  local model = nn.Sequential(nn.Linear(20, 30), nn.Tanh(), nn.Linear(30, 20), nn.Tanh(), nn.Linear(20, 4)):to(device)
  local net = options and nn.parallel.DistributedDataParallel(model, options) or model
  local optim = torch.optim.SGD(net:parameters(), {lr = 0.1, momentum = 0.9})
  torch.manual_seed(4)
  for _ = 1, 20 do
    local x, y = torch.randn(8, 20), torch.randint(0, 4, {8})
    if options then x, y = x:narrow(0, rank * 4, 4), y:narrow(0, rank * 4, 4) end
    optim:zero_grad()
    F.cross_entropy(net(x:to(device)), y:to(device)):backward()
    optim:step()
  end
  return nn.utils.parameters_to_vector(model:parameters()):detach():cpu()
end
local expected = train "cpu"
for _, options in ipairs{{device_ids = {rank}}, {gradient_as_bucket_view = true, bucket_cap_mb = 0.001}} do
  local got = train("cuda", options)
  local difference = ((got - expected):abs():max() / expected:abs():max()):item()
  print(difference < 1e-6 and "equal" or difference)
end
local sum = train("cuda", {device_ids = {rank}}):sum():cuda()
local sums = {torch.zeros_like(sum), torch.zeros_like(sum)}
dist.all_gather(sums, sum)
print(sums[1]:item() == sums[2]:item())]])
    for _, output in ipairs(outputs) do assert.equal("equal\nequal\ntrue\n", output) end
  end)

  busted.it("names a rank that was killed, and the GPU goes on", function()
    local ended, seconds = start(3, [[
dist.init_process_group("nccl", {timeout = 20})
local x = torch.ones({1000}, {device = "cuda"})
for i = 1, 10 do dist.all_reduce(x) end
if rank == 1 then
  dist.all_reduce(x, {async_op = true})
  os.execute "kill -9 $PPID"
end
local ok, why = pcall(function() for i = 1, 10 do dist.all_reduce(x) end end)
print(ok, why)
print(torch.ones({3}, {device = "cuda"}):add(1):sum():item())]])
    for _, r in ipairs{1, 3} do
      assert.truthy(ended[r].output:find "^false\tRank 1 %(process %d+ on [^)]*%) has died\n", ended[r].output .. ended[r].errors)
      assert.truthy(ended[r].output:find "\n6.0\n$", ended[r].output)
    end
    assert.is_true(seconds < 10)
  end)

  busted.it("gives up at the deadline when a rank's process stands still, and aborts the communicator", function()
    local ended, seconds = start(2, [[
dist.init_process_group("nccl", {timeout = 2})
local x = torch.ones({1000}, {device = "cuda"})
dist.all_reduce(x)
if rank == 1 then
  local pid = io.open("/proc/self/stat"):read "n"
  os.execute("(sleep 4; kill -9 " .. pid .. ") >/dev/null 2>&1 & kill -STOP " .. pid)
end
local ok, why = pcall(dist.all_reduce, x)
print(ok, why)
print(torch.ones({3}, {device = "cuda"}):add(1):sum():item())]])
    assert.truthy(ended[1].output:find "^false\t", ended[1].output .. ended[1].errors)
    assert.truthy(ended[1].output:find "\n6.0\n$", ended[1].output .. ended[1].errors)
    assert.is_true(seconds < 15)
  end)

  busted.it("checks between hosts without another backend", function()
    local may, reason = hosts.available()
    if not may then busted.pending(reason) end
    local net <close> = hosts.open(2)
    local path = os.tmpname()
    local file <close> = assert(io.open(path, "w"))
    file:write(BEGINNING, [[
dist.init_process_group("nccl", {timeout = 15})
local x = torch.full({1000}, rank + 1.0, {device = "cuda"})
dist.all_reduce(x)
print(x:sum():item())
print(pcall(dist.all_reduce, torch.ones({rank + 2}, {device = "cuda"})))
local parts = torch.zeros({4}, {device = "cuda"})
print(pcall(dist.all_to_all_single, parts, torch.ones({4}, {device = "cuda"}), {1 + rank, 3 - rank}, {2, 2}))
if rank == 0 then dist.send(x, 1) else dist.recv(x:zero_(), 0) end
print(x:sum():item())
dist.destroy_process_group()
]])
    file:close()
    for host = 1, 2 do
      net:start(host, "rank" .. host, ("cd %s && env OMP_NUM_THREADS=1 TOCHA_CUDA=simulate TOCHA_SIMULATED_GPUS=2 RANK=%d WORLD_SIZE=2 " ..
        "MASTER_ADDR=%s MASTER_PORT=29500 timeout 50 %s %s"):format(lfs.currentdir(), host - 1, hosts.address(1), os.getenv "TOCHA" or "build/tocha", path))
    end
    for host = 1, 2 do
      local ended, output = net:await("rank" .. host, 50)
      assert.equal(0, ended and ended.status, output or ended.errors)
      assert.truthy(ended.output:find("^3000.0\nfalse\tDetected mismatch between collectives on ranks. Rank 0 is running .*TensorShape=%[2%].*" ..
        "\n  rank 1 %(host2%): all_reduce%(float32 %[3%] on cuda, SUM%).*\nfalse\tDetected mismatch.*sends another number.*\n3000.0\n$"), ended.output)
    end
    os.remove(path)
  end)

  busted.it("opens its communicator at once for a device_id, and multiplies before it adds", function()
    for _, output in ipairs(run(2, [[
dist.init_process_group("nccl", {timeout = 10, device_id = rank})
local x = torch.full({3}, rank + 1.0, {device = "cuda"})
dist.all_reduce(x, dist._make_nccl_premul_sum(0.5))
print(x:sum():item())
dist.all_reduce(x, dist._make_nccl_premul_sum(torch.tensor(2.0 * rank)))
print(x:sum():item())
print(select(2, pcall(dist.all_reduce, torch.zeros({3}, {device = "cuda"}):to(torch.float8_e4m3fn))))]])) do
      assert.truthy(output:find "^4.5\n9.0\nUnsupported Float8 type for NCCL reduction", output)
    end
    for _, ended in ipairs(start(2, [[dist.init_process_group("nccl", {timeout = 5, device_id = 0}) dist.barrier()]])) do
      assert.truthy(ended.errors:find "Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 0", ended.errors)
    end
  end)

  busted.it("refuses two ranks on one GPU, and two GPUs of a rank", function()
    for _, ended in ipairs(start(2, [[
torch.cuda.set_device(0)
dist.init_process_group("nccl", {timeout = 5})
dist.all_reduce(torch.ones({3}, {device = "cuda"}))]])) do
      assert.equal(1, ended.status)
      assert.truthy(ended.errors:find "Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 0", ended.errors)
    end
    for _, ended in ipairs(start(2, [[
dist.init_process_group("nccl", {timeout = 5})
dist.all_reduce(torch.ones({3}, {device = "cuda"}))
dist.all_reduce(torch.ones({3}, {device = "cuda:" .. (rank + 1)}))]])) do
      assert.equal(1, ended.status)
      assert.truthy(ended.errors:find "Tensor found on device cuda:%d but backend constrained to cuda:%d", ended.errors)
    end
  end)

  busted.it("refuses what NCCL has not", function()
    for _, output in ipairs(run(2, [[
dist.init_process_group("nccl", {timeout = 5})
print(select(2, pcall(dist.all_reduce, torch.ones({3}, {device = "cuda", dtype = torch.int64}), dist.ReduceOp.BAND)))
print(select(2, pcall(dist.all_reduce, torch.ones({3}))))
print(dist.is_nccl_available())]])) do
      assert.truthy(output:find "^Cannot use ReduceOp.BAND with N", output)
      assert.truthy(output:find "\nNo backend type associated with device type cpu", output)
      assert.truthy(output:find "\ntrue\n", output)
    end
  end)
end)
