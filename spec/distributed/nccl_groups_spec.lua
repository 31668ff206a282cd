-- nccl_groups_spec.lua: what nccl begins as one, and how it divides a group, on simulated GPUs.
local busted = require "busted"
local gpu_ranks = require "gpu_ranks"

local start, run = gpu_ranks.start, gpu_ranks.run

-- Expects that the output of each rank has all of the patterns.
local function expect_all(ended, patterns)
  for i, pattern in ipairs(patterns) do
    for rank, one in ipairs(ended) do
      local text = type(one) == "table" and one.output .. one.errors or one
      assert.truthy(text:find(pattern), ("pattern %d, rank %d: %s"):format(i, rank - 1, text))
    end
  end
end

busted.describe("a batch of sends and receives", function()
  busted.it("is one operation, in whatever order its members are", function()
    for _, output in ipairs(run(4, [[
dist.init_process_group("nccl", {timeout = 10})
local left, right = (rank - 1) % size, (rank + 1) % size
local function full(value) return torch.full({3, 1000}, value, {device = "cuda"}) end
for turn = 1, 12 do
  local from_left, from_right = full(-1.0), full(-1.0):t()
  local ops = {dist.P2POp(dist.isend, full(rank + 0.5), right), dist.P2POp(dist.irecv, from_left, left),
    dist.P2POp(dist.isend, full(rank + 0.25):t(), left), dist.P2POp(dist.irecv, from_right, right)}
  for i = 1, (turn + rank) % 4 do table.insert(ops, 1, table.remove(ops)) end
  local works = dist.batch_isend_irecv(ops)
  assert(#works == 1, #works)
  works[1]:wait()
  assert(from_left:eq(left + 0.5):all():item() and from_right:eq(right + 0.25):all():item(), turn)
end
print "all"]])) do assert.equal("all\n", output) end
  end)

  busted.it("lets a member move before the others can", function()
    for _, output in ipairs(run(3, [[
dist.init_process_group("nccl", {timeout = 10})
local x = torch.full({5}, rank + 1.0, {device = "cuda"})
local function batch(...) return dist.batch_isend_irecv{...}[1] end
if rank == 0 then
  local y = torch.zeros_like(x)
  batch(dist.P2POp(dist.irecv, y, 2), dist.P2POp(dist.isend, x, 1)):wait()   -- 2 answers what 1 has sent on
  print(y:sum():item())
elseif rank == 1 then
  local y = torch.zeros_like(x)
  batch(dist.P2POp(dist.irecv, y, 0)):wait()
  batch(dist.P2POp(dist.isend, y + x, 2)):wait()
  print(y:sum():item())
else
  local y = torch.zeros_like(x)
  batch(dist.P2POp(dist.irecv, y, 1)):wait()
  print(y:sum():item())
  batch(dist.P2POp(dist.isend, y * x, 0)):wait()
end
dist.barrier()]])) do assert.truthy(output == "45.0\n" or output == "5.0\n" or output == "15.0\n", output) end
  end)

  busted.it("keeps the order of several between two ranks, apart from single ones", function()
    for _, output in ipairs(run(2, [[
dist.init_process_group("nccl", {timeout = 10})
local function full(value) return torch.full({4}, value + 0.0, {device = "cuda"}) end
local got, ops, single = {}, {}, full(-1)
local one = rank == 0 and dist.isend(full(50), 1, {tag = 3})
for i = 1, 20 do
  got[i] = full(-1)
  ops[i] = rank == 0 and dist.P2POp(dist.isend, full(i), 1) or dist.P2POp(dist.irecv, got[i], 0)
end
local work = dist.batch_isend_irecv(ops)[1]
local sum = full(1)
dist.all_reduce(sum)
if rank == 1 then dist.recv(single, 0, {tag = 3}) else one:wait() end
work:wait()
local texts = {}
for i, t in ipairs(got) do texts[i] = ("%g"):format(t:mean():item()) end
print(rank == 0 and "sent" or table.concat(texts, " "), single:sum():item(), sum:sum():item())]])) do
      assert.truthy(output == "sent\t-4.0\t8.0\n" or output == "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20\t200.0\t8.0\n", output)
    end
  end)

  busted.it("ends the group with the difference if two ranks do not fit", function()
    local text = [[
dist.init_process_group("nccl", {timeout = 10})
local x = torch.ones({8}, {device = "cuda"})
dist.all_reduce(x)
local y = torch.zeros({rank == 1 and %s or 8}, {device = "cuda"})
print(pcall(function()
  dist.batch_isend_irecv{dist.P2POp(dist.isend, x, (rank + 1) %% size), dist.P2POp(dist.irecv, y, (rank - 1) %% size, {tag = %s})}[1]:wait()
  y:sum():item()
end))
print(select(2, pcall(dist.all_reduce, x)))
print(torch.ones({3}, {device = "cuda"}):add(1):sum():item())]]
    local ended, seconds = start(3, text:format("6", "0"))
    local words = "Detected mismatch between send and recv%. Rank 0 sends 8 elements of torch%.float32, but Rank 1 receives 6 of torch%.float32%."
    expect_all({ended[1], ended[2]}, {"^false\t" .. words})   -- rank 2 may have had its numbers already
    expect_all(ended, {"\n.*" .. words .. ".*\n6%.0\n$"})
    assert.is_true(seconds < 9)
    expect_all(start(2, text:format("8", "1 - rank")), {"^false\tDetected mismatch between send and recv%. Rank %d sends 8 elements of " ..
      "torch%.float32 with tag 0, but Rank %d receives 8 of torch%.float32 with tag 1%."})
  end)

  busted.it("is for batches alone, and a circle of waits is found", function()
    local ended, seconds = start(2, [[
dist.init_process_group("nccl", {timeout = 20})
local x = torch.ones({8}, {device = "cuda"})
dist.all_reduce(x)
print(pcall(function()
  if rank == 0 then
    dist.batch_isend_irecv{dist.P2POp(dist.isend, x, 1)}[1]:wait()
  else
    dist.recv(x, 0)
  end
end))]])
    expect_all(ended, {"^false\tRanks wait for each other, and none can go on:.*batch_isend_irecv%(float32 %[8%] on cuda%)",
      "recv%(float32 %[8%] on cuda, from rank 0%)"})
    assert.is_true(seconds < 10)
  end)

  busted.it("names a rank that has died, or left, before it came", function()
    local text = [[
dist.init_process_group("nccl", {timeout = 20})
local x, y = torch.ones({8}, {device = "cuda"}), torch.ones({8}, {device = "cuda"})
dist.all_reduce(x)
if rank == 1 then %s end
print(pcall(function()
  dist.batch_isend_irecv{dist.P2POp(dist.isend, x, 1), dist.P2POp(dist.irecv, y, 1)}[1]:wait()
  y:sum():item()
end))
print(torch.ones({3}, {device = "cuda"}):add(1):sum():item())]]
    local ended = start(2, text:format 'os.execute "sleep 0.3; kill -9 $PPID"')
    assert.truthy(ended[1].output:find "^false\tRank 1 %(process %d+ on [^)]*%) has died", ended[1].output .. ended[1].errors)
    assert.truthy(ended[1].output:find "\n6.0\n$", ended[1].output)
    ended = start(2, text:format "dist.destroy_process_group() os.exit(0)")
    assert.truthy(ended[1].output:find "^false\tRank 1 has left the group", ended[1].output .. ended[1].errors)
    assert.truthy(ended[1].output:find "\n6.0\n$", ended[1].output)
  end)
end)

busted.describe("all_to_all_single of even parts", function()
  busted.it("has the same answer if some ranks give the sizes", function()
    for rank, output in ipairs(run(3, [[
dist.init_process_group("nccl", {timeout = 10})
for _, n in ipairs{0, 1, 3, 5} do
  for given = 0, 7 do   -- a bit for each rank that gives its sizes
    local x = torch.arange(2 * size * n, {device = "cuda"}):view(size * n, 2):add(100 * rank)
    local y = torch.full({size * n, 2}, -1, {device = "cuda", dtype = x.dtype})
    local sizes = given >> rank & 1 == 1 and {n, n, n} or nil
    dist.all_to_all_single(y, x, sizes, rank % 2 == 0 and sizes or nil)
    local parts = {}
    for from = 0, size - 1 do parts[from + 1] = torch.arange(2 * rank * n, 2 * (rank + 1) * n):view(n, 2):add(100 * from) end
    assert(torch.cat(parts):equal(y:cpu()), n .. " " .. given)
  end
end
print(rank)
print(select(2, pcall(dist.all_to_all_single, torch.zeros({3 + 3 * rank}, {device = "cuda"}), torch.zeros({3}, {device = "cuda"}))))
local x = torch.ones({3}, {device = "cuda"})
dist.all_reduce(x)
print(x:sum():item())]])) do
      local words = "^%d\nDetected mismatch between collectives on ranks%%. Rank 0 sends 1 elements to Rank 1, which expects 2%%..*\n9%%.0\n$"
      assert.truthy(output:find(words:format(rank - 1)), output)
    end
  end)
end)

busted.describe("a block of _coalescing_manager on nccl", function()
  busted.it("has the answers of its operations", function()
    for rank, output in ipairs(run(4, [[
dist.init_process_group("nccl", {timeout = 10})
local function new(n, value) return torch.full({n}, value + 0.0, {device = "cuda"}) end
local xs, sums = {}, {}
do
  local _ <close> = dist._coalescing_manager()
  for i = 1, 5 do
    xs[i] = new(10 * i, rank + i)
    assert(dist.all_reduce(xs[i]) == nil)
  end
  local strided = torch.ones({4, 6}, {device = "cuda"}):t():narrow(0, 0, 3)
  xs[6] = strided
  local illegal = dist.all_reduce(strided, {async_op = true})
  assert(tostring(select(2, pcall(illegal.wait, illegal))):find "Illegal to call wait on IllegalWork object")
  assert(xs[1]:max():item() == rank + 1)   -- nothing has moved yet
end
for i, x in ipairs(xs) do sums[i] = ("%g"):format(x:mean():item()) end
print(table.concat(sums, " "))
local cm = dist._coalescing_manager{async_ops = true}
local whole, more = new(4, -1), new(8, -1)
do
  local _ <close> = cm
  dist.all_gather_into_tensor(whole, new(1, rank))
  dist.all_gather_into_tensor(more, new(2, 10 * rank))
end
print(#cm.works)
cm:wait()
print(whole:cpu(), more:cpu())
local a, b = new(1, 0), new(2, 0)
do
  local _ <close> = dist._coalescing_manager{device = "cuda"}
  dist.reduce_scatter_tensor(a, torch.arange(4.0, {device = "cuda"}), dist.ReduceOp.MAX)
  dist.reduce_scatter_tensor(b, torch.arange(8.0, {device = "cuda"}) + rank, dist.ReduceOp.MAX)
end
print(a:cpu(), b:cpu())
local ys = {new(3, rank), new(4, 2 * rank)}
dist.all_reduce_coalesced(ys, dist.ReduceOp.MAX)
print(ys[1]:sum():item(), ys[2]:sum():item())
do local _ <close> = dist._coalescing_manager() end
print(pcall(function()
  local _ <close> = dist._coalescing_manager()
  dist.all_reduce(new(1, 1))
  dist.all_gather_into_tensor(new(4, 1), new(1, 1))
end))
print(pcall(function()
  local _ <close> = dist._coalescing_manager()
  dist.all_reduce(new(1, 1))
  dist.all_reduce(new(1, 1), dist.ReduceOp.MAX)
end))
print(pcall(function()
  local _ <close> = dist._coalescing_manager()
  dist.all_reduce(new(1, 1))
  dist.all_reduce(torch.ones({2}, {device = "cuda", dtype = torch.complex64}))
end))
dist.barrier()]])) do
      assert.equal(([[
10 14 18 22 26 4
1
tensor([0., 1., 2., 3.])	tensor([ 0.,  0., 10., 10., 20., 20., 30., 30.])
tensor([%d.])	tensor([%s])
9.0	24.0
]]):format(rank - 1, ({"3., 4.", "5., 6.", "7., 8.", " 9., 10."})[rank]), output:match "^(.-)false")
      assert.truthy(output:find("Coalescing manager requires all collectives to be the same type, but got mixed types: {'all_reduce', 'all_gather_single'}",
        1, true), output)
      assert.truthy(output:find "have the same reduction", output)
    end
  end)

  busted.it("is compared between ranks as a whole", function()
    expect_all(run(2, [[
dist.init_process_group("nccl", {timeout = 10})
local function new(n) return torch.ones({n}, {device = "cuda"}) end
local function try(...)
  local sizes = {...}
  return select(2, pcall(function()
    local _ <close> = dist._coalescing_manager()
    for _, n in ipairs(sizes) do dist.all_reduce(new(n)) end
  end))
end
print(rank == 0 and try(3, 4, 5) or try(3, 4))
print(rank == 0 and try(3, 4) or try(4, 3))
print(select(2, pcall(function() return rank == 0 and try(7) or dist.all_reduce(new(7)) end)))
local x = new(3)
dist.all_reduce(x)
print(x:sum():item())]]), {"rank 0: all_reduce_coalesced%(float32 %[3, 4, 5%] on cuda, SUM%).*\n  rank 1: all_reduce_coalesced%(float32 %[3, 4%] on cuda",
      "rank 1: all_reduce_coalesced%(float32 %[4, 3%] on cuda, SUM%)", "\n6%.0\n$"})
  end)
end)

busted.describe("split_group on nccl", function()
  busted.it("divides the parent's connections, in the order that the parts say", function()
    for rank, output in ipairs(run(4, [[
dist.init_process_group("nccl", {timeout = 10, device_id = rank})
local function sum(group)
  local x = torch.full({3}, rank + 1.0, {device = "cuda"})
  dist.all_reduce(x, {group = group})
  return x[0]:item()
end
local half = dist.split_group({split_ranks = {{1, 0}, {2, 3}}})
print(dist.get_rank(half), half:size(), sum(half), half.group_desc)
local x = torch.zeros({1}, {device = "cuda"}):add(rank)
dist.broadcast(x, {group = half, group_src = 0})
print(x:item(), sum())
local three = dist.split_group({split_ranks = {{3, 1, 0}}})
local is_in = three ~= dist.GroupMember.NON_GROUP_MEMBER
print(dist.get_rank(three), is_in and sum(three))
if is_in then
  local inner = dist.split_group(three, {{2}, {0, 1}})
  print(dist.get_rank(inner), sum(inner), inner.group_desc)
  if rank > 0 then
    local other = torch.zeros({4}, {device = "cuda"})
    dist.batch_isend_irecv{dist.P2POp(dist.isend, other + rank, 4 - rank, inner), dist.P2POp(dist.irecv, other, 4 - rank, inner)}[1]:wait()
    print(other:sum():item())
  end
  dist.destroy_process_group(inner)
  print(sum(three))
end
dist.destroy_process_group(half)
print(sum())]])) do
      assert.equal(({[[
1	2	3.0	default_pg:split:0
1.0	10.0
2	7.0
0	1.0	default_pg:split:1:split:0
7.0
10.0
]], [[
0	2	3.0	default_pg:split:0
1.0	10.0
1	7.0
1	6.0	default_pg:split:1:split:0
12.0
7.0
10.0
]], [[
0	2	7.0	default_pg:split:0
2.0	10.0
-1	false
10.0
]], [[
1	2	7.0	default_pg:split:0
2.0	10.0
0	7.0
0	6.0	default_pg:split:1:split:0
4.0
7.0
10.0
]]})[rank], output)
    end
  end)

  busted.it("waits for what the parent runs, and refuses different plans", function()
    expect_all(run(2, [[
dist.init_process_group("nccl", {timeout = 10})
local x, y = torch.ones({1000}, {device = "cuda"}), torch.ones({1000}, {device = "cuda"})
dist.all_reduce(x, {async_op = true})
local both = dist.split_group({split_ranks = {{0, 1}}})
dist.all_reduce(y, {group = both})
print(x:sum():item(), y:sum():item())
print(select(2, pcall(dist.split_group, {split_ranks = rank == 0 and {{0}, {1}} or {{1}, {0}}})))
dist.all_reduce(y)
print(y:sum():item())]], {TOCHA_SIMULATOR_NCCL_SECONDS = 0.3}), {"^2000%.0\t2000%.0\n", "Detected mismatch between collectives on ranks.*split_group%(1, 1%)",
      "\n4000%.0\n$"})
  end)

  busted.it("ends when a rank dies meanwhile", function()
    local ended, seconds = start(3, [[
dist.init_process_group("nccl", {timeout = 20})
local x = torch.ones({10}, {device = "cuda"})
dist.all_reduce(x)
if rank == 1 then os.execute "sleep 0.3; kill -9 $PPID" end
print(select(2, pcall(dist.split_group, {split_ranks = {{0, 1, 2}}})))
print(torch.ones({3}, {device = "cuda"}):add(1):sum():item())]])
    for _, r in ipairs{1, 3} do
      assert.truthy(ended[r].output:find "^Rank 1 %(process %d+ on [^)]*%) has died", ended[r].output .. ended[r].errors)
      assert.truthy(ended[r].output:find "\n6.0\n$", ended[r].output)
    end
    assert.is_true(seconds < 10)
  end)
end)

busted.describe("shrink_group on nccl", function()
  busted.it("lets those that are left go on, with new ranks", function()
    local ended, seconds = start(4, [[
dist.init_process_group("nccl", {timeout = 20})
local x = torch.ones({10}, {device = "cuda"})
local upper = dist.new_group()
dist.all_reduce(x)
if rank == 1 then os.execute "sleep 0.3; kill -9 $PPID" end
print((tostring(select(2, pcall(dist.all_reduce, x))):match "^Rank 1"))
local left = dist.shrink_group({1}, {shrink_flags = dist.SHRINK_ABORT})
print(dist.get_rank(), dist.get_world_size(), left == dist.group.WORLD, left.group_desc, dist.get_rank(left))
local y = torch.full({4}, rank + 1.0, {device = "cuda"})
dist.all_reduce(y)
local objects = {}
dist.all_gather_object(objects, rank)
print(y:sum():item(), table.concat(objects, " "))
print((tostring(select(2, pcall(dist.all_reduce, y, {group = upper}))):match "^[^\n]*"))
local pair = dist.new_group{1, 2}
if dist.get_rank() > 0 then
  local z = torch.full({2}, rank, {device = "cuda"})
  dist.broadcast(z, 2, pair)
  print(z:sum():item(), dist.get_rank(pair), dist.get_global_rank(pair, 0))
end
if dist.get_rank() == 0 then
  print((tostring(select(2, pcall(dist.shrink_group, {0}))):match "^[^\n]*"))
else
  dist.shrink_group{0}
  local z = torch.full({2}, rank, {device = "cuda"})
  dist.all_reduce(z)
  print(dist.get_rank(), dist.get_world_size(), z:sum():item())
end
dist.destroy_process_group()
print(dist.is_initialized())]])
    for r, expected in pairs{[1] = [[
0	3	true	default:shrunken	0
32.0	0 2 3
Invalid process group specified
Current rank 0 is in the exclusion list and should not call shrink_group%(%)%. Only non%-excluded ranks should participate in the shrinking .-
false
]], [3] = [[
1	3	true	default:shrunken	1
32.0	0 2 3
Invalid process group specified
6	0	1
0	2	10
false
]], [4] = [[
2	3	true	default:shrunken	2
32.0	0 2 3
Invalid process group specified
6	1	1
1	2	10
false
]]} do
      assert.truthy(ended[r].output:find("^Rank 1\n" .. expected .. "$"), ended[r].output .. ended[r].errors)
    end
    assert.truthy(ended[3].errors:find("Shrinking default group will destroy 1 other process groups", 1, true), ended[3].errors)
    assert.is_true(seconds < 20)
  end)

  busted.it("replaces a group by a smaller one, and refuses what is no plan", function()
    for rank, output in ipairs(run(3, [[
dist.init_process_group("nccl", {timeout = 10})
local group = dist.new_group()
local x = torch.ones({10}, {device = "cuda"})
dist.all_reduce(x, {group = group})
local function try(...) print((tostring(select(2, pcall(dist.shrink_group, ...))):match "^[^\n]*")) end
try({3}, group)
try({2, 2}, group)
try({"2"}, group)
try({0, 1, 2}, group)
dist.barrier()
if rank < 2 then
  local name = group.group_name
  dist.all_reduce(x, {group = group, async_op = true})
  local smaller = dist.shrink_group({2}, group)
  dist.all_reduce(x, {group = smaller})
  print(x:sum():item(), smaller:size(), smaller.group_desc == name .. ":shrunk", dist.get_world_size())
else
  dist.all_reduce(x, {group = group})
  dist.destroy_process_group(group)
  print(x:sum():item())
end
dist.barrier()]])) do
      assert.equal([[
Rank 3 at index 0 is out of bounds for group size 3. Valid ranks are in range [0, 2].
Duplicate rank 2 found in ranks_to_exclude at index 1. Each rank can only be excluded once.
All elements in ranks_to_exclude must be integers. Element at index 0 is str: 2
Cannot exclude all 3 ranks from process group. At least one rank must remain. Excluding 3 ranks.
]] .. (rank < 3 and "180.0\t2\ttrue\t3\n" or "90.0\n"), output)
    end
  end)
end)
