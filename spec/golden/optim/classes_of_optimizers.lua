-- Every optimizer is a torch.optim.Optimizer; defaults as they are printed.
local torch = require "torch"
local optim = torch.optim
local w = torch.nn.Parameter(torch.ones(2, 2))
for _, name in ipairs{"SGD", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "Adagrad", "Adadelta", "RMSprop", "Rprop", "ASGD", "LBFGS", "Adafactor",
    "Muon", "SparseAdam"} do
  local optimizer = optim[name]({w}, {lr = 0.5})
  print(name, optimizer:isinstance(optim.Optimizer), optimizer)
end
