-- missing.lua: writes what PyTorch has and Tocha has not, from the list of PyTorch's names.
--
--   build/tocha docs/make/missing.lua > docs/missing.md
local help = torch._part "help"
help.load_all()

-- Namespaces that are no aim: what they are for has no place here, or another one.
local outside = {}
for space in ("torch.jit torch.fx torch.onnx torch.package torch.export torch.compiler"):gmatch "%S+" do outside[space] = true end

local spaces = {}
for space, text in pairs(torch._part "hints.pytorch_names") do
  if not outside[space] then spaces[#spaces + 1] = {name = space, text = text} end
end
table.sort(spaces, function(a, b) return a.name < b.name end)

-- Python's name where Lua has a keyword.
local renamed = {["repeat"] = "rep"}

local function has(space, name)
  name = renamed[name] or name
  if space == "torch.Generator" then return pcall(function() return assert(torch.default_generator[name]) end) end
  local object = space == "torch.Tensor" and torch.Tensor or help.value_of(space)
  if object == nil then return false end
  if type(object) == "table" and rawget(object, name) ~= nil then return true end
  return help.value_of(space .. "." .. name) ~= nil
end

-- Why a name is not there, and what takes its place.
local reasons = {["torch.distributed"] = torch._part "distributed.absent"}

-- Prints names with the reason that they share.
local function print_reasons(names, reason_of)
  local sharing, order = {}, {}
  for _, name in ipairs(names) do
    local reason = reason_of[name]
    if reason and not sharing[reason] then
      order[#order + 1] = reason
      sharing[reason] = {}
    end
    if reason then table.insert(sharing[reason], "`" .. name .. "`") end
  end
  for _, reason in ipairs(order) do print(("- %s: %s"):format(table.concat(sharing[reason], " "), reason)) end
  print()
end

print "# PyTorch's names that Tocha lacks\n"
print "Made by `build/tocha docs/make/missing.lua > docs/missing.md`: the public names of PyTorch 2.15 that Tocha does not have, by namespace. Using"
print "one of them raises an error that says so. Many of them are public in name only: PyTorch uses them internally.\n"
print "| namespace | PyTorch's names | in Tocha | missing |"
print "|---|---|---|---|"
local pages, total, there = {}, 0, 0
for _, space in ipairs(spaces) do
  local missing, count = {}, 0
  for name in space.text:gmatch "%S+" do
    count = count + 1
    if not has(space.name, name) then missing[#missing + 1] = name end
  end
  total, there = total + count, there + count - #missing
  print(("| `%s` | %d | %d | %d |"):format(space.name, count, count - #missing, #missing))
  pages[#pages + 1] = {name = space.name, missing = missing}
end
print(("| all | %d | %d | %d |\n"):format(total, there, total - there))
for _, page in ipairs(pages) do
  if #page.missing > 0 then
    print(("## %s\n"):format(page.name))
    local line = ""
    for _, name in ipairs(page.missing) do
      if #line + #name > 136 then
        print((line:gsub("%s+$", "")))
        line = ""
      end
      line = line .. "`" .. name .. "` "
    end
    print((line:gsub("%s+$", "")) .. "\n")
    if reasons[page.name] then print_reasons(page.missing, reasons[page.name]) end
  end
end
