-- examples.lua: writes below what is typed in lua/help_examples/*.lua what is shown. Run in an empty folder, where the examples leave files:
--
--   tocha docs/make/examples.lua lua/help_examples/*.lua
--
-- Those of torch.cuda and torch.accelerator are for a machine with a GPU (TOCHA_CUDA=simulate); elsewhere they stay as they are.
package.path = arg[0]:match "^(.*/)" .. "?.lua;" .. package.path
local torch = require "torch"
local sessions = require "sessions"

local function read(path)
  local file = assert(io.open(path))
  local text = file:read "a"
  file:close()
  return text
end

local function renew(block, text)
  local entries = torch._part "help_example".entries(text)
  if sessions.wants_gpu(block) and not torch.cuda.is_available() then return text end
  local done, answers = pcall(sessions.run, entries)
  if not done then error(block .. "\n" .. tostring(answers), 0) end
  for i, entry in ipairs(entries) do entry.shown = answers[i] end
  return torch._part "help_example".text(entries) .. "\n\n"
end

warn "@off"
for _, path in ipairs(arg) do
  local head, body, tail = read(path):match "^(.-%[==%[\n)(.*)(%]==%]\n)$"
  local out = {}
  for names, text in (body .. "\n?"):gsub("\n%?", "\n\1?"):gmatch "(%?torch[^\n]*)\n([^\1]*)\1" do out[#out + 1] = names .. "\n" .. renew(names, text) end
  local file = assert(io.open(path, "w"))
  file:write(head, (table.concat(out):gsub("\n\n$", "\n")), tail)
  file:close()
end
