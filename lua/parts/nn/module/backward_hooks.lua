-- backward_hooks.lua: the backward hooks of modules. A call gets one node behind its inputs and one behind its outputs.
-- Gradients that pass these nodes go to the hooks (bindings/nn/hooks.c calls this).
local torch = ...
local support = torch._part "support"

local Around = torch.autograd.Function:extend "BackwardHookFunction"
function Around.forward(ctx, ...)
  local fixed = {}
  for _, t in ipairs {...} do
    if not t.requires_grad then fixed[#fixed + 1] = t end
  end
  if #fixed > 0 then ctx:mark_non_differentiable(table.unpack(fixed)) end
  return ...
end
function Around.backward(_, ...) return ... end

-- Puts one node behind the tensors of a packed list, in their places. Returns that node and the places, or nil if no tensor has
-- a gradient.
local function behind_node(list)
  local tensors, places, recorded = {}, {}, false
  for i = 1, list.n do
    if torch.is_tensor(list[i]) then
      tensors[#tensors + 1], places[#places + 1] = list[i], i
      recorded = recorded or list[i].requires_grad
    end
  end
  if not recorded or not torch.is_grad_enabled() then return end
  local node
  local results = table.pack(Around.apply(table.unpack(tensors)))
  for k, place in ipairs(places) do
    list[place] = results[k]
    node = node or results[k].grad_fn
  end
  return node, places
end

-- Returns the gradients that arrive at the tensors of a call, in the places of all its values.
local function spread(grads, places)
  local all = {}
  for k, place in ipairs(places or {}) do all[place] = grads[k] end
  return all
end

local function gathered(all, places)
  local grads = {}
  for k, place in ipairs(places) do grads[k] = all[place] end
  return grads
end

-- Calls the hooks in their order. A hook's result replaces `first`.
local function run(hooks, module, first, second)
  for _, hook in ipairs(hooks) do
    local result = hook[1](module, first, second)
    if result ~= nil then first = support.is_plain(result) and result or {result} end
  end
  return first
end

local function without_inputs(call)
  torch._warn("Full backward hook is firing when gradients are computed with respect to module outputs since no inputs require " ..
    "gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.register_full_backward_hook " ..
    "for more details.")
  local result = run(call.hooks.backward, call.module, {}, call.grads)
  if next(result) ~= nil then
    support.fail("RuntimeError", "Backward hook for Modules where no input requires gradient should always return None or None " ..
      "for all gradients.")
  end
end

local function outputs_of(call, ...)
  local list = table.pack(...)
  local node, places = behind_node(list)
  if node then
    node:register_prehook(function(grads)
      local arrived = spread(grads, places)
      local changed = run(call.hooks.before_backward, call.module, arrived)
      call.grads = changed
      if not call.places and #call.hooks.backward > 0 then
        without_inputs(call)
        call.grads = nil
      end
      if changed ~= arrived then return gathered(changed, places) end
    end)
  end
  return table.unpack(list, 1, list.n)
end

-- Returns the hooks of all modules, then the module's own.
local function joined(kind, ...)
  local list = {}
  for _, hooks in pairs {...} do
    for _, hook in ipairs(hooks[kind] or {}) do list[#list + 1] = hook end
  end
  return list
end

--- Puts the inputs of a call, in a table, behind a node. Returns a function for its outputs.
return function(module, global, own, inputs)
  local hooks = {backward = joined("backward", global, own), before_backward = joined("before_backward", global, own)}
  local call = {module = module, hooks = hooks}
  inputs.n = #inputs
  local node, places = behind_node(inputs)
  inputs.n = nil
  if node then
    call.places = places
    node:register_hook(function(grads)
      if not call.grads then return end
      local before = spread(grads, places)
      local after = run(hooks.backward, module, before, call.grads)
      call.grads = nil
      if after ~= before then return gathered(after, places) end
    end)
  end
  return function(...) return outputs_of(call, ...) end
end
