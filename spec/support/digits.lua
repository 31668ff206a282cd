-- digits.lua: tests of PyTorch's last bits. TOCHA_DIGITS=fast computes other bits, so these tests are pending then; every other
-- test passes.
local busted, torch = require "busted", require "torch"
local digits = {}

--- Returns true if the CPU computes PyTorch's digits if possible.
function digits.are_pytorchs() return torch.backends.cpu.digits == "pytorch" end

--- Returns the function that declares such a test: `it`, or `pending`, also if `able` is false: this processor or build has other
-- digits.
function digits.it(able) return digits.are_pytorchs() and able and busted.it or busted.pending end

--- Returns false if the gradients of convolutions may have other digits than those that PyTorch was asked for: oneDNN divides their sums by
--- the size of the last cache, and with caches this large (260 MiB on an Emerald Rapids) its versions divide differently.
function digits.divides_gradients_alike()
  local file <close> = io.open "/sys/devices/system/cpu/cpu0/cache/index3/size"
  local kib = file and tonumber(file:read "l":match "%d+")
  return not kib or kib <= 200 * 1024
end

return digits
