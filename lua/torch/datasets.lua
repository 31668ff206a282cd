-- datasets.lua: torch.datasets: data that is included in the program.
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

--- Iris: 150 flowers of three species. Item i is {measures, species}: float32 (4) in centimetres, int64.
local Iris = support.class("Iris", data.TensorDataset, "torch.datasets")

function Iris:init()
  local measures, species = {}, {}
  for class, lines in ipairs(torch._part "datasets.iris") do
    for a, b, c, d in table.concat(lines):gmatch "(%d%d)(%d%d)(%d%d)(%d%d)" do
      measures[#measures + 1] = {a / 10, b / 10, c / 10, d / 10}
      species[#species + 1] = class - 1
    end
  end
  self.data, self.targets = torch.tensor(measures), torch.tensor(species)
  data.TensorDataset.init(self, self.data, self.targets)
  self.classes = {"setosa", "versicolor", "virginica"}
  self.feature_names = {"sepal length (cm)", "sepal width (cm)", "petal length (cm)", "petal width (cm)"}
end

function Iris:__tostring()
  return ("Dataset Iris\n    Number of datapoints: %d"):format(#self)
end

local datasets = {Digits = Digits, Iris = Iris}
-- Adds scikit-learn's makers. The first call of one loads them.
for _, name in ipairs{"make_moons", "make_circles", "make_blobs", "make_classification", "make_regression", "make_s_curve", "make_swiss_roll"} do
  datasets[name] = function(...) return torch._part "datasets.samples"[name](...) end
end
function datasets.train_test_split(...) return torch._part "datasets.split"(...) end

return torch._namespace(datasets, "torch.datasets")
