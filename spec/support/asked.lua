-- asked.lua: finds the names that PyTorch was asked about: those that the programs of spec/golden use. A program counts if its
-- answer is beside it. Programs about mistakes do not count, because they only show errors.
--   asked.lacking("torch.nn", names, "nn")      the names that no program uses, each with the remedy
local lfs = require "lfs"
local asked = {}

local folder = "spec/golden/"

local function read(path)
  local file <close> = io.open(path)
  return file and file:read "a"
end

-- Adds the words of a program that follow a point or a colon, or stand in a text (names are also looked up by their text).
local function add_words(words, program)
  program = program:gsub("%-%-[^\n]*", "")
  for word in program:gmatch "[.:]([%a_][%w_]*)" do words[word] = true end
  for text in program:gmatch '"([^"\n]*)"' do
    for word in text:gmatch "[%a_][%w_]*" do words[word] = true end
  end
end

local found

local function words()
  if found then return found end
  found = {}
  for topic in lfs.dir(folder) do
    local is_topic = topic:find "^%l" and topic ~= "mistakes" and lfs.attributes(folder .. topic, "mode") == "directory"
    for name in lfs.dir(is_topic and folder .. topic or folder) do
      local program = is_topic and name:match "^(.*)%.lua$"
      if program and read(folder .. topic .. "/" .. program .. ".expected") then add_words(found, read(folder .. topic .. "/" .. name)) end
    end
  end
  return found
end

--- Returns the names of the entries of a list.
function asked.names_of(list)
  local out = {}
  for i, entry in ipairs(list) do out[i] = entry.name end
  return out
end

--- Returns a list of those names of a namespace that PyTorch was not asked about, each with what to do; topic: the folder for a new program.
function asked.lacking(space, names, topic)
  local out = {}
  for _, name in ipairs(names) do
    if not words()[name] then
      out[#out + 1] = ("%s.%s has no answer of PyTorch: write spec/golden/%s/PROGRAM.lua, which uses it, and run python spec/golden/ask.py %s")
        :format(space, name, topic, topic)
    end
  end
  return out
end

return asked
