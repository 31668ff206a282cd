-- help_test.lua: the examples of the help texts, typed in Tocha for node, show what is written. Runs in an empty folder, where they
-- leave files:
--
--   tocha PROJECT/spec/web/help_test.lua
local torch = require "torch"
local sessions = dofile(arg[0]:match "^(.*)spec/web/" .. "docs/make/sessions.lua")
local example, help = torch._part "help.example", torch._part "help"
local passed, failed, seen = 0, 0, {}

-- Lists the examples that a page cannot run, with the message that it shows instead.
local missing = {["torch.vision.io.decode_jpeg"] = "Tocha was built without libjpeg"}

local function check(path, block)
  local shown = {}
  local done, answers = pcall(sessions.run, block)
  if missing[path] then return (done or not tostring(answers):find(missing[path], 1, true)) and path .. ": is there, or fails otherwise" end
  if not done then return ("%s: %s"):format(path, answers) end
  for i, entry in ipairs(block) do shown[i] = {typed = entry.typed, shown = answers[i]} end
  if example.text(block) ~= example.text(shown) then return ("%s is\n%s\nand shows\n%s"):format(path, example.text(block), example.text(shown)) end
end

warn "@off" -- old names warn
help.each(function(path)
  local block = help.example(path)
  if not block then -- of ranks and of GPUs the page has none
    local absent = {"[dD]istributed", "^torch%.cuda%f[%W]", "^torch%.accelerator%f[%W]", "^torch%.nn%.parallel%f[%W]", "_offset$"}
    for _, pattern in ipairs(absent) do
      if path:find(pattern) then return end
    end
    error(path)
  end
  if seen[block] or block.gpu then return end
  seen[block] = true
  local problem = check(path, block)
  if problem then print(problem) end
  passed, failed = passed + (problem and 0 or 1), failed + (problem and 1 or 0)
end)
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0 and passed > 1700)
