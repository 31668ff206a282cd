-- sass.lua: what nvcc made of kernels, read from what `cuobjdump -res-usage` and `cuobjdump -sass` print: registers, stack (spills), and of
-- each loop that reads global memory its instructions, the widths of its loads, and the bytes that are asked for before the first is used.
local sass = {}

-- --- registers ---------------------------------------------------------------------------------------------

-- {name -> {registers =, stack = (bytes)}}.
function sass.resources(text)
  local found, name = {}, nil
  for line in text:gmatch "[^\n]+" do
    name = line:match "^ *Function (%S+):$" or name
    local registers, stack = line:match "REG:(%d+) STACK:(%d+)"
    if registers then found[name] = {registers = math.tointeger(registers), stack = math.tointeger(stack)} end
  end
  return found
end

-- --- instructions ------------------------------------------------------------------------------------------

local function width_of(operation)
  if operation:find "%.128" then return 16 end
  if operation:find "%.64" then return 8 end
  if operation:find "%.U16" or operation:find "%.S16" then return 2 end
  if operation:find "%.U8" or operation:find "%.S8" then return 1 end
  return 4
end

-- The numbers of the registers that a text names, a pair or more of them for a wide operand.
local function registers_in(text)
  local list = {}
  for number in text:gmatch "%f[%w]R(%d+)" do list[#list + 1] = math.tointeger(number) end
  return list
end

-- {name -> list of instructions}; where[address] is the place of one in it.
local function read(text)
  local kernels, current = {}, nil
  for line in text:gmatch "[^\n]+" do
    local name = line:match "^%s+Function : (%S+)"
    local address, guard, operation, rest = line:match "^%s+/%*(%x+)%*/%s+(@?!?U?P?%d*)%s*([%u%d_][%u%d_.]*)%s*(.-)%s*;"
    if name then
      current = {where = {}}
      kernels[name] = current
    elseif operation then
      current[#current + 1] = {guard = guard, operation = operation, rest = rest,
                               target = operation:find "^BRA" and tonumber(rest:match "0x%x+$" or "")}
      current.where[tonumber(address, 16)] = #current
    end
  end
  return kernels
end

-- The way through the loop first..last that reads the most and, of those, executes the least: numbers of instructions. Loops inside it are
-- gone through once; a slow path behind a branch is not gone.
local function way(kernel, first, last)
  local best = {[first] = {bytes = 0, count = 0}}
  local function reach(to, from, here)
    if not to or to <= from or to > last then return end
    local old = best[to]
    if not old or here.bytes > old.bytes or here.bytes == old.bytes and here.count < old.count then
      best[to] = {bytes = here.bytes, count = here.count, from = from}
    end
  end
  for i = first, last do
    local at, x = best[i], kernel[i]
    if at then
      local here = {bytes = at.bytes + (x.operation:find "^LDG%." and width_of(x.operation) or 0), count = at.count + 1}
      local jumps = x.operation:find "^BRA"
      if jumps then reach(kernel.where[x.target], i, here) end
      if not ((jumps or x.operation:find "^EXIT") and x.guard == "") then reach(i + 1, i, here) end
    end
  end
  local list, i = {}, last
  while i do
    table.insert(list, 1, i)
    i = best[i] and best[i].from
  end
  return list
end

-- Bytes a thread asks for before it uses any of them.
local function ahead(kernel, list)
  local pending, bytes, most = {}, 0, 0
  for _, i in ipairs(list) do
    local x = kernel[i]
    local to, from = x.rest:match "^([^,]*),(.*)$"
    local loads = x.operation:find "^LDG%."
    for _, register in ipairs(registers_in(x.operation:find "^ST" and x.rest or from or "")) do
      if pending[register] then
        most = math.max(most, bytes)
        pending, bytes = {}, 0
        break
      end
    end
    if loads then
      local width, register = width_of(x.operation), registers_in(to)[1]
      bytes = bytes + width
      for k = 0, (width + 3) // 4 - 1 do if register then pending[register + k] = true end end
    end
  end
  return math.max(most, bytes)
end

-- What is executed in one round of the loop first..last.
local function loop_of(kernel, first, last)
  local list = way(kernel, first, last)
  local loop = {first = first, last = last, instructions = #list, loads = 0, loaded = 0, stored = 0, narrowest = 16, calls = 0,
                ahead = ahead(kernel, list)}
  for _, i in ipairs(list) do
    local operation = kernel[i].operation
    if operation:find "^LDG%." then
      local width = width_of(operation)
      loop.loads, loop.loaded, loop.narrowest = loop.loads + 1, loop.loaded + width, math.min(loop.narrowest, width)
    elseif operation:find "^STG" then
      loop.stored = loop.stored + width_of(operation)
    elseif operation:find "^CALL" or operation:find "^BRX" then
      loop.calls = loop.calls + 1
    end
  end
  return loop
end

-- The number of the instruction that ends a kernel; slow paths follow it.
local function end_of(kernel)
  for i, x in ipairs(kernel) do
    if x.operation:find "^EXIT" and x.guard == "" then return i end
  end
  return #kernel
end

-- {name -> list of loops that read global memory, with `whole`: the whole kernel as one round, and `products`: the number of
-- instructions for products of tensor cores}.
function sass.loops(text)
  local found = {}
  for name, kernel in pairs(read(text)) do
    local list = {whole = loop_of(kernel, 1, end_of(kernel)), products = 0}
    for i, x in ipairs(kernel) do
      if x.operation:find "^HMMA" then list.products = list.products + 1 end
      local first = x.target and kernel.where[x.target]
      if first and first <= i then
        local loop = loop_of(kernel, first, i)
        if loop.loads > 0 then list[#list + 1] = loop end
      end
    end
    found[name] = list
  end
  return found
end

return sass
