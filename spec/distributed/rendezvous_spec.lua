-- rendezvous_spec.lua: ranks that meet, as processes with an environment of their own; and what each says if they cannot.
local torch = require "torch"
local programs = require "programs"

local script = os.tmpname()
programs.write(script, [[
local torch = require "torch"
local ok, message = pcall(torch.distributed.init_process_group, "gloo", {timeout = 20})
if ok then
  print("joined " .. torch.distributed.get_rank() .. "/" .. torch.distributed.get_world_size())
  torch.distributed.destroy_process_group()
else
  print(message.message .. " | " .. message.hint)
end
]])
teardown(function() os.remove(script) end)

-- Returns a port that nobody listens on.
local function free_port()
  local store <close> = torch.distributed.TCPStore("127.0.0.1", 0, nil, true)
  return store.port
end

-- Starts a process for each environment ("RANK=0 WORLD_SIZE=2"), all at once; returns their lines by number, and the seconds.
local function start(environments)
  local port, parts, begin = free_port(), {}, torch._clock()
  for i, environment in ipairs(environments) do
    parts[i] = ("(env -u RANK -u WORLD_SIZE %s MASTER_ADDR=localhost MASTER_PORT=%d timeout 30 %s %s 2>&1 | sed 's/^/%d /') &"):format(
      environment, port, programs.quote(programs.tocha), script, i)
  end
  local output, lines = programs.output(table.concat(parts, "\n") .. "\nwait"), {}
  for number, line in output:gmatch "(%d+) ([^\n]*)" do lines[tonumber(number)] = line end
  return lines, torch._clock() - begin
end

-- Fails unless each process has printed what a pattern finds, within seconds: none has waited for the timeout.
local function expect(lines, seconds, patterns)
  for i, pattern in ipairs(patterns) do
    assert(lines[i] and lines[i]:find(pattern), ("process %d: %s"):format(i, tostring(lines[i])))
  end
  assert(seconds < 15, seconds)
end

describe("ranks", function()
  it("meet", function()
    local lines, seconds = start{"RANK=0 WORLD_SIZE=3", "RANK=1 WORLD_SIZE=3", "RANK=2 WORLD_SIZE=3"}
    expect(lines, seconds, {"^joined 0/3$", "^joined 1/3$", "^joined 2/3$"})
  end)
  it("that disagree on the world size are named on both", function()
    local lines, seconds = start{"RANK=0 WORLD_SIZE=2", "RANK=1 WORLD_SIZE=3"}
    local words = "^The ranks disagree on the world size: rank %d %(host %S+, process %d+%) has %d, rank %d %(.*WORLD_SIZE"
    expect(lines, seconds, {words, words})
  end)
  it("that came twice are named on all", function()
    local lines, seconds = start{"RANK=0 WORLD_SIZE=3", "RANK=1 WORLD_SIZE=3", "RANK=1 WORLD_SIZE=3"}
    local words = "^Two processes are rank 1: rank 1 %(host %S+, process %d+%) came first, then process %d+ of host .* a RANK of its own"
    expect(lines, seconds, {words, words, words})
    lines, seconds = start{"RANK=0 WORLD_SIZE=2", "RANK=0 WORLD_SIZE=2"}
    words = "^Two processes are rank 0: "
    expect(lines, seconds, {words, words})
  end)
  it("that are out of range are named on all", function()
    local lines, seconds = start{"RANK=0 WORLD_SIZE=2", "RANK=2 WORLD_SIZE=2"}
    expect(lines, seconds, {"^Process %d+ of host %S+ did not join: rank 2 is out of range for a world of 2 | ranks count from 0",
      "^rank 2 is out of range for a world of 2 | ranks count from 0"})
  end)
  it("without their variables are named on all", function()
    local lines, seconds = start{"RANK=0 WORLD_SIZE=2", "WORLD_SIZE=2"}
    expect(lines, seconds, {"did not join: Error initializing torch.distributed using env:// rendezvous: environment variable RANK expected, but not set",
      "^Error initializing torch.distributed using env:// rendezvous: environment variable RANK expected, but not set | start the script with"})
    lines, seconds = start{"RANK=0 WORLD_SIZE=2", "RANK=one WORLD_SIZE=2"}
    expect(lines, seconds, {"did not join: invalid literal for int%(%) with base 10: 'one' | the environment variable RANK has to be",
      "^invalid literal for int%(%) with base 10: 'one'"})
  end)
end)
