-- torch.signal.windows: symmetric and periodic, their parameters, what they refuse.
local torch = require "torch"
local w = torch.signal.windows
for _, name in ipairs {"bartlett", "blackman", "cosine", "exponential", "gaussian", "general_hamming", "hamming", "hann", "kaiser", "nuttall"} do
  local make = w[name]
  print(name, make(7):mul(1000):round(), make(6, {sym = false}):mul(1000):round())
  print(make(0), make(1), make(4, {dtype = torch.float64}):mul(1000):round())
end
print(w.general_cosine(6, {a = {0.4, 0.3, 0.3}}), w.general_hamming(6, {alpha = 0.3}))
print(w.exponential(5, {tau = 2.5}), w.exponential(5, {center = 1.0, sym = false}), w.exponential(1, {center = 1.0, sym = false}))
print(w.gaussian(5, {std = 0.7}), w.kaiser(5, {beta = 0.0}), w.kaiser(5, {beta = 3.5}))
print(w.hann(4, {requires_grad = true}):requires_grad_())
local function try(f) print((tostring(select(2, pcall(f))):match "^[^\n]*")) end
try(function() return w.hann(-1) end)
try(function() return w.cosine(-1) end)
try(function() return w.hamming(3, {dtype = torch.int64}) end)
try(function() return w.gaussian(3, {std = -1}) end)
try(function() return w.exponential(3, {tau = -1}) end)
try(function() return w.exponential(3, {center = 1.0}) end)
try(function() return w.kaiser(3, {beta = -1}) end)
try(function() return w.general_cosine(3, {a = 3}) end)
try(function() return w.general_cosine(3, {a = {}}) end)
