-- vision/datasets/cifar.lua: CIFAR10 and CIFAR100 from their binary version (cifar-10-batches-bin, cifar-100-binary): records of
-- labels and 3 x 32 x 32 bytes. If that is missing, from the version for Python (cifar-10-batches-py, cifar-100-python): pickles
-- of NumPy's arrays.
local torch = ...
local base = torch._part "support"
local files = torch._part "vision.datasets.support"
local fail = base.fail
local sets = {}

local PIXELS = 3 * 32 * 32

local CIFAR10 = base.class("CIFAR10", files.VisionDataset, "torchvision.datasets.cifar")
sets.CIFAR10 = CIFAR10
CIFAR10.url = "https://www.cs.toronto.edu/~kriz/"
CIFAR10.filename, CIFAR10.tgz_md5 = "cifar-10-binary.tar.gz", "c32a1d4ab5d03f1284b67883e8d87530"
CIFAR10.base_folder, CIFAR10.python_folder = "cifar-10-batches-bin", "cifar-10-batches-py"
CIFAR10.train_list = {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin"}
CIFAR10.test_list = {"test_batch.bin"}
CIFAR10.names, CIFAR10.labels = "batches.meta.txt", 1 -- labels per record; the last one counts
CIFAR10.python_names, CIFAR10.python_list, CIFAR10.python_labels = "batches.meta", "label_names", "labels"

local CIFAR100 = base.class("CIFAR100", CIFAR10, "torchvision.datasets.cifar")
sets.CIFAR100 = CIFAR100
CIFAR100.filename, CIFAR100.tgz_md5 = "cifar-100-binary.tar.gz", "03b5dce01913d631647c71ecec9e9cb8"
CIFAR100.base_folder, CIFAR100.python_folder = "cifar-100-binary", "cifar-100-python"
CIFAR100.train_list, CIFAR100.test_list = {"train.bin"}, {"test.bin"}
CIFAR100.names, CIFAR100.labels = "fine_label_names.txt", 2
CIFAR100.python_names, CIFAR100.python_list, CIFAR100.python_labels = "meta", "fine_label_names", "fine_labels"

function CIFAR10:path(name) return ("%s/%s/%s"):format(self.root, self.python and self.python_folder or self.base_folder, name) end

-- Returns the files of the version in use. Those for Python have no extension.
function CIFAR10:files(list)
  local names = {}
  for i, name in ipairs(list) do names[i] = self.python and name:gsub("%.bin$", "") or name end
  return names
end

local function has_all(self)
  for _, list in ipairs{self.train_list, self.test_list} do
    for _, name in ipairs(self:files(list)) do
      if not files.exists(self:path(name)) then return false end
    end
  end
  return files.exists(self:path(self.python and self.python_names or self.names))
end

--- Returns true if a version exists, and sets self.python accordingly.
function CIFAR10:check_exists()
  for _, python in ipairs{false, true} do
    self.python = python
    if has_all(self) then return true end
  end
  self.python = false
  return false
end

function CIFAR10:download()
  local archive = files.download({self.url}, self.filename, self.root, self.tgz_md5)
  files.unpack(archive, self.root)
end

-- Returns the labels and images of a file.
function CIFAR10:read(name)
  local path, record = self:path(name), self.labels + PIXELS
  local bytes = torch.frombuffer(files.read(path), {dtype = torch.uint8})
  if bytes:numel() == 0 or bytes:numel() % record ~= 0 then fail("ValueError", "%s does not hold whole records of %d bytes", path, record) end
  local rows = bytes:view(-1, record)
  return rows:select(1, self.labels - 1), rows:narrow(1, self.labels, PIXELS):reshape(-1, 3, 32, 32)
end

local function damaged(path) return fail("ValueError", "%s does not hold labels and rows of %d bytes", path, PIXELS) end

-- Returns the dict of a pickle.
local function unpickle(path)
  local ok, value = pcall(torch._io.unpickle, torch._part "serialization.types", files.read(path), true)
  if not ok then fail(type(value) == "table" and value.code or "ValueError", "%s: %s", path, type(value) == "table" and value.message or value) end
  if type(value) ~= "table" then damaged(path) end
  return value
end

-- Reads the labels and images of a pickle.
function CIFAR10:unpickle(name)
  local path = self:path(name)
  local batch = unpickle(path)
  local labels, data = batch[self.python_labels], batch.data
  if type(labels) ~= "table" or not base.is_array(data) or data.ndim ~= 2 or data.tensor.dtype ~= torch.uint8 or #labels == 0 or data.shape[0] ~= #labels
      or data.shape[1] ~= PIXELS then
    damaged(path)
  end
  for _, label in ipairs(labels) do
    if math.type(label) ~= "integer" or label < 0 or label > 255 then damaged(path) end
  end
  return torch.tensor(labels, {dtype = torch.uint8}), data.tensor:view(-1, 3, 32, 32)
end

function CIFAR10:read_names()
  if not self.python then
    local names = {}
    for line in files.read(self:path(self.names)):gmatch "[^\r\n]+" do names[#names + 1] = line end
    return names
  end
  local path = self:path(self.python_names)
  local names = unpickle(path)[self.python_list]
  if type(names) ~= "table" then fail("ValueError", "%s does not hold %s", path, self.python_list) end
  for i, name in ipairs(names) do names[i] = tostring(name) end
  return names
end

local read = torch._define "CIFAR10.__init__(root, train=true, transform?, target_transform?, download=false)"
function CIFAR10:init(...)
  local a = read(...)
  self:setup(a)
  self.train, self.split_name = a.train, a.train and "Train" or "Test"
  if a.download and not self:check_exists() then self:download() end
  if not self:check_exists() then
    local hint = ("looked for the binary version (%s) in %s/%s, and for that for Python in %s"):format(self.filename, self.root, self.base_folder,
      self.python_folder)
    torch._raise("RuntimeError", "Dataset not found or corrupted. You can use download=True to download it", hint)
  end
  local labels, images = {}, {}
  local from = self.python and self.unpickle or self.read
  for i, name in ipairs(self:files(self.train and self.train_list or self.test_list)) do labels[i], images[i] = from(self, name) end
  self.images = torch.cat(images)
  self.data = self.images:permute(0, 2, 3, 1) -- as in torchvision: channels last
  self.targets = torch.cat(labels):tolist()
  self.classes = self:read_names()
  self.class_to_idx = files.numbers(self.classes)
end
function CIFAR10:__len() return #self.targets end
function CIFAR10:getitem(i)
  i = self:place(i)
  return self:transformed(self.images[i], self.targets[i + 1])
end

return sets
