-- ops_spec.lua: walks the list of operators. For each sample call: the results and gradients against
-- PyTorch's (golden/ops), gradients and gradients of gradients against finite differences in
-- float64, the shapes on the meta device, the in-place form, out=, the other forms and aliases
-- against the plain call, strided inputs against contiguous ones; and for the first sample call of
-- each operator every dtype (golden/ops).
-- All of it also on another device: TOCHA_SPEC_DEVICE=cuda:0 busted spec/ops/ops_spec.lua
--   OPS_MESSAGES=1 busted spec/ops/ops_spec.lua    also lists errors whose text is not PyTorch's
--   OPS="add sub.scalar" busted ...                only these operators (add: with all its overloads)
--   OPS_PART=3/16 busted ...                       the third of sixteen equal parts of the list; no test of the others is made
local torch = require "torch"
local it_with_signs = require "lapack"
local samples = require "samples"
local digits = require "digits"
local answers = require "answers"
local calls = require "sample_calls"
local tensors_of, build, callee = calls.tensors_of, calls.build, calls.callee
local invoke, results_of, leaves_of, weighted = calls.invoke, calls.results_of, calls.leaves_of, calls.weighted
local device = os.getenv "TOCHA_SPEC_DEVICE"   -- not the CPU: see spec/support/on_device.lua

-- --- comparing --------------------------------------------------------------------------------------------
-- relative: of the size of b, if that is not the tolerance itself.
local function close(a, b, tolerance, relative)
  if type(a) == "boolean" or type(b) == "boolean" then return a == b end
  if a == b or (a ~= a and b ~= b) then return true end
  return math.abs(a - b) <= tolerance + (relative or tolerance) * math.abs(b)
end

local function flat(t) return t:detach():reshape{-1}:tolist() end

local words = {nan = 0 / 0, inf = math.huge, ["-inf"] = -math.huge}

local function undefined_values(op) return op.lua_name:find "empty" end

local function compare(got, expected, tolerance, what, shape_only, relative)
  if expected.value ~= nil then
    if expected.value == "none" then
      if got ~= nil then error(what .. ": PyTorch has none", 0) end
      return
    end
    local value = torch.is_tensor(got) and got:item() or got
    if not close(value, expected.value, tolerance) then
      error(("%s is %s, PyTorch has %s"):format(what, tostring(value), tostring(expected.value)), 0)
    end
    return
  end
  if got == nil then error(what .. ": missing", 0) end
  assert.are.equal("torch." .. expected.dtype, tostring(got.dtype), what .. ": dtype")
  assert.are.equal("torch.Size([" .. table.concat(expected.shape, ", ") .. "])", tostring(got.shape), what .. ": shape")
  if shape_only then return end
  for k, value in ipairs(flat(got)) do
    local wanted = expected.values[k]
    wanted = words[wanted] or wanted
    if not close(value, wanted, tolerance, relative) then
      error(("%s: element %d is %s, PyTorch has %s"):format(what, k - 1, value, wanted), 0)
    end
  end
end

local function assert_same(got, expected, tolerance, what)
  if not torch.is_tensor(expected) then return assert.are.equal(expected, got, what) end
  assert.are.equal(tostring(expected.dtype), tostring(got.dtype), what .. ": dtype")
  assert.are.equal(tostring(expected.shape), tostring(got.shape), what .. ": shape")
  local a, b = flat(expected), flat(got)
  for e = 1, #a do
    if not close(b[e], a[e], tolerance) then
      error(("%s: element %d is %s, should be %s"):format(what, e - 1, b[e], a[e]), 0)
    end
  end
end

-- --- the walk ------------------------------------------------------------------------------------------------
local list = samples.load()

-- A GPU refuses the sizes of their samples: spec/devices/scaled_products_spec.lua has others.
local of_the_cpu = {_scaled_mm = device ~= nil, _int_mm = device ~= nil}

local operators = {}
for _, op in ipairs(samples.chosen(list)) do
  if not of_the_cpu[op.name] then operators[#operators + 1] = op end
end

-- Returns true if the answers have signs that only LAPACK's own steps determine.
local function has_signs(op) return op.name:find "^svd" ~= nil and op.name ~= "svdvals" or op.name == "eigh" end

local function each(name, test, condition)
  describe(name, function()
    for _, op in ipairs(operators) do
      local runnable = not op.inplace_of and not op.alias_of and #op.forms > 0 and (not condition or condition(op))
      for i, call in ipairs(runnable and samples.calls(op) or {}) do
        local declare = has_signs(op) and it_with_signs or it
        declare(op.name .. (i > 1 and " #" .. i or ""), function() test(op, call, i) end)
      end
    end
  end)
end

describe("PyTorch's answers", function()
  for _, op in ipairs(operators) do
    if not samples.unasked(op) then
      it("are there for " .. op.name, function() assert.is_nil(answers.lacking(op)) end)
    end
  end

  it("are of operators that are in the list", function()
    assert.are.equal("", table.concat(answers.left_over(list), " "), "run python spec/golden/ops.py")
  end)
end)

local function is_drawn(op)
  local drawn = op.lua_name:find "dropout" or op.lua_name:find "rand"
  for _, p in ipairs(op.parameters) do drawn = drawn or p.kind == "generator" end
  return drawn
end

-- Several products in a row: a device rounds each of them, and its functions, otherwise.
local device_tolerance = device and {matrix_exp = 1e-5, ["rnn_relu.input"] = 2e-5} or {}

-- Drawn numbers are PyTorch's to the bit (1e-8 tells neighbours in float32 apart), computed ones within
-- a few units of the last place of float32 for values around 1.
local function tolerance_of(op)
  local drawn = is_drawn(op)
  return device_tolerance[op.name] or op.tolerance or drawn and 1e-8 or 2e-6
end

each("forward as PyTorch:", function(op, call, i)
  local expected = answers.of(op).calls[i]
  if expected.error then
    assert.is_false(pcall(results_of, op, (build(call))), "PyTorch refuses this call: " .. expected.error)
    return
  end
  local results = results_of(op, (build(call)))
  assert.are.equal(#expected.results, results.n or #results, "number of results")
  for k, e in ipairs(expected.results) do
    compare(results[k], e, tolerance_of(op), op.name .. " result " .. k - 1, undefined_values(op))
  end
end, answers.of)

-- Where PyTorch is wrong (docs/differences.md): gradients, and results of 16-bit types; on a GPU its native_layer_norm
-- and native_batch_norm have statistics of float32.
local wrong_gradient = {as_strided_scatter = true}
local wrong_halves = {matrix_exp = true, native_layer_norm = os.getenv "TOCHA_SPEC_DEVICE" ~= nil,
  native_batch_norm = os.getenv "TOCHA_SPEC_DEVICE" ~= nil}

each("gradient as PyTorch:", function(op, call, i)
  local expected = answers.of(op).calls[i]
  local arguments, leaves = leaves_of(op, call)
  local total = #leaves > 0 and weighted(results_of(op, arguments), 20) or nil
  if not expected.gradients then
    if expected.no_gradient then
      assert.is_false(pcall(torch.autograd.grad, total, leaves), "PyTorch refuses: " .. expected.no_gradient)
    else
      assert.is_nil(total, "PyTorch's results do not require grad")
    end
    return
  end
  assert(total, "the results do not require grad")
  local grads = table.pack(torch.autograd.grad(total, leaves, {allow_unused = true}))
  for k, e in ipairs(expected.gradients) do
    if e.value == "none" and grads[k] then   -- an undefined gradient may be zeros
      assert.is_true(torch.equal(grads[k], torch.zeros_like(grads[k])), op.name .. ": PyTorch has no gradient here")
    else
      compare(grads[k], e, 10 * tolerance_of(op), op.name .. " gradient " .. k - 1)
    end
  end
end, function(op) return answers.of(op) and not wrong_gradient[op.name] end)

-- The derivative of f() by each element of the leaves against `grads`.
local function differences(op, f, leaves, grads, tolerance)
  local step = 1e-6
  for k, leaf in ipairs(leaves) do
    local elements = leaf.data:view{-1}
    local exact = grads[k] and flat(grads[k]) or {}
    for e = 0, leaf:numel() - 1 do
      local value = elements[e]:item()
      elements[e] = value + step
      local above = f()
      elements[e] = value - step
      local below = f()
      elements[e] = value
      local numeric = (above - below) / (2 * step)
      if not close(numeric, exact[e + 1] or 0, tolerance) then
        error(("%s: gradient %d, element %d is %g, by differences %g"):format(op.name, k - 1, e, exact[e + 1] or 0, numeric), 0)
      end
    end
  end
end

each("gradient by finite differences:", function(op, call, i)
  local answer = answers.of(op)
  if answer and not answer.calls[i].gradients then return end
  local arguments, leaves = leaves_of(op, call, "float64")
  if #leaves == 0 then return end
  local total = weighted(results_of(op, arguments), 20)
  if not total or total.dtype ~= torch.float64 then return end    -- a cast to fewer bits has no differences to see
  local grads = table.pack(torch.autograd.grad(total, leaves, {allow_unused = true}))
  -- a device may round the last bits otherwise, which differences magnify
  local tolerance = device and 1e-6 or 1e-7
  differences(op, function() return weighted(results_of(op, arguments), 20):item() end, leaves, grads, tolerance)
end, function(op) return next(samples.differentiable(op)) and not op.nogradcheck end)

each("gradient of gradient by finite differences:", function(op, call, i)
  local answer = answers.of(op)
  if not (answer and answer.calls[i].twice) then return end
  local arguments, leaves = leaves_of(op, call, "float64")
  local function first(more)
    local total = weighted(results_of(op, arguments), 20)
    if total.dtype ~= torch.float64 then return nil, "narrow" end
    local grads = table.pack(torch.autograd.grad(total, leaves, {allow_unused = true, create_graph = true, retain_graph = more}))
    local present = {}
    for k = 1, #leaves do if grads[k] then present[#present + 1] = grads[k] end end
    return weighted(present, 30, true)
  end
  local again, narrow = first(true)
  if narrow then return end
  -- gradients that do not depend on the leaves need no graph: the differences must be zero then
  local grads = again.requires_grad and table.pack(torch.autograd.grad(again, leaves, {allow_unused = true})) or {}
  if op.nogradcheck then return end
  differences(op, function() return first(true):item() end, leaves, grads, 1e-6)
end, function(op) return next(samples.differentiable(op)) end)

each("shape on meta:", function(op, call)
  local expected = results_of(op, (build(call)))
  local ok, got = pcall(results_of, op, (build(call, {meta = true})))
  if not ok then
    -- what depends on values cannot be known on meta, and must say so
    assert.truthy(tostring(got):lower():find "meta", op.name .. ": " .. tostring(got))
    return
  end
  for k = 1, #expected do
    if torch.is_tensor(expected[k]) then
      assert.are.equal(tostring(expected[k].shape), tostring(got[k].shape))
      assert.are.equal(tostring(expected[k].dtype), tostring(got[k].dtype))
    end
  end
end, function(op) return not op.value end)

-- One tensor of each call stays on the CPU: as it is, and as a number of no dimensions, which goes to where the others are.
-- No element of the meta device can be read, so that a result on the CPU would be made of nothing. (Lists of tensors that
-- become lists of views stay each where they are.)
local lists_of_views = {broadcast_tensors = true, ["atleast_1d.list"] = true, ["atleast_2d.list"] = true, ["atleast_3d.list"] = true}

each("meta beside the CPU:", function(op, call)
  local _, all = build(call)
  if #all < 2 then return end
  for which = 1, #all do
    for _, scalar in ipairs {true, false} do
      local here = false
      local arguments = build(call, {change = function(t, i)
        if i ~= which then return t:to "meta" end
        here = not scalar or t:numel() > 0
        return here and scalar and t:flatten()[0]:clone() or t
      end})
      local ok, got = pcall(results_of, op, arguments)
      for _, result in ipairs(ok and here and got or {}) do
        if torch.is_tensor(result) and result.device.type ~= "meta" and result:numel() > 0 then
          error(("%s answers on the CPU, tensor %d being there"):format(op.name, which))
        end
      end
    end
  end
end, function(op) return not op.any_device and not op.value and not device and not lists_of_views[op.name] end)

for _, layout in ipairs {"stepped", "reversed"} do
  each(layout .. " inputs:", function(op, call, i)
    -- PyTorch was asked again: random fillings go along memory, view may refuse
    local row = answers.of(op).calls[i]
    local expected = row[layout] or row
    local ok, results = pcall(results_of, op, (build(call, {layout = layout})))
    if expected.error then
      assert.is_false(ok, "PyTorch refuses: " .. expected.error)
      return
    end
    assert(ok, results)
    for k, e in ipairs(expected.results) do
      compare(results[k], e, tolerance_of(op), ("%s on %s inputs, result %d"):format(op.name, layout, k - 1), undefined_values(op))
    end
  end, answers.of)
end

each("in place:", function(op, call)
  local name = op.lua_name .. "_"
  local suffix = op.name:match "(%..+)$" or ""
  local form = list.by_name[name .. suffix]
  local expected = results_of(op, (build(call)))[1]
  for _, place in ipairs(form.forms) do
    local arguments = build(call)
    if torch.is_tensor(arguments[1]) then
      local ok, got = pcall(function() return invoke(callee(name, place), arguments)[1] end)
      if ok then
        assert.is_true(rawequal(got, arguments[1]), name .. " returns self")
        assert_same(got:to(expected.dtype), expected, tolerance_of(op), name)
      else   -- only where the result does not fit into self
        local exact = type(op.inplace) == "table" and op.inplace.implementation   -- it has checks of its own
        local fits = tostring(expected.shape) == tostring(arguments[1].shape) and
          (expected.dtype == arguments[1].dtype or not exact and torch.can_cast(expected.dtype, arguments[1].dtype))
        assert.is_false(fits, tostring(got))
      end
    end
  end
end, function(op) return op.inplace end)

each("out=:", function(op, call)
  local expected, outs = results_of(op, (build(call))), {}
  for k, t in ipairs(expected) do outs[k] = torch.empty({0}, {dtype = t.dtype, device = t.device}) end
  local got = results_of(op, (build(call, {keywords = {out = #outs > 1 and outs or outs[1]}})))
  for k, out in ipairs(outs) do
    assert.is_true(rawequal(got[k], out), op.name .. " returns out")
    if not undefined_values(op) then assert_same(out, expected[k], 0, op.name .. " with out=") end
  end
end, function(op) return op.out end)

each("forms and aliases:", function(op, call)
  local expected = results_of(op, (build(call)))
  local function check(name, form)
    local arguments = build(call)
    local got = invoke(assert(callee(name, form), name .. " is missing in " .. form), arguments)
    for k = 1, #expected do
      if undefined_values(op) then assert.are.equal(tostring(expected[k].shape), tostring(got[k].shape))
      else assert_same(got[k], expected[k], 0, name .. " (" .. form .. ")") end
    end
  end
  for _, form in ipairs(op.forms) do
    check(op.lua_name, form)
    for _, alias in ipairs(op.aliases or {}) do
      local space, name = alias:match "^(.*)%.(.*)$"   -- special.psi
      check(name or alias, space or form)
    end
  end
end, function(op) return #op.forms > 1 or op.aliases end)

-- --- dtypes ---------------------------------------------------------------------------------------------------
local floats = {float = true, positive = true, unit = true, sorted = true}

-- Half types to the bit: the golden values have six digits, and neighbours are further apart.
local dtype_tolerance = {float16 = 4e-6, bfloat16 = 4e-6, float32 = 4e-6, float64 = 1e-12}
-- But where PyTorch rounds to the half type on the way (log b of xlogy, the ratio of logit, each
-- product of addbmm), as we do not, or does so on some of its own paths only (rsqrt).
local half_tolerance = {float16 = 2e-3, bfloat16 = 1.6e-2}
-- On a device a function may be one unit of float32 off, which tips a tie: a unit of the half type, as PyTorch's own tests allow.
local half_unit = device and {float16 = 1e-3, bfloat16 = 1.6e-2} or {}
-- On a GPU, and with fast digits, log_softmax rounds its result alone; on a GPU a product is rounded before the next one, and a
-- convolution before its bias is added.
local on_gpu = os.getenv "TOCHA_SPEC_DEVICE" ~= nil
local once = on_gpu or not digits.are_pytorchs()
local rounded_on_the_way = {
  rsqrt = true, logit = true, xlogy = true, ["xlogy.scalar"] = true, kl_div = true, log_softmax = once,
  ["log_softmax.functional"] = once, ["log_softmax.special"] = once, addbmm = true, bilinear = true,
  instance_norm = true, ["instance_norm.functional"] = true, multi_dot = on_gpu, multi_head_attention_forward = on_gpu,
  scaled_dot_product_attention = true, grid_sample = true, grid_sampler = true, grid_sampler_2d = true, grid_sampler_3d = true, conv_tbc = true,
  convolution = true, conv_transpose1d = true, conv_transpose2d = true, conv_transpose3d = true,
  conv1d = on_gpu, conv2d = on_gpu, conv3d = on_gpu, ["conv1d.padding"] = on_gpu, ["conv2d.padding"] = on_gpu, ["conv3d.padding"] = on_gpu,
  ["rnn_tanh.input"] = true, ["rnn_tanh.data"] = true, ["rnn_relu.input"] = true, ["rnn_relu.data"] = true, ["gru.input"] = true,
  ["gru.data"] = true, ["lstm.input"] = true, ["lstm.data"] = true, rnn_tanh_cell = true, rnn_relu_cell = true, gru_cell = true, lstm_cell = true}

local messages = {}

-- PyTorch multiplies matrices of integers on the CPU only: the golden values are the CPU's
local refused_there = os.getenv "TOCHA_SPEC_DEVICE" and {addmm_cuda = true, baddbmm_cuda = true, addmv_impl_cuda = true, dot = true,
  max_pool2d_with_indices_out_cuda_frame = true, max_pool3d_with_indices_out_frame = true, avg_pool2d_out_cuda_frame = true,
  avg_pool3d_out_cuda = true} or {}
-- Kernels that PyTorch's CPU lacks for 16-bit types, which its CUDA has.
local taken_there = os.getenv "TOCHA_SPEC_DEVICE" and {avg_pool3d_out_frame = true} or {}

describe("dtypes:", function()
  for _, op in ipairs(operators) do
    local expected = answers.of(op) and answers.of(op).dtypes
    local call = expected and not op.inplace_of and not op.alias_of and samples.calls(op)[1]
    local any_float, any = false, false
    for _, arguments in ipairs(call and {call.positional, call.keywords} or {}) do
      for _, argument in pairs(arguments) do
        for _, spec in ipairs(tensors_of(argument)) do any, any_float = true, any_float or floats[spec.values] end
      end
    end
    for _, dtype in ipairs(samples.dtypes) do
      local answer = call and expected[dtype]
      if answer and not (wrong_halves[op.name] and dtype:find "16$") then
        local declare = has_signs(op) and it_with_signs or it
        declare(op.name .. " " .. dtype, function()
          local options = {cast = function(spec) return (floats[spec.values] or not any_float) and dtype or nil end}
          if not any then options.keywords = {dtype = torch[dtype]} end
          local ok, results = pcall(function() return results_of(op, (build(call, options))) end)
          if not ok and not dtype:find "float" and refused_there[tostring(results):match '^"([%w_]+)" not implemented for' or 1] then return end
          if answer.error then
            if dtype:find "16$" and taken_there[answer.error:match '^"([%w_]+)" not implemented for' or 1] then return end
            assert.is_false(ok, "PyTorch refuses: " .. answer.error)
            local said = tostring(results):match "^[^\n]*"
            if said ~= answer.error then messages[#messages + 1] = ("%s %s\n  PyTorch: %s\n  Tocha:   %s"):format(op.name, dtype, answer.error, said) end
            return
          end
          local unit = not (rounded_on_the_way[op.name] or is_drawn(op)) and half_unit[dtype] or nil
          if device and tostring(results):find('_cuda" not implemented for', 1, true) then return end   -- as PyTorch's CUDA
          assert(ok, results)
          for k, e in ipairs(answer.results) do
            local tolerance = math.max(dtype_tolerance[e.dtype] or 0, dtype_tolerance[dtype] or 0)
            if half_tolerance[dtype] then
              tolerance = rounded_on_the_way[op.name] and half_tolerance[dtype] or unit and 1e-5 or tolerance
            else
              tolerance = math.max(tolerance, op.tolerance or 0)
            end
            local tied = device and op.lua_name == "topk" and k == 2   -- which of two equals is not said
            compare(results[k], e, tolerance, op.name .. " result " .. k - 1, tied or undefined_values(op), unit)
          end
        end)
      end
    end
  end
  teardown(function()
    if os.getenv "OPS_MESSAGES" then
      io.stderr:write(#messages, " errors in other words than PyTorch's\n", table.concat(messages, "\n"), "\n")
    end
  end)
end)
