-- junk.lua SEED CALLS LOG: calls what reflection finds in torch, in its namespaces and in its objects, with junk, and changes objects
-- behind the back of those that hold them: data, sizes, weights, gradients, states. Errors are what such calls should give; a crash or a
-- hang is found by whoever started this program (junk_spec.lua), with the last line of LOG as the call that did it. A name that is added
-- to torch is covered at once.
local torch = require "torch"

local seed, calls, log = tonumber(arg[1]) or 1, tonumber(arg[2]) or 1000, assert(io.open(arg[3] or os.tmpname(), "w"))
log:setvbuf "no"
math.randomseed(seed)
torch.manual_seed(seed)
io.stdout:close() -- what junk prints

local function pick(list) return list[math.random(#list)] end

-- ---- what can be called ----

-- Namespaces and classes are tables with a metatable; functions and callable tables in them are called as they are,
-- functions of a metatable's __index as methods.
local functions, methods, seen = {}, {}, {}

local function collect(path, value, depth)
  if type(value) == "function" then
    functions[#functions + 1] = {path, value}
  elseif type(value) == "table" and depth < 6 and not seen[value] then
    seen[value] = true
    local meta = debug.getmetatable(value)
    if meta and meta.__call then functions[#functions + 1] = {path, value} end
    for name, member in next, value do
      if type(name) == "string" and name ~= "__index" then collect(path .. "." .. name, member, depth + 1) end
    end
  end
end

local function collect_methods(object)
  local class = debug.getmetatable(object)
  while type(class) == "table" and not seen[class] do
    seen[class] = true
    for name, member in next, class do
      if type(name) == "string" and type(member) == "function" and not name:find "^__gc" then
        methods[#methods + 1] = {name, member}
      end
    end
    for _, inner in ipairs {"methods", "base", "__index"} do
      local more = rawget(class, inner)
      if type(more) == "table" then
        for name, member in next, more do
          if type(name) == "string" and type(member) == "function" then methods[#methods + 1] = {name, member} end
        end
      end
    end
    class = debug.getmetatable(class)
  end
end

collect("torch", torch, 0)
table.sort(functions, function(a, b) return a[1] < b[1] end)

-- ---- junk ----

local cyclic = {}
cyclic[1], cyclic.self = cyclic, cyclic

local values = {
  0, 1, 2, 3, -1, -2, 7, 0.5, -1.5, 1e300, -1e300, 0 / 0, 1 / 0, -1 / 0, 1 << 40, 1 << 53, math.maxinteger,
  math.mininteger, true, false, "", "mean", "sum", "none", "fro", "cuda:99", "cpu", "meta", "float32", "\0\xff", "0:2",
  "None, ...", ("x"):rep(300), {}, {1}, {2, 3}, {{1, 2}, {3}}, {-1, 1 << 40}, {"a", 1}, {a = 1}, cyclic, print, io.stdout,
  math.max, coroutine.create(print), function() end, function(...) return ... end, function() error "junk" end,
  function() error() end, function() return coroutine.yield(1) end, torch, torch.nn, torch.nn.Linear, torch.float32,
  torch.int64, torch.bool, torch.float16,
}

-- Numbers of elements whose bytes wrap around where a size has 32 bits. Elsewhere such a tensor is only slow.
if ("T"):packsize() == 4 then
  for _, n in ipairs{(1 << 29) + 4, (1 << 30) + 16, (1 << 31) + 5, (1 << 32) + 3, (1 << 61) + 2} do
    values[#values + 1], values[#values + 2] = n, {n}
  end
end

-- Names of parameters: those of the operators' signatures.
local keywords = {}
do
  local named = {}
  for line in io.lines "docs/operators.md" do
    for signature in line:gmatch "`%(([^`]*)%)" do
      for name in signature:gmatch "([%w_]+)[,=)]" do named[name] = true end
    end
  end
  for name in next, named do keywords[#keywords + 1] = name end
  table.sort(keywords)
end

-- Objects: made as in a program, and what calls gave.
local makers = {
  function() return torch.rand(2, 3) end,
  function() return torch.rand(3, {requires_grad = true}) end,
  function() return torch.rand(2, 2, {requires_grad = true}) * 2 end,
  function() return torch.ones(0, 3) end,
  function() return torch.tensor(1.5) end,
  function() return torch.arange(4) end,
  function() return torch.tensor {true, false} end,
  function() return torch.rand(2, 3, 4):transpose(0, 2) end,
  function() return torch.rand(1, 3):expand(4, 3) end,
  function() return torch.rand(3, {dtype = torch.float16}) end,
  function() return torch.rand(3):to(pick{torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e8m0fnu}) end,
  function() return torch.zeros(2, 3, {dtype = torch.float8_e4m3fn}) end,
  function() return torch.ones(2, 3, {device = "meta"}) end,
  function() return torch.nn.Linear(2, 3) end,
  function() return torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU()) end,
  function() return torch.nn.Module() end,
  function() return torch.optim.SGD({torch.rand(2, {requires_grad = true})}, {lr = 0.1}) end,
  function() return torch.optim.Adam(torch.nn.Linear(2, 2):parameters()) end,
  function() return torch.Generator() end,
  function() return torch.ones(2).shape end,
  function() return (torch.ones(2, {requires_grad = true}) * 2).grad_fn end,
  function() return torch.nn.Linear(2, 2):state_dict() end,
  function() return torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.rand(4, 2)), {batch_size = 2}) end,
  function() return torch.amp.GradScaler "cpu" end,
  function() return torch.numpy.array {1, 2} end,
  function() return torch.full({2, 3}, 0 / 0) end,
  function() return torch.full({3}, math.mininteger) end,
  function() return torch.ones(0, 1):expand(0, 1 << 40) end,
  function() return torch.rand(4):as_strided({3, 2}, {1, 1}) end,
  function() return torch.rand(2, 3):view(torch.uint8) end,
  function() return torch.rand(3, 3):bfloat16() end,
  function() return torch.inference_mode(function() return torch.rand(3) * 2 end) end,
  function() local t = torch.rand(2, 3) t:free() return t end,
  function() return setmetatable({1, nil, 3}, {__len = function() return 1 << 40 end, __index = function(_, k) return k end}) end,
  function() return torch.nn.LSTM(3, 2) end,
  function() return torch.nn.BatchNorm1d(3) end,
  function() return torch.nn.Conv2d(3, 2, 3) end,
  function() return torch.nn.MultiheadAttention(4, 2) end,
  function() return torch.nn.LayerNorm(3) end,
  function() return torch.nn.Embedding(4, 3) end,
  function() return torch.nn.LazyLinear(3) end,
  function() return torch.nn.CrossEntropyLoss() end,
  function() return torch.optim.lr_scheduler.StepLR(torch.optim.SGD({torch.rand(2, {requires_grad = true})}, {lr = 0.1}), 1) end,
  function() return torch.distributions.Normal(0.0, 1.0) end,
  function() return torch.serialization.save_bytes {torch.ones(2)} end,
}
if torch.cuda.is_available() then
  for _ = 1, 3 do
    makers[#makers + 1] = function() return torch.rand(2, 3):cuda() end
    makers[#makers + 1] = function() return torch.nn.Linear(2, 3):cuda() end
    makers[#makers + 1] = function() return torch.rand(3):pin_memory() end
  end
end
local objects = {}
for i, make in ipairs(makers) do objects[i] = make() end

-- Returns a new object, or false if what was called before has broken the maker.
local function made()
  local ok, value = pcall(pick(makers))
  return ok and value
end
for _, object in ipairs(objects) do collect_methods(object) end
table.sort(methods, function(a, b) return a[1] < b[1] end)

local function keep(...)
  for i = 1, math.min(select("#", ...), 3) do
    local value = select(i, ...)
    local meta = debug.getmetatable(value)
    local is_error = type(meta) == "table" and rawget(meta, "__name") == "torch.Error"
    if (type(value) == "userdata" or type(value) == "table") and not is_error then objects[math.random(#makers * 4)] = value end
  end
end

local function object()
  local kept = objects[math.random(#makers * 4)]
  if kept == nil or math.random(4) == 1 then return made() end
  return kept
end

local function junk()
  local kind = math.random(10)
  if kind <= 4 then return object() end
  if kind == 5 then
    local options = {}
    for _ = 1, math.random(3) do options[pick(keywords)] = math.random(2) == 1 and object() or pick(values) end
    return options
  end
  if kind == 6 then return nil end
  return pick(values)
end

-- ---- calls ----

local operators = {
  function(a, b) return a + b end, function(a, b) return a // b end, function(a, b) return a ^ b end,
  function(a, b) return a << b end, function(a, b) return a & b end, function(a) return -a end, function(a) return ~a end,
  function(a, b) return a < b end, function(a, b) return a == b end, function(a, b) return a .. b end,
  function(a) return #a end, function(a) return tostring(a) end, function(a, b) return a[b] end,
  function(a, b) if type(a) == "userdata" then a[b] = junk() end end,
  function(a) for k in pairs(a) do if k then return end end end, function(a) for v in a do if v then return end end end,
  function(a) local _ <close> = a end, function(a, ...) return a(...) end,
}

-- What changes an object that others hold.
local function each_parameter(m, f)
  for p in m:parameters() do f(p) end
end
local function set_parts(o, v)
  for _, group in ipairs(o.param_groups) do group[pick {"lr", "params", "momentum", "betas", "eps"}] = v end
  for _, state in pairs(o.state) do
    for name in pairs(state) do state[name] = v end
  end
end
local changes = {
  function(a, b) a.data = b end, function(a) a:free() end, function(a) a:resize_(pick {0, 1, 9, 3000, -1, 1 << 40}) end, function(a, b) a:set_(b) end,
  function(a, b) a:copy_(b) end, function(a, b) a.grad = b end, function(a) a:t_() end, function(a) a:detach_() end, function(a) a:fill_(0 / 0) end,
  function(a) a:requires_grad_() end, function(a) a:as_strided_({2}, {pick {0, 1, -1, 1 << 40}}) end, function(a) a:sum():backward() end,
  function(a, b) a:backward(b) end, function(a, b) a[0] = b end, function(a) a:register_hook(function(g) g:free() end) end,
  function(a, b) a:register_hook(function() a.data = b end) end, function(a, b) a.weight = b end, function(a, b) a.weight.data = b end,
  function(a) a.weight:free() end, function(a) a.weight = nil end, function(a, b) a.weight.grad = b end, function(a, b) a.bias = b end,
  function(a, b) a.running_mean = b end, function(a, b) a[pick {"stride", "padding", "num_heads", "hidden_size", "normalized_shape", "training", "p"}] = b end,
  function(a) each_parameter(a, function(p) p:free() end) end, function(a, b) each_parameter(a, function(p) p.data = b end) end,
  function(a) each_parameter(a, function(p) p.grad = torch.ones(3) end) end, function(a) each_parameter(a, function(p) p.data = p.data:half() end) end,
  function(a) a:to(pick {"meta", torch.float16, torch.int64}) end, function(a, b) a:load_state_dict(b) end, set_parts, function(a) a:step() end,
  function(a) a:register_forward_pre_hook(function(m, i) m.weight:free() i[1]:free() end) end,
  function(a, b) a:register_forward_hook(function() return b end) end, function(a) return torch.deepcopy(a) end,
  function(a) return torch.serialization.load_bytes(torch.serialization.save_bytes(a)) end,
  function(a, b) return torch.autograd.grad(a:sum(), {b}, {allow_unused = true}) end,
}

-- Some arguments, as text for the log (without their own tostring, which is under test).
local function described(...)
  local words = {}
  for i = 1, select("#", ...) do
    local value = select(i, ...)
    local kind = type(value)
    if kind == "string" then
      words[i] = ("%q"):format(value)
    elseif kind == "number" or kind == "boolean" or kind == "nil" then
      words[i] = tostring(value)
    else
      local meta = debug.getmetatable(value)
      words[i] = kind .. ":" .. tostring(type(meta) == "table" and rawget(meta, "__name") or "")
    end
  end
  return table.concat(words, ", ")
end

-- What changes the state of torch for everyone is taken back, by the functions as they were.
local set_default_dtype, set_default_device, set_grad_enabled = torch.set_default_dtype, torch.set_default_device, torch.set_grad_enabled
local set_num_threads, set_printoptions, float32 = torch.set_num_threads, torch.set_printoptions, torch.float32
local function reset()
  set_default_dtype(float32)
  set_default_device "cpu"
  set_grad_enabled(true)
  set_num_threads(2)
  set_printoptions {profile = "default"}
  debug.sethook()
end

local function call(n, name, f, ...)
  log:write(n, " ", name, "(", described(...), ")\n")
  log:seek "set"
  if math.random(8) == 1 then
    local thread = coroutine.create(function(...) return f(...) end)
    keep(select(2, coroutine.resume(thread, ...)))
  else
    keep(select(2, pcall(f, ...)))
  end
  reset()
end

for n = 1, calls do
  local arguments = {}
  local count = math.random(0, 4)
  for i = 1, count do arguments[i] = junk() end
  local kind = math.random(13)
  if kind > 10 then
    local which = math.random(#changes)
    call(n, "change " .. which, changes[which], object(), math.random(2) == 1 and object() or junk())
  elseif kind <= 5 then
    local chosen = pick(functions)
    call(n, chosen[1], chosen[2], table.unpack(arguments, 1, count))
  elseif kind <= 8 then
    local chosen = pick(methods)
    call(n, "method " .. chosen[1], chosen[2], object(), table.unpack(arguments, 1, count))
  else
    local which = math.random(#operators)
    call(n, "operator " .. which, operators[which], object(), junk(), table.unpack(arguments, 1, count))
  end
end
log:close()
os.exit(0, true)
