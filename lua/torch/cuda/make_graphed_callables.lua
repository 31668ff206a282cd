-- cuda/make_graphed_callables.lua: torch.cuda.make_graphed_callables: functions and modules whose forward and backward are
-- graphs. A call copies its arguments into the tensors of the capture, replays the forward, and returns its results, which the
-- next call overwrites; a backward does the same with gradients.
local torch = ...
local support = torch._part "support"
local cuda, fail = torch.cuda, support.fail

local function is_module(value) return type(value) == "userdata" and not torch.is_tensor(value) end
local function is_list(value) return type(value) == "table" and getmetatable(value) == nil end

-- Appends the values in nested lists to `leaves`. Returns the same nesting with their numbers.
local function flatten(value, leaves)
  if is_list(value) then
    local numbers = {n = value.n or #value}
    for i = 1, numbers.n do numbers[i] = flatten(value[i], leaves) end
    return numbers
  end
  leaves.n = leaves.n + 1
  leaves[leaves.n] = value
  return leaves.n
end

local function leaves_of(value)
  local leaves = {n = 0}
  return leaves, flatten(value, leaves)
end

-- Returns the nesting with leaves in place of their numbers.
local function unflatten(numbers, leaves)
  if type(numbers) ~= "table" then return leaves[numbers] end
  local out = {n = numbers.n}
  for i = 1, numbers.n do out[i] = unflatten(numbers[i], leaves) end
  return out
end

-- Returns the items of a list for which wanted(item) is true.
local function those(list, wanted)
  local out = {n = 0}
  for i = 1, list.n do
    if wanted(list[i]) then
      out.n = out.n + 1
      out[out.n] = list[i]
    end
  end
  return out
end

local function requires_grad(t) return torch.is_tensor(t) and t.requires_grad end

-- --- what is captured of a callable --------------------------------------------------------------------------

-- Fails for a module whose hooks or buffers a graph cannot honor.
local function check_module(module)
  if torch._has_hooks(module) then
    fail("AssertionError", "Modules must not have hooks registered at the time they are passed. However, registering hooks " ..
      "on modules after passing them through make_graphed_callables is allowed.")
  end
  for buffer in module:buffers() do
    if buffer.requires_grad then
      fail("AssertionError", "In any :class:`~torch.nn.Module` passed to :func:`~make_graphed_callables`, only parameters " ..
        "may be trainable. All buffers must have ``requires_grad=False``.")
    end
  end
end

-- Returns what belongs to a callable: `inputs` are its sample arguments and then the parameters of a module.
local function describe(callable, sample)
  if is_module(callable) then check_module(callable) end
  local inputs = leaves_of(sample)
  for i = 1, inputs.n do
    if not torch.is_tensor(inputs[i]) then
      fail("AssertionError", "In the beta API, sample_args for each callable must contain only Tensors. Other types are not allowed.")
    end
  end
  local part = {callable = callable, sample = sample, inputs = inputs, arguments = inputs.n,
    forward = cuda.CUDAGraph(), backward = cuda.CUDAGraph()}
  if is_module(callable) then
    for parameter in callable:parameters() do
      inputs.n = inputs.n + 1
      inputs[inputs.n] = parameter
    end
  end
  return part
end

local function run(part) return table.pack(part.callable(table.unpack(part.sample, 1, part.sample.n or #part.sample))) end

-- Returns the gradients of the inputs that require one, for these gradients of the outputs that have one.
local function gradients(part, outputs, grad_outputs, allow_unused)
  return table.pack(torch.autograd.grad{those(outputs, requires_grad), those(part.inputs, requires_grad),
    grad_outputs = grad_outputs, allow_unused = allow_unused})
end

local function grads_like(outputs)
  local out = {n = 0}
  for i = 1, outputs.n do
    if requires_grad(outputs[i]) then
      out.n = out.n + 1
      out[out.n] = torch.empty_like(outputs[i])
    end
  end
  return out
end

-- Runs forward and backward, so that what is made on the first call is there.
local function warm_up(part, times, allow_unused)
  for _ = 1, times do
    local outputs = leaves_of(run(part))
    local grads = grads_like(outputs)
    if grads.n > 0 then gradients(part, outputs, grads, allow_unused) end
  end
end

local function capture_forward(part, settings)
  local results = cuda.graph(part.forward, settings, function() return run(part) end)
  part.outputs, part.nesting = leaves_of(results)
end

local function capture_backward(part, settings, allow_unused)
  local grads = grads_like(part.outputs)
  part.grad_outputs, part.grad_inputs = {}, {}
  if grads.n == 0 then return end
  local found = cuda.graph(part.backward, settings, function() return gradients(part, part.outputs, grads, allow_unused) end)
  local given, taken = 0, 0
  for i = 1, part.outputs.n do
    if requires_grad(part.outputs[i]) then
      given = given + 1
      part.grad_outputs[i] = grads[given]
    end
  end
  for i = 1, part.inputs.n do
    if requires_grad(part.inputs[i]) then
      taken = taken + 1
      part.grad_inputs[i] = found[taken]
    end
  end
end

-- --- the graphed function -------------------------------------------------------------------------------------

local function copy_into(target, source)
  if target:data_ptr() ~= source:data_ptr() then target:copy_(source) end
end

-- Returns the autograd function that replays the graphs of a part.
local function replaying(part)
  local Graphed = torch.autograd.Function:extend "Graphed"

  function Graphed.forward(_, ...)
    for i = 1, part.arguments do copy_into(part.inputs[i], (select(i, ...))) end
    part.forward:replay()
    local out = {}
    for i = 1, part.outputs.n do out[i] = part.outputs[i]:detach() end
    return table.unpack(out, 1, part.outputs.n)
  end

  Graphed.backward = torch.autograd.once_differentiable(function(_, ...)
    for i = 1, part.outputs.n do
      local grad = (select(i, ...))
      if part.grad_outputs[i] and grad then copy_into(part.grad_outputs[i], grad) end
    end
    part.backward:replay()
    local out = {}
    for i = 1, part.inputs.n do out[i] = part.grad_inputs[i] and part.grad_inputs[i]:detach() end
    return table.unpack(out, 1, part.inputs.n)
  end)
  return Graphed
end

local function graphed(part)
  local Graphed = replaying(part)
  return function(...)
    local inputs = leaves_of(table.pack(...))
    for i = part.arguments + 1, part.inputs.n do inputs[i] = part.inputs[i] end
    local results = unflatten(part.nesting, table.pack(Graphed.apply(table.unpack(inputs, 1, part.inputs.n))))
    return table.unpack(results, 1, results.n)
  end
end

-- Gives a module the graphed forward, while it is in the mode in which it was captured.
local function graphed_module(part)
  local module, replay = part.callable, graphed(part)
  local was_training, forward = module.training, module.forward
  function module.forward(self, ...)
    if self.training == was_training then return replay(...) end
    return forward(self, ...)
  end
  return module
end

-- --- all of them ------------------------------------------------------------------------------------------------

-- Captures forwards in order and then backwards in the opposite one, which is the order of replays: they share a pool.
local function capture(parts, settings, allow_unused)
  for _, part in ipairs(parts) do capture_forward(part, settings) end
  for i = #parts, 1, -1 do capture_backward(parts[i], settings, allow_unused) end
end

local function make(callables, sample_args, num_warmup_iters, allow_unused_input, pool)
  if torch.is_autocast_enabled() and torch.is_autocast_cache_enabled() then
    fail("RuntimeError", "make_graphed_callables does not support the autocast caching. Please set `cache_enabled=False`.")
  end
  local just_one = not is_list(callables)
  if just_one then callables, sample_args = {callables}, {sample_args} end
  local parts = {}
  for i, callable in ipairs(callables) do parts[i] = describe(callable, sample_args[i]) end
  local stream = cuda.Stream()
  cuda.synchronize()
  cuda.stream(stream, function()
    for _, part in ipairs(parts) do warm_up(part, num_warmup_iters, allow_unused_input) end
  end)
  cuda.synchronize()
  capture(parts, {stream = stream, pool = pool or cuda.graph_pool_handle()}, allow_unused_input)
  local out = {}
  for i, part in ipairs(parts) do out[i] = is_module(part.callable) and graphed_module(part) or graphed(part) end
  if just_one then return out[1] end
  return out
end

return torch._define("make_graphed_callables(callables, sample_args, num_warmup_iters=3, allow_unused_input=false, pool?)", make)
