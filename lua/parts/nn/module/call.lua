-- call.lua: the call of a module that has hooks (bindings/nn/hooks.c): call(its hooks, those of all modules, module, inputs...).
-- In Lua, so that hooks and forwards may yield.
local torch = ...
local forward, unpack, select = torch._run_forward, table.unpack, select

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

-- Calls a hook that takes keywords, with the module, its inputs and further arguments.
local function call_with_keywords(hook, module, inputs, ...)
  local plain, keywords = split(inputs)
  return hook[1](module, plain, keywords, ...)
end

-- Runs a list of hooks before the forward, and returns the inputs, which the hooks may replace.
local function run_before(list, module, inputs)
  for i = 1, #list do
    local hook = list[i]
    local changed, keywords
    if hook[2] then
      changed, keywords = call_with_keywords(hook, module, inputs)
    else
      changed = hook[1](module, inputs)
    end
    if keywords and type(keywords) == "table" and type(changed) == "table" then
      if next(keywords) ~= nil then changed[#changed + 1] = keywords end
      inputs = changed
    elseif changed ~= nil then
      inputs = is_list(changed) and changed or {changed}
    end
  end
  return inputs
end

-- Runs a list of hooks after the forward, and returns the output, which the hooks may replace.
local function run_after(list, module, inputs, output)
  for i = 1, #list do
    local hook = list[i]
    local changed
    if hook[2] then
      changed = call_with_keywords(hook, module, inputs, output)
    else
      changed = hook[1](module, inputs, output)
    end
    if changed ~= nil then output = changed end
  end
  return output
end

-- Runs the hooks with always_call after an error, without an output. Their own errors become warnings.
local function run_always(hooks, module, inputs)
  for _, hook in ipairs(hooks and hooks.after or {}) do
    if hook.always then
      local ok, e = pcall(run_after, {hook}, module, inputs, nil)
      if not ok then
        torch._warn("module forward hook with ``always_call=True`` raised an exception that was silenced as another error was raised " ..
          "in forward: " .. tostring(e))
      end
    end
  end
end

-- Runs the forward hooks and returns the outputs. Hooks get several outputs as one table, which is unpacked again afterwards.
local function finish(own, all, module, inputs, ...)
  local of_all, of_own = all and all.after, own and own.after
  if not (of_all or of_own) then return ... end
  local several = select("#", ...) > 1
  local output = ...
  if several then output = {...} end
  if of_all then output = run_after(of_all, module, inputs, output) end
  if of_own then output = run_after(of_own, module, inputs, output) end
  if several and is_list(output) then return unpack(output, 1, #output) end
  return output
end

local function run(own, all, module, inputs)
  if all and all.before then inputs = run_before(all.before, module, inputs) end
  if own and own.before then inputs = run_before(own.before, module, inputs) end
  if own and (own.backward or own.before_backward) or all and (all.backward or all.before_backward) then
    local wrap = torch._part "nn.module.backward_hooks"(module, all, own, inputs)
    return wrap(finish(own, all, module, inputs, forward(module, unpack(inputs, 1, #inputs))))
  end
  return finish(own, all, module, inputs, forward(module, unpack(inputs, 1, #inputs)))
end

local function close_always(own, all, module, inputs, ok, ...)
  if ok then return ... end
  run_always(all, module, inputs)
  run_always(own, module, inputs)
  error((...), 0)
end

return function(own, all, module, ...)
  local inputs = {...}
  if own and own.always or all and all.always then
    return close_always(own, all, module, inputs, xpcall(run, torch._keep_traceback, own, all, module, inputs))
  end
  if own and (own.before or own.backward or own.before_backward) or all and (all.before or all.backward or all.before_backward) then
    return run(own, all, module, inputs)
  end
  return finish(own, all, module, inputs, forward(module, ...))
end
