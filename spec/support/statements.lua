-- statements.lua: runs statements of random programs and prints all their results, on Tocha (sound/replay.lua) and on PyTorch
-- (golden/random_programs), line for line in the same words.
local torch = require "torch"

local function told_tensor(t)
  local node = t.grad_fn
  return ("%s\n  ~ %s %s stride %s off %d%s%s%s"):format(tostring(t), tostring(t.shape), tostring(t.dtype),
    table.concat(t:stride(), ","), t:storage_offset(), t.requires_grad and " rg" or "", t.is_leaf and " leaf" or "",
    node and " " .. node:name() or "")
end

-- Returns the text of a table without a metatable: its list, then its fields in order.
local function told_table(list, depth, told)
  if depth > 4 then return "{...}" end
  local parts, names = {}, {}
  for i, part in ipairs(list) do parts[i] = told(part, depth + 1) end
  for name in pairs(list) do
    if type(name) == "string" then names[#names + 1] = name end
  end
  table.sort(names)
  for _, name in ipairs(names) do parts[#parts + 1] = name .. " = " .. told(list[name], depth + 1) end
  return "{" .. table.concat(parts, "; ") .. "}"
end

local function told(value, depth)
  local kind = type(value)
  if kind == "function" then return "function" end
  if kind ~= "table" and kind ~= "userdata" then return tostring(value) end
  if kind == "table" and not getmetatable(value) then return told_table(value, depth, told) end
  if torch.is_tensor(value) then return told_tensor(value) end
  return (tostring(value):gsub("0x%x+", "0x"))
end

local function first_line(err) return (tostring(err):gsub("^[^\n]-:%d+: ", ""):match "^[^\n]*") end

local statements = {}

--- Returns what a statement gives in an environment: each result in full, or the first line of the error.
function statements.answer(source, environment)
  local f, problem = load(source, "=p", "t", environment)
  if not f then return "syntax: " .. problem end
  local results = table.pack(pcall(f))
  if not results[1] then return "error: " .. first_line(results[2]) end
  local lines = {}
  for i = 2, results.n do
    local ok, text = pcall(told, results[i], 0)
    lines[#lines + 1] = ok and text or "tell: " .. first_line(text)
  end
  return table.concat(lines, "\n")
end

return statements
