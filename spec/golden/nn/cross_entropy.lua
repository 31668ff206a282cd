-- CrossEntropyLoss and its options.
local torch = require "torch"
local nn, F = torch.nn, torch.nn.functional
local x = torch.tensor({{1.0, 2.0, 3.0}, {0.5, -1.0, 0.0}, {2.0, 2.0, 1.0}}, {requires_grad = true})
local y = torch.tensor{2, 0, 1}
local function show(loss)
  print(loss:detach())
  print((torch.autograd.grad(loss:sum(), x)))
end
show(nn.CrossEntropyLoss()(x, y))
show(nn.CrossEntropyLoss{reduction = "sum"}(x, y))
show(nn.CrossEntropyLoss{reduction = "none"}(x, y))
show(nn.CrossEntropyLoss{weight = torch.tensor{1.0, 2.0, 0.5}}(x, y))
show(nn.CrossEntropyLoss{weight = torch.tensor{1.0, 2.0, 0.5}, reduction = "sum"}(x, y))
show(nn.CrossEntropyLoss{label_smoothing = 0.1}(x, y))
show(nn.CrossEntropyLoss{ignore_index = 0}(x, y))
show(F.cross_entropy(x, torch.tensor{2, -100, 1}))
show(F.cross_entropy(x, torch.tensor{{0.2, 0.3, 0.5}, {1.0, 0.0, 0.0}, {0.0, 0.5, 0.5}}))
show(F.cross_entropy(x, torch.tensor{{0.2, 0.3, 0.5}, {1.0, 0.0, 0.0}, {0.0, 0.5, 0.5}}, {label_smoothing = 0.2}))
show(F.cross_entropy(x, y, {weight = torch.tensor{1.0, 2.0, 0.5}, label_smoothing = 0.1, reduction = "none"}))
print(F.cross_entropy(torch.tensor{1.0, 2.0, 3.0}, torch.tensor(0)))
print(nn.CrossEntropyLoss()(x, y))
print(F.cross_entropy(x, torch.tensor{-100, -100, -100}))
