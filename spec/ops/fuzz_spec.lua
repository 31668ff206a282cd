-- fuzz_spec.lua: whatever a script does ends in a value or in an error with words.
--
-- Each case is a small Lua program made from a number, so that `FUZZ_CASE=n FUZZ_SEED=s` runs that
-- one again and `FUZZ_LOG=file` names, in its last lines, the program that ended the process.
--   FUZZ_SECONDS  how long to go on (15)      FUZZ_SEED  other programs (1)   FUZZ_FROM, FUZZ_TO  which
--   FUZZ_FAIL=1   lets allocations fail, too  FUZZ_GC=1  collects garbage after every result
-- Sizes are small, or so large that no machine has them: nothing between is attempted.
local torch = require "torch"
local samples = require "samples"

local SEED = tonumber(os.getenv "FUZZ_SEED" or 1)
local SECONDS = tonumber(os.getenv "FUZZ_SECONDS" or 15)
local ONLY = tonumber(os.getenv "FUZZ_CASE" or nil)
local log = os.getenv "FUZZ_LOG" and io.open(os.getenv "FUZZ_LOG", "w")

-- --- what may be called -------------------------------------------------------------------------

-- Left out: what prints, waits, reads files, or takes part in the fuzzing itself.
local left_out = {
  ["torch._fail_allocation"] = true, ["torch._stress"] = true, ["torch._set_warnings"] = true,
  ["torch._part"] = true, ["torch._doctor"] = true, ["torch._terminal"] = true,
  ["torch.tqdm"] = true, ["torch.plot"] = true, ["torch.pyplot"] = true, ["torch.save"] = true, ["torch.load"] = true,
  ["torch.from_file"] = true, ["torch._io"] = true,
  ["torch.set_printoptions"] = true, ["torch.seed"] = true, ["torch.hub"] = true,
}

local functions, methods, attributes, in_place = {}, {}, {}, {}

local function collect(space, path, seen)
  if seen[space] then return end
  seen[space] = true
  for name, value in pairs(space) do
    local full = type(name) == "string" and load("local " .. name) and path .. "." .. name   -- np.repeat is written np["repeat"]
    if full and not left_out[full] then
      local meta = getmetatable(value)
      if type(value) == "function" then
        functions[#functions + 1] = full
      elseif type(value) == "table" and full ~= "torch.Tensor" then
        if type(meta) == "table" and meta.__call then functions[#functions + 1] = full end
        collect(value, full, seen)
      end
    end
  end
end
for _, part in ipairs {"accelerator", "backends", "cuda", "datasets", "random", "utils"} do
  pcall(function() return torch[part] end) -- the parts that are loaded on first use
end
collect(torch, "torch", {})
table.sort(functions)
for name, value in pairs(torch.Tensor) do
  if name == "repeat" then goto next end -- a keyword of Lua; x:rep is the same
  local list = type(value) == "number" and attributes or methods
  list[#list + 1] = name
  if name:match "[^_]_$" then in_place[#in_place + 1] = name end
  ::next::
end
table.sort(methods)
table.sort(attributes)
table.sort(in_place)

-- --- values as texts ----------------------------------------------------------------------------

local random = math.random
local function pick(list) return list[random(#list)] end

local integers = {"0", "1", "2", "3", "4", "5", "9", "-1", "-2", "-3", "-9", "1 << 40", "1 << 62",
                  "math.maxinteger", "math.mininteger", "-(1 << 40)", "math.maxinteger - 1"}
local numbers = {"0.0", "0.5", "-1.5", "1.0", "2.0", "1e300", "-1e300", "0/0", "1/0", "-1/0", "2^53",
                 "2^63", "-2^63", "1e-300"}
local strings = {"'mean'", "'sum'", "'none'", "''", "'cpu'", "'meta'", "'cuda'", "'cuda:1'", "'mps'",
                 "'cpu:0'", "'0, 1:'", "'trunc'", "'floor'", "'fan_in'", "'relu'", "'xyz'", "'%s%n%d'",
                 "string.rep('x', 5000)", "'\\0'", "'weight'", "'tanh'", "'ij'", "'left'"}
local dtypes = {"bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32",
                "float64"}
local keywords = {"dim", "keepdim", "dtype", "device", "out", "size", "alpha", "p", "eps", "weight",
                  "bias", "reduction", "inplace", "input", "other", "requires_grad", "generator", "lr",
                  "unbiased", "correction", "descending", "max", "min", "value", "training", "start",
                  "stop", "step", "beta", "gradient", "create_graph", "retain_graph", "momentum",
                  "padding", "rounding_mode", "ignore_index", "label_smoothing", "unknown", "foreach",
                  "dims", "index", "source", "batch_size", "shuffle", "memory_format", "low", "high"}
local odd = {"nil", "true", "false", "{}", "{a = 1}", "function() end", "function(x) return x end",
             "function() error {} end", "torch.Size{2, 3}", "torch.device('cpu')", "torch.Generator()",
             "sparse", "cyclic", "io.stdout", "coroutine.create(print)", "setmetatable({}, broken)",
             "torch.nn.ReLU()", "torch.nn.Linear(3, 2)", "torch.nn.Parameter(torch.ones(2, 3))",
             "{torch.ones(2), torch.ones(2)}", "{torch.ones(2, 3), torch.zeros(2, 3), torch.ones(1)}",
             "torch.nn.Linear(3, 2):parameters()", "torch.nn.Linear(3, 2):state_dict()",
             "torch.ones(2, {requires_grad = true}):exp().grad_fn", "torch", "torch.Tensor", "_G"}

local shapes = {"", "0", "1", "2", "3", "5", "2, 3", "3, 2", "3, 3", "1, 3", "2, 0", "0, 3", "1, 1",
                "2, 3, 4", "4, 2, 3", "1, 2, 1, 3", "2, 1, 3, 2, 2, 1", "2, 3, 3"}
local kinds = {"", "", "", "zero", "transposed", "expanded", "sliced", "meta", "leaf", "leaf", "graph",
               "view", "freed", "inference", "data", "flipped"}

-- Where there are GPUs: tensors of some, and (see run) most programs with a GPU as the default device.
local GPUs = torch.cuda.device_count()
for GPU = 0, math.min(GPUs, 2) - 1 do
  kinds[#kinds + 1], kinds[#kinds + 2] = "cuda:" .. GPU, "pinned"
end

local function tensor()
  return ("t('%s', '%s', {%s})"):format(random() < 0.5 and "float32" or pick(dtypes), pick(kinds), pick(shapes))
end

local value
local function list(make, most)
  local items = {}
  for i = 1, random(0, most) do items[i] = make() end
  return "{" .. table.concat(items, ", ") .. "}"
end

function value(depth)
  local r = random()
  if r < 0.33 then return tensor() end
  if r < 0.58 then return pick(integers) end
  if r < 0.66 then return pick(numbers) end
  if r < 0.71 then return pick(strings) end
  if r < 0.75 then return "torch." .. pick(dtypes) end
  if r < 0.84 then return list(function() return pick(integers) end, 4) end
  if r < 0.90 and depth < 3 then return list(function() return value(depth + 1) end, 3) end
  return pick(odd)
end

local function keyword_table()
  local items = {}
  for i = 1, random(1, 2) do items[i] = pick(keywords) .. " = " .. value(1) end
  return "{" .. table.concat(items, ", ") .. "}"
end

local function arguments(first)
  local items = {first}
  for _ = 1, random(0, 3) do items[#items + 1] = value(0) end
  if random() < 0.2 then items[#items + 1] = keyword_table() end
  return table.concat(items, ", ")
end

-- --- calls of the list's samples, one argument changed --------------------------------------------

local sampled = {}
for _, op in ipairs(samples.load()) do
  for _, c in ipairs(#op.forms > 0 and samples.calls(op) or {}) do sampled[#sampled + 1] = c end
end

local function sampled_tensor(spec)
  local dtype = spec.dtype or ({bool = "bool", int = "int64"})[spec.values] or "float32"
  if random() < 0.1 then dtype = pick(dtypes) end
  local kind = random() < 0.4 and pick(kinds) or random() < 0.4 and "leaf" or ""
  local shape = {}
  for i, n in ipairs(spec.shape) do shape[i] = tostring(random() < 0.05 and random(0, 4) or n) end
  return ("s('%s', '%s', {%s}, %s, '%s')"):format(dtype, kind, table.concat(shape, ", "), spec.limit or "nil", spec.values)
end

local function sampled_value(a)
  if random() < 0.12 then return value(0) end
  if a.kind == "tensor" then return sampled_tensor(a) end
  if a.kind == "dtype" then return "torch." .. a.value end
  if a.kind == "tensors" or a.kind == "list" then
    local items = {}
    for i, item in ipairs(a.items or a.value) do
      items[i] = a.items and sampled_tensor(item) or random() < 0.2 and pick(integers) or tostring(item)
    end
    return "{" .. table.concat(items, ", ") .. "}"
  end
  if math.type(a.value) == "integer" and random() < 0.25 then return pick(integers) end
  if type(a.value) == "number" and random() < 0.2 then return pick(numbers) end
  if a.value == math.huge then return "1/0" end
  return type(a.value) == "string" and ("%q"):format(a.value) or tostring(a.value)
end

local function sampled_call()
  local c = pick(sampled)
  local form = pick(c.op.forms)
  local items, keys = {}, {}
  for i, a in ipairs(c.positional) do items[i] = sampled_value(a) end
  for key in pairs(c.keywords) do keys[#keys + 1] = key end
  table.sort(keys)
  for i, key in ipairs(keys) do
    keys[i] = ("[%q] = %s"):format(random() < 0.05 and pick(keywords) or key, sampled_value(c.keywords[key]))
  end
  if random() < 0.1 then keys[#keys + 1] = pick(keywords) .. " = " .. value(1) end
  if random() < 0.1 and #items > 1 then table.remove(items, random(#items)) end
  local place = form == "torch" and "torch." or "torch." .. form .. "."
  local name = c.op.lua_name
  if random() < 0.15 then name = name .. "_" end
  if form == "method" then
    name, place = (name == "repeat" and "rep" or name), table.remove(items, 1) or tensor()
    if #keys > 0 then items[#items + 1] = "{" .. table.concat(keys, ", ") .. "}" end
    return ("(%s):%s(%s)"):format(place, name, table.concat(items, ", "))
  end
  if #items == 0 and #keys == 0 then return place .. name .. "()" end
  if #keys > 0 then items[#items + 1] = "{" .. table.concat(keys, ", ") .. "}" end
  return ("%s%s(%s)"):format(place, name, table.concat(items, ", "))
end

-- A call and the gradients of what it gives.
local function sampled_program()
  local text = "local r = table.pack(" .. sampled_call() .. ")\n"
  if random() < 0.5 then return text .. "return r[1], r[2]" end
  return text .. "for i = 1, r.n do if torch.is_tensor(r[i]) and r[i].requires_grad and r[i]:numel() < 1000 then\n"
    .. ("try(function() r[i]:sum():backward({create_graph = %s}) end)\nend end"):format(pick {"true", "false", "false"})
end

-- --- programs -----------------------------------------------------------------------------------

local tokens = {"0", "1", "-1", "9", "-9", ":", ":", "::", "1:", ":1", "::2", "1:3", "::-1", "...", "None",
                "True", "False", "[0, 1]", "[", "]", ",", ",", ", ", " ", "x", "'", "1099511627776", "1.5",
                "99999999999999999999", "-", "[0]", "[]", "0:99999999999999999999", "(", "\\0", "[True, False]"}

local function subscript()
  if random() < 0.5 then
    local parts = {}
    for i = 1, random(1, 6) do parts[i] = pick(tokens) end
    return ("%q"):format(table.concat(parts, random() < 0.5 and ", " or ""))
  end
  if random() < 0.3 then return value(0) end
  local items = {}
  for i = 1, random(0, 4) do
    items[i] = random() < 0.4 and ("%q"):format(pick(tokens)) or value(1)
  end
  return "{" .. table.concat(items, ", ") .. "}"
end

local function call() -- a function, or a method
  if random() < 0.5 then return ("%s(%s)"):format(pick(functions), arguments(random() < 0.7 and tensor() or nil)) end
  return ("%s:%s(%s)"):format(tensor(), pick(methods), arguments(nil))
end

-- What is done with one of several tensors that know each other.
local steps = {
  function(x) return ("%s = %s:%s(%s)"):format(x, x, pick(methods), arguments(nil)) end,
  function(x) return ("%s:%s(%s)"):format(x, pick(in_place), arguments(nil)) end,
  function(x) return ("%s:%s(%s)"):format(x, pick(in_place), pick {"a", "b", "c"}) end,
  function(x) return ("%s = %s(%s)"):format(x, pick(functions), arguments(pick {"a", "b", "c"})) end,
  function(x) return ("%s = %s %s %s"):format(x, x, pick {"+", "-", "*", "/", "//", "%", "^", "&", "<<", ".."},
                                              pick {"a", "b", "c", "2", "0.5", "true"}) end,
  function(x) return ("%s = %s[%s]"):format(x, x, subscript()) end,
  function(x) return ("%s[%s] = %s"):format(x, subscript(), pick {"a", "b", "1", "0.5", "{1, 2}"}) end,
  function(x) return ("%s:sum():backward({retain_graph = %s, create_graph = %s})"):format(
    x, pick {"true", "false"}, pick {"true", "false", "false"}) end,
  function(x) return ("%s:backward(%s)"):format(x, pick {"", "a", "torch.ones_like(" .. x .. ")"}) end,
  function(x) return ("%s = torch.autograd.grad(%s, %s, %s)"):format(x, pick {"a:sum()", "b", "{a, b}"},
    pick {"a", "c", "{a, b, c}"}, pick {"nil", "b", "nil, true, true", "{allow_unused = true}"}) end,
  function(x) return ("%s:register_hook(%s)"):format(x, pick {"function(g) return g * 2 end", "error",
    "function(g) g:free() end", "function() return 5 end", "function(g) %s:free() end", "function(g) collectgarbage() end",
    "function() error(setmetatable({}, broken)) end", "function(g) g:zero_() end", "coroutine.yield",
    "function() a, b, c = nil collectgarbage() end"}):gsub("%%s", x) end,
  function(x) return ("%s:requires_grad_(%s)"):format(x, pick {"true", "false"}) end,
  function(x) return ("%s.%s = %s"):format(x, pick {"grad", "data", "requires_grad"}, pick {"a", "b", "nil", "true", value(0)}) end,
  function(x) return ("%s = %s.%s"):format(x, x, pick(attributes)) end,
  function(x) return x .. pick {":detach_()", ":retain_grad()", ":free()", " = x:detach()", " = tostring(" .. "a)"} end,
  function() return pick {"guard = torch.no_grad()", "guard = torch.inference_mode()", "guard2 = torch.enable_grad()",
    "close(guard)", "close(guard2)", "close(guard)", "guard = nil collectgarbage()",
    "torch.no_grad(function() a = b + c error {} end)", "torch.inference_mode(function() a = b + c end)",
    "torch.autograd.set_detect_anomaly(true)", "collectgarbage()", "torch.scope(function() a = b + 1 end)"} end,
  function() return ("coroutine.wrap(function() %s end)()"):format(call()) end,
  function(x) return ("for i, row in pairs(%s) do if i > 3 then break end b = row end"):format(x) end,
  function(x) return ("b = tostring(%s) .. %s"):format(x, x) end,
}

local function sequence()
  local lines = {("a, b, c = %s, %s, %s"):format(tensor(), tensor(), tensor()), "local guard, guard2"}
  if random() < 0.5 then lines[#lines + 1] = "b = a" .. pick {":view(-1)", "[0]", ".T", ":detach()", "[':']", " * c"} end
  for _ = 1, random(2, 7) do
    lines[#lines + 1] = "try(function() " .. pick(steps)(pick {"a", "a", "b", "c"}) .. " end)"
  end
  return table.concat(lines, "\n")
end

local module_lines = {
  function() return ("m = %s(%s)"):format(pick(functions), arguments(nil)) end,
  function() return ("x = m(%s)"):format(arguments(tensor())) end,
  function() return "x = m(x)" end,
  function() return "x:sum():backward()" end,
  function() return ("x = m:%s(%s)"):format(pick {"to", "train", "eval", "apply", "state_dict", "load_state_dict", "zero_grad",
    "requires_grad_", "half", "double", "register_buffer", "register_parameter", "add_module", "get_submodule",
    "named_parameters", "children", "append", "insert", "pop", "extend", "register_forward_hook", "forward", "init",
    "register_forward_pre_hook", "step", "zero_grad", "add_param_group", "isinstance", "update", "items", "get_parameter"},
    arguments(random() < 0.3 and pick {"m", "'0'", "m2", "'weight'"} or nil)) end,
  function() return ("m[%s] = %s"):format(value(0), pick {"m", "m2", "nil", value(0)}) end,
  function() return ("x = m[%s]"):format(random() < 0.5 and value(0) or pick {"'weight'", "'bias'", "'training'", "0", "'0:1'"}) end,
  function() return ("m.%s = %s"):format(pick {"weight", "bias", "training", "forward", "p", "child", "init"}, pick {"m2", "m", value(0)}) end,
  function() return "m, m2 = torch.nn.Sequential(m2, torch.nn.ReLU()), m" end,
  function() return "m2 = Broken()" end,
  function() return "x = tostring(m)" end,
  function() return ("m = torch.optim.%s(m2:parameters(), {lr = %s})"):format(pick {"SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta"},
    pick {"0.1", "0", "-1", "0/0", "'x'", "torch.tensor(0.1)"}) end,
  function() return "for a, b in m:named_parameters() do x = b break end" end,
  function() return "for k, v in pairs(m) do x = v end" end,
  function() return "x = #m" end,
  function() return "m2:load_state_dict(m:state_dict())" end,
}

local function module_program()
  local lines = {("m, m2, x = torch.nn.%s, torch.nn.Linear(3, 2), torch.ones(2, 3)"):format(
    pick {"Linear(3, 2)", "ReLU()", "Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 3))", "Dropout()",
          "ModuleList{torch.nn.ReLU()}", "ModuleDict{a = torch.nn.ReLU()}", "CrossEntropyLoss()",
          "ParameterList{torch.nn.Parameter(torch.ones(2))}", "Module()"})}
  for _ = 1, random(2, 6) do lines[#lines + 1] = "try(function() " .. pick(module_lines)() .. " end)" end
  return table.concat(lines, "\n")
end

-- A metamethod, or an iterator that a pairs gave, called by hand.
local events = {"__index", "__newindex", "__tostring", "__eq", "__len", "__pairs", "__concat", "__close", "__gc",
                "__call", "__add", "__sub", "__div", "__unm", "__bnot", "__lt", "__le", "__name", "__idiv", "__pow"}
local function metamethod()
  local object = random() < 0.4 and tensor() or
    pick {"torch.float32", "torch.device('cpu')", "torch.Size{2, 3}", "torch.Generator()", "torch.no_grad()",
          "torch.nn.Linear(3, 2)", "torch.nn.Linear", "torch.nn.Linear(3, 2):state_dict()",
          "torch.ones(2, {requires_grad = true}):exp().grad_fn", "torch.ones(2, {requires_grad = true}):register_hook(print)",
          "select(2, pcall(torch.ones, {}))", "torch.nn.Sequential(torch.nn.ReLU())", "torch", "torch.nn",
          "torch.optim.SGD(torch.nn.Linear(1, 1):parameters(), {lr = 0.1})", "torch.nn.ParameterList{}"}
  local own = random() < 0.6 and "object" or value(0)
  if random() < 0.3 then
    return ("local object = %s\nlocal step, state, first = pairs(object)\nreturn step(%s, %s)"):format(
      object, pick {"state", own}, pick {"first", value(0)})
  end
  return ("local object = %s\nreturn debug.getmetatable(object).%s(%s)"):format(object, pick(events), arguments(own))
end

local function program()
  local r = random()
  if r < 0.25 then return sampled_program() end
  if r < 0.5 then return "return " .. call() end
  if r < 0.6 then return ("return %s[%s]"):format(tensor(), subscript()) end
  if r < 0.7 then return ("local x = %s\nx[%s] = %s\nreturn x"):format(tensor(), subscript(), value(0)) end
  if r < 0.85 then return sequence() end
  if r < 0.95 then return module_program() end
  return metamethod()
end

-- --- the surroundings of a program ----------------------------------------------------------------

local sparse, cyclic = {}, {}
for k = 0, 40 do sparse[1 << k] = 1 end -- its border may be anything
cyclic[1], cyclic[2] = cyclic, cyclic
local broken = {__tostring = function() error {} end, __index = function() error "index" end,
                __len = function() return -1 end, __name = 5}
local Broken = torch.nn.Module:extend "Broken"
function Broken:init() self.inner = torch.nn.Linear(3, 3) end
function Broken:forward(x) if x.ndim == 2 then return self.inner(x) end return "no tensor" end

local makers = {
  zero = function(x) return x * 0 end,
  transposed = function(x) return x.ndim > 1 and x:transpose(0, -1) or x end,
  expanded = function(x) return x:unsqueeze(0):expand(2, table.unpack(x.shape:unpack() and {x.shape:unpack()} or {})) end,
  sliced = function(x) return x.ndim > 0 and x["::2"] or x end,
  flipped = function(x) return x.ndim > 0 and x:flip(0) or x end,
  meta = function(x) return x:to "meta" end,
  leaf = function(x) return x:is_floating_point() and x:requires_grad_() or x end,
  graph = function(x) return x:is_floating_point() and x:requires_grad_() * 2 or x end,
  view = function(x) return x:is_floating_point() and (x:requires_grad_() * 1):view(-1) or x:view(-1) end,
  freed = function(x) x:free() return x end,
  inference = function(x) return torch.inference_mode(function() return x + 1 end) end,
  data = function(x) return x.data end,
  pinned = function(x) return x:cpu():pin_memory() end,
}
for GPU = 0, GPUs - 1 do makers["cuda:" .. GPU] = function(x) return x:cuda(GPU) end end

local function t(dtype, kind, size)
  local x = torch.randn(size):mul(3):to(torch[dtype])
  return kind == "" and x or makers[kind](x)
end

-- A tensor with the values a sample asks for.
local function s(dtype, kind, size, limit, values)
  local x = limit and torch.randint(0, limit, size) or torch.rand(size)
  if values == "sorted" then x = torch.arange(x:numel()):view(size) / 8 - 1 end
  if values == "float" then x = x * 3 - 1.5 end
  if values == "bool" then x = x:gt(0.5) end
  x = x:to(torch[dtype])
  return kind == "" and x or makers[kind](x)
end

-- An error must say something.
local function has_words(e)
  if type(e) == "table" and getmetatable(e) == nil then return true end -- a program's own error {}
  local ok, text = pcall(tostring, e)
  return not ok or (type(text) == "string" and text:match "%S" ~= nil)
end

local complaint, surroundings

-- Runs a line of a program. Views of 2^40 elements are not worked on: that would take hours.
local function try(f)
  local ok, e = pcall(f)
  for _, name in ipairs {"a", "b", "c", "x"} do
    local v = surroundings[name]
    if torch.is_tensor(v) and v:numel() > 1000000 then surroundings[name] = nil end
  end
  if not ok and (e == nil or not has_words(e)) then complaint = "an error without words: " .. type(e) end
end

local function close(guard) if guard then getmetatable(guard).__close(guard) end end

surroundings = setmetatable({torch = torch, t = t, s = s, try = try, close = close, sparse = sparse, cyclic = cyclic,
                                   broken = broken, Broken = Broken, print = function() end}, {__index = _G})

local kept   -- luacheck: ignore (a guard that stays)

local function settle()
  torch._fail_allocation(-1)
  torch.set_grad_enabled(true)
  torch.set_default_dtype(torch.float32)
  torch.set_default_device "cpu"
  if GPUs > 0 then
    torch.cuda.set_device(0)
    for GPU = 0, GPUs - 1 do torch.cuda.set_stream(torch.cuda.default_stream(GPU)) end
  end
  torch.set_num_threads(2)
  torch.autograd.set_detect_anomaly(false)
end

-- Runs program number n; returns what is wrong with what it did, if anything, and its text.
local function run(n)
  math.randomseed(SEED, n)
  local text = program()
  local fail = os.getenv "FUZZ_FAIL" and random(0, 12) or -1
  local place = GPUs > 0 and random() < 0.7 and "cuda" or "cpu"
  if log then
    log:seek "set"
    log:write(("-- FUZZ_SEED=%d FUZZ_CASE=%d on %s\n%s\n-- end%s\n"):format(SEED, n, place, text, (" "):rep(200)))
    log:flush()
  end
  settle()
  torch.set_default_device(place)
  torch.manual_seed(n)
  complaint = nil
  local f, syntax = load(text, "=case", "t", surroundings)
  if not f then return syntax, text end
  try(function()
    local function shown(...)
      torch._fail_allocation(-1)
      for i = 1, select("#", ...) do
        local v = select(i, ...)
        if type(v) == "userdata" then tostring(v) end
      end
    end
    torch._fail_allocation(fail)
    shown(f())
  end)
  torch._fail_allocation(-1)
  for GPU = 0, GPUs - 1 do -- a bad index is the program's; anything else is ours, and stays
    pcall(torch.cuda.synchronize, GPU)
    local ok, e = pcall(torch.cuda.synchronize, GPU)
    if not ok then complaint = "the GPU: " .. tostring(e) end
  end
  local held = torch._memory().scope
  if held ~= 0 then complaint = held .. " tensors stay in the scope" end
  return complaint, text
end

describe("fuzzing", function()
  it("ends in a value or an error with words", function()
    if os.getenv "FUZZ_GC" then torch._stress(true) end
    warn "@off"
    torch._set_warnings(false)
    local start, n = os.time(), ONLY or tonumber(os.getenv "FUZZ_FROM" or 1)
    local clock = torch._clock()
    local last = tonumber(os.getenv "FUZZ_TO" or math.maxinteger)
    while torch._clock() - clock < SECONDS and n <= last do
      local wrong, text = run(n)
      if wrong then error(("%s\nFUZZ_SEED=%d FUZZ_CASE=%d\n%s"):format(wrong, SEED, n, text), 0) end
      if ONLY then print(text) break end
      n = n + 1
      if n % 512 == 0 then collectgarbage() end
    end
    -- Guards that programs dropped leave their modes when they are collected, in any order: the last to go may put
    -- back what another had entered.
    for _ = 1, 3 do collectgarbage() end
    settle()
    if torch.is_inference_mode_enabled() then kept = torch.inference_mode(false) end
    torch._stress(false)
    if os.getenv "FUZZ_VERBOSE" then print(("%d programs in %d s"):format(n, os.time() - start)) end
  end)
end)
