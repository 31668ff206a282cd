-- objects.lua: finds which source file calls which, by running nm on the object files of the build.
local programs = require "programs"
local objects, read, quote = {}, programs.read, programs.quote

-- Returns the source of each object of the targets, by the object's path below `build`. Sources that the build wrote are
-- named generated/...
local function sources(build, targets)
  local here, found = read(build .. "/CMakeCache.txt"):match "CMAKE_HOME_DIRECTORY:INTERNAL=([^\n]+)", {}
  local folder = read(build .. "/CMakeCache.txt"):match "CMAKE_CACHEFILE_DIR:INTERNAL=([^\n]+)"
  for command, file in read(build .. "/compile_commands.json"):gmatch '"command": "(.-)",\n%s*"file": "(.-)"' do
    local object = command:match " %-o (%S+)"
    for _, target in ipairs(targets) do
      if object:find("CMakeFiles/" .. target .. "%.dir/") then
        found[object] = file:sub(1, #folder) == folder and file:sub(#folder + 2) or file:sub(#here + 2)
      end
    end
  end
  return found
end

-- Returns the symbols of the objects: where each is defined ({name = file}) and where it is used ({name = {file = true}}).
-- targets: patterns of CMake's names.
function objects.symbols(build, targets)
  local of, list, defined, used = sources(build, targets), os.tmpname(), {}, {}
  local f = assert(io.open(list, "w"))
  for object in pairs(of) do f:write('"', object, '"\n') end
  f:close()
  local pipe = io.popen(("cd %s && nm -A -g -P @%s 2>&1"):format(quote(build), quote(list)))
  for line in pipe:lines() do
    local object, name, kind = line:match "^(.-): (%S+) (%a)"
    local file = of[object] or error(line)
    if kind:find "[Uw]" then
      used[name] = used[name] or {}
      used[name][file] = true
    else
      defined[name] = file
    end
  end
  pipe:close()
  os.remove(list)
  return defined, used
end

-- Returns the groups of two or more nodes that reach each other (Tarjan). graph: {from = {to = true}}.
function objects.circles(graph)
  local number, low, stack, on_stack, count, out = {}, {}, {}, {}, 0, {}
  local function visit(node)
    count = count + 1
    number[node], low[node], on_stack[node] = count, count, true
    stack[#stack + 1] = node
    for to in pairs(graph[node] or {}) do
      if not number[to] then visit(to) end
      if on_stack[to] then low[node] = math.min(low[node], low[to]) end
    end
    if low[node] < number[node] then return end
    local circle = {}
    repeat
      local top = table.remove(stack)
      on_stack[top] = nil
      circle[#circle + 1] = top
    until top == node
    if #circle > 1 then
      table.sort(circle)
      out[#out + 1] = circle
    end
  end
  for node in pairs(graph) do if not number[node] then visit(node) end end
  return out
end

return objects
