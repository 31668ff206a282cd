-- huge_sizes_spec.lua: sizes and steps near 2^63, whose sums and products wrap around, end in an error or in the right value.
local torch = require "torch"
local F = torch.nn.functional

local MOST, LEAST = math.maxinteger, math.mininteger
local function wide(n) return torch.ones(1):expand(n) end

local function refused(words, f, ...)
  local ok, problem = pcall(f, ...)
  assert.is_false(ok)
  if not tostring(problem):find(words, 1, true) then error(("%q has no %q"):format(tostring(problem), words), 0) end
end

describe("sizes near 2^63:", function()
  it("a sum of sizes that wraps around is no size", function()
    local quarter = wide(1 << 62)
    refused("add up to more than", torch.cat, {quarter, quarter, quarter, quarter, torch.ones(3)})
    refused("add up to more than", torch.hstack, {wide(MOST), wide(MOST), torch.ones(3)})
  end)

  it("one_hot, bincount: one class more than the greatest", function()
    refused("zeros: Dimension size must be non-negative.", F.one_hot, torch.tensor{MOST})
    refused("maximum value of input overflowed, it should be < 9223372036854775807 but got 9223372036854775807", torch.bincount,
      torch.tensor{0, 2, MOST})
  end)

  it("lists of more tensors than can be counted", function()
    local x = wide((1 << 32) + 2)
    refused("vector::reserve", x.unbind, x)
    refused("vector::reserve", x.split, x, 1)
    refused("vector::reserve", x.chunk, x, 1 << 40)
    refused("vector::reserve", torch.tensor_split, torch.ones(3), (1 << 32) + 2)
    refused("vector::reserve", torch.tensor_split, torch.ones(3), MOST)
  end)

  it("split, chunk: the last piece ends where the tensor does", function()
    local function lengths(list)
      for i, t in ipairs(list) do list[i] = t.shape[0] end
      return list
    end
    assert.same({MOST - 1, 1}, lengths(wide(MOST):split(MOST - 1)))
    assert.same({1 << 62, (1 << 62) - 1}, lengths(wide(MOST):chunk(2)))
    assert.same({3}, lengths(torch.ones(3):split(MOST)))
  end)

  it("eye without rows", function() assert.same({0, MOST}, {torch.eye(0, MOST).shape:unpack()}) end)

  it("gcd, lcm of the least number", function()
    local least = torch.tensor{LEAST}
    assert.equal(LEAST, torch.gcd(least, least):item())
    assert.equal(2, torch.gcd(least, torch.tensor{6}):item())
    assert.equal(LEAST, torch.lcm(least, torch.tensor{MOST}):item())
  end)

  it("frombuffer", function()
    refused("offset (-9223372036854775808 bytes) must be non-negative", torch.frombuffer, "abcd", {dtype = torch.int64, offset = LEAST, count = LEAST})
  end)

  it("slices of modules", function()
    local net = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Tanh(), torch.nn.Sigmoid())
    assert.equal(1, #net["1::9223372036854775807"])
    assert.equal(1, #net["1::-9223372036854775808"])
    assert.equal(2, #net["::2"])
    assert.equal(3, #net["::-1"])
    assert.equal(1, #torch.nn.ModuleList{torch.nn.ReLU(), torch.nn.Tanh()}["1::9223372036854775807"])
  end)

  it("arrays of NumPy's kind are printed by their ends", function()
    assert.equal("array([1., 1., 1., ..., 1., 1., 1.], shape=(1099511627776,), dtype=float32)", tostring(wide(1 << 40):numpy()))
  end)
end)
