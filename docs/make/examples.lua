-- examples.lua: writes below what is typed in lua/help/examples/*.lua what is shown. Run in an empty folder, where the examples leave files:
--
--   tocha docs/make/examples.lua lua/help/examples/*.lua
--
-- Those in cuda.lua are for a machine with a GPU, or TOCHA_CUDA=simulate; elsewhere they stay as they are.
package.path = arg[0]:match "^(.*/)" .. "?.lua;" .. package.path
local torch = require "torch"
local sessions = require "sessions"

local function read(path)
  local file = assert(io.open(path))
  local text = file:read "a"
  file:close()
  return text
end

local function renew(names, text)
  local entries = torch._part "help.example".entries(text)
  local done, answers = pcall(sessions.run, entries)
  if not done then error(names .. "\n" .. tostring(answers), 0) end
  for i, entry in ipairs(entries) do entry.shown = answers[i] end
  return torch._part "help.example".text(entries) .. "\n\n"
end

warn "@off"
for _, path in ipairs(arg) do
  if path:find "cuda.lua$" and not torch.cuda.is_available() then goto continue end
  local head, body, tail = read(path):match "^(.-%[==%[\n)(.*)(%]==%]\n)$"
  local out = {}
  for names, text in (body .. "\n?"):gsub("\n%?", "\n\1?"):gmatch "(%?torch[^\n]*)\n([^\1]*)\1" do out[#out + 1] = names .. "\n" .. renew(names, text) end
  local file = assert(io.open(path, "w"))
  file:write(head, (table.concat(out):gsub("\n\n$", "\n")), tail)
  file:close()
  ::continue::
end
