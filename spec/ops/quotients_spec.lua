-- quotients_spec.lua: fmod, remainder and floor_divide of vectors are the C library's fmod, to the last bit and the sign of zero.
local torch = require "torch"

local inf, nan = math.huge, 0 / 0
local edges = {{0.0, 1}, {-0.0, 2}, {inf, 3}, {-inf, 4}, {nan, 5}, {3, inf}, {-3, -inf}, {1e-40, 1e-42}, {-5, 0}, {6, 3}, {9, -3}, {-9.5, 3},
  {2 ^ 22 + 0.5, 1}, {-2 ^ 22 - 0.5, 1}, {2 ^ 23, 0.3}, {-2 ^ 24, 0.7}, {1e30, 3e-5}, {nan, nan}, {5, 1e-45}, {2 ^ 51 + 0.5, 1}}

local function operands(dtype)
  local a, b = {}, {}
  for i, pair in ipairs(edges) do a[i], b[i] = pair[1], pair[2] end
  torch.manual_seed(3)
  return torch.cat({torch.randn(1000) * 10, torch.randn(1000) * 1e6, torch.randn(100) * 1e30, torch.tensor(a)}):to(dtype),
    torch.cat({torch.randn(1000), torch.randn(1000) * 3, torch.randn(100), torch.tensor(b)}):to(dtype)
end

-- Equal with the sign of zero, or both NaN.
local function same(x, y) return x == y and 1 / x == 1 / y or x ~= x and y ~= y end

describe("quotients of vectors", function()
  for _, dtype in ipairs{torch.float32, torch.float64} do
    local function rounded(x) return torch.tensor(x, {dtype = dtype}):item() end
    local a, b = operands(dtype)
    local x, y = a:tolist(), b:tolist()

    it("fmod, " .. tostring(dtype), function()
      for i, value in ipairs(torch.fmod(a, b):tolist()) do
        assert.is_true(same(math.fmod(x[i], y[i]), value), ("fmod(%a, %a) is not %a"):format(x[i], y[i], value))
      end
    end)

    it("remainder, " .. tostring(dtype), function()
      for i, value in ipairs(torch.remainder(a, b):tolist()) do
        local mod = math.fmod(x[i], y[i])
        if mod ~= 0 and (y[i] < 0) ~= (mod < 0) then mod = rounded(mod + y[i]) end
        assert.is_true(same(mod, value), ("remainder(%a, %a) is not %a"):format(x[i], y[i], value))
      end
    end)

    it("floor_divide of a vector is that of its elements, " .. tostring(dtype), function()
      for i, value in ipairs(torch.floor_divide(a, b):tolist()) do   -- what CPython does, rounded at each step
        local mod = math.fmod(x[i], y[i])
        local div
        if y[i] == 0 then
          div = rounded(x[i] / y[i])
        else
          div = rounded(rounded(x[i] - mod) / y[i])
          if mod ~= 0 and (y[i] < 0) ~= (mod < 0) then div = rounded(div - 1) end
          local down = math.abs(div) < 2 ^ 52 and math.floor(div) + 0.0 or div
          local plain = x[i] / y[i]
          if div == 0 then down = (plain < 0 or 1 / plain < 0) and -0.0 or 0.0 elseif div - down > 0.5 then down = rounded(down + 1) end
          div = down
        end
        assert.is_true(same(div, value), ("floor_divide(%a, %a) is not %a"):format(x[i], y[i], value))
      end
    end)
  end
end)
