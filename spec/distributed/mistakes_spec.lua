-- mistakes_spec.lua: programs in which ranks make mistakes: each is an error on every rank that names the mistake, within a second of the later
-- call, or of the end of the rank that never came. No program hangs, ends by a signal, or goes on with a wrong number.
local busted = require "busted"
local ranks = require "ranks"

-- Runs BODY on each rank, and prints its error, the seconds that it took, and what an all_reduce gives afterwards.
local program = [[
local torch = require "torch"
local dist = torch.distributed
local ReduceOp, ones = dist.ReduceOp, torch.ones
local rank, size = tonumber(os.getenv "RANK"), tonumber(os.getenv "WORLD_SIZE")
local function init(backend, options)
  options = options or {}
  options.timeout = options.timeout or 8
  dist.init_process_group(backend or "gloo", options)
end
local function list(n, ...)
  local out = {}
  for i = 1, n do out[i] = ones(...) end
  return out
end
BEFORE
local began = torch._clock()
local ok, e = pcall(function()
BODY
end)
print("seconds", torch._clock() - began)
print("error", ok and "none" or e.code, ok and "" or tostring(e))
AFTER
]]

-- What runs before the mistake: all ranks are there, and connected.
local MET = "init(); dist.barrier()"
-- Afterwards the group can be used.
local USABLE = "local x = ones(1); dist.all_reduce(x); print('after', x:item()); dist.destroy_process_group()"

-- A mistake: its name, the number of ranks, the body; on which ranks which words are in the error ("" is no error); then options: before, after,
-- environment, seconds (after which the error is late), dies (ranks that end without a word).
local mistakes = {
  {"shapes differ", 2, "dist.all_reduce(ones(3 + rank))", "Detected mismatch between collectives on ranks.*rank 0: all_reduce.*rank 1: all_reduce"},
  {"dtypes differ", 2, "dist.all_reduce(ones(3):to(rank == 0 and torch.float32 or torch.int64))", "mismatch.*float32.*int64"},
  {"reductions differ", 3, "dist.all_reduce(ones(3), rank == 2 and ReduceOp.MAX or ReduceOp.SUM)", "mismatch.*SUM.*MAX"},
  {"another operation", 2, "if rank == 0 then dist.barrier() else dist.all_reduce(ones(3)) end", "mismatch.*rank 0: barrier.*rank 1: all_reduce"},
  {"roots differ", 2, "dist.broadcast(ones(3), rank)", "mismatch.*root 0.*root 1"},
  {"shapes of a broadcast", 3, "dist.broadcast(ones(rank == 1 and 4 or 3), 0)", "mismatch"},
  {"roots of a reduce", 2, "dist.reduce(ones(3), rank)", "mismatch.*root 0.*root 1"},
  {"shapes of a gather", 2, "dist.all_gather(list(2, 3 + rank), ones(3 + rank))", "mismatch"},
  {"a gather for a reduction", 2, "if rank == 0 then dist.all_gather(list(2, 3), ones(3)) else dist.all_reduce(ones(3)) end", "mismatch"},
  {"roots of a gather", 2, "dist.gather(ones(3), list(2, 3), rank)", "mismatch.*root 0.*root 1"},
  {"roots of a scatter", 2, "dist.scatter(ones(3), list(2, 3), rank)", "mismatch.*root 0.*root 1"},
  {"shapes of a reduce_scatter", 2, "dist.reduce_scatter(ones(2 + rank), list(2, 2 + rank))", "mismatch"},
  {"a mean and a sum", 2, "dist.all_reduce(ones(3), rank == 0 and ReduceOp.AVG or ReduceOp.SUM)", "mismatch.*AVG.*SUM"},
  {"order", 2, "local x, y = ones(2), ones(5); dist.all_reduce(rank == 0 and x or y); dist.all_reduce(rank == 0 and y or x)", "mismatch"},
  {"shapes of the objects' bytes", 2, "dist.broadcast_object_list(rank == 0 and {1, 2} or {}, rank)", "mismatch"},
  {"shapes, later", 2, "dist.all_reduce(ones(3 + rank), {async_op = true}):wait()", "mismatch.*all_reduce"},
  {"one rank leaves an operation out", 2, "if rank == 0 then dist.all_reduce(ones(7)) end; dist.barrier()", {"mismatch", "mismatch"}, {after = ""}},
  {"a rank ends early", 2, "if rank == 0 then dist.barrier() else os.exit(0) end", {"ank 1", ""}, {after = "", dies = {[1] = 0}}},
  {"a rank has an error", 2,
    "if rank == 0 then dist.all_reduce(ones(3)) end; if rank == 1 then error 'no data' end", {"ank 1", "no data"},
    {after = "os.exit(ok and 0 or 1)"}},
  {"a rank exits", 3, "if rank == 1 then os.exit(3) end; dist.all_reduce(ones(3))", {"ank 1", "", "ank 1"}, {after = "", dies = {[1] = 3}}},
  {"a rank is killed", 3,
    "if rank == 2 then os.execute('kill -9 $PPID') end; dist.all_reduce(ones(3))", {"ank 2", "ank 2", ""}, {after = "", dies = {[2] = 137}}},
  {"a rank is killed in the middle", 2, "if rank == 1 then os.execute('(sleep 0.3; kill -9 $PPID) &') end; " ..
    "for i = 1, 1000 do dist.all_reduce(ones(1000000)) end", {"ank 1", ""}, {after = "", dies = {[1] = 137}}},
  {"a group for members only", 2, "if rank == 0 then dist.new_group({0}) end; dist.barrier()", "mismatch", {after = ""}},
  {"another group", 2, "local g = dist.new_group({rank}); dist.all_reduce(ones(2), {group = g})", "mismatch"},
  {"groups in another order", 2, "local a, b = dist.new_group(), dist.new_group(); dist.all_reduce(ones(2), {group = rank == 0 and a or b}); " ..
    "dist.all_reduce(ones(2), {group = rank == 0 and b or a})", "wait for each other.*rank [01] in all_reduce.*rank [01] in all_reduce"},
  {"two sends to each other", 2, "dist.send(ones(3), 1 - rank)", "wait for each other.*rank [01] in send.*rank [01] in send", {after = ""}},
  {"a reduction that is not there", 2, "dist.all_reduce(ones(3), dist.ReduceOp.MEAN)", "no attribute 'MEAN'"},
  {"tags of send and receive", 2, "if rank == 0 then dist.send(ones(3), 1, {tag = 3}) else dist.recv(ones(3), 0) end",
    "wait for each other.*send%(float32 %[3%], to rank 1, tag 3%)", {after = ""}},
  {"ranks that miss a monitored barrier", 4,
    "if rank % 3 == 0 then dist.monitored_barrier {timeout = 0.5, wait_all_ranks = true} else os.execute 'sleep 1' end",
    {"Ranks 1, 2 failed to pass monitoredBarrier in 500 ms", "", "", "Rank 3 successfully reached monitoredBarrier"}, {after = ""}},
  {"receives from anyone on all ranks", 3, "dist.recv(ones(3))", "wait for each other.*recv%(float32 %[3%], from any rank%)", {after = ""}},
  {"a send and a barrier", 2, "if rank == 0 then dist.send(ones(3), 1) else dist.barrier() end", "wait for each other.*rank [01] in", {after = ""}},
  {"a receive that nobody answers", 2, "if rank == 0 then dist.recv(ones(3), 1) end", {"ank 1", ""}, {after = ""}},
  {"lengths of send and receive", 2, "if rank == 0 then dist.send(ones(3), 1) else dist.recv(ones(4), 0) end", {".", "."}, {after = ""}},
  {"dtypes of send and receive", 2, "if rank == 0 then dist.send(ones(4), 1) else dist.recv(ones(2):double(), 0) end", {".", "."}, {after = ""}},
  {"a send to oneself", 2, "dist.send(ones(3), rank)", "destination rank should not be the same"},
  {"a tensor written meanwhile", 2, "local x = ones(2); local w = dist.all_reduce(x, {async_op = true}); x:add_(1); w:wait()", "written"},
  {"a list too short on the root", 2,
    "dist.gather(ones(3), rank == 0 and list(1, 3) or nil, 0)", {"Incorrect output list size 1", "ank 0"}, {after = ""}},
  {"a tensor without data", 2, "dist.all_reduce(torch.ones(2, {device = 'meta'}))", "meta"},
  {"a list of the wrong shape", 2, "dist.all_gather(list(2, 4), ones(3))", "invalid tensor size"},
  {"rows that do not fit", 2, "dist.all_gather_into_tensor(ones(5), ones(3))", "size"},
  {"parts that do not fit", 2, "dist.all_to_all_single(ones(4), ones(4), {2, 2}, {2, 1})", "Split sizes doesn't match total dim 0 size"},
  {"parts that the other does not send", 2, "dist.all_to_all_single(ones(3 - rank), ones(4), {1, 2 - rank}, {2, 2})", "mismatch"},
  {"a number for a tensor", 2, "dist.broadcast(3, 0)", "Expected parameter `tensor` of type torch.Tensor"},
  {"a root outside", 2, "dist.broadcast(ones(3), 2)", "invalid root rank: 2"},
  {"a group that has ended", 2,
    "local g = dist.new_group(); dist.destroy_process_group(g); dist.all_reduce(ones(2), {group = g})", "Invalid process group specified"},
  {"bits of fractions", 2, "dist.all_reduce(ones(2), ReduceOp.BOR)", "Cannot use ReduceOp.BOR with non%-integral dtype"},
  {"a function as an object", 2, "dist.all_gather_object({}, rank == 0 and print or print)", "function"},
  {"init twice", 2, "init()", "trying to initialize the default process group twice!"},
  {"nothing before init", 2, "dist.all_reduce(ones(2))", "has not been initialized", {before = "", after = ""}},
  {"an unknown backend", 2, "init 'foo'", "foo", {before = "", after = ""}},
  {"a world size that differs", 2,
    "init()", "WORLD_SIZE", {before = "", after = "", environment = function(rank) return {WORLD_SIZE = 2 + rank} end}},
  {"the same rank twice", 2, "init()", "ank 0", {before = "", after = "", environment = function() return {RANK = 0} end}},
  {"a rank outside the world", 1, "init()", "rank", {before = "", after = "", environment = function() return {RANK = 5} end}},
  {"a rank that is no number", 1, "init()", "RANK", {before = "", after = "", environment = function() return {RANK = "first"} end}},
  {"no address", 1,
    "init()", "environment variable MASTER_ADDR expected, but not set", {before = "", after = "",
    environment = function() return {MASTER_ADDR = ""} end}},
  {"an address that is none", 1,
    "init()", "no%-such%-host.invalid", {before = "", after = "",
    environment = function() return {MASTER_ADDR = "no-such-host.invalid"} end, seconds = 9}},   -- names may be known later
  {"a port in use", 1,
    "dist.TCPStore('127.0.0.1', tonumber(os.getenv 'MASTER_PORT'), {is_master = true, wait_for_workers = false})", "in use", {before = "",
    after = ""}},
}

busted.describe("ranks' mistakes:", function()
  for _, mistake in ipairs(mistakes) do
    local name, size, body, words, options = table.unpack(mistake)
    options = options or {}
    local it = options.pending and busted.pending or busted.it
    it(options.pending and name .. ": " .. options.pending or name, function()
      local parts = {BEFORE = options.before or MET, BODY = body, AFTER = options.after or USABLE}
      local text = program:gsub("%u%u%u%u+", parts)
      for i, ended in ipairs(ranks.run(text, size, {environment = options.environment})) do
        local expected = type(words) == "table" and words[i] or words
        local dead = options.dies and options.dies[i - 1]
        local all = ("rank %d: %s\n%s"):format(i - 1, ended.output, ended.errors)
        if dead then
          assert.equal(dead, ended.status, all)
        elseif expected == "" then
          assert.is_truthy(ended.output:find "error\tnone", all)
        else
          assert.is_truthy(ended.output:find "error\t%a+\t", all)
          assert.is_truthy(ended.output:find(expected), "expected " .. expected .. "; " .. all)
          assert.is_true(tonumber(ended.output:match "seconds\t(%S+)") < (options.seconds or 1.2), all)
          if not options.after then assert.is_truthy(ended.output:find("after\t" .. size, 1, true), all) end
        end
      end
    end)
  end
end)
