-- files.lua: reads what the site is made of.
local torch = require "torch"
local files = {}

--- Returns the content of a file.
function files.read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end

--- Returns a value as JSON that may stand in a page's script.
function files.json(value) return (torch._part "tools.json".write(value):gsub("<", "\\u003c")) end

return files
