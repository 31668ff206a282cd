-- Modules print as trees, and those without parts in one line.
local torch = require "torch"
local nn = torch.nn
print(nn.Linear(3, 4))
print(nn.Linear(3, 4, {bias = false}))
print(nn.ReLU())
print(nn.ReLU(true))
print(nn.Flatten())
print(nn.Flatten(0, 1))
print(nn.Sequential())
print(nn.Sequential(nn.Linear(1, 2)))
print(nn.Sequential(nn.Flatten(), nn.Linear(64, 10), nn.ReLU(), nn.Linear(10, 1)))
print(nn.Sequential(nn.Sequential(nn.Linear(1, 1), nn.ReLU()), nn.Sequential(nn.Sequential(nn.ReLU()))))
print(nn.L1Loss())
print(nn.MSELoss{reduction = "sum"})
print(nn.CrossEntropyLoss())
print("model: " .. nn.Linear(1, 1))
for _, m in ipairs{nn.Dropout(), nn.Dropout(0.2), nn.Dropout(0.5, true), nn.Sigmoid(), nn.Tanh(), nn.Softmax(1), nn.Softmax{dim = -1},
                   nn.LogSoftmax{dim = 1}, nn.Identity(), nn.GELU(), nn.LeakyReLU(0.1), nn.BCELoss(),
                   nn.BCEWithLogitsLoss(), nn.NLLLoss(), nn.SmoothL1Loss(), nn.HuberLoss(), nn.ELU(), nn.SiLU(), nn.Module(),
                   nn.ModuleList(), nn.ModuleList{nn.ReLU(), nn.Linear(1, 1)}} do
  print(m)
end
