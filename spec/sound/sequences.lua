-- sequences.lua SEED STEPS LOG: random sequences of legal steps on a few tensors that know each other: operators, views, writes in
-- place, x.data = y, free, resize_, hooks, functions, modes and backward, also within one another: a hook may do whatever a
-- program may. Each step ends in a value or in an error with words, and the modes are afterwards as before.
--
-- Every program is made from SEED and its number. LOG says, in its last lines, which program was running: SEED NUMBER runs it again
-- where a fourth argument is that number. spec/sound/sequences_spec.lua runs this file; how to run more stands there.
package.path = "spec/support/?.lua;" .. package.path
local torch = _G.torch or require "torch"
local samples = require "samples"
local graph = torch.autograd.graph

local SEED, STEPS, LOG, ONLY = tonumber(arg[1]), tonumber(arg[2]), arg[3], tonumber(arg[4])
local PLACES, LINES = 6, 16 -- tensors of a program; its lines
local log = LOG and io.open(LOG, "w")

local random = math.random
local function pick(list) return list[random(#list)] end

-- --- the text of a step ---------------------------------------------------------------------------

local shapes = {"", "1", "4", "8", "0", "2, 3", "3, 2", "1, 3", "4, 4", "2, 0", "2, 3, 4", "1000", "2, 2, 8, 8", "4, 2, 3, 3", "1, 2, 1, 3, 1, 2"}
local floating = {"float32", "float32", "float32", "float64", "float16", "bfloat16"}

local function place() return ("p[%d]"):format(random(PLACES)) end
local function shape() return "{" .. pick(shapes) .. "}" end
local function bool() return pick {"true", "false"} end
local line -- a step, or what a hook does: set below

-- The operators of the list with the tensors of their samples, some of which are the program's.
local sampled = {}
for _, op in ipairs(samples.load()) do
  if op.lua_name ~= "from_file" then
    for _, c in ipairs(#op.forms > 0 and samples.calls(op) or {}) do sampled[#sampled + 1] = c end
  end
end

local function sampled_tensor(spec)
  if random() < 0.1 then return place() end
  local dtype = spec.dtype or ({bool = "bool", int = "int64"})[spec.values] or "float32"
  local text = ("s('%s', {%s}, '%s', %s, %s)"):format(dtype, table.concat(spec.shape, ", "), spec.values, spec.limit or "nil",
    tostring(random() < 0.7))
  return random() < 0.6 and ("put(%d, %s)"):format(random(PLACES), text) or text
end

local function sampled_value(a)
  if a.kind == "tensor" then return sampled_tensor(a) end
  if a.kind == "dtype" then return "torch." .. a.value end
  if a.kind == "tensors" or a.kind == "list" then
    local items = {}
    for i, item in ipairs(a.items or a.value) do items[i] = a.items and sampled_tensor(item) or tostring(item) end
    return "{" .. table.concat(items, ", ") .. "}"
  end
  if a.value == math.huge then return "1/0" end
  return type(a.value) == "string" and ("%q"):format(a.value) or tostring(a.value)
end

local function sampled_call()
  local c = pick(sampled)
  local form, name = pick(c.op.forms), c.op.lua_name
  local items, keys = {}, {}
  for i, a in ipairs(c.positional) do items[i] = sampled_value(a) end
  for key in pairs(c.keywords) do keys[#keys + 1] = key end
  table.sort(keys)
  for i, key in ipairs(keys) do keys[i] = ("[%q] = %s"):format(key, sampled_value(c.keywords[key])) end
  if random() < 0.05 then keys[#keys + 1] = "out = " .. place() end
  if #keys > 0 then items[#items + 1] = "{" .. table.concat(keys, ", ") .. "}" end
  if form ~= "method" then
    return ("%s[%q](%s)"):format(form == "torch" and "torch" or "torch." .. form, name, table.concat(items, ", "))
  end
  local self = table.remove(items, 1) or place()
  return ("call(%s, %q%s)"):format(self, (name == "repeat" and "rep" or name) .. (random() < 0.2 and "_" or ""),
    #items > 0 and ", " .. table.concat(items, ", ") or "")
end

-- Returns the text that follows a hook's lines.
local function results(argument)
  return pick {"", "", "return " .. argument, "return " .. argument .. " * 2", "return " .. argument .. ":clone()", "return " .. place()}
end

-- Returns the text of a hook's function, which may keep its argument, and do what a program does.
local function hook(argument)
  local lines = {}
  if random() < 0.4 then lines[1] = ("put(%d, %s)"):format(random(PLACES), argument) end
  for _ = 1, random(0, 2) do lines[#lines + 1] = (random() < 0.7 and "try(function() %s end)" or "%s"):format(line(true)) end
  return ("function(%s) if deep() then return end %s\n%s end"):format(argument, table.concat(lines, "\n"), results(argument))
end

local views = {":view(-1)", "[0]", ".T", ":detach()", ".data", "['::2']", "['1:']", ":unsqueeze(0)", ":squeeze()", ":expand_as(%s)",
  ":transpose(0, -1)", ":diagonal()", ":chunk(2)", ":unbind()", ":as_strided({2, 2}, {1, 2}, 0)", ":as_strided({8}, {1}, 1)",
  ":as_strided({3, 3}, {1, 1})", ":view(torch.uint8)", ":select(-1, 0)", ":narrow(0, 0, 1)", ":flatten()", ":unfold(0, 2, 1)", ".grad"}
local writes = {":mul_(2)", ":add_(%s)", ":mul_(%s)", ":copy_(%s)", ":zero_()", ":fill_(3)", ":sigmoid_()", ":relu_()", ":clamp_(-1, 1)",
  ":index_fill_(0, torch.tensor{0}, 2)", ":masked_fill_(%s:gt(0), 1)", ":sub_(1)", ":exp_()", "[0] = 5", "[':'] = %s", "['::2'] = 0"}
local geometry = {":t_()", ":squeeze_()", ":unsqueeze_(0)", ":transpose_(0, -1)", ":swapaxes_(0, 1)", ":resize_(8)", ":resize_(2, 2)",
  ":resize_(0)", ":resize_(3000)", ":resize_as_(%s)", ":detach_()", ":requires_grad_()", ":requires_grad_(false)", ":retain_grad()"}
local function with_place(text) return (text:gsub("%%s", place)) end

local nested = { -- what a hook may do, too
  function() return ("put(%d, %s)"):format(random(PLACES), sampled_call()) end,
  function() return ("put(%d, %s)"):format(random(PLACES), sampled_call()) end,
  function() return ("put(%d, leaf('%s', %s))"):format(random(PLACES), pick(floating), shape()) end,
  function() return ("put(%d, %s %s %s)"):format(random(PLACES), place(), pick {"+", "-", "*", "/", "^"}, pick {place(), place(), "2", "0.5"}) end,
  function() return ("put(%d, %s%s)"):format(random(PLACES), place(), with_place(pick(views))) end,
  function() return place() .. with_place(pick(writes)) end,
  function() return place() .. with_place(pick(writes)) end,
  function() return place() .. with_place(pick(geometry)) end,
  function()
    return ("set(%s, %s)"):format(place(), pick {place(), place(), place() .. ":detach()", ("torch.randn(%s)"):format(shape()),
      "'double'", "'half'", "'same'", "'ones'", "'expanded'", "'empty'", "'view'"})
  end,
  function()
    return ("set(%s, %s)"):format(place(), pick {"'same'", "'ones'", "'double'", "'empty'"})
  end,
  function() return place() .. ":free()" end,
  function() return ("%s.grad = %s"):format(place(), pick {"nil", place(), place() .. ".grad"}) end,
  function()
    return ("back(%s, {retain_graph = %s, create_graph = %s})"):format(place(), bool(), pick {"true", "false", "false"})
  end,
  function()
    return ("put(%d, torch.autograd.grad(%s:sum(), %s, {allow_unused = %s, retain_graph = %s, create_graph = %s}))"):format(random(PLACES),
      place(), pick {place(), "{" .. place() .. ", " .. place() .. "}"}, bool(), bool(), bool())
  end,
  function() return "collectgarbage()" end,
  function() return ("p[%d] = nil"):format(random(PLACES)) end,
  function() return ("torch.%s(function() %s end)"):format(pick {"no_grad", "enable_grad", "inference_mode"}, with_place(place() .. pick(writes))) end,
  function() return ("close(%d)"):format(random(3)) end,
}

local outer = {
  function() return ("hold(%s:register_hook(%s))"):format(place(), hook "g") end,
  function() return ("hold(%s:register_hook(%s))"):format(place(), hook "g") end,
  function() return ("hold(%s:register_post_accumulate_grad_hook(%s))"):format(place(), hook "g") end,
  function() return ("hold(%s.grad_fn:%s(%s))"):format(place(), pick {"register_hook", "register_prehook"}, hook "g") end,
  function() return "unhook()" end,
  function() return ("open(%d, graph.saved_tensors_hooks(%s, %s))"):format(random(3), hook "t", hook "t") end,
  function() return ("open(%d, graph.saved_tensors_hooks(id, %s))"):format(random(3), hook "t") end,
  function() return ("enter(torch.%s())"):format(pick {"no_grad", "enable_grad", "inference_mode", "autograd.detect_anomaly"}) end,
  function() return "leave()" end,
  function()
    return ("put(%d, custom(%s, %s, %s, %s))"):format(random(PLACES), pick {"'copy'", "'view'", "'dirty'"}, hook "t", hook "g", place())
  end,
  function() return ("torch.optim.%s({%s, %s}, {lr = 0.1}):step()"):format(pick {"SGD", "Adam"}, place(), place()) end,
  function() return ("torch.nn.utils.clip_grad_norm_({%s, %s}, 1)"):format(place(), place()) end,
  function() return ("coroutine.wrap(function() %s end)()"):format(line(true)) end,
}

function line(inner)
  return (inner or random() < 0.75) and pick(nested)() or pick(outer)()
end

local function program()
  local lines = {("put(1, leaf('%s', %s)) put(2, leaf('float32', %s)) put(3, p[1] * 1)"):format(pick(floating), shape(), shape())}
  for _ = 1, LINES do lines[#lines + 1] = line() end
  return lines
end

-- --- what the steps call ----------------------------------------------------------------------------

local p, guards, modes, handles, level, steps, done, complaint = {}, {}, {}, {}, 0, 0, 0, nil
local Custom = torch.autograd.Function:extend "Custom"
function Custom.forward(ctx, x, how, forward, backward)
  ctx.on_backward = backward
  ctx:save_for_backward(x)
  forward(x)
  if how == "dirty" then
    x:mul_(2)
    ctx:mark_dirty(x)
    return x
  end
  return how == "view" and x:view(-1) or x * 2
end
function Custom.backward(ctx, grad)
  local x = ctx.saved_tensors[1]
  return ctx.on_backward(grad) or grad:sum() + x * 0
end

local function id(t) return t end
local function close(guard)
  if guard then debug.getmetatable(guard).__close(guard) end
end
local function has_words(e)
  local ok, text = pcall(tostring, e)
  return ok and type(text) == "string" and text:match "%S" ~= nil
end
local function first_tensor(v, ...)
  if torch.is_tensor(v) then return v end
  if type(v) == "table" then v = v[1] return torch.is_tensor(v) and v or nil end
  if select("#", ...) > 0 then return first_tensor(...) end
end

local env
env = {
  torch = torch, graph = graph, p = p, id = id, collectgarbage = collectgarbage, coroutine = coroutine,
  leaf = function(dtype, size) return torch.randn(size, {dtype = torch[dtype], requires_grad = true}) end,
  put = function(place_of, ...)
    local t = first_tensor(...)
    if t and t:numel() <= 1000000 then p[place_of] = t end
    return ...
  end,
  s = function(dtype, size, values, limit, leaf) -- a tensor as samples want it
    local x = limit and torch.randint(0, limit, size) or torch.rand(size)
    if values == "sorted" then x = torch.arange(x:numel()):view(size) / 8 - 1 end
    if values == "float" then x = x * 3 - 1.5 end
    if values == "bool" then x = x:gt(0.5) end
    x = x:to(torch[dtype]):detach()
    return leaf and x:is_floating_point() and x:requires_grad_() or x
  end,
  call = function(self, name, ...) return self[name](self, ...) end,
  set = function(x, data)
    if data == "double" or data == "half" then data = x.data[data](x.data)
    elseif data == "same" then data = torch.rand(x.shape):to(x.dtype)
    elseif data == "ones" then data = torch.ones(1):to(x.dtype)
    elseif data == "expanded" then data = torch.ones(1):to(x.dtype):expand(x.shape)
    elseif data == "empty" then data = torch.zeros(0)
    elseif data == "view" then data = x.data["1:"]
    end
    x.data = data
  end,
  back = function(y, how) y:sum():backward(how) end,
  try = function(f)
    local ok, e = pcall(f)
    steps = steps + 1
    if ok then done = done + 1 end
    if not ok and not has_words(e) then complaint = "an error without words" end
  end,
  deep = function()
    level = level + 1
    return level > 12
  end,
  hold = function(handle) handles[#handles + 1] = handle end,
  unhook = function()
    local handle = table.remove(handles)
    if handle then handle:remove() end
  end,
  open = function(i, guard) -- guards of hooks are closed in any order,
    env.close(i)
    guards[i] = guard
  end,
  close = function(i)
    close(guards[i])
    guards[i] = nil
  end,
  enter = function(guard) modes[#modes + 1] = guard end, -- modes as blocks are
  leave = function() close(table.remove(modes)) end,
  custom = function(how, forward, backward, x) return Custom.apply(x, how, forward, backward) end,
}

local function state()
  return ("grad %s, inference %s, anomaly %s, scope %d"):format(torch.is_grad_enabled(), torch.is_inference_mode_enabled(),
    torch.is_anomaly_enabled(), torch._memory().scope)
end
local usual = state()

local function end_program()
  for i in pairs {1, 2, 3} do env.close(i) end
  while #modes > 0 do env.leave() end
  for k in pairs(p) do p[k] = nil end
  for k in pairs(handles) do handles[k] = nil end
end

local function run(n)
  math.randomseed(SEED, n)
  torch.manual_seed(n)
  local lines = program()
  if ONLY then print(table.concat(lines, "\n")) end
  if log then
    log:seek "set"
    log:write(("%d %d\n%s\n-- end%s\n"):format(SEED, n, table.concat(lines, "\n"), (" "):rep(4000)))
    log:flush()
  end
  for i, text in ipairs(lines) do
    level = 0
    local f = assert(load(text, "=line " .. i, "t", env))
    env.try(f)
  end
  end_program()
  if n % 64 == 0 then collectgarbage() end
  local now = state()
  if now ~= usual then complaint = now .. " instead of " .. usual end
  if complaint then error(("%s: program %d of seed %d\n%s"):format(complaint, n, SEED, table.concat(lines, "\n")), 0) end
end

warn "@off"
torch._set_warnings(false)
torch.set_num_threads(1)
if ONLY then
  run(ONLY)
else
  local n = 0
  while steps < STEPS do
    n = n + 1
    run(n)
  end
  print(("%d steps, %d of them without an error"):format(steps, done))
end
