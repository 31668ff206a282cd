-- gradcheck.lua: torch.autograd.gradcheck: compares gradients with finite differences. The checks return a description of the
-- error, or nil.
local torch = ...
local support = torch._part "support"
local fail = support.fail

local function as_tuple(value) return support.is_plain(value) and value or {value} end

local function call(func, inputs)
  local results = table.pack(func(table.unpack(inputs)))
  if results.n == 1 then return as_tuple(results[1]) end
  results.n = nil
  return results
end

local function needs_grad(value) return torch.is_tensor(value) and value.requires_grad end

local function select_those(list, test)
  local out = {}
  for i = 1, #list do
    if test(list[i]) then out[#out + 1] = list[i] end
  end
  return out
end

local function zeros_of(outputs)
  local zeros = {}
  for i, o in ipairs(outputs) do zeros[i] = torch.zeros_like(o) end
  return zeros
end

-- --- finite differences -----------------------------------------------------------------------------------------

-- Calls f with each element of a tensor, as a tensor that shares its memory, and its number from 0.
local function each_element(t, f)
  local number, index, ndim = 0, {}, t.ndim
  local function walk(dim)
    if dim > ndim then
      f(ndim > 0 and t[index] or t, number)
      number = number + 1
      return
    end
    for i = 0, t.shape[dim - 1] - 1 do
      index[dim] = i
      walk(dim + 1)
    end
  end
  walk(1)
end

-- Returns copies of the floating point results.
local function values_of(func, inputs)
  local copies = {}
  for i, o in ipairs(select_those(call(func, inputs), function(t) return t:is_floating_point() end)) do copies[i] = o:detach():clone() end
  return copies
end

-- Returns (f(x + step) - f(x - step)) / (2 * eps) for each floating point result, if x is the data of an input.
local function quotients(func, inputs, x, step, eps)
  local original, out = x:clone(), {}
  x:copy_(original - step)
  local before = values_of(func, inputs)
  x:copy_(original + step)
  local after = values_of(func, inputs)
  x:copy_(original)
  for i = 1, #after do out[i] = (after[i] - before[i]) / (2 * eps) end
  return out
end

--- Returns a table for each floating point output: the Jacobians (input's elements, output's elements) by input.
local function numerical_jacobians(func, inputs, outputs, eps)
  local jacobians = {}
  for i = 1, #outputs do jacobians[i] = {} end
  for _, input in ipairs(select_those(inputs, needs_grad)) do
    local columns = {}
    for i, o in ipairs(outputs) do
      columns[i] = o.data:new_zeros(input:numel(), o:numel())
      table.insert(jacobians[i], columns[i])
    end
    each_element(input.data, function(entry, k)
      for i, quotient in ipairs(quotients(func, inputs, entry, eps, eps)) do columns[i][k] = quotient:reshape(-1) end
    end)
  end
  return jacobians
end

-- --- the graph's gradients ----------------------------------------------------------------------------------------

-- Returns the Jacobians of one output by input, and true if the gradients' dtypes, and if their sizes, are those of the inputs.
local function analytical_jacobians(inputs, output)
  local jacobians, types_ok, sizes_ok = {}, true, true
  local flat, weight = output:clone(), torch.zeros_like(output)
  for k, input in ipairs(inputs) do jacobians[k] = input.data:new_zeros(input:numel(), output:numel()) end
  each_element(weight, function(entry, j)
    entry:fill_(1)
    local grads = {torch.autograd.grad(flat, inputs, {grad_outputs = weight, retain_graph = true, allow_unused = true})}
    for k, input in ipairs(inputs) do
      local grad = grads[k]
      if grad and grad.shape ~= input.shape then
        sizes_ok = false
      elseif grad then
        types_ok = types_ok and grad.dtype == input.dtype
        jacobians[k][{":", j}] = grad:detach():reshape(-1)
      end
    end
    entry:fill_(0)   -- last: a gradient may be a view of the weight
  end)
  return jacobians, types_ok, sizes_ok
end

local function close(a, b, rtol, atol)
  local dtype = torch.promote_types(a.dtype, b.dtype)
  return torch.allclose(a:to(dtype), b:to(dtype), rtol, atol)
end

local NONDETERMINISTIC = [[


NOTE: If your op relies on non-deterministic operations i.e., it is listed here:
https://pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html
this failure might be expected. Call gradcheck/gradgradcheck with `nondet_tol=<tol>` as a keyword argument.
]]

local function check_output(inputs, output, i, numerical, a)
  local jacobians, types_ok, sizes_ok = analytical_jacobians(inputs, output)
  local again = analytical_jacobians(inputs, output)
  if not types_ok and a.check_grad_dtypes then return "Gradient has dtype mismatch" end
  if not sizes_ok then return "Analytical gradient has incorrect size" end
  for k = 1, #inputs do
    if inputs[k]:numel() > 0 and output:numel() > 0 and (jacobians[k] - again[k]):abs():max():item() > a.nondet_tol then
      return "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives different values, " ..
        "although analytical gradient matches numerical gradient.The tolerance for nondeterminism was " .. support.python(a.nondet_tol) ..
        "." .. NONDETERMINISTIC
    end
  end
  for k = 1, #inputs do
    if not close(jacobians[k], numerical[k], a.rtol, a.atol) then
      return ("Jacobian mismatch for output %d with respect to input %d,\nnumerical:%s\nanalytical:%s\n"):format(i - 1, k - 1,
        tostring(numerical[k]), tostring(jacobians[k]))
    end
  end
end

local function check_jacobians(func, inputs, func_out, a)
  local floats = select_those(func_out, function(t) return t:is_floating_point() end)
  local numerical = numerical_jacobians(func, inputs, floats, a.eps)
  local wanted, number = select_those(inputs, needs_grad), 0
  local outputs = select_those(func_out, needs_grad)
  for i, o in ipairs(floats) do
    if #outputs == 0 then
      for _, jacobian in ipairs(numerical[i]) do
        if jacobian:ne(0):any():item() then return "Numerical gradient for function expected to be zero" end
      end
    elseif o.requires_grad then
      number = number + 1
      local message = check_output(wanted, o, number, numerical[i], a)
      if message then return message end
    end
  end
end

-- --- the fast mode: v J u of random vectors of length 1 ---------------------------------------------------------------

local function unit_vector(like, generator)
  local vector = torch.rand(like.shape, {generator = generator, dtype = torch.promote_types(like.dtype, torch.float32), device = like.device})
  return (vector / vector:norm()):to(like.dtype)
end

-- Returns for each output the numbers v J u, by input.
local function numerical_products(func, inputs, us, vs, eps)
  local products = {}
  for i = 1, #vs do products[i] = {} end
  for k, input in ipairs(select_those(inputs, needs_grad)) do
    for i, quotient in ipairs(quotients(func, inputs, input.data, us[k] * eps, eps)) do products[i][k] = (quotient * vs[i]):sum() end
  end
  return products
end

local function gradients_of(output, inputs, v)
  return {torch.autograd.grad(output, inputs, {grad_outputs = v, retain_graph = true, allow_unused = true})}
end

local function check_attributes(inputs, grads, again, a)
  for k, input in ipairs(inputs) do
    local grad = grads[k]
    if grad and a.check_grad_dtypes and grad.dtype ~= input.dtype then return "Gradient has dtype mismatch" end
    if grad and grad.shape ~= input.shape then return "Analytical gradient has incorrect size" end
    if grad and grad:numel() > 0 and (grad - again[k]):abs():max():item() > a.nondet_tol then
      return "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives different values, " ..
        "although analytical gradient matches numerical gradient.The tolerance for nondeterminism was " .. support.python(a.nondet_tol) ..
        "." .. NONDETERMINISTIC
    end
  end
end

local function check_products(inputs, output, i, numerical, us, v, a)
  local grads = gradients_of(output, inputs, v)
  local message = check_attributes(inputs, grads, gradients_of(output, inputs, v), a)
  if message then return message end
  for k, u in ipairs(us) do
    local analytical = grads[k] and (grads[k]:detach() * u):sum() or torch.zeros_like(numerical[k])
    if not close(analytical, numerical[k], a.rtol, a.atol * u:sum():item() * v:sum():item()) then
      return ("Jacobian mismatch for output %d with respect to input %d,\nnumerical:%s\nanalytical:%s\n"):format(i - 1, k - 1,
        tostring(numerical[k]), tostring(analytical)), true
    end
  end
end

local function check_fast(func, inputs, func_out, a)
  local generator = torch.Generator()
  local floats = select_those(func_out, function(t) return t:is_floating_point() end)
  local wanted, us, vs, number = select_those(inputs, needs_grad), {}, {}, 0
  for k, input in ipairs(wanted) do us[k] = unit_vector(input.data, generator) end
  for i, o in ipairs(floats) do vs[i] = unit_vector(o:detach(), generator) end
  local numerical = numerical_products(func, inputs, us, vs, a.eps)
  local any = #select_those(func_out, needs_grad) > 0
  for i, o in ipairs(floats) do
    for _, product in ipairs(any and {} or numerical[i]) do
      if product:ne(0):item() then return "Numerical gradient for function expected to be zero" end
    end
    if o.requires_grad then
      number = number + 1
      local message, differs = check_products(wanted, o, number, numerical[i], us, vs[i], a)
      if differs then
        message = message .. "\nThe above quantities are products with random vectors (fast mode). By element:\n\n" ..
          (check_jacobians(func, inputs, func_out, a) or "no difference\n")
      end
      if message then return message end
    end
  end
end

-- --- gradients that are zero, or missing ---------------------------------------------------------------------------

local function check_zero_gradients(inputs, outputs)
  if #outputs == 0 then return end
  local grads = {torch.autograd.grad(outputs, inputs, {grad_outputs = zeros_of(outputs), allow_unused = true})}
  for i, input in ipairs(inputs) do
    local grad = grads[i]
    if grad and not grad:eq(0):all():item() then return "backward not multiplied by grad_output" end
    if grad and grad.dtype ~= input.dtype then return "grad is incorrect type" end
    if grad and grad.device ~= input.device then return "grad is incorrect device" end
    if grad and grad.shape ~= input.shape then return "grad is incorrect size" end
  end
end

local undefined -- the function whose gradient is missing
local function undefined_grad(t)
  if not undefined then
    undefined = torch.autograd.Function:extend "UndefinedGrad"
    function undefined.forward(_, x) return x:view_as(x) end
    function undefined.backward() return nil end
  end
  return undefined.apply(t)
end

local function check_missing(inputs, outputs, chosen)
  local roots = {}
  for i, o in ipairs(outputs) do roots[i] = (chosen == nil or chosen == i) and undefined_grad(o) or o end
  local function warn()
    torch._warn("Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it may break existing " ..
      "callers of this function. If this is true for you, you can call this function with \"check_undefined_grad=False\" to disable the feature")
  end
  local notes = " Please look at \"Notes about undefined output gradients\" in \"tools/autograd/derivatives.yaml\""
  local results = table.pack(pcall(torch.autograd.grad, roots, inputs, {grad_outputs = zeros_of(roots), allow_unused = true}))
  if not results[1] then
    local e = results[2]
    if type(e) ~= "table" or e.code ~= "RuntimeError" then error(e, 0) end -- an error in the program
    warn()
    return "Expected backward function to handle undefined output grads." .. notes
  end
  for i = 2, results.n do
    if results[i] and not results[i]:eq(0):all():item() then
      warn()
      return "Expected all input grads to be undefined or zero when all output grads are undefined or zero." .. notes
    end
  end
end

local function check_undefined(func, inputs, wanted)
  local outputs = select_those(call(func, inputs), needs_grad)
  if #outputs == 0 then return end
  local message = check_missing(wanted, outputs)
  for i = 1, #outputs > 1 and #outputs or 0 do
    message = message or check_missing(wanted, select_those(call(func, inputs), needs_grad), i)
  end
  return message
end

-- --- checks of the arguments ---------------------------------------------------------------------------------------

local function check_inputs(inputs)
  local any = false
  for i, input in ipairs(inputs) do
    if needs_grad(input) then
      any = true
      if input.dtype ~= torch.float64 then
        torch._warn(("Input #%d requires gradient and is not a double precision floating point or complex. This check will likely fail if " ..
          "all the inputs are not of double precision floating point or complex. "):format(i - 1))
      end
      local strides = input:stride()
      for k = 1, #strides do
        if strides[k] == 0 and input.shape[k - 1] > 1 then
          fail("RuntimeError", "The %dth input has a dimension with stride 0. gradcheck only supports inputs that are non-overlapping to be " ..
            "able to compute the numerical gradients correctly. You should call .contiguous on the input before passing it to gradcheck.", i - 1)
        end
      end
    end
  end
  if not any then
    fail("ValueError", "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True.")
  end
end

local function check_options(a)
  if not (a.check_forward_ad or a.check_backward_ad) then
    fail("AssertionError", "Expected at least one of check_forward_ad or check_backward_ad to be True")
  end
  if a.check_forward_ad then fail("NotImplementedError", "gradcheck: there is no forward mode to check (check_forward_ad)") end
  if a.check_batched_grad or a.check_batched_forward_grad then
    fail("NotImplementedError", "gradcheck: there are no batched gradients to check (check_batched_grad)")
  end
end

local function check(a)
  local inputs = as_tuple(a.inputs)
  check_inputs(inputs)
  local func_out = call(a.func, inputs)
  local wanted, outputs = select_those(inputs, needs_grad), select_those(func_out, needs_grad)
  local compare = a.fast_mode and check_fast or check_jacobians
  return compare(a.func, inputs, func_out, a) or check_zero_gradients(wanted, outputs) or
    a.check_undefined_grad and check_undefined(a.func, inputs, wanted)
end

local read = torch._define([[gradcheck(func, inputs, *, eps=1e-06, atol=1e-05, rtol=0.001, raise_exception=true, nondet_tol=0.0, ]] ..
  [[check_undefined_grad=true, check_grad_dtypes=false, check_batched_grad=false, check_batched_forward_grad=false, ]] ..
  [[check_forward_ad=false, check_backward_ad=true, fast_mode=false, masked=false)]])

return function(...)
  local a = read(...)
  check_options(a)
  local message = check(a)
  if message and a.raise_exception then fail("RuntimeError", "%s", message) end
  return not message
end
