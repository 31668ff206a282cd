-- vision/datasets/folder.lua: ImageFolder and DatasetFolder: a folder for each class.
local torch = ...
local base = torch._part "support"
local files = torch._part "vision.datasets.support"
local fail, C = base.fail, torch._io
local sets = {}

sets.IMG_EXTENSIONS = {".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp"}

local function sorted(folder)
  local names = C.list(folder)
  table.sort(names)
  return names
end

local function find_classes(folder)
  local classes = {}
  for _, name in ipairs(sorted(folder)) do
    if C.is_folder(folder .. "/" .. name) then classes[#classes + 1] = name end
  end
  if #classes == 0 then fail("FileNotFoundError", "Couldn't find any class folder in %s.", folder) end
  return classes
end

local MAX_DEPTH = 64 -- links may lead in circles

-- Adds the valid files below a folder to `out`, sorted, one folder after the other.
local function collect(folder, is_valid, out, depth)
  local folders = {}
  for _, name in ipairs(sorted(folder)) do
    local path = folder .. "/" .. name
    local inner = C.is_folder(path)
    if inner then folders[#folders + 1] = path
    elseif inner == false and is_valid(path) then out[#out + 1] = path end
  end
  for _, path in ipairs(folders) do
    if depth < MAX_DEPTH then collect(path, is_valid, out, depth + 1) end
  end
  return out
end

local function has_extension(extensions)
  return function(path)
    local lower = path:lower()
    for _, extension in ipairs(extensions) do
      if lower:sub(-#extension) == extension then return true end
    end
    return false
  end
end

local DatasetFolder = base.class("DatasetFolder", files.VisionDataset, "torchvision.datasets.folder")
sets.DatasetFolder = DatasetFolder

function DatasetFolder:load(a)
  self:setup(a)
  if (a.extensions == nil) == (a.is_valid_file == nil) then
    fail("ValueError", "Both extensions and is_valid_file cannot be None or not None at the same time")
  end
  self.loader, self.extensions = a.loader, a.extensions
  self.classes = self.find_classes(self.root)
  self.class_to_idx = files.numbers(self.classes)
  local is_valid, empty = a.is_valid_file or has_extension(a.extensions), {}
  self.samples, self.targets = {}, {}
  for i, name in ipairs(self.classes) do
    local found = collect(self.root .. "/" .. name, is_valid, {}, 0)
    if #found == 0 then empty[#empty + 1] = name end
    for _, path in ipairs(found) do
      self.samples[#self.samples + 1] = {path, i - 1}
      self.targets[#self.targets + 1] = i - 1
    end
  end
  if #empty > 0 and not a.allow_empty then
    local text = ("Found no valid file for the classes %s. "):format(table.concat(empty, ", "))
    if a.extensions then text = text .. "Supported extensions are: " .. table.concat(a.extensions, ", ") end
    fail("FileNotFoundError", "%s", text)
  end
  self.imgs = self.samples
end
DatasetFolder.find_classes = find_classes

local read_folder = torch._define(
  "DatasetFolder.__init__(root, loader, extensions?, transform?, target_transform?, is_valid_file?, allow_empty=false)")
function DatasetFolder:init(...) self:load(read_folder(...)) end
function DatasetFolder:__len() return #self.samples end
function DatasetFolder:getitem(i)
  local sample = self.samples[self:place(i) + 1]
  local ok, picture = pcall(self.loader, sample[1])
  if not ok then base.in_file(sample[1], picture) end
  return self:transformed(picture, sample[2])
end

--- Returns the image in a file as uint8 (3, height, width).
function sets.default_loader(path)
  local read_image = torch.vision.io.read_image
  local picture = read_image(path, "RGB")
  if picture.dtype == torch.uint8 then return picture end
  -- Pillow keeps 8 of the 16 bits of a channel: the upper ones, but gray pixels are clamped at white
  local gray = read_image(path):size(0) == 1
  return (gray and picture:clamp(0, 255) or picture:bitwise_right_shift(8)):to(torch.uint8)
end

local ImageFolder = base.class("ImageFolder", DatasetFolder, "torchvision.datasets.folder")
sets.ImageFolder = ImageFolder
local read_images = torch._define "ImageFolder.__init__(root, transform?, target_transform?, loader?, is_valid_file?, allow_empty=false)"
function ImageFolder:init(...)
  local a = read_images(...)
  a.loader = a.loader or sets.default_loader
  if a.is_valid_file == nil then a.extensions = sets.IMG_EXTENSIONS end
  self:load(a)
end

-- --- images of noise ---------------------------------------------------------------------------------------------------

local FakeData = base.class("FakeData", files.VisionDataset, "torchvision.datasets.fakedata")
sets.FakeData = FakeData
local read_fake = torch._define "FakeData.__init__(int size=1000, image_size?, int num_classes=10, transform?, target_transform?, int random_offset=0)"
function FakeData:init(...)
  local a = read_fake(...)
  self:setup(a)
  self.size, self.num_classes, self.random_offset = a.size, a.num_classes, a.random_offset
  self.image_size = a.image_size or {3, 224, 224}
end
function FakeData:__len() return self.size end

-- Returns the pixels of image i, and its class.
local function fake(self, i)
  torch.manual_seed(i + self.random_offset)
  return torch.randn(self.image_size), torch.randint(0, self.num_classes, {1}):item()
end

function FakeData:getitem(i)
  if i >= self.size or i < 0 then fail("IndexError", "FakeData index out of range") end
  local state = torch.get_rng_state()
  local ok, noise, target = pcall(fake, self, i)
  torch.set_rng_state(state)
  if not ok then error(noise, 0) end
  -- numbers outside of 0 to 1 wrap around, as bytes do
  return self:transformed(torch.remainder((noise * 255):trunc(), 256):to(torch.uint8), target)
end

return sets
