-- Floor division, remainder, fmod.
local torch = require "torch"
local i, j = torch.tensor{7, -7, 7, -7}, torch.tensor{2, 2, -2, -2}
print(i // j, i % j, torch.fmod(i, j), torch.remainder(i, j), torch.floor_divide(i, j))
print(i // 2, i % 3, i // -2, i % -3, 20 // j, 20 % j)
local x = torch.tensor{7.5, -7.5, 0.5, -0.5}
print(x // 2, x % 2, x // -2, x % -2, torch.fmod(x, 2), torch.fmod(x, -2))
print(torch.div(i, j, {rounding_mode = "floor"}), torch.div(i, j, {rounding_mode = "trunc"}), torch.div(x, 2, {rounding_mode = "trunc"}), torch.div(i, 2))
print(x // 0, x % 0, torch.tensor{0.0} / 0, torch.tensor{1.0, -1.0} / 0)
print(i // 2.0, i % 2.5)
