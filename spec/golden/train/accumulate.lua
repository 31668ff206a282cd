-- Gradients accumulated over several batches.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
torch.manual_seed(20)
local X, y = torch.randn(32, 5), torch.randint(0, 3, {32})
local function train(parts)
  torch.manual_seed(21)
  local model = nn.Linear(5, 3)
  local optimizer = optim.SGD(model:parameters(), {lr = 0.5})
  for _ = 1, 10 do
    optimizer:zero_grad()
    local total = 0
    local xs, ys = X:chunk(parts), y:chunk(parts)
    for i = 1, parts do
      local loss = nn.functional.cross_entropy(model(xs[i]), ys[i]) / parts
      loss:backward()
      total = total + loss:item()
    end
    optimizer:step()
    if parts == 1 then print(("%.4f"):format(total)) end
  end
  return model
end
local a, b = train(1), train(4)
print(torch.allclose(a.weight, b.weight, {atol = 1e-5}))
print(a.weight)
