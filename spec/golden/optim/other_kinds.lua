-- The state of one kind of optimizer in another. PyTorch takes it, and then its step fails for what is missing.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
local names = {"SGD", "Adam", "AdamW", "RMSprop", "Rprop", "ASGD", "Adadelta", "Adamax", "NAdam", "RAdam", "Adagrad", "Adafactor", "Muon", "SparseAdam"}   -- the last takes no dense gradients: its state alone is loaded
local function make(name)
  local p = nn.Parameter(torch.ones(2, 2))
  p.grad = torch.ones(2, 2)
  return optim[name]({p}), p
end
for _, from in ipairs(names) do
  local source = make(from)
  if from ~= "SparseAdam" then source:step() end
  for i = 1, #names - 1 do
    local into = names[i]
    local done, problem = pcall(function()
      local opt = make(into)
      opt:load_state_dict(source:state_dict())
      opt:step()
    end)
    local both = from == "Muon" and into == "Adafactor" or from == "SparseAdam" and into == "Adagrad"   -- two are missing; one is told
    print(from, into, done, (done or both) and "" or (tostring(problem):match "^[^\n]*"))
  end
end
