-- datasets.lua: torch.datasets: data that comes with the program.
local torch = ...
local support = torch._part "support"
local data = torch.utils.data

--- 1797 handwritten digits of 8x8 grey values (the test set of "Optical Recognition of Handwritten
--- Digits", E. Alpaydin and C. Kaynak, UCI Machine Learning Repository, 1998). Item i is {image, label}:
--- image float32 (1, 8, 8) from 0 to 1, label int64. digits.data is (1797, 1, 8, 8), digits.targets (1797).
local Digits = support.class("Digits", data.TensorDataset, "torch.datasets")

function Digits:init()
  local images, labels = torch._digits()
  data.TensorDataset.init(self, images, labels)
  self.data, self.targets = images, labels
  self.classes = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}
end

function Digits:__tostring()
  return ("Dataset Digits\n    Number of datapoints: %d"):format(#self)
end

return torch._namespace({Digits = Digits}, "torch.datasets")
