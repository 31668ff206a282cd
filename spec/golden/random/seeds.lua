-- Values that manual_seed takes: numbers, fractions, Python's strings of integers.
local torch = require "torch"
local function seed(value)
  local ok, problem = pcall(torch.manual_seed, value)
  print(ok and torch.initial_seed() or (tostring(problem):match "^[^\n]*"))
end
for _, value in ipairs {7, 1.5, 1.0, -0.5, true, "42", " 42\n", "-0", "+7", "1_000", "", " ", "x", "1.5", "0x10", "1__0", "_1", "4 2", "18446744073709551616",
  "9223372036854775807"} do seed(value) end
torch.manual_seed("3")
print(torch.rand(2))
local g = torch.Generator()
local ok, problem = pcall(g.manual_seed, g, "3")
print(ok, (tostring(problem):match "^[^\n]*"))
print(g:initial_seed())
