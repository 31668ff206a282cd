-- groups_spec.lua: groups that their members alone make.
local ranks = require "ranks"

-- Runs a script on three ranks, and returns how they ended.
local function run(text) return ranks.run(text, 3, {seconds = 60}) end

describe("torch.distributed's groups of members alone", function()
  it("are parts of a group that is not the whole world", function()
    local ended = run [[
local dist = torch.distributed
dist.init_process_group "gloo"
local rank = dist.get_rank()
local upper = dist.new_group{1, 2}
if rank > 0 then
  local part = dist.split_group(upper, {{1}, {0}})
  print(part:rank(), part:size(), dist.get_global_rank(part, 0))
  local whole = dist.split_group(upper, {{0, 1}})
  local x = torch.tensor{rank}
  dist.all_reduce(x, {group = whole})
  print(x:item(), dist.split_group(upper, {{1 - dist.get_rank(upper)}}))
  print(pcall(dist.split_group, upper, {{0, 5}}))
else
  print(pcall(dist.split_group, upper, {{0}}))
end
dist.destroy_process_group()]]
    local function first_lines(rank) return (ended[rank + 1].output:gsub("\nat [^\n]*", ""):gsub("\nhint[^\n]*", "")) end
    assert.are.same({0, 0, 0}, {ended[1].status, ended[2].status, ended[3].status}, ended[2].errors)
    assert.truthy(first_lines(0):find("Global rank 0 is not part of the parent group -100", 1, true), first_lines(0))
    for rank = 1, 2 do
      assert.truthy(first_lines(rank):find(("0\t1\t%d\n3\t-100\nfalse\tGroup rank 5 is not part of group"):format(rank), 1, true), first_lines(rank))
    end
  end)

  it("go on after the death of another rank", function()
    local ended = run [[
local dist = torch.distributed
dist.init_process_group "gloo"
local rank = dist.get_rank()
dist.barrier()
if rank == 1 then os.exit(3) end
print((pcall(dist.all_reduce, torch.ones(1))))
local others = dist.new_group({0, 2}, {use_local_synchronization = true})
local x = torch.tensor{rank + 1}
dist.all_reduce(x, {group = others})
print(x:item())]]
    for _, rank in ipairs{0, 2} do assert.are.equal("false\n4\n", ended[rank + 1].output, ended[rank + 1].errors) end
  end)
end)
