-- Keywords that a class does not know.
local torch = require "torch"
local function mistake(f, ...)
  local ok, err = pcall(f, ...)
  print(ok and "no error" or (tostring(err):match "[^\n]*"))
end
local nn, optim, data = torch.nn, torch.optim, torch.utils.data
mistake(nn.Linear, 3, 4, {foo = 1})
mistake(nn.Linear, 3)
mistake(nn.Linear)
mistake(nn.Linear, 1, 2, true, nil, nil, 3)
mistake(nn.ReLU, {foo = 1})
mistake(nn.Flatten, {foo = 1})
mistake(nn.Dropout, {prob = 1})
mistake(nn.MSELoss, {reduce_mean = true})
mistake(nn.CrossEntropyLoss, {weights = torch.ones(2)})
mistake(optim.SGD, {nn.Parameter(torch.ones(1))}, {learning_rate = 0.1})
mistake(optim.Adam, {nn.Parameter(torch.ones(1))}, {momentum = 0.1})
mistake(optim.AdamW, {nn.Parameter(torch.ones(1))}, {lr = 0.1, beta = 0.1})
mistake(data.DataLoader, data.TensorDataset(torch.ones(3)), {batchsize = 1})
mistake(nn.Parameter, torch.ones(2), {grad = true})
