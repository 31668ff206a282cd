-- functional.lua: torch.autograd.functional: products with Jacobians and Hessians. A tuple of Python is a table here. A function
-- returns several values, or a table.
local torch = ...
local support = torch._part "support"
local define, fail = torch._define, support.fail
local functional = {}

-- --- tuples -------------------------------------------------------------------------------------------------

--- Returns the tensors of an argument, which is one tensor or a table, and true if it is a table.
local function as_tuple(value, what, name)
  local is_tuple = support.is_plain(value)
  local list = is_tuple and value or {value}
  for i = 1, math.max(#list, 1) do
    if not torch.is_tensor(list[i]) then
      local words = is_tuple and ("the value at index %d"):format(i - 1) or "the given " .. what
      fail("TypeError", "The %s given to %s must be either a Tensor or a tuple of Tensors but %s has type %s.", what, name, words,
        support.python_class(list[i]))
    end
  end
  return list, is_tuple
end

local function outputs_of(name, func, inputs)
  local outputs = table.pack(func(table.unpack(inputs)))
  local value = outputs[1]
  if outputs.n > 1 then
    outputs.n = nil
    value = outputs
  end
  return as_tuple(value, "outputs of the user-provided function", name)
end

local function map(list, f)
  local out = {}
  for i = 1, #list do out[i] = f(list[i], i) end
  return out
end

local function unless(is_tuple, list)
  if is_tuple then return list end
  return list[1]
end

-- --- inputs and results ----------------------------------------------------------------------------------------

-- Returns new tensors, so that the function's own references to the inputs are to other tensors.
local function prepare(inputs, create_graph, need_graph)
  return map(inputs, function(input)
    if create_graph and input.requires_grad then return input:view_as(input) end
    return input:detach():requires_grad_(need_graph)
  end)
end

local function finished(results, create_graph)
  if create_graph then return results end
  return map(results, function(t)
    if torch.is_tensor(t) then return t:detach() end
    return finished(t, create_graph)
  end)
end

local function validate_v(v, other, is_other_tuple)
  if #v ~= #other then
    if is_other_tuple then fail("RuntimeError", "v is a tuple of invalid length: should be %d but got %d.", #other, #v) end
    fail("RuntimeError", "The given v should contain a single Tensor.")
  end
  for i = 1, #v do
    if v[i].shape ~= other[i].shape then
      fail("RuntimeError", "%sv has invalid size: should be %s but got %s.", is_other_tuple and ("Entry %d in "):format(i - 1) or "",
        tostring(other[i].shape), tostring(v[i].shape))
    end
  end
end

--- Returns v, checked against the tensors that it is multiplied with. Returns nil if v was omitted and the other is a single
-- number.
local function read_v(name, v, other, is_tuple, create_graph, complaint)
  if v == nil then
    if #other ~= 1 or other[1]:numel() ~= 1 then fail("RuntimeError", complaint) end
    return nil
  end
  local list = prepare(as_tuple(v, "v", name), create_graph, false)
  validate_v(list, other, is_tuple)
  return list
end

local of_inputs = "The vector v can only be None if the input to the user-provided function is a single Tensor with a single element."
local of_outputs = "The vector v can only be None if the user-provided function returns a single Tensor with a single element."

-- --- strict mode --------------------------------------------------------------------------------------------

local independent = {
  outputs = "Output %d of the user-provided function does not require gradients. The outputs must be computed in a differentiable " ..
    "manner from the input when running in strict mode.",
  grad_inputs = "The gradient with respect to input %d is independent of the inputs of the user-provided function. This is not allowed " ..
    "in strict mode.",
  jacobian = "While computing the hessian, found that the jacobian of the user-provided function with respect to input %d is independent " ..
    "of the input. This is not allowed in strict mode. You should ensure that your function is twice differentiable and that the " ..
    "jacobian depends on the inputs (this would be violated by a linear function for example).",
  hessian = "The hessian of the user-provided function with respect to input %d is independent of the input. This is not allowed in " ..
    "strict mode. You should ensure that your function is thrice differentiable and that the hessian depends on the inputs.",
}
local not_used = "The output of the user-provided function is independent of input %d. This is not allowed in strict mode."

local function check_requires_grad(list, count, kind, strict)
  for i = 1, strict and count or 0 do
    if list[i] == nil then fail("RuntimeError", not_used, i - 1) end
    if not list[i].requires_grad then fail("RuntimeError", independent[kind], i - 1) end
  end
end

local missing = {
  back = not_used,
  back_trick = "The gradient with respect to the input is independent of entry %d in the grad_outputs when using the double backward " ..
    "trick to compute forward mode gradients. This is not allowed in strict mode.",
  double_back = "The jacobian of the user-provided function is independent of input %d. This is not allowed in strict mode.",
  double_back_trick = "The hessian of the user-provided function is independent of entry %d in the grad_jacobian. This is not allowed in " ..
    "strict mode as it prevents from using the double backward trick to replace forward mode AD.",
}

local function fill_in_zeros(grads, refs, strict, create_graph, stage)
  return map(refs, function(ref, i)
    local grad = grads[i]
    if grad == nil then
      if strict then fail("RuntimeError", missing[stage], i - 1) end
      return torch.zeros_like(ref)
    end
    if strict and create_graph and not grad.requires_grad then
      fail("RuntimeError", "The %s of the user-provided function is independent of input %d. This is not allowed in strict mode when " ..
        "create_graph=True.", stage:find "double" and "hessian" or "jacobian", i - 1)
    end
    return grad
  end)
end

-- --- gradients ----------------------------------------------------------------------------------------------

-- Returns the results of torch.autograd.grad as a table, for the outputs that have a graph; weights: nil, or one per output.
local function gradients(outputs, count, inputs, weights, create_graph, retain_graph)
  local roots, starts = {}, {}
  for i = 1, count do
    if outputs[i] and outputs[i].requires_grad then
      roots[#roots + 1] = outputs[i]
      starts[#roots] = weights and weights[i]
    end
  end
  if #roots == 0 then return {} end
  return {torch.autograd.grad(roots, inputs, {grad_outputs = weights and starts, create_graph = create_graph, retain_graph = retain_graph,
    allow_unused = true})}
end

-- Computes the last gradients, recorded if the result needs a graph.
local function last_gradients(outputs, count, inputs, weights, create_graph)
  local _ <close> = torch.set_grad_enabled(create_graph or torch.is_grad_enabled())
  return gradients(outputs, count, inputs, weights, create_graph)
end

local function results(outputs, is_outputs_tuple, products, is_products_tuple, create_graph)
  return unless(is_outputs_tuple, finished(outputs, create_graph)), unless(is_products_tuple, finished(products, create_graph))
end

functional.vjp = define("vjp(func, inputs, v?, create_graph=false, strict=false)", function(func, given, v, create_graph, strict)
  local inputs, is_inputs_tuple, outputs, is_outputs_tuple
  do
    local _ <close> = torch.enable_grad()
    inputs, is_inputs_tuple = as_tuple(given, "inputs", "vjp")
    inputs = prepare(inputs, create_graph, true)
    outputs, is_outputs_tuple = outputs_of("vjp", func, inputs)
    check_requires_grad(outputs, #outputs, "outputs", strict)
    v = read_v("vjp", v, outputs, is_outputs_tuple, create_graph, of_outputs)
  end
  local grads = last_gradients(outputs, #outputs, inputs, v, create_graph)
  local product = fill_in_zeros(grads, inputs, strict, create_graph, "back")
  return results(outputs, is_outputs_tuple, product, is_inputs_tuple, create_graph)
end)

local function zeros_for(list) return map(list, function(t) return torch.zeros_like(t, {requires_grad = true}) end) end

functional.jvp = define("jvp(func, inputs, v?, create_graph=false, strict=false)", function(func, given, v, create_graph, strict)
  local inputs, is_inputs_tuple, outputs, is_outputs_tuple, weights, grads
  do
    local _ <close> = torch.enable_grad()
    inputs, is_inputs_tuple = as_tuple(given, "inputs", "jvp")
    inputs = prepare(inputs, create_graph, true)
    v = read_v("jvp", v, inputs, is_inputs_tuple, create_graph, of_inputs)
    outputs, is_outputs_tuple = outputs_of("jvp", func, inputs)
    check_requires_grad(outputs, #outputs, "outputs", strict)
    weights = zeros_for(outputs) -- backward is linear in the weights: its gradient for them is the product
    grads = gradients(outputs, #outputs, inputs, weights, true)
    check_requires_grad(grads, #inputs, "grad_inputs", strict)
  end
  local found = last_gradients(grads, #inputs, weights, v, create_graph)
  local product = fill_in_zeros(found, outputs, strict, create_graph, "back_trick")
  return results(outputs, is_outputs_tuple, product, is_outputs_tuple, create_graph)
end)

-- Begins vhp and hvp. Returns the inputs, true if they are a table, v, the single output, and its gradient with a graph.
local function begin_hessian(name, func, given, v, create_graph, strict)
  local inputs, is_inputs_tuple = as_tuple(given, "inputs", name)
  inputs = prepare(inputs, create_graph, true)
  v = read_v(name, v, inputs, is_inputs_tuple, create_graph, of_inputs)
  local outputs, is_outputs_tuple = outputs_of(name, func, inputs)
  check_requires_grad(outputs, #outputs, "outputs", strict)
  if is_outputs_tuple then fail("RuntimeError", "The function given to %s should return a single Tensor", name) end
  if outputs[1]:numel() ~= 1 then
    fail("RuntimeError", "The Tensor returned by the function given to %s should contain a single element", name)
  end
  local jacobian = gradients(outputs, 1, inputs, nil, true)
  check_requires_grad(jacobian, #inputs, "jacobian", strict)
  return inputs, is_inputs_tuple, v, outputs, jacobian
end

functional.vhp = define("vhp(func, inputs, v?, create_graph=false, strict=false)", function(func, given, v, create_graph, strict)
  local inputs, is_inputs_tuple, outputs, jacobian
  do
    local _ <close> = torch.enable_grad()
    inputs, is_inputs_tuple, v, outputs, jacobian = begin_hessian("vhp", func, given, v, create_graph, strict)
  end
  local grads = last_gradients(jacobian, #inputs, inputs, v, create_graph)
  local product = fill_in_zeros(grads, inputs, strict, create_graph, "double_back")
  return results(outputs, false, product, is_inputs_tuple, create_graph)
end)

functional.hvp = define("hvp(func, inputs, v?, create_graph=false, strict=false)", function(func, given, v, create_graph, strict)
  local inputs, is_inputs_tuple, outputs, jacobian, weights, double_back
  do
    local _ <close> = torch.enable_grad()
    inputs, is_inputs_tuple, v, outputs, jacobian = begin_hessian("hvp", func, given, v, create_graph, strict)
    weights = zeros_for(inputs)
    double_back = gradients(jacobian, #inputs, inputs, weights, true)
    check_requires_grad(jacobian, #inputs, "hessian", strict)
  end
  local grads = last_gradients(double_back, #inputs, weights, v, create_graph)
  local product = fill_in_zeros(grads, inputs, strict, create_graph, "double_back_trick")
  return results(outputs, false, product, is_inputs_tuple, create_graph)
end)

-- --- whole matrices -----------------------------------------------------------------------------------------

-- Returns the Jacobian of one output, a table by input: a gradient for each of its elements.
local function rows_of(output, number, inputs, create_graph, strict)
  local rows = map(inputs, function() return {} end)
  local flat = output:reshape(-1)
  for j = 0, output:numel() - 1 do
    local grads = gradients({flat[j]}, 1, inputs, nil, create_graph, true)
    for k = 1, #inputs do
      local grad = grads[k]
      if grad == nil and strict then
        fail("RuntimeError", "Output %d of the user-provided function is independent of input %d. This is not allowed in strict mode.",
          number - 1, k - 1)
      elseif grad and strict and create_graph and not grad.requires_grad then
        fail("RuntimeError", "The jacobian of the user-provided function is independent of input %d. This is not allowed in strict mode " ..
          "when create_graph=True.", number - 1)
      end
      rows[k][j + 1] = grad or torch.zeros_like(inputs[k])
    end
  end
  return map(inputs, function(input, k)
    local sizes = {}
    for _, shape in ipairs{output.shape, input.shape} do
      for i = 0, #shape - 1 do sizes[#sizes + 1] = shape[i] end
    end
    return torch.stack(rows[k]):view(sizes)
  end)
end

local function jacobian(func, given, create_graph, strict, vectorize, strategy)
  if strategy == "forward-mode" then
    fail("NotImplementedError", "torch.autograd.functional: there is no forward mode; `strategy=\"reverse-mode\"` gives the same result")
  elseif strategy ~= "reverse-mode" then
    fail("AssertionError", "Expected strategy to be either \"forward-mode\" or \"reverse-mode\". Hint: If your function has more outputs than " ..
      "inputs, \"forward-mode\" tends to be more performant. Otherwise, prefer to use \"reverse-mode\".")
  end
  local _ <close> = torch.enable_grad()
  local inputs, is_inputs_tuple = as_tuple(given, "inputs", "jacobian")
  inputs = prepare(inputs, create_graph, true)
  local outputs, is_outputs_tuple = outputs_of("jacobian", func, inputs)
  check_requires_grad(outputs, #outputs, "outputs", strict)
  if vectorize and strict then
    fail("RuntimeError", "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. Please " ..
      "either set `strict=False` or `vectorize=False`.")
  end
  local matrices = map(outputs, function(output, i)
    return unless(is_inputs_tuple, finished(rows_of(output, i, inputs, create_graph, strict), create_graph))
  end)
  return unless(is_outputs_tuple, matrices)
end

functional.jacobian = define("jacobian(func, inputs, create_graph=false, strict=false, vectorize=false, strategy='reverse-mode')", jacobian)

functional.hessian = define("hessian(func, inputs, create_graph=false, strict=false, vectorize=false, outer_jacobian_strategy='reverse-mode')",
  function(func, given, create_graph, strict, vectorize, strategy)
    local inputs, is_inputs_tuple = as_tuple(given, "inputs", "hessian")
    local function one_number(...)
      local outputs, is_tuple = outputs_of("hessian", func, {...})
      check_requires_grad(outputs, #outputs, "outputs", strict)
      if is_tuple then fail("RuntimeError", "The function given to hessian should return a single Tensor") end
      if outputs[1]:numel() ~= 1 then
        fail("RuntimeError", "The Tensor returned by the function given to hessian should contain a single element")
      end
      return outputs[1]:squeeze()
    end
    local function gradient(...)
      local rows = jacobian(one_number, {...}, true, false, false, "reverse-mode")
      check_requires_grad(rows, #rows, "jacobian", strict)
      return rows
    end
    local rows = jacobian(gradient, inputs, create_graph, strict, vectorize, strategy)
    return is_inputs_tuple and rows or rows[1][1]
  end)

return torch._namespace(functional, "torch.autograd.functional")
