-- vision/datasets/mnist.lua: MNIST and the sets in its format: "idx" files, plain or compressed by gzip, in ROOT/NAME/raw.
local torch = ...
local base = torch._part "support"
local files = torch._part "vision.datasets.support"
local fail = base.fail
local sets = {}

-- --- idx: two bytes 0, a type, the number of dimensions, their sizes, the elements ---------------------------------

local function tensor_of_idx(bytes, path, dimensions)
  local function check(ok, message)
    if not ok then fail("ValueError", "%s: %s", path, message) end
  end
  check(bytes:numel() >= 4 + 4 * dimensions, "the file is cut")
  local head = bytes:narrow(0, 0, 4 + 4 * dimensions):tostring_bytes()
  local zero, kind, count = (">I2BB"):unpack(head)
  check(zero == 0, "this is no idx file")
  if kind ~= 8 then fail("TypeError", "x should be of dtype torch.uint8: %s", path) end
  check(count == dimensions, ("x should have %d dimension instead of %d"):format(dimensions, count))
  local sizes, total = {}, 1
  for d = 1, dimensions do
    sizes[d] = (">I4"):unpack(head, 4 * d + 1)
    total = total * sizes[d]
    check(total <= bytes:numel(), "the file holds less than it says")
  end
  check(total == bytes:numel() - #head, "the file holds something else than it says")
  return bytes:narrow(0, #head, total):view(sizes)
end

local function read_idx(path, dimensions)
  local text = files.read(path)
  local bytes
  if text then
    bytes = torch.frombuffer(text, {dtype = torch.uint8})
  else
    bytes = torch._io.gunzip(torch.frombuffer(files.read(path .. ".gz"), {dtype = torch.uint8}))
  end
  return tensor_of_idx(bytes, path, dimensions)
end

local function is_there(path) return files.exists(path) or files.exists(path .. ".gz") end

-- --- the classes ----------------------------------------------------------------------------------------------------

local MNIST = base.class("MNIST", files.VisionDataset, "torchvision.datasets.mnist")
sets.MNIST = MNIST
MNIST.mirrors = {"https://ossci-datasets.s3.amazonaws.com/mnist/", "http://yann.lecun.com/exdb/mnist/"}
MNIST.resources = {
  {"train-images-idx3-ubyte.gz", "f68b3c2dcbeaaa9fbdd348bbdeb94873"}, {"train-labels-idx1-ubyte.gz", "d53e105ee54ea40749a09fcbcd1e9432"},
  {"t10k-images-idx3-ubyte.gz", "9fb629c4189551a2d022fa330f9573f3"}, {"t10k-labels-idx1-ubyte.gz", "ec29112dd5afa0611ce80d1b7f02629c"},
}
MNIST.classes = {"0 - zero", "1 - one", "2 - two", "3 - three", "4 - four", "5 - five", "6 - six", "7 - seven", "8 - eight", "9 - nine"}

-- Returns the files of a part: images, labels.
function MNIST:parts(train)
  local start = self.raw_folder .. (train and "/train" or "/t10k")
  return start .. "-images-idx3-ubyte", start .. "-labels-idx1-ubyte"
end

function MNIST:check_exists()
  for _, train in ipairs{true, false} do
    local images, labels = self:parts(train)
    if not is_there(images) or not is_there(labels) then return false end
  end
  return true
end

function MNIST:download()
  for _, resource in ipairs(self.resources) do files.download(self.mirrors, resource[1], self.raw_folder, resource[2]) end
end

function MNIST:load(a)
  self:setup(a)
  self.train, self.split_name = a.train, a.train and "Train" or "Test"
  self.raw_folder = ("%s/%s/raw"):format(self.root, getmetatable(self).class.__name)
  self.class_to_idx = files.numbers(self.classes)
  if a.download and not self:check_exists() then self:download() end
  if not self:check_exists() then
    torch._raise("RuntimeError", "Dataset not found. You can use download=True to download it", "looked for idx files in " .. self.raw_folder)
  end
  local images, labels = self:parts(self.train)
  self.data, self.targets = read_idx(images, 3), read_idx(labels, 1):to(torch.int64)
  if self.data:size(0) ~= self.targets:size(0) then fail("ValueError", "%s: not as many images as labels", images) end
end

local read = torch._define "MNIST.__init__(root, train=true, transform?, target_transform?, download=false)"
function MNIST:init(...) self:load(read(...)) end
function MNIST:__len() return self.targets:size(0) end
function MNIST:getitem(i)
  i = self:place(i)
  return self:transformed(self.data[i]:unsqueeze(0), self.targets[i]:item())
end

local FashionMNIST = base.class("FashionMNIST", MNIST, "torchvision.datasets.mnist")
sets.FashionMNIST = FashionMNIST
FashionMNIST.mirrors = {"http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"}
FashionMNIST.resources = {
  {"train-images-idx3-ubyte.gz", "8d4fb7e6c68d591d4c3dfef9ec88bf0d"}, {"train-labels-idx1-ubyte.gz", "25c81989df183df01b3e8a0aad5dffbe"},
  {"t10k-images-idx3-ubyte.gz", "bef4ecab320f06d8554ea6380940ec79"}, {"t10k-labels-idx1-ubyte.gz", "bb300cfdad3c16e7a12a480ee83cd310"},
}
FashionMNIST.classes = {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"}

local KMNIST = base.class("KMNIST", MNIST, "torchvision.datasets.mnist")
sets.KMNIST = KMNIST
KMNIST.mirrors = {"http://codh.rois.ac.jp/kmnist/dataset/kmnist/"}
KMNIST.resources = {
  {"train-images-idx3-ubyte.gz", "bdb82020997e1d708af4cf47b453dcf7"}, {"train-labels-idx1-ubyte.gz", "e144d726b3acfaa3e44228e80efcd344"},
  {"t10k-images-idx3-ubyte.gz", "5c965bf0a639b31b8f53240b1b52f4d7"}, {"t10k-labels-idx1-ubyte.gz", "7320c461ea6c1c855c0b718fb2a4b134"},
}
KMNIST.classes = {"o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo"}

-- --- EMNIST: one archive with several splits ---------------------------------------------------------------------------

local EMNIST = base.class("EMNIST", MNIST, "torchvision.datasets.mnist")
sets.EMNIST = EMNIST

local function characters(from, leave_out)
  local out = {}
  for c in from:gmatch "." do
    if not leave_out:find(c, 1, true) then out[#out + 1] = c end
  end
  return out
end
local DIGITS, UPPER, LOWER = "0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz"
local MERGED = "cijklmopsuvwxyz" -- letters whose lower case looks like the upper case
EMNIST.splits = {"byclass", "bymerge", "balanced", "letters", "digits", "mnist"}
EMNIST.classes_split_dict = {
  byclass = characters(DIGITS .. UPPER .. LOWER, ""), bymerge = characters(DIGITS .. UPPER .. LOWER, MERGED),
  balanced = characters(DIGITS .. UPPER .. LOWER, MERGED), letters = characters(LOWER, ""), digits = characters(DIGITS, ""),
  mnist = characters(DIGITS, ""),
}
table.insert(EMNIST.classes_split_dict.letters, 1, "N/A")

function EMNIST:parts(train)
  local start = ("%s/emnist-%s-%s"):format(self.raw_folder, self.split, train and "train" or "test")
  return start .. "-images-idx3-ubyte", start .. "-labels-idx1-ubyte"
end

function EMNIST:check_exists()
  local images, labels = self:parts(self.train)
  return is_there(images) and is_there(labels)
end

function EMNIST:download()
  local archive = files.download({"https://biometrics.nist.gov/cs_links/EMNIST/"}, "gzip.zip", self.raw_folder, "58c8d27c78d21e728a6bc7b3cc06412e")
  files.unpack(archive, self.raw_folder)
  for _, name in ipairs(torch._io.list(self.raw_folder .. "/gzip")) do
    os.rename(self.raw_folder .. "/gzip/" .. name, self.raw_folder .. "/" .. name)
  end
  os.remove(self.raw_folder .. "/gzip")
end

local read_emnist = torch._define "EMNIST.__init__(root, split, train=true, transform?, target_transform?, download=false)"
function EMNIST:init(...)
  local a = read_emnist(...)
  self.split = a.split
  local classes = EMNIST.classes_split_dict[a.split]
  if not classes then
    fail("ValueError", "Unknown value '%s' for argument split. Valid values are {'%s'}.", tostring(a.split), table.concat(EMNIST.splits, "', '"))
  end
  self.classes = classes
  self:load(a)
end

return sets
