-- Runs the programs of spec/golden and compares what they print with PyTorch's answers, to the character.
--   busted --lua=lua5.4 spec/golden_spec.lua            all of them
--   GOLDEN=print busted ... / GOLDEN=print/integers     one topic, or one program
-- All programs run in this process: each in an environment of its own, with print and io.write captured, after the
-- settings that belong to the whole process (seed, default dtype, print options, gradient mode) are set back.
local lfs = require "lfs"

local folder = (debug.getinfo(1, "S").source:match "^@(.*)golden_spec%.lua$" or "spec/") .. "golden/"

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "a"
  file:close()
  return text
end

local function sorted(path)
  local names = {}
  for name in lfs.dir(path) do
    if not name:match "^%." then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

local function reset(torch)
  torch.set_grad_enabled(true)
  torch.set_default_dtype(torch.float32)
  torch.set_printoptions {profile = "default"}
  torch.manual_seed(0)
end

-- What a program prints, and its error if it raises one.
local function run(path)
  local output = {}
  local captured_io = setmetatable({}, {__index = io})
  function captured_io.write(...)
    for _, value in ipairs {...} do output[#output + 1] = tostring(value) end
    return captured_io
  end
  local environment = setmetatable({
    io = captured_io,
    print = function(...)
      local parts = table.pack(...)
      for i = 1, parts.n do parts[i] = tostring(parts[i]) end
      output[#output + 1] = table.concat(parts, "\t") .. "\n"
    end}, {__index = _G})
  environment._G = environment
  local program = assert(loadfile(path, "t", environment))
  reset(require "torch")
  local ok, problem = xpcall(program, function(e) return debug.traceback(tostring(e), 2) end)
  reset(require "torch")
  return table.concat(output), not ok and problem or nil
end

local function lines(text)
  local list = {}
  for line in (text .. "\n"):gmatch "(.-)\n" do list[#list + 1] = line end
  if list[#list] == "" then list[#list] = nil end
  return list
end

-- The first lines that differ, with what surrounds them, in the manner of diff -u.
local function difference(expected, printed)
  local want, got = lines(expected), lines(printed)
  local at = 1
  while want[at] == got[at] and want[at] ~= nil do at = at + 1 end
  local message = {("line %d (of %d expected, %d printed)"):format(at, #want, #got)}
  for i = math.max(1, at - 2), at - 1 do message[#message + 1] = "  " .. want[i] end
  for i = at, math.min(#want, at + 2) do message[#message + 1] = "- " .. want[i] end
  for i = at, math.min(#got, at + 2) do message[#message + 1] = "+ " .. got[i] end
  if want[at] == got[at] then message[#message + 1] = "(only the last newline differs)" end
  return table.concat(message, "\n")
end

local chosen = os.getenv "GOLDEN"
for _, topic in ipairs(sorted(folder)) do
  if lfs.attributes(folder .. topic, "mode") == "directory" then
    describe("PyTorch answers, " .. topic, function()
      for _, file in ipairs(sorted(folder .. topic)) do
        local name = file:match "^(.*)%.lua$"
        local title = name and topic .. "/" .. name
        if name and (not chosen or chosen == topic or chosen == title) then
          it(title, function()
            local path = folder .. title
            local printed, problem = run(path .. ".lua")
            local expected = read(path .. ".expected")
            if problem then
              error(difference(expected, printed) .. "\nraised: " .. problem, 0)
            elseif printed ~= expected then
              error(difference(expected, printed), 0)
            end
          end)
        end
      end
    end)
  end
end
