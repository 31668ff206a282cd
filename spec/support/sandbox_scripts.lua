-- sandbox_scripts.lua: scripts that try to get out of a sandbox, or beyond its limits, made from random numbers. It runs in
-- a state that is none, so that it can see what there is to call.
local scripts = {}

local random, unpack = math.random, table.unpack
local function one_of(list) return list[random(#list)] end

-- The names of all functions that a script can reach: "torch.nn.functional.relu", "string.rep", ("x").rep.
local names
local function collect()
  local seen = {}
  names = {}
  local function walk(path, value, depth)
    if type(value) == "function" then names[#names + 1] = path end
    if type(value) ~= "table" or seen[value] or depth > 4 then return end
    seen[value] = true
    local keys = {}
    for key in pairs(value) do if type(key) == "string" and key:match "^[%a_][%w_]*$" then keys[#keys + 1] = key end end
    table.sort(keys)
    for _, key in ipairs(keys) do walk(path .. "." .. key, rawget(value, key), depth + 1) end
  end
  for _, root in ipairs {"torch", "string", "table", "math", "os", "io", "coroutine", "utf8", "debug", "package"} do
    walk(root, _G[root] or package.loaded[root], 1)
  end
  for _, name in ipairs {"print", "pcall", "xpcall", "error", "load", "require", "setmetatable", "getmetatable", "rawset", "rawget",
    "rawlen", "select", "tostring", "tonumber", "next", "pairs", "ipairs", "collectgarbage", "dofile", "loadfile", "warn", "assert"} do
    names[#names + 1] = name
  end
end

local value   -- (depth) returns an expression

local texts = {[[""]], [["x"]], [["../outside"]], [["/etc/passwd"]], [["f"]], [["link"]], [["folder/f"]], [["f\0g"]], [[("x"):rep(1e5)]],
  [[("a"):rep(3e4)]], [["(a*)*b"]], [[("a*"):rep(20) .. "b"]], [["%s%p%d"]], [["%99.99f"]], [["\27Lua"]], [["return 1"]],
  [["while true do end"]], [["rb"]], [["w+"]], [["k"]], [["*a"]], [["mean"]], [["cpu"]], [["cuda"]], [["cuda:0"]], [["."]], [["folder"]],
  [[("("):rep(300)]], [["torch"]], [["os"]], [["io"]], [["collect"]], [["stop"]], [["%b()"]], [["%f[%w]"]], [["[^]"]]}
local numbers = {"0", "1", "-1", "2", "3.5", "1 << 62", "-1 << 63", "1e308", "0/0", "1/0", "1e5", "1e7", "1 << 31", "17"}
local evil = {"__index", "__newindex", "__call", "__gc", "__close", "__len", "__lt", "__eq", "__concat", "__tostring", "__name", "__pairs",
  "__metatable", "__mode", "__add", "__unm"}

local function tensor()
  return one_of {"torch.ones(3)", "torch.rand(2, 3)", "torch.arange(10)", "torch.empty(1000)", "torch.zeros(100, 100)", "torch.tensor(true)",
    "torch.rand(400, 400)", "torch.empty(0)", "torch.nn.Linear(3, 4)", "torch.optim.SGD({torch.ones(1, {requires_grad = true})}, {lr = 1})",
    "torch.Generator()", "torch.float64", "torch.Size{1, 2}", "torch.rand(3, {requires_grad = true}):sum()"}
end

local function body(depth)
  return one_of {
    function() return "while true do end" end,
    function() return "while true do pcall(" .. value(depth - 1) .. ") end" end,
    function() return "error(" .. value(depth - 1) .. ")" end,
    function() return "return " .. value(depth - 1) end,
    function() return "coroutine.yield(" .. value(depth - 1) .. ")" end,
    function() return scripts.statement(depth - 1) end,
  }()
end

local function metatable(depth)
  local fields = {}
  for _ = 1, random(3) do
    fields[#fields + 1] = one_of(evil) .. " = " .. (random() < 0.7 and "function(...) " .. body(depth - 1) .. " end" or value(depth - 1))
  end
  return "{" .. table.concat(fields, ", ") .. "}"
end

function value(depth)
  if depth <= 0 then return random() < 0.5 and one_of(numbers) or one_of(texts) end
  return one_of {
    function() return one_of(numbers) end,
    function() return one_of(texts) end,
    function() return one_of {"nil", "true", "false", "{}", "_G", "_ENV", "torch", "string", "x", "y"} end,
    tensor,
    function() return "{" .. value(depth - 1) .. ", " .. value(depth - 1) .. "}" end,
    function() return "setmetatable({}, " .. metatable(depth) .. ")" end,
    function() return "function(...) " .. body(depth - 1) .. " end" end,
    function() return one_of(names) end,
    function() return ("coroutine.%s(function(...) %s end)"):format(one_of {"create", "wrap"}, body(depth - 1)) end,
    function() return "select(2, pcall(" .. scripts.call(depth - 1, true) .. "))" end,
    function() return ("io.open(%s, %s)"):format(one_of(texts), one_of {[["r"]], [["w"]], [["a+"]], [["r+"]]}) end,
  }()
end

-- Returns a call of any function; for pcall: the function and the arguments as a list.
function scripts.call(depth, protected)
  local arguments = {}
  for i = 1, random(0, 4) do arguments[i] = value(depth - 1) end
  local name = one_of(names)
  if protected then return table.concat({name, unpack(arguments)}, ", ") end
  return name .. "(" .. table.concat(arguments, ", ") .. ")"
end

function scripts.statement(depth)
  if depth <= 0 then return "x = " .. value(0) end
  return one_of {
    function() return "pcall(" .. scripts.call(depth, true) .. ")" end,
    function() return "pcall(" .. scripts.call(depth, true) .. ")" end,
    function() return "pcall(" .. scripts.call(depth, true) .. ")" end,
    function() return ("xpcall(function() %s end, function(...) %s end)"):format(body(depth - 1), body(depth - 1)) end,
    function() return ("for i = 1, %s do %s end"):format(one_of {"3", "100", "1e9"}, scripts.statement(depth - 1)) end,
    function() return ("do local c <close> = setmetatable({}, %s) %s end"):format(metatable(depth), scripts.statement(depth - 1)) end,
    function() return ("x = %s y = x"):format(value(depth)) end,
    function() return ("pcall(function() %s[%s] = %s end)"):format(one_of {"x", "_G", "string", "torch", "getmetatable('')"}, value(1), value(1)) end,
    function() return ("coroutine.resume(coroutine.create(function() %s end))"):format(body(depth - 1)) end,
    function() return ("coroutine.close(coroutine.create(function() %s end))"):format(body(depth - 1)) end,
    function() return ("pcall(function() local t = {} while true do t[#t + 1] = %s end end)"):format(value(depth - 1)) end,
    function() return ("pcall(function() for _ = 1, 100 do x = {x, %s} end end)"):format(value(1)) end,
    function() return ("pcall(torch.save, %s, %s)"):format(value(depth - 1), one_of(texts)) end,
    function() return ("pcall(torch.load, %s)"):format(one_of(texts)) end,
  }()
end

-- Returns the script of a number, always the same.
function scripts.script(number)
  if not names then collect() end
  math.randomseed(number, 20)
  local lines = {"local x, y = {}, {}"}
  for _ = 1, random(1, 4) do lines[#lines + 1] = scripts.statement(random(1, 4)) end
  return table.concat(lines, "\n")
end

return scripts
