-- digits_spec.lua: the choice between PyTorch's digits and fast ones: who makes it, who reads it, and that both compute the same
-- to the last places.
local torch = require "torch"
local programs = require "programs"
local F = torch.nn.functional

local function digits_of(environment)
  return programs.output(("TOCHA_DIGITS=%s %s -e 'print(torch.backends.cpu.digits)'"):format(environment, programs.tocha))
end

describe("torch.backends.cpu.digits", function()
  local before
  before_each(function() before = torch.backends.cpu.digits end)
  after_each(function() torch.backends.cpu.digits = before end)

  it("is what TOCHA_DIGITS says, else PyTorch's", function()
    assert.are.equal("pytorch\n", digits_of "''")
    assert.are.equal("pytorch\n", digits_of "pytorch")
    assert.are.equal("fast\n", digits_of "fast")
    assert.are.equal("pytorch\n", digits_of "quick")
  end)

  it("can be set, to these two alone", function()
    torch.backends.cpu.digits = "fast"
    assert.are.equal("fast", torch.backends.cpu.digits)
    for _, wrong in ipairs {"Fast", "", 1, true} do
      local ok, err = pcall(function() torch.backends.cpu.digits = wrong end)
      assert.is_false(ok)
      assert.are.equal("ValueError", err.code)
      assert.truthy(err.message:find('must be "pytorch" or "fast"', 1, true))
    end
    assert.are.equal("fast", torch.backends.cpu.digits)
  end)

  -- a call that differs in its digits between the two
  local calls = {
    ["a product of a few rows"] = function(x) return x[":3"]:matmul(x:t()) end,
    ["a product"] = function(x) return x:matmul(x:t()) end,
    ["an inner product"] = function(x) return x[0]:dot(x[1]) end,
    ["a convolution's gradients"] = function(x)
      local image = x:view(2, 4, 30, 50):clone():requires_grad_()
      local weight = torch.sin(torch.arange(4. * 4 * 9)):view(4, 4, 3, 3):requires_grad_()
      local bias = torch.zeros(4, {requires_grad = true})
      F.conv2d(image, weight, bias, 2, 1):pow(2):sum():backward()
      return torch.cat {image.grad:flatten() / 10, weight.grad:flatten() / 1000, bias.grad / 1000}
    end,
    ["a loss in bfloat16"] = function(x) return F.huber_loss(x:bfloat16(), x:flip(0):bfloat16()):float() end,
    ["logit in bfloat16"] = function(x) return x:sigmoid():bfloat16():logit():float() end,
  }
  for name, call in pairs(calls) do
    it("changes no more than the last places of " .. name, function()
      local x = torch.sin(torch.arange(12000.)):view(40, 300)
      local results = {}
      for _, digits in ipairs {"pytorch", "fast"} do
        torch.backends.cpu.digits = digits
        results[digits] = call(x)
      end
      local tolerance = name:find "bfloat16" and 0.02 or 1e-5
      torch.testing.assert_close(results.fast, results.pytorch, {rtol = tolerance, atol = tolerance})
    end)
  end
end)

describe("the choice of digits", function()
  it("is read in folders of digits alone", function()
    local pipe, wrong = io.popen [[grep -rnE "digits (==|!=)|TOCHA_DIGITS_(PYTORCH|FAST|DEFAULT)" runtime --include=*.c --include=*.h]], {}
    for line in pipe:lines() do
      local file = line:match "^[^:]+"
      if not (file:find "/digits/" or file:find "^runtime/core/" or file:find "^runtime/include/" or file == "runtime/dispatch/rounding.h") then
        wrong[#wrong + 1] = line
      end
    end
    pipe:close()
    assert.are.same({}, wrong)
  end)

  it("is no business of an operator, its arguments or its entry", function()
    local pipe = io.popen [[grep -rnE "librarys|_sum_of_channels|half && !?tocha_is_on_device" runtime cuda]]
    local found = pipe:read "a"
    pipe:close()
    assert.are.equal("", found)
  end)
end)
