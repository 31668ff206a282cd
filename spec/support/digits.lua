-- digits.lua: tests of PyTorch's last bits. TOCHA_DIGITS=fast computes others, so they are pending then; every other test passes.
local busted, torch = require "busted", require "torch"
local digits = {}

--- Whether the CPU computes PyTorch's digits where it can.
function digits.are_pytorchs() return torch.backends.cpu.digits == "pytorch" end

--- Returns what declares such a test: `it`, or `pending`, also if `able` is false: this processor or build has other digits.
function digits.it(able) return digits.are_pytorchs() and able and busted.it or busted.pending end

return digits
