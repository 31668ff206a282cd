-- Learning rates, and other numbers, that are tensors: each step reads them.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim

local function parameter()
  local p = nn.Parameter(torch.ones(2, 2))
  p.grad = torch.ones(2, 2)
  return p
end
local function try(name, f)
  local results = {pcall(f)}
  local done = table.remove(results, 1)
  if not done then print(name, (tostring(results[1]):match "^[^\n]*")) return end
  for i, value in ipairs(results) do results[i] = tostring(value) end
  print(name, table.concat(results, "  "))
end
local function first(p) return torch.format("%.4f", p:detach()[{0, 0}]) end
local function line(opt, key) return (tostring(opt):match("    " .. key .. ": [^\n]*")) end

for _, name in ipairs{"SGD", "Adam", "AdamW", "RMSprop", "Rprop", "ASGD", "Adadelta", "Adamax", "NAdam", "RAdam", "Adagrad", "Adafactor", "Muon", "LBFGS"} do
  for _, value in ipairs{0.1, {0.1}, {0.1, 0.2}, -0.1} do
    try(name, function()
      local p, lr = parameter(), torch.tensor(value)
      local opt = optim[name]({p}, {lr = lr})
      local function step()
        if name ~= "LBFGS" then return opt:step() end
        opt:step(function()
          p.grad = torch.ones(2, 2)
          return 1.0
        end)
      end
      step()
      local before = first(p)
      lr:mul_(10)
      p.grad = torch.ones(2, 2)
      step()
      return before, first(p), opt.param_groups[1].lr:equal(lr), opt.defaults.lr:equal(lr), line(opt, "lr")
    end)
  end
end

-- betas and the rest
for _, name in ipairs{"Adam", "AdamW", "Adamax", "NAdam", "RAdam"} do
  try(name, function()
    local p, betas = parameter(), {torch.tensor(0.9), torch.tensor(0.99)}
    local opt = optim[name]({p}, {lr = 0.1, betas = betas})
    opt:step()
    betas[1]:mul_(0.1)
    p.grad = torch.full({2, 2}, 0.3)
    opt:step()
    return first(p), opt.param_groups[1].betas[1], line(opt, "betas")
  end)
  try(name, function() return optim[name]({parameter()}, {lr = 0.1, betas = {torch.tensor{0.9, 0.8}, torch.tensor(0.9)}}) end)
end
try("one of both", function() return optim.Adam({parameter()}, {betas = {torch.tensor(0.9), 0.99}}) end)
for _, case in ipairs{{"SGD", "weight_decay"}, {"SGD", "momentum"}, {"Adam", "eps"}, {"Adam", "weight_decay"}, {"RMSprop", "eps"}, {"RMSprop", "alpha"},
  {"RMSprop", "momentum"}} do
  try(case[1] .. " " .. case[2], function()
    local p, value = parameter(), torch.tensor(0.1)
    local opt = optim[case[1]]({p}, {lr = 0.1, [case[2]] = value})
    opt:step()
    local before = first(p)
    value:mul_(5)
    p.grad = torch.ones(2, 2)
    opt:step()
    return before, first(p), line(opt, case[2])
  end)
end

-- what does not go together
for _, name in ipairs{"Adam", "AdamW"} do
  try(name, function() return optim[name]({parameter()}, {lr = torch.tensor(0.1), foreach = true}) end)
  try(name, function() return optim[name]({parameter()}, {betas = {torch.tensor(0.1), torch.tensor(0.1)}, foreach = true}) end)
end
try("SGD", function() optim.SGD({parameter()}, {lr = torch.tensor(0.1), foreach = true}):step() end)

-- groups and schedulers
local a, b, lr = parameter(), parameter(), torch.tensor(0.1)
local opt = optim.SGD({{params = {a}}, {params = {b}, lr = torch.tensor(0.5)}}, {lr = lr})
local scheduler = optim.lr_scheduler.StepLR(opt, 1, 0.5)
opt:step()
scheduler:step()
print(lr, opt.param_groups[1].lr, opt.param_groups[2].lr, scheduler:get_last_lr()[1], opt.param_groups[1].initial_lr, scheduler.base_lrs[2])
opt:step()
print(first(a), first(b))
opt.param_groups[1].lr = torch.tensor(1.0)
opt:step()
print(first(a), line(opt, "lr"))
opt.param_groups[1].lr = 0.25
opt:step()
print(first(a), line(opt, "lr"))

-- states: what is loaded is a copy
local saved = optim.SGD({parameter()}, {lr = lr}):state_dict()
local other = optim.SGD({parameter()}, {lr = 0.3})
other:load_state_dict(saved)
lr:fill_(7)
print(saved.param_groups[1].lr, other.param_groups[1].lr)
opt = optim.SGD({parameter()}, {lr = lr})
opt:load_state_dict(optim.SGD({parameter()}, {lr = 0.3}):state_dict())
print(opt.param_groups[1].lr)
