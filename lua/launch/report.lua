-- report.lua: what is said of a round that failed: a line for each process that fell, and then the first failure, whole.
local torch = ...
local processes, output, traces = torch._processes, torch._part "launch.output", torch._part "launch.traces"

local report = {}

-- Kinds of errors by which a process says that another one has gone.
local consequences = {DistBackendError = true, DistNetworkError = true, DistStoreError = true, DistError = true}

--- Returns true if a process fell because another one had.
function report.is_consequence(rank) return rank.error ~= nil and consequences[rank.error.kind] == true end

--- Returns the failure that came first, among those that are not the consequence of another one if there are such.
function report.first(round)
  local first
  local function key(rank)
    return report.is_consequence(rank) and 1 or 0, rank.error and rank.error.time or rank.time
  end
  for _, rank in ipairs(round.ranks) do
    if rank.failed then
      local class, time = key(rank)
      local best_class, best_time
      if first then best_class, best_time = key(first) end
      if not first or class < best_class or class == best_class and time < best_time then first = rank end
    end
  end
  return first
end

--- Returns how a process ended, in words.
function report.ending(job, rank)
  if rank.unstarted then return ("cannot be started: '%s': %s"):format(job.command[1], rank.unstarted) end
  local e = rank.ending
  if not e.signal then return ("ended with exit code %d"):format(e.code) end
  return processes.describe_kill(e.signal, e.for_memory)
end

--- Returns how a process ended, with the first line of its error.
function report.ending_with_words(job, rank)
  local words = rank.error and rank.error.text:match "^[^\n]*"
  return report.ending(job, rank) .. (words and ": " .. words or "")
end

local function place_of(job, rank)
  return ("rank %d (local rank %d, %s, process %s)"):format(rank.rank, rank.local_rank, job.host, rank.pid or "none")
end

-- Returns the line of a process that fell with another one.
local function line_of(job, rank)
  return ("  rank %d (process %s) %s"):format(rank.rank, rank.pid or "none", report.ending_with_words(job, rank))
end

local function indented(text) return (text:gsub("\n+$", ""):gsub("[^\n]+", "  %0")) end

--- Returns the text about a round in which `first` failed; nil, or not first, if a process of another machine did (round.elsewhere).
function report.text(job, round, first)
  local lines, asked = {}, 0
  for _, rank in ipairs(round.ranks) do
    if (rank ~= first or round.elsewhere) and rank.failed then lines[#lines + 1] = line_of(job, rank) end
    if rank.was_asked and not rank.failed then asked = asked + 1 end
  end
  if #lines > 0 then table.insert(lines, 1, "These fell with it:") end
  if asked > 0 then
    lines[#lines + 1] = ("%d %s ended by the launcher."):format(asked, round.elsewhere and (asked > 1 and "processes here were" or "process here was")
      or asked > 1 and "others were" or "other was")
  end
  local folder = traces.folder_with_files(job, round)
  if folder then lines[#lines + 1] = traces.hint(folder) end
  if round.elsewhere then
    lines[#lines + 1] = "First failure: " .. round.elsewhere
    return table.concat(lines, "\n") .. "\n"
  end
  lines[#lines + 1] = ("First failure: %s %s"):format(place_of(job, first), report.ending(job, first))
  if first.error then
    lines[#lines + 1] = indented(first.error.text)
  elseif first.streams and not first.streams[2].inherited then
    local words = output.last_words(first.streams[2])
    if words then lines[#lines + 1] = indented("the end of its stderr:\n" .. table.concat(words, "\n")) end
    if first.folder and not first.streams[2].shown then lines[#lines + 1] = ("  its streams are in %s"):format(first.folder) end
  end
  return table.concat(lines, "\n") .. "\n"
end

return report
