-- Transforms that draw which transform they make, of v1 and v2, and the mixtures of a batch.
local torch = require "torch"
local T = require "torchvision.transforms"
local v2 = require "torchvision.transforms.v2"
torch.manual_seed(5)
local bytes = torch.randint(0, 256, {3, 24, 30}, {dtype = torch.uint8})

local function say(name, t)
  local n = t:numel()
  local weights = torch.remainder(torch.arange(n, {dtype = torch.float64}), 97) + 1
  local sum = (t:reshape(-1):to(torch.float64) * weights):sum():item()
  print(name, t.shape, t.dtype, ("%.1f"):format(sum))
end

-- quiet: of v2, whose text has the mode as it was given, a name or an enum.
local function draws(transform, seeds, quiet)
  if not quiet then print(transform) end
  for seed = 1, seeds do
    torch.manual_seed(seed)
    say(seed, transform(bytes))
    print(torch.rand(1))
  end
end

for _, V in ipairs {T, v2} do
  draws(V.AutoAugment(), 30)
  draws(V.AutoAugment(V.AutoAugmentPolicy.CIFAR10), 30)
  draws(V.AutoAugment {policy = V.AutoAugmentPolicy.SVHN, interpolation = V.InterpolationMode.BILINEAR}, 30, V == v2)
  draws(V.RandAugment(3, 7), 8)
  draws(V.TrivialAugmentWide(), 12)
  draws(V.AugMix(), 8)
  draws(V.AugMix {severity = 5, mixture_width = 2, chain_depth = 2, alpha = 0.5, all_ops = false}, 8)
end

local pictures, labels = torch.rand(4, 3, 8, 10), torch.tensor({0, 2, 1, 2})
for _, class in ipairs {v2.MixUp, v2.CutMix} do
  for _, alpha in ipairs {1.0, 0.3, 2.5} do
    local transform = class {alpha = alpha, num_classes = 3}
    for seed = 1, 6 do
      torch.manual_seed(seed)
      local x, y = transform(pictures, labels)
      say(seed, x)
      print(y)
      print(torch.rand(1))
    end
  end
end
