-- vision/init.lua: torch.vision, also require "torchvision": images, transforms, datasets, models. A part is loaded when its
-- name is first read.
local torch = ...
return torch._namespace({__version__ = "0.29.2"}, "torch.vision")
