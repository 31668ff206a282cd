-- help_examples.lua: runs the examples of the help texts (lua/help/examples/).
local torch = require "torch"
local lfs = require "lfs"
local sessions = dofile "docs/make/sessions.lua"
local examples = {}

--- Calls f in an empty folder, where examples may leave files.
function examples.in_folder(f)
  local here, folder = lfs.currentdir(), os.tmpname()
  os.remove(folder)
  lfs.mkdir(folder)
  lfs.chdir(folder)
  warn "@off"   -- old names warn
  local done, message = pcall(f)
  warn "@on"
  lfs.chdir(here)
  os.execute("rm -r '" .. folder .. "'")
  if not done then error(message, 0) end
end

--- Types an example, and compares its output with the text.
function examples.check(path, block)
  local shown = {}
  local done, answers = pcall(sessions.run, block)
  if not done then error(path .. ": " .. tostring(answers), 0) end
  for i, entry in ipairs(block) do shown[i] = {typed = entry.typed, shown = answers[i]} end
  local text = torch._part "help.example".text
  if text(block) ~= text(shown) then error(("the example of %s, which is\n%s\nshows\n%s"):format(path, text(block), text(shown)), 0) end
end

return examples
