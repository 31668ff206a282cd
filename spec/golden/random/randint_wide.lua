-- Ranges past 32 bits draw two words.
local torch = require "torch"
torch.manual_seed(11)
print(torch.randint(0, 4294967296, {3}))
print(torch.randint(0, 4294967295, {3}))
print(torch.randint(0, 10000000000, {3}))
print(torch.randint(-1000000000000, 1000000000000, {3}))
print(torch.randint(0, 10, {3}))
