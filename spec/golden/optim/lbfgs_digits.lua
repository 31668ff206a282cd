-- Ten steps of LBFGS, whose directions hang on the order in which short dot products are added.
local torch = require "torch"
local function group(lr)
  local p = {torch.tensor{{1.5, -2.0, 0.25}, {-0.75, 3.0, 0.5}}:requires_grad_(true), torch.tensor{0.5, -1.25, 2.0}:requires_grad_(true)}
  local c = {torch.tensor{{0.5, 0.5, -1.0}, {2.0, -0.25, 0.0}}, torch.tensor{1.0, 0.0, -0.5}}
  local a = {torch.tensor{{1.0, 0.5, 2.0}, {0.25, 1.5, 1.0}}, torch.tensor{3.0, 0.125, 1.0}}
  local optimizer = torch.optim.LBFGS(p, {lr = lr})
  for _ = 1, 10 do
    optimizer:step(function()
      optimizer:zero_grad()
      local loss = (a[1] * (p[1] - c[1]) ^ 2):sum() + (a[2] * (p[2] - c[2]) ^ 2):sum()
      loss:backward()
      return loss
    end)
  end
  for _, t in ipairs(p) do
    for _, x in ipairs(t:flatten():tolist()) do print(("%.5f"):format(x)) end
  end
end
group(0.01)
group(0.001)
