-- 06_transfer_learning.lua: the course's "transfer learning": an EfficientNet whose features are frozen gets a new classifier.
--
--   tocha examples/course/06_transfer_learning.lua [weights.pth]      torchvision's efficientnet_b0_rwightman-7f5810bc.pth, else random weights
package.path = (arg and arg[0] or "examples/course/x"):match "^(.*)/[^/]*$" .. "/?.lua;" .. package.path
local torch = require "torch"
local vision = require "torchvision"
local data_setup = require "going_modular.data_setup"
local engine = require "going_modular.engine"
local nn = torch.nn

local root = os.tmpname()
os.remove(root)
data_setup.draw(root, {train = 8, test = 4})

local normalize = vision.transforms.Normalize{mean = {0.485, 0.456, 0.406}, std = {0.229, 0.224, 0.225}}
local transform = vision.transforms.Compose{vision.transforms.Resize(32), vision.transforms.ToTensor(), normalize}
local train_dataloader, test_dataloader, class_names = data_setup.create_dataloaders(
  root .. "/train", root .. "/test", transform, transform, 8)

torch.manual_seed(42)
local model = vision.models.efficientnet_b0()
if arg and arg[1] then model:load_state_dict(torch.load(arg[1])) end

-- freeze the base layers
for param in model.features:parameters() do param.requires_grad = false end

-- a classifier for these classes
torch.manual_seed(42)
model.classifier = nn.Sequential(
  nn.Dropout{p = 0.2, inplace = true},
  nn.Linear{in_features = 1280, out_features = #class_names, bias = true}
)
local trainable, all = 0, 0
for param in model:parameters() do
  all = all + param:numel()
  if param.requires_grad then trainable = trainable + param:numel() end
end
print(trainable .. " of " .. all .. " numbers are learned")

local loss_fn = nn.CrossEntropyLoss()
local optimizer = torch.optim.Adam(model:parameters(), {lr = 0.001})
torch.manual_seed(42)
engine.train(model, train_dataloader, test_dataloader, optimizer, loss_fn, 3, "cpu")
os.execute(("rm -r '%s'"):format(root))
