-- cpu only: says that capturable needs a GPU
-- foreach, fused, capturable, differentiable, maximize: what each optimizer says of them, and does.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
local function parameter()
  local p = nn.Parameter(torch.ones(2, 2))
  p.grad = torch.ones(2, 2)
  return p
end
local function try(name, f)
  local done, answer = pcall(f)
  print(name, (tostring(answer):match "^[^\n]*"))
end
for _, name in ipairs{"SGD", "Adam", "AdamW", "RMSprop", "Rprop", "ASGD", "Adadelta", "Adamax", "NAdam", "RAdam", "Adagrad", "Adafactor", "Muon", "LBFGS", "SparseAdam"} do
  for _, flag in ipairs{"foreach", "fused", "capturable", "differentiable", "maximize"} do
    try(name .. " " .. flag, function()
      local p = parameter()
      local opt = optim[name]({p}, {[flag] = true})
      if name == "LBFGS" then return opt:step(function() return 1.0 end) end
      opt:step()
      return torch.format("%.4f", p:detach()[{0, 0}])
    end)
  end
end
for _, name in ipairs{"SGD", "Adam", "AdamW", "Adagrad"} do
  try(name, function() return optim[name]({parameter()}, {fused = true, foreach = true}) end)
  try(name, function() return optim[name]({parameter()}, {fused = true, differentiable = true}) end)
  try(name, function() return optim[name]({parameter()}, {fused = false, foreach = true}) ~= nil end)
end
-- without a gradient nothing is asked
local p = nn.Parameter(torch.ones(1))
optim.Adam({p}, {capturable = true}):step()
optim.SGD({p}, {differentiable = true}):step()
-- a parameter that wants no gradient may have one
local plain = torch.ones(2)
plain.grad = torch.ones(2)
optim.SGD({plain}, {lr = 0.5, differentiable = true}):step()
print(plain)
