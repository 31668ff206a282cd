-- The digits that come with the program.
local torch = require "torch"
local data = torch.utils.data
local digits = torch.datasets.Digits()
print(#digits)
print(digits[0][1].shape, digits[0][2], digits[0][1].dtype)
print(digits[0][1][0] * 16)
torch.manual_seed(42)
local train, test = data.random_split(digits, {1500, 297})
local loader = data.DataLoader(train, {batch_size = 32, shuffle = true})
print(#loader, #train, #test)
for x, y in loader do
  print(x.shape, y)
  break
end
