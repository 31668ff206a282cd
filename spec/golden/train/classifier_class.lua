-- The same with a class, SGD and momentum.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
torch.manual_seed(7)
local X = torch.randn(90, 4)
local y = (X:sum(1):gt(0):long() + X[":, 0"]:gt(0.5):long())
local Classifier = nn.Module:extend "Classifier"
function Classifier:init(inputs, hidden, classes)
  self.layer_1 = nn.Linear(inputs, hidden)
  self.layer_2 = nn.Linear(hidden, hidden)
  self.layer_3 = nn.Linear(hidden, classes)
  self.relu = nn.ReLU()
end
function Classifier:forward(x)
  return self.layer_3(self.relu(self.layer_2(self.relu(self.layer_1(x)))))
end
local model = Classifier(4, 16, 3)
print(model)
local optimizer = optim.SGD(model:parameters(), {lr = 0.1, momentum = 0.9})
for epoch = 1, 40 do
  local logits = model(X)
  local loss = nn.functional.cross_entropy(logits, y)
  optimizer:zero_grad()
  loss:backward()
  optimizer:step()
  if epoch % 10 == 0 then
    print(torch.format("%d %.3f %.1f%%", epoch, loss, 100 * logits:argmax(1):eq(y):float():mean()))
  end
end
