-- traces.lua: the folders in which ranks leave what they did last, if one fails or the launcher asks.
local torch = ...
local processes, io_driver = torch._processes, torch._io

local traces = {}

local kept = 8 -- folders of earlier jobs that stay in the folder for temporary files

local function temporary() return (os.getenv "TMPDIR" or "/tmp") .. "/tocharun/trace" end

--- Returns the folder of a job. It is made by who writes there first.
function traces.of(o, log_folder)
  if o.trace_dir or log_folder then return o.trace_dir or log_folder .. "/trace" end
  return ("%s/%d-%d"):format(temporary(), processes.wall_clock() // 1000, processes.process_number())
end

--- Returns the folder of a round.
function traces.folder(job, round) return job.inherited.TOCHA_TRACE_DIR or ("%s/attempt_%d"):format(job.trace_folder, round.restarts) end

--- Returns the paths of the ranks' files in a folder, by rank.
function traces.files(folder)
  local listed, names = pcall(io_driver.list, folder)
  local files = {}
  for _, name in ipairs(listed and names or {}) do
    local rank = math.tointeger(tonumber(name:match "^rank_(%d+)%.json$"))
    if rank then files[rank] = folder .. "/" .. name end
  end
  return files
end

-- Removes all but the newest folders of earlier jobs.
local function clean()
  local listed, names = pcall(io_driver.list, temporary())
  if not listed then return end
  local old = {}
  for _, name in ipairs(names) do
    if name:find "^%d+%-%d+$" then old[#old + 1] = name end
  end
  table.sort(old)
  for i = 1, #old - kept do
    local folder = temporary() .. "/" .. old[i]
    for _, attempt in ipairs(io_driver.list(folder)) do
      for _, path in pairs(traces.files(folder .. "/" .. attempt)) do os.remove(path) end
      os.remove(folder .. "/" .. attempt)
    end
    os.remove(folder)
  end
end

--- Returns the folder of a round if ranks have left files there.
function traces.folder_with_files(job, round)
  if not job.trace_folder then return nil end
  local folder = traces.folder(job, round)
  if next(traces.files(folder)) == nil then return nil end
  pcall(clean)
  return folder
end

--- Returns the line that names a folder.
function traces.hint(folder) return ("What the ranks did last: tocharun --trace %s"):format(folder) end

return traces
