-- train_test_split, which is scikit-learn's.
local torch = require "torch"
local split = torch.datasets.train_test_split
local x, y = torch.arange(40):reshape(20, 2), torch.arange(20)
for _, options in ipairs{{random_state = 42}, {test_size = 0.2, random_state = 42}, {test_size = 7, random_state = 0}, {train_size = 0.5, random_state = 1},
    {train_size = 3, test_size = 4, random_state = 7}, {test_size = 0.33, shuffle = false}} do
  local a, b, c, d = split(x, y, options)
  print(a, b.shape, c, d)
end
local function fails(...)
  local ok, problem = pcall(split, ...)
  print(ok, (tostring(problem):match "^[^\n]*"))
end
fails(x, y, {test_size = 1.5})
fails(x, y, {test_size = 20})
fails(x, torch.arange(3), {test_size = 0.2})
fails(x, {test_size = 0.9, train_size = 0.5})
