-- More modules print.
local torch = require "torch"
local nn = torch.nn
for _, m in ipairs{nn.Dropout(), nn.Dropout(0.2), nn.Dropout(0.5, true), nn.Sigmoid(), nn.Tanh(), nn.Softmax(1), nn.Softmax{dim = -1},
                   nn.LogSoftmax{dim = 1}, nn.Identity(), nn.GELU(), nn.LeakyReLU(0.1), nn.BCELoss(),
                   nn.BCEWithLogitsLoss(), nn.NLLLoss(), nn.SmoothL1Loss(), nn.HuberLoss(), nn.ELU(), nn.SiLU(), nn.Module(),
                   nn.ModuleList(), nn.ModuleList{nn.ReLU(), nn.Linear(1, 1)}} do
  print(m)
end
