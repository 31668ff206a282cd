-- forward/neighbours.lua: the forward of CrossMapLRN2d. Its window is that of Torch 7: the first channel never leaves it.
local torch = ...

return {
  CrossMapLRN2d = torch._define("CrossMapLRN2d.forward(self, input)", function(self, input)
    if input.ndim ~= 4 then
      torch._part "support".fail("ValueError", "CrossMapLRN2d: Expected input to be 4D, got %dD instead.", input.ndim)
    end
    local square, channels, reach = input * input, input.shape[1], (self.size - 1) // 2 + 1
    local function channel(c) return square:narrow(1, c, 1) end
    local sums, sum = {}, square:narrow(1, 0, math.min(reach, channels)):sum(1, true)
    for c = 0, channels - 1 do
      if c > 0 and c < channels - reach + 1 then sum = sum + channel(c + reach - 1) end
      if c > reach then sum = sum - channel(c - reach) end
      sums[c + 1] = sum
    end
    return input * (torch.cat(sums, 1) * (self.alpha / self.size) + self.k):pow(-self.beta)
  end),
}
