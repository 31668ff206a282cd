-- call.lua: the call of a module that has hooks (bindings/nn/hooks.c): call(module, its hooks, those of all modules, inputs...).
-- In Lua, so that hooks and forwards may yield.
local torch = ...
local forward = torch._run_forward

-- Returns true if a value is a plain table, in which a hook returns several values.
local function is_list(value)
  if type(value) ~= "table" then return false end
  local metatable = getmetatable(value)
  return not metatable or type(metatable) == "table" and rawget(metatable, "__name") == nil
end

-- Returns the inputs without their keywords (a last table that has only names), and the keywords.
local function split(inputs)
  local n = #inputs
  local last = inputs[n]
  if type(last) ~= "table" or rawlen(last) > 0 or getmetatable(last) then return table.move(inputs, 1, n, 1, {}), {} end
  return table.move(inputs, 1, n - 1, 1, {}), last
end

-- Calls a hook with the module, its inputs and further arguments.
local function call_hook(hook, module, inputs, ...)
  if not hook[2] then return hook[1](module, inputs, ...) end
  local plain, keywords = split(inputs)
  return hook[1](module, plain, keywords, ...)
end

-- Runs the hooks before the forward, and returns the inputs, which the hooks may replace.
local function run_before(hooks, module, inputs)
  local list = hooks and hooks.before
  for i = 1, list and #list or 0 do
    local hook = list[i]
    local changed, keywords = call_hook(hook, module, inputs)
    if hook[2] and type(changed) == "table" and type(keywords) == "table" then
      if next(keywords) ~= nil then changed[#changed + 1] = keywords end
      inputs = changed
    elseif changed ~= nil then
      inputs = is_list(changed) and changed or {changed}
    end
  end
  return inputs
end

local function run_after(hooks, module, inputs, output)
  local list = hooks and hooks.after
  for i = 1, list and #list or 0 do
    local changed = call_hook(list[i], module, inputs, output)
    if changed ~= nil then output = changed end
  end
  return output
end

-- Runs the hooks with always_call after an error, without an output. Their own errors become warnings.
local function run_always(hooks, module, inputs)
  for _, hook in ipairs(hooks and hooks.after or {}) do
    if hook.always then
      local ok, e = pcall(call_hook, hook, module, inputs, nil)
      if not ok then
        torch._warn("module forward hook with ``always_call=True`` raised an exception that was silenced as another error was raised " ..
          "in forward: " .. tostring(e))
      end
    end
  end
end

-- Runs the forward hooks and returns the outputs. Hooks get several outputs as one table, which is unpacked again afterwards.
local function finish(module, own, all, inputs, ...)
  local count = select("#", ...)
  local output = ...
  if count > 1 then output = {...} end
  output = run_after(own, module, inputs, run_after(all, module, inputs, output))
  if count > 1 and is_list(output) then return table.unpack(output, 1, #output) end
  return output
end

local function forward_with_hooks(module, own, all, inputs)
  return finish(module, own, all, inputs, forward(module, table.unpack(inputs, 1, #inputs)))
end

local function goes_backward(hooks) return hooks and (hooks.backward or hooks.before_backward) end

local function run(module, own, all, inputs)
  inputs = run_before(own, module, run_before(all, module, inputs))
  local wrap = (goes_backward(own) or goes_backward(all)) and torch._part "nn.module.backward_hooks"(module, all, own, inputs)
  if wrap then return wrap(forward_with_hooks(module, own, all, inputs)) end
  return forward_with_hooks(module, own, all, inputs)
end

local function close_always(module, own, all, inputs, ok, ...)
  if ok then return ... end
  run_always(all, module, inputs)
  run_always(own, module, inputs)
  error((...), 0)
end

return function(module, own, all, ...)
  local inputs = {...}
  if not (own and own.always or all and all.always) then return run(module, own, all, inputs) end
  return close_always(module, own, all, inputs, xpcall(run, torch._keep_traceback, module, own, all, inputs))
end
