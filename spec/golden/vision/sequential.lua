-- Transforms are modules: nn.Sequential holds them, hooks see them, train and eval reach them.
local torch = require "torch"
local nn, T = torch.nn, require "torchvision.transforms"
torch.manual_seed(3)
local x = torch.rand(3, 12, 12)
local steps = nn.Sequential(T.CenterCrop(10), T.RandomHorizontalFlip(1.0), T.Resize(4), T.RandomInvert(0.5))
print(steps)
print(steps(x))
print(steps[1].p, steps[0].size[1], #steps)
print(nn.Sequential(T.GaussianBlur(3), nn.ReLU(), nn.Flatten(0))(x):sum())
print(steps[0].training)
steps:eval()
print(steps[0].training)
local seen = 0
for _ in steps:modules() do seen = seen + 1 end
print(seen, #steps:state_dict())
local both = nn.ModuleList{T.RandomGrayscale(0.1), T.RandomGrayscale(0.1), T.Pad(1)}
print(both)
