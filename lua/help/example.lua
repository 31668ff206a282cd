-- example.lua: the examples of names, as they are typed at the prompt and as the prompt answers. Their files are in lua/help/examples/:
--
--   ?torch.numel                    the names of the example, one or several
--   > x = torch.zeros(2, 3)         input; lines of one entry after the first begin with >>
--   > torch.numel(x)
--   6                               output
--
-- A name without an example gets that of another form: x:abs(), x:abs_() and torch.absolute(x) have that of torch.abs(x).
-- docs/make/examples.lua writes the output, and spec/docs/help_spec.lua compares it.
local torch = ...
local example = {}

--- Returns the entries of a text: a list of {typed = "...", shown = "..."}.
function example.entries(text)
  local out = {}
  for line in (text .. "\n"):gmatch "(.-)\n" do
    local entry, typed, more = out[#out], line:match "^> (.*)$", line:match "^>> (.*)$"
    if typed then
      out[#out + 1] = {typed = typed, shown = ""}
    elseif more then
      entry.typed = entry.typed .. "\n" .. more
    elseif entry then
      entry.shown = entry.shown .. line .. "\n"
    end
  end
  for _, entry in ipairs(out) do entry.shown = entry.shown:gsub("\n+$", "") end
  return out
end

-- The entries by path.
local blocks

local function add(names, text, part)
  local entries = example.entries(text)
  entries.gpu = part == "help.examples.cuda" or part == "help.examples.gpus"   -- they need a GPU
  for path in names:gmatch "%S+" do
    if blocks[path] then error("two examples of " .. path) end
    blocks[path] = entries
  end
end

--- Returns all written examples by path: their entries, which several names may share.
function example.written()
  if blocks then return blocks end
  blocks = {}
  for _, part in ipairs(torch._source()) do
    if part:find "^help%.examples%." then
      local text = "\n" .. torch._part(part)
      for names, block in (text:gsub("\n%?torch", "\n\1torch") .. "\1"):gmatch "\1(torch[^\n]*)\n([^\1]*)%f[\1]" do add(names, block, part) end
    end
  end
  return blocks
end

-- --- forms -------------------------------------------------------------------------------------------------------

local spaces = {"torch", "torch.Tensor", "torch.nn.functional", "torch.linalg", "torch.special"}
for _, space in ipairs(spaces) do spaces[space] = true end

--- The namespaces of operators: a list, in which each is also true by its name.
example.spaces = spaces

-- Namespaces whose names are those of another namespace.
local same_space = {["torch.vision.transforms.v2"] = "torch.vision.transforms",
  ["torch.vision.transforms.v2.functional"] = "torch.vision.transforms.functional",
  ["torch.random"] = "torch", ["torch.autograd"] = "torch", ["torch.serialization"] = "torch"}

-- Returns the names of other forms of the same function, the nearest first. other: the name that the list gives as its original,
-- or nil.
local function related(path, other)
  local space, name = path:match "^(.*)%.([^.]+)$"
  local out = {}
  if not spaces[space] then return {same_space[space] and same_space[space] .. "." .. name} end
  local function everywhere(base)
    for _, each in ipairs {space, table.unpack(spaces)} do out[#out + 1] = each .. "." .. base end
  end
  everywhere(name)
  out[#out + 1] = other
  if name:find "_$" then everywhere(name:sub(1, -2)) end
  if other then everywhere(other:match "[^.]+$") end
  return out
end

local function escaped(text) return (text:gsub("%p", "%%%0")) end

-- Returns the first of some arguments, and the others.
local function first_of(arguments)
  local depth, i = 0, 0
  for c in arguments:gmatch "." do
    i = i + 1
    depth = depth + (c:find "[%({%[]" and 1 or c:find "[%)}%]]" and -1 or 0)
    if c == "," and depth == 0 then return arguments:sub(1, i - 1), arguments:sub(i + 1):match "^%s*(.*)$" end
  end
  return arguments, ""
end

-- Rewrites `torch.abs(x, ...)` as `x:abs_(...)`. Returns the new line, and a line before it if x is not a name yet.
local function as_method(line, from, name)
  local before, arguments, after = line:match("^(.-)" .. escaped(from) .. "(%b())(.*)$")
  if not arguments then return nil end
  local object, rest = first_of(arguments:sub(2, -2))
  if not object:find "^[%a_]" then return nil end
  local first
  if name:find "_$" and not object:find "^[%a_]%w*$" then first, object = "x = " .. object, "x" end
  return ("%s%s:%s(%s)%s"):format(before, object, name, rest, after), first
end

-- Rewrites `x:abs(...)` as `torch.abs(x, ...)`.
local function as_function(line, name, to)
  local before, object, arguments, after = line:match("^(.-)([%a_][%w_]*):" .. name .. "(%b())(.*)$")
  if not object then
    before, object, arguments, after = "", line:match("^(torch.*):" .. name .. "(%b())(.*)$")
  end
  if not object then return nil end
  local rest = arguments:sub(2, -2)
  return ("%s%s(%s%s)%s"):format(before, to, object, rest ~= "" and ", " .. rest or "", after)
end

-- Rewrites a line of an example of `from` as one of `to`. Returns the line, and one before it, or nil if the line does not call
-- `from`.
local function line_for(line, from, to)
  local old, new = from:match "[^.]+$", to:match "[^.]+$"
  local method = to:find "^torch%.Tensor%."
  local calls_method = line:find("[:.]" .. old .. "%f[^%w_]") and not line:find(escaped(from) .. "%f[^%w_]")
  if calls_method and method then
    if new:find "_$" and line:find "^torch" then   -- an in-place form needs a name for its tensor
      local object, rest = line:match("^(.*):(" .. old .. "[%({].*)$")
      if object then return "x:" .. new .. rest:sub(#old + 1), "x = " .. object end
    end
    return (line:gsub("([:.])" .. old .. "%f[^%w_]", "%1" .. new))
  end
  if calls_method then return as_function(line, old, to) end
  if not line:find(escaped(from) .. "%f[^%w_]") then return nil end
  if method then return as_method(line, from, new) end
  return (line:gsub(escaped(from) .. "%f[^%w_]", to))
end

-- Returns the example of `from` rewritten for `to`, or nil if that is impossible.
local function block_for(block, from, to)
  local out, found = {}, false
  for _, entry in ipairs(block) do
    local line, first = line_for(entry.typed, from, to)
    found = found or line ~= nil
    if first then out[#out + 1] = {typed = first, shown = ""} end
    out[#out + 1] = {typed = line or entry.typed, shown = entry.shown}
  end
  return found and out or nil
end

--- Returns the example of a name, a list of entries, and the name it was written for; nil if there is none. same_as(path) returns
-- the original of a name. is_public(path) returns true for a public name.
function example.of(path, same_as, is_public, seen)
  local all = example.written()
  if all[path] then return all[path], path end
  seen = seen or {}
  seen[path] = true
  for _, other in ipairs(related(path, same_as(path))) do
    if not seen[other] and is_public(other) then
      local block, whose = example.of(other, same_as, is_public, seen)
      block = block and block_for(block, other, path)
      if block then return block, whose end
    end
  end
end

--- Returns an example as the prompt shows it.
function example.text(block)
  local lines = {}
  for _, entry in ipairs(block) do
    lines[#lines + 1] = "> " .. entry.typed:gsub("\n", "\n>> ")
    if entry.shown ~= "" then lines[#lines + 1] = entry.shown end
  end
  return table.concat(lines, "\n")
end

return example
