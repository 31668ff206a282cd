-- linear_cross_entropy with options: rows a few at a time give what all of them at once give.
local torch = require "torch"
local nn, F = torch.nn, torch.nn.functional
local Options = nn.LinearCrossEntropyOptions

local function inputs(dtype)
  torch.manual_seed(3)
  local x, w = torch.randn(7, 4), torch.randn(9, 4)
  return x:to(dtype):requires_grad_(), w:to(dtype):requires_grad_(), torch.randn(9):to(dtype):requires_grad_()
end

local targets = {
  indices = function() return torch.tensor{0, 3, 8, -100, 1, 1, 5} end,
  probabilities = function(dtype) return torch.linspace(-2, 2, 63, {dtype = torch.float64}):reshape(7, 9):softmax(1):to(dtype) end,
}

local function answers(dtype, target, reduction, options)
  local x, w, b = inputs(dtype)
  local loss = F.linear_cross_entropy(x, w, target(dtype), {linear_bias = b, weight = torch.linspace(0.5, 2, 9):to(dtype), reduction = reduction,
    options = options})
  local upstream = torch.linspace(1, 2, math.max(1, loss:numel())):to(dtype):reshape(loss.shape)
  loss:backward(upstream)
  return {loss:detach(), x.grad, w.grad, b.grad}
end

describe("linear_cross_entropy with options", function()
  for kind, target in pairs(targets) do
    for _, reduction in ipairs{"mean", "sum", "none"} do
      for _, size in ipairs{1, 3, 7, 100, "auto"} do
        it(("gives the whole's loss and gradients: %s, %s, %s rows at a time"):format(kind, reduction, size), function()
          local options = Options{batch_chunk_size = size ~= "auto" and size or nil}
          local whole, chunked = answers(torch.float64, target, reduction), answers(torch.float64, target, reduction, options)
          for i, expected in ipairs(whole) do
            assert.is_true(torch.allclose(chunked[i], expected, {rtol = 1e-12, atol = 1e-12}))
            assert.equal(expected.shape, chunked[i].shape)
          end
        end)
      end
    end
  end

  it("adds 16-bit numbers up in float32", function()
    for _, dtype in ipairs{torch.float16, torch.bfloat16} do
      local exact = answers(torch.float64, targets.indices, "sum")
      local chunked = answers(dtype, targets.indices, "sum", Options{batch_chunk_size = 2})
      for i, expected in ipairs(exact) do
        assert.equal(dtype, chunked[i].dtype)
        assert.is_true(torch.allclose(chunked[i]:double(), expected, {rtol = 0.05, atol = 0.05}))
      end
    end
  end)

  it("makes only the gradients that are wanted", function()
    local x, w = inputs(torch.float32)
    F.linear_cross_entropy(x:detach(), w, targets.indices(), {options = Options()}):backward()
    assert.is_nil(x.grad)
    assert.truthy(w.grad)
    assert.is_false(F.linear_cross_entropy(x:detach(), w:detach(), targets.indices(), {options = Options()}).requires_grad)
  end)

  it("refuses saved tensors that were changed", function()
    local x, w = inputs(torch.float32)
    local loss = F.linear_cross_entropy(x, w, targets.indices(), {reduction = "none", options = Options()})
    torch.no_grad(function() w:mul_(2) end)
    assert.error_matches(function() loss:sum():backward() end, "modified by an inplace operation")
  end)

  it("is the module's, too", function()
    local options = Options{batch_chunk_size = 2}
    torch.manual_seed(5)
    local chunked = nn.LinearCrossEntropyLoss(4, 9, {bias = true, options = options})
    torch.manual_seed(5)
    local whole = nn.LinearCrossEntropyLoss{4, 9, bias = true}
    local x = inputs(torch.float32)
    assert.equal(options, chunked.options)
    assert.is_nil(whole.options)
    local a, b = chunked(x, targets.indices()), whole(x, targets.indices())
    assert.is_true(torch.allclose(a, b))
    assert.truthy(a.grad_fn:name():find "chunked")
    assert.falsy(b.grad_fn:name():find "chunked")
    assert.truthy(chunked:isinstance(nn.LinearCrossEntropyLoss))
  end)

  it("has options that compare and do not change", function()
    assert.is_true(Options() == Options())
    assert.is_false(Options() == Options{acc_policy = "compact"})
    assert.error_matches(function() Options().acc_policy = "compact" end, "cannot assign to field 'acc_policy'")
  end)
end)
