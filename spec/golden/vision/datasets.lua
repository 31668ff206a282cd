-- torchvision.datasets, on files that this program writes.
local torch = require "torch"
local datasets = require "torchvision.datasets"
local io_ = require "torchvision.io"
local T = require "torchvision.transforms"

local root = os.tmpname()
os.remove(root)
local function folder(path) os.execute("mkdir -p '" .. path .. "'") end
local function write(path, ...)
  local file = assert(io.open(path, "wb"))
  file:write(...)
  file:close()
end
-- What is printed knows nothing of the folder's name.
local function say(x) print((tostring(x):gsub(root:gsub("%p", "%%%0"), "ROOT"))) end
local function fails(f)
  local _, e = pcall(f)
  say((tostring(e):gsub("\n.*", "")))
end

fails(function() datasets.MNIST(root) end)
fails(function() datasets.CIFAR10(root) end)
fails(function() datasets.EMNIST(root, "words") end)

-- idx files: 4 images of 3 x 2
for _, name in ipairs {"MNIST", "FashionMNIST", "KMNIST"} do
  local raw = root .. "/" .. name .. "/raw"
  folder(raw)
  for k, part in ipairs {"train", "t10k"} do
    local pixels = {}
    for i = 1, 24 do pixels[i] = string.char(i * 7 * k % 256) end
    write(raw .. "/" .. part .. "-images-idx3-ubyte", (">I2BBI4I4I4"):pack(0, 8, 3, 4, 3, 2), table.concat(pixels))
    write(raw .. "/" .. part .. "-labels-idx1-ubyte", (">I2BBI4"):pack(0, 8, 1, 4), "\1\0\9\2")
  end
end
local train = datasets.MNIST(root, {transform = T.PILToTensor()})
print(#train, train.data.shape, train.data.dtype, train.targets)
print(train[0][1], train[0][2], train[3][2])
local test = datasets.FashionMNIST(root, {train = false, transform = T.ToTensor()})
print(test[2][1], test.classes[3])
print(datasets.KMNIST(root).classes[10])
say(datasets.MNIST(root, {train = false}))
local loader = torch.utils.data.DataLoader(datasets.MNIST(root, {transform = T.Compose {T.ToTensor(), T.Normalize({0.5}, {0.5})}}), {batch_size = 3})
for x, y in loader do print(x.shape, x.dtype, y) end

-- folders of pictures
folder(root .. "/images/dog/more")
folder(root .. "/images/cat")
torch.manual_seed(1)
local function picture(name) io_.write_png(torch.randint(0, 256, {3, 4, 5}, {dtype = torch.uint8}), root .. "/images/" .. name) end
for _, name in ipairs {"dog/2.png", "dog/10.png", "dog/more/1.PNG", "cat/b.png", "cat/a.png"} do picture(name) end
io_.write_png(torch.randint(0, 256, {1, 4, 5}, {dtype = torch.uint8}), root .. "/images/cat/gray.png")
write(root .. "/images/cat/note.txt", "no picture")
local images = datasets.ImageFolder(root .. "/images", {transform = T.PILToTensor()})
print(#images, images.classes[1], images.classes[2])
for i = 0, 5 do
  say(images.samples[i + 1][1])
  print(images[i][1].shape, images[i][1]:sum(), images[i][2], images.targets[i + 1])
end
say(datasets.ImageFolder(root .. "/images"))
folder(root .. "/images/empty")
fails(function() datasets.ImageFolder(root .. "/images") end)
print(#datasets.ImageFolder(root .. "/images", {allow_empty = true}))
folder(root .. "/nothing")
fails(function() datasets.ImageFolder(root .. "/nothing") end)
os.execute("rm -r '" .. root .. "'")

torch.manual_seed(3)
local fake = datasets.FakeData(5, {3, 6, 4}, 7, {transform = T.PILToTensor()})
for i = 0, 4 do print(fake[i][1]:sum(), fake[i][1][1], fake[i][2]) end
print(torch.rand(1))
fails(function() return fake[5] end)
