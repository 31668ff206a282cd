-- vision/datasets/init.lua: torchvision.datasets: data sets of images, read from their original files. An image is a uint8
-- tensor (channels, height, width) in place of torchvision's PIL image.
local torch = ...
local datasets = {VisionDataset = torch._part "vision.datasets.support".VisionDataset}
for _, part in ipairs{"mnist", "cifar", "folder"} do
  for name, value in pairs(torch._part("vision.datasets." .. part)) do datasets[name] = value end
end
return torch._namespace(datasets, "torch.vision.datasets")
