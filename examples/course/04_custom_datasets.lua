-- 04_custom_datasets.lua: the course's "custom datasets": pictures in folders, a dataset class of one's own, augmentation.
--
--   tocha examples/course/04_custom_datasets.lua [folder]      with train/CLASS/*.png and test/CLASS/*.png, else on drawn shapes
package.path = (arg and arg[0] or "examples/course/x"):match "^(.*)/[^/]*$" .. "/?.lua;" .. package.path
local torch = require "torch"
local vision = require "torchvision"
local data_setup = require "going_modular.data_setup"
local engine = require "going_modular.engine"
local TinyVGG = require("going_modular.model_builder").TinyVGG
local nn, data, transforms = torch.nn, torch.utils.data, vision.transforms

local root = arg and arg[1]
if not root then
  root = os.tmpname()
  os.remove(root)
  data_setup.draw(root, {train = 16, test = 8})
end

-- The names of what is in a folder, in order.
local function list(folder)
  local names = {}
  local pipe <close> = assert(io.popen(("ls '%s'"):format(folder)))
  for name in pipe:lines() do names[#names + 1] = name end
  return names
end

local function find_classes(directory)
  local classes, class_to_idx = list(directory), {}
  if #classes == 0 then error("Couldn't find any classes in " .. directory) end
  for i, name in ipairs(classes) do class_to_idx[name] = i - 1 end
  return classes, class_to_idx
end

local ImageFolderCustom = data.Dataset:extend "ImageFolderCustom"

function ImageFolderCustom:init(targ_dir, transform)
  self.paths = {}
  self.transform = transform
  self.classes, self.class_to_idx = find_classes(targ_dir)
  for _, class in ipairs(self.classes) do
    for _, name in ipairs(list(targ_dir .. "/" .. class)) do
      table.insert(self.paths, {targ_dir .. "/" .. class .. "/" .. name, class})
    end
  end
end

function ImageFolderCustom:__len() return #self.paths end

function ImageFolderCustom:getitem(index)
  local path, class = table.unpack(self.paths[index + 1])
  local image = vision.io.read_image(path, "RGB")
  return self.transform and self.transform(image) or image, self.class_to_idx[class]
end

local train_transforms = transforms.Compose{
  transforms.RandomHorizontalFlip{p = 0.5},
  transforms.RandomCrop(32, {padding = 2}),
  transforms.ToTensor(),
}
local test_transforms = transforms.Compose{transforms.Resize({32, 32}), transforms.ToTensor()}

local train_data_custom = ImageFolderCustom(root .. "/train", train_transforms)
local test_data_custom = ImageFolderCustom(root .. "/test", test_transforms)
local test_data = vision.datasets.ImageFolder(root .. "/test", {transform = test_transforms})
print(#train_data_custom, #test_data_custom, table.concat(train_data_custom.classes, " "))
print(torch.equal(test_data[3][1], test_data_custom[3][1]), test_data[3][2] == test_data_custom[3][2])

torch.manual_seed(42)
local train_dataloader = data.DataLoader(train_data_custom, {batch_size = 8, shuffle = true})
local test_dataloader = data.DataLoader(test_data_custom, {batch_size = 8, shuffle = false})
local image_batch, label_batch = train_dataloader:first()
print(image_batch.shape, label_batch)

local model_0 = TinyVGG(3, 10, #train_data_custom.classes)
local loss_fn = nn.CrossEntropyLoss()
local optimizer = torch.optim.Adam{params = model_0:parameters(), lr = 0.001}
engine.train(model_0, train_dataloader, test_dataloader, optimizer, loss_fn, 3, "cpu")

if not (arg and arg[1]) then os.execute(("rm -r '%s'"):format(root)) end
