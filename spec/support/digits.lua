-- digits.lua: tests of PyTorch's last bits. TOCHA_DIGITS=fast computes other bits, so these tests are pending then; every other
-- test passes.
local busted, torch = require "busted", require "torch"
local digits = {}

--- Returns true if the CPU computes PyTorch's digits if possible.
function digits.are_pytorchs() return torch.backends.cpu.digits == "pytorch" end

--- Returns the function that declares such a test: `it`, or `pending`, also if `able` is false: this processor or build has other
-- digits.
function digits.it(able) return digits.are_pytorchs() and able and busted.it or busted.pending end

return digits
