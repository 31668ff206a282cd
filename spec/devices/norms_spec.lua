-- norms_spec.lua: normalization on a GPU reads 16-bit weights as they are: the same bits as with the same numbers in float32.
local torch = require "torch"
local section = require("gpus").with_one
local F = torch.nn.functional

-- Returns the result and all gradients, in the dtype of x.
local function all_of(f, x, weight, bias)
  x, weight = x:detach():clone():requires_grad_(), weight:detach():clone():requires_grad_()
  bias = bias and bias:detach():clone():requires_grad_()
  local y = f(x, weight, bias)
  y:float():square():sum():backward()
  return {y, x.grad, weight.grad:to(x.dtype), bias and bias.grad:to(x.dtype)}
end

-- has_bias: false for a function without one.
local function compare(f, sizes, channels, dtype, has_bias)
  local x = torch.randn{size = sizes}:to("cuda", dtype)
  local weight, bias = (torch.randn(channels) + 1):to("cuda", dtype), torch.randn(channels):to("cuda", dtype)
  for _, b in ipairs(has_bias == false and {false} or {bias, false}) do
    local narrow, wide = all_of(f, x, weight, b or nil), all_of(f, x, weight:float(), b and b:float() or nil)
    for i, t in pairs(narrow) do assert.is_true(torch.equal(t, wide[i]), ("%s, %d"):format(dtype, i)) end
  end
end

section("16-bit weights of norms", function()
  for _, dtype in ipairs {torch.float16, torch.bfloat16} do
    it(("of layers, %s"):format(dtype), function()
      for _, n in ipairs {16, 17, 1000, 9000} do
        compare(function(x, w, b) return F.layer_norm(x, {n}, w, b) end, {6, n}, n, dtype)
      end
    end)

    it(("of layers about zero, %s"):format(dtype), function()
      for _, n in ipairs {16, 17, 1000} do
        compare(function(x, w) return F.rms_norm(x, {n}, w) end, {6, n}, n, dtype, false)
      end
    end)

    it(("of groups and batches, %s"):format(dtype), function()
      for _, size in ipairs {1, 3, 4, 40} do
        compare(function(x, w, b) return F.group_norm(x, 4, w, b) end, {3, 8, size, size}, 8, dtype)
        compare(function(x, w, b) return F.batch_norm(x, nil, nil, w, b, true) end, {3, 8, size, size}, 8, dtype)
      end
      compare(function(x, w, b) return F.batch_norm(x, nil, nil, w, b, true) end, {40, 33}, 33, dtype)
    end)
  end
end)

-- Compares the result and all gradients with those on the CPU in float32.
local function compare_with_cpu(f, sizes, channels, dtype)
  local x, g = torch.randn{size = sizes} * 3 + 1, torch.randn{size = sizes}
  local weight, bias = torch.randn(channels), torch.randn(channels)
  local found = {}
  for _, where in ipairs {"cpu", "cuda"} do
    local kept = where == "cuda" and dtype or torch.float32
    local leaves = {}
    for i, t in ipairs {x, weight, bias} do leaves[i] = t:to(dtype):to(where, kept):detach():requires_grad_() end
    local y = f(leaves[1], leaves[2], leaves[3])
    y:backward(g:to(dtype):to(where, kept))
    found[where] = {y:detach(), leaves[1].grad, leaves[2].grad, leaves[3].grad}
  end
  for i, expected in ipairs(found.cpu) do
    local got = found.cuda[i]
    assert.equal(dtype, got.dtype)
    local far = ((got:cpu():float() - expected):abs():max() / expected:abs():max()):item()
    assert.is_true(far < (dtype == torch.float32 and 2e-5 or 2e-2), ("%s, %d: %g"):format(dtype, i, far))
  end
end

section("norms of every shape of sets", function()
  for _, dtype in ipairs {torch.float32, torch.bfloat16} do
    it(("of layers, %s"):format(dtype), function()
      for _, sizes in ipairs {{300, 64}, {7, 100}, {3, 1023}, {2, 8192}, {2, 8200}} do
        compare_with_cpu(function(x, w, b) return F.layer_norm(x, {sizes[2]}, w, b) end, sizes, sizes[2], dtype)
      end
    end)
    it(("of layers about zero, %s"):format(dtype), function() -- the longest rows are left to operators
      for _, sizes in ipairs {{300, 64}, {7, 100}, {3, 1023}, {2, 8192}, {2, 8200}} do
        compare_with_cpu(function(x, w) return F.rms_norm(x, {sizes[2]}, w) end, sizes, sizes[2], dtype)
      end
    end)
    it(("of groups, %s"):format(dtype), function() -- many samples, large groups, channels of few and of uneven elements
      for _, sizes in ipairs {{260, 4, 3, 3}, {2, 4, 200, 50}, {2, 6, 5}, {3, 32, 16, 65}} do
        compare_with_cpu(function(x, w, b) return F.group_norm(x, 2, w, b) end, sizes, sizes[2], dtype)
      end
    end)
    it(("of batches, %s"):format(dtype), function()
      for _, sizes in ipairs {{300, 40}, {300, 33}, {1, 3, 20}, {4, 3, 7, 9}, {8, 2, 64, 64}} do
        compare_with_cpu(function(x, w, b) return F.batch_norm(x, nil, nil, w, b, true) end, sizes, sizes[2], dtype)
      end
    end)
  end
end)

section("batches that are channels_last", function()
  local function with_channels_last(x)
    return x:movedim(1, -1):contiguous():movedim(-1, 1)
  end

  -- Returns the result, the gradients and the running statistics of a module on a device.
  local function all(shape, where, training)
    local module = (#shape == 4 and torch.nn.BatchNorm2d or torch.nn.BatchNorm3d)(shape[2]):to(where)
    module:train(training)
    torch.no_grad(function()
      module.weight:copy_(torch.linspace(0.5, 1.5, shape[2]))
      module.running_mean:copy_(torch.linspace(0, 1, shape[2]))
    end)
    local count = shape[1] * shape[2] * shape[3] * shape[4] * (shape[5] or 1)
    local x = (torch.arange(count) * 0.7):sin():reshape(shape):to(where)
    if where == "cuda" then x = with_channels_last(x) end
    x = x:detach():requires_grad_()
    local y = module(x)
    y:backward((torch.arange(count) * 0.3):cos():reshape(shape):to(where))
    return {y, x.grad, module.weight.grad, module.bias.grad, module.running_mean, module.running_var}
  end

  for _, shape in ipairs {{4, 7, 5, 6}, {2, 64, 3, 3}, {3, 16, 2, 4, 5}} do
    for _, training in ipairs {true, false} do
      it(("stay so: %s, %s"):format(table.concat(shape, " "), training and "training" or "evaluation"), function()
        local expected, got = all(shape, "cpu", training), all(shape, "cuda", training)
        for i, t in ipairs(expected) do assert.is_true(t:allclose(got[i]:cpu(), 1e-5, 1e-5), "" .. i) end
        for i = 1, 2 do assert.equal(1, got[i]:stride(1)) end
      end)
    end
  end
end)
