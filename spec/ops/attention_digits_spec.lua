-- attention_digits_spec.lua: attention has PyTorch's bits on the way forward (../golden/digits/attention.py): e^x is a polynomial where it
-- is taken of whole vectors.
local torch = require "torch"
local digits = require "digits"

local function differs(line, seed)
  local dtype, rest = line:match "^(%S+) (.*)"
  local c = {}
  for word in rest:gmatch "%S+" do c[#c + 1] = math.tointeger(word) end
  torch.manual_seed(seed)
  local function random() return torch.randn(table.unpack(c, 2, 5)):to(torch[dtype]) end
  local q, k, v = random(), random(), random()
  local y = torch.nn.functional.scaled_dot_product_attention(q, k, v, {is_causal = c[1] == 1})
  return y:contiguous():view(dtype == "float32" and torch.int32 or torch.int16):long():sum():item() ~= c[6]
end

local able = torch.backends.cpu.get_cpu_capability() == "AVX512"

describe("attention", function()
  digits.it(able)("has PyTorch's bits", function()
    local wrong, seed = {}, 0
    for line in io.lines "spec/golden/digits/attention.txt" do
      if differs(line, seed) then wrong[#wrong + 1] = line end
      seed = seed + 1
    end
    assert.are.equal(16, seed)
    assert.are.equal("", table.concat(wrong, "\n"))
  end)
end)
