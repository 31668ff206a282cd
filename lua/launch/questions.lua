-- questions.lua: what the ranks do now, which a launcher asks when it gets SIGUSR1. They are asked in the store of the round
-- (runtime/distributed/question_store.h); the job goes on.
local torch = ...
local processes, traces = torch._processes, torch._part "launch.traces"

local questions = {}

local patience = 4 -- seconds for all answers

-- Returns the store of a round; under mpirun it is that of the round within which mpirun runs.
local function store_of(round) return round.store or round.questions end

--- Asks all ranks of the round, on all machines.
function questions.ask(round)
  local leash = round.ranks[1].leash
  if leash then -- to a launcher on another host, which serves the store
    processes.write(leash, "?")
    return
  end
  local store = store_of(round)
  if not store then
    io.stderr:write "SIGUSR1: this launcher serves no store, in which ranks could be asked\n"
    return
  end
  local asked, number = pcall(store.add, store, "tocha/questions", 1)
  if not asked or not pcall(store.set, store, "tocha/question/" .. number, "launcher") then return end
  round.question = {number = number, since = processes.now()}
end

-- Returns the answers by rank.
local function answers_of(round, number, count)
  local answers = {}
  for k = 1, count do
    local rank, text = store_of(round):get(("tocha/answer/%d/%d"):format(number, k)):match "^(%d+) (.*)$"
    if rank then answers[tonumber(rank)] = text end
  end
  return answers
end

local function show(job, round, answers)
  local lines = {"What the ranks do (SIGUSR1):"}
  for rank = 0, round.world_size - 1 do
    local text = answers[rank] or "no answer: it has no process group, has ended, or is stopped"
    lines[#lines + 1] = ("  rank %d: %s"):format(rank, (text:gsub("\n", "\n    ")))
  end
  local folder = traces.folder_with_files(job, round)
  if folder then lines[#lines + 1] = "  " .. traces.hint(folder) end
  io.stdout:flush()
  io.stderr:write(table.concat(lines, "\n"), "\n")
end

--- Shows the answers once all have come, or no more are waited for.
function questions.look(job, round)
  local q = round.question
  local store = store_of(round)
  local read, count = pcall(store.add, store, "tocha/answers/" .. q.number, 0)
  if read and count < round.world_size and processes.now() - q.since < patience then return end
  round.question = nil
  local got, answers = pcall(answers_of, round, q.number, read and count or 0)
  show(job, round, got and answers or {})
end

return questions
