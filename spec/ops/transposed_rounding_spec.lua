-- transposed_rounding_spec.lua: a transposed convolution in bfloat16 is rounded once, with its bias, as PyTorch's oneDNN does it
-- on processors with AVX-512.
local torch = require "torch"
local F = torch.nn.functional

describe("a transposed convolution in bfloat16", function()
  for _, c in ipairs{{2, 2, 0}, {3, 1, 1}, {4, 2, 1}} do
    local kernel, stride, padding = table.unpack(c)
    it(("with kernel %d and stride %d is rounded once"):format(kernel, stride), function()
      torch.manual_seed(0)
      local x, w, b = torch.randn(2, 8, 6, 6):bfloat16(), torch.randn(8, 6, kernel, kernel):bfloat16(), torch.randn(6):bfloat16()
      local whole = F.conv_transpose2d(x:double(), w:double(), b:double(), stride, padding)
      assert.is_true(torch.equal(F.conv_transpose2d(x, w, b, stride, padding), whole:bfloat16()))
    end)
  end

  it("of no images has no elements", function()
    local one = {dtype = torch.bfloat16}
    local y = F.conv_transpose1d(torch.ones({0, 2, 3}, one), torch.ones({2, 4, 2}, one), torch.ones({4}, one))
    assert.equal("torch.Size([0, 4, 4])", tostring(y.shape))
  end)
end)
