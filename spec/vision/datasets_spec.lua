-- datasets_spec.lua: data sets whose files Python's torchvision reads in another form: idx.gz, and CIFAR's binary version; downloads.
local torch = require "torch"
local datasets = require "torchvision.datasets"
local programs = require "programs"

local root
local function write(name, ...)
  os.execute("mkdir -p " .. programs.quote((root .. "/" .. name):match "^(.*)/"))
  programs.write(root .. "/" .. name, table.concat {...})
end
local function message(f, ...)
  local ok, e = pcall(f, ...)
  assert.is_false(ok)
  return e.message, e.hint
end
local function images(n) return (">I2BBI4I4I4"):pack(0, 8, 3, n, 2, 2), ("\1\2\3\4"):rep(n) end
local function labels(text) return (">I2BBI4"):pack(0, 8, 1, #text), text end

describe("torch.vision.datasets", function()
  before_each(function()
    root = os.tmpname()
    os.remove(root)
    os.execute("mkdir " .. programs.quote(root))
  end)
  after_each(function() os.execute("rm -r " .. programs.quote(root)) end)

  it("reads idx files that gzip compressed", function()
    for _, part in ipairs {"train", "t10k"} do
      write(("MNIST/raw/%s-images-idx3-ubyte"):format(part), images(3))
      write(("MNIST/raw/%s-labels-idx1-ubyte"):format(part), labels "\5\6\7")
    end
    os.execute("gzip " .. programs.quote(root) .. "/MNIST/raw/*")
    local set = datasets.MNIST(root)
    assert.are.equal("tensor([5, 6, 7])", tostring(set.targets))
    assert.are.equal("tensor([[[1, 2],\n         [3, 4]]], dtype=torch.uint8)", tostring(set[2][1]))
    assert.are.equal(7, set[-1][2])
    assert.are.equal("index 3 is out of bounds for dimension 0 with size 3", message(function() return set[3] end))
  end)

  it("refuses idx files that say something else than they hold", function()
    write("MNIST/raw/t10k-images-idx3-ubyte", images(1))
    write("MNIST/raw/t10k-labels-idx1-ubyte", labels "\1")
    write("MNIST/raw/train-labels-idx1-ubyte", labels "\1\2")
    for _, text in ipairs {"", "\0\0\8", (">I2BBI4I4I4"):pack(0, 8, 3, 1 << 31, 1 << 31, 4) .. "1234", (">I2BBI4I4I4"):pack(0, 8, 3, 2, 2, 2) .. "1234",
      (">I2BBI4I4I4"):pack(0, 13, 3, 2, 1, 1) .. "12345678", "\31\139\8" .. ("x"):rep(40)} do
      write("MNIST/raw/train-images-idx3-ubyte", text)
      assert.are.equal("string", type(message(datasets.MNIST, root)))
    end
    write("MNIST/raw/train-images-idx3-ubyte", images(1)) -- one image, two labels
    assert.is_truthy(message(datasets.MNIST, root):find "not as many images as labels")
  end)

  it("reads CIFAR's binary version", function()
    local function record(label, k) return label .. string.char(k):rep(1024) .. string.char(k + 1):rep(1024) .. string.char(k + 2):rep(1024) end
    for i = 1, 5 do write(("cifar-10-batches-bin/data_batch_%d.bin"):format(i), record("\3", i), record("\9", 10 * i)) end
    write("cifar-10-batches-bin/test_batch.bin", record("\1", 7))
    write("cifar-10-batches-bin/batches.meta.txt", "airplane\nautomobile\n\n")
    local set = datasets.CIFAR10(root, {transform = torch.vision.transforms.ToTensor()})
    assert.are.equal(10, #set)
    assert.are.equal("torch.Size([10, 32, 32, 3])", tostring(set.data.shape))
    assert.are.same({3, 9, 3, 9, 3, 9, 3, 9, 3, 9}, set.targets)
    assert.are.equal("tensor([0.1176, 0.1216, 0.1255])", tostring(set[5][1][":, 0, 0"]))
    assert.are.equal("automobile", set.classes[2])
    assert.are.equal(1, datasets.CIFAR10(root, {train = false}).class_to_idx.automobile)
    write("cifar-10-batches-bin/test_batch.bin", "cut")
    assert.is_truthy(message(datasets.CIFAR10, root, {train = false}):find "whole records")
    write("cifar-100-binary/train.bin", "\4" .. record("\42", 1))
    write("cifar-100-binary/test.bin", "\4" .. record("\43", 1))
    write("cifar-100-binary/fine_label_names.txt", "apple\n")
    assert.are.same({42}, datasets.CIFAR100(root).targets)
  end)

  it("tells of pickles that it does not read", function()
    os.execute("mkdir " .. programs.quote(root .. "/cifar-10-batches-py"))
    local text, hint = message(datasets.CIFAR10, root)
    assert.are.equal("Dataset not found or corrupted. You can use download=True to download it", text)
    assert.is_truthy(hint:find "pickles")
  end)

  -- the library of AddressSanitizer, which stock Lua is given, stops curl as it starts
  local can_download = not (os.getenv "LD_PRELOAD" or ""):find "asan"
  ;(can_download and it or pending)("downloads, goes on where it was, and checks sums", function()
    local files = torch._part "torch.vision.datasets.support"
    write("from/x.bin", "0123456789")
    write("to/x.bin.part", "01234")
    local base = {"file:///no/such/folder/", "file://" .. root .. "/from/"}
    local path = files.download(base, "x.bin", root .. "/to", "781e5e245d69b566979b86e28d23f2c7")
    assert.are.equal("0123456789", programs.read(path))
    os.remove(path)
    assert.is_truthy(message(files.download, {base[2]}, "x.bin", root .. "/to", ("0"):rep(32)):find "File not found or corrupted.", 1, true)
    assert.is_nil(programs.read(path))
  end)
end)
