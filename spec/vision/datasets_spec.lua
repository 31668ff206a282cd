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

  it("reads pictures of 16 bits a channel as Pillow turns them into bytes", function()
    write("gray/1.png", programs.read "spec/vision/files/g16.png")
    local picture = datasets.ImageFolder(root):getitem(0)
    assert.are.equal("torch.uint8", tostring(picture.dtype))
    assert.are.equal("torch.Size([3, 37, 53])", tostring(picture.shape))
    assert.are.equal(1500165, picture:long():sum():item())
    write("gray/2.png", programs.read "spec/vision/files/rgb16.png")
    picture = datasets.ImageFolder(root):getitem(1)
    assert.are.equal("torch.uint8", tostring(picture.dtype))
    assert.are.equal(15863, picture:long():sum():item())
  end)

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

  -- What Python 2 wrote: a dict of one label list and an array of bytes.
  local function python2(numbers, bytes, word)
    local out = {"\x80\x02}q\x01(U\x0bbatch_labelq\x02U\x01xq\x03U", string.pack("s1", word), "q\x04]q\x05("}
    for _, label in ipairs(numbers) do out[#out + 1] = "K" .. string.char(label) end
    out[#out + 1] = "eU\x04dataq\x06cnumpy.core.multiarray\n_reconstruct\nq\x07cnumpy\nndarray\nq\x08K\0\x85q\x09U\x01b\x87Rq\x0a(K\x01K"
      .. string.char(#numbers) .. "M\0\x0c\x86cnumpy\ndtype\nq\x0bU\x02u1K\0K\x01\x87Rq\x0c(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb\x89T"
      .. string.pack("<s4", bytes) .. "tbU\x09filenamesq\x0d](U\x01aU\x01beu."
    return table.concat(out)
  end
  local function row(k) return string.char(k):rep(1024) .. string.char(k + 1):rep(1024) .. string.char(k + 2):rep(1024) end

  it("reads CIFAR's version for Python", function()
    local folder = "cifar-10-batches-py/"
    for i = 1, 5 do write(folder .. "data_batch_" .. i, python2({3, 9}, row(i) .. row(10 * i), "labels")) end
    write(folder .. "test_batch", python2({1}, row(7), "labels"))
    write(folder .. "batches.meta", "\x80\x02}q\x01(U\x0blabel_namesq\x02]q\x03(U\x08airplaneU\x0aautomobileeU\x07num_visq\x04M\0\x0cu.")
    local set = datasets.CIFAR10(root, {transform = torch.vision.transforms.ToTensor()})
    assert.are.equal(10, #set)
    assert.are.same({3, 9, 3, 9, 3, 9, 3, 9, 3, 9}, set.targets)
    assert.are.equal("tensor([0.1176, 0.1216, 0.1255])", tostring(set[5][1][":, 0, 0"]))
    assert.are.equal(1, datasets.CIFAR10(root, {train = false}).class_to_idx.automobile)
    -- what Python 3 writes, in protocols 2 and 4 (spec/golden/cifar.py)
    for _, protocol in ipairs{2, 4} do
      local f = assert(io.open(("spec/vision/files/cifar_protocol%d.pkl"):format(protocol), "rb"))
      write(folder .. "test_batch", f:read "a")
      f:close()
      local test = datasets.CIFAR10(root, {train = false})
      assert.are.same({4, 2}, test.targets)
      assert.are.equal("tensor([250,   0,   1], dtype=torch.uint8)", tostring(test.images:reshape(-1)["250:253"]))
    end
    write("cifar-100-python/train", python2({42}, row(1), "fine_labels"))
    write("cifar-100-python/test", python2({43}, row(1), "fine_labels"))
    write("cifar-100-python/meta", "\x80\x02}q\x01U\x10fine_label_namesq\x02]q\x03U\x05applea\x73.")
    assert.are.same({42}, datasets.CIFAR100(root).targets)
  end)

  it("calls nothing that a pickle names, and reads none that is damaged", function()
    local path = root .. "/cifar-10-batches-py/test_batch"
    local function load(bytes)
      write("cifar-10-batches-py/test_batch", bytes)
      return message(datasets.CIFAR10, root, {train = false})
    end
    local damaged = path .. " does not hold labels and rows of 3072 bytes"
    for i = 1, 5 do write("cifar-10-batches-py/data_batch_" .. i, python2({3}, row(i), "labels")) end
    write("cifar-10-batches-py/batches.meta", "\x80\x02}q\x01(U\x0blabel_namesq\x02]q\x03(U\x08airplaneU\x0aautomobileeU\x07num_visq\x04M\0\x0cu.")
    assert.are.equal(damaged, (load("cos\nsystem\n(U" .. string.pack("s1", "touch " .. root .. "/executed") .. "tR.")))
    assert.is_nil(io.open(root .. "/executed"))
    assert.are.equal(damaged, (load "cnumpy\nndarray\n)R."))
    local good = python2({3, 9}, row(1) .. row(2), "labels")
    assert.are.equal(path .. ": Ran out of input: the file may be truncated", (load(good:sub(1, 100))))
    assert.are.equal(damaged, (load(python2({3, 9}, (row(1) .. row(2)):sub(2), "labels"))))   -- 6143 bytes
    assert.are.equal(damaged, (load(python2({3}, row(1) .. row(2), "labels"))))
    local types = torch._part "serialization.types"
    for i = 0, 400 do pcall(torch._io.unpickle, types, good:sub(1, i), true) end
    for i = 1, 300 do
      for _, byte in ipairs{"\0", "\xff", "(", "R", "b", "t", "."} do
        pcall(torch._io.unpickle, types, good:sub(1, i - 1) .. byte .. good:sub(i + 1), true)
      end
    end
  end)

  -- the library of AddressSanitizer, which stock Lua is given, stops curl as it starts
  local is_stopped = (os.getenv "LD_PRELOAD" or ""):find "asan"
  it("downloads, goes on where it was, and checks sums", function()
    if is_stopped then pending "curl does not start" return end
    if not os.execute "command -v curl >/dev/null" and not os.getenv "CI" then pending "curl is missing" return end   -- in CI every tool is expected
    local files = torch._part "vision.datasets.support"
    write("from/x.bin", "0123456789")
    write("to/x.bin.part", "01234")
    local base = {"file:///no/such/folder/", "file://" .. root .. "/from/"}
    local path = files.download(base, "x.bin", root .. "/to", "781e5e245d69b566979b86e28d23f2c7")
    assert.are.equal("0123456789", programs.read(path))
    os.remove(path)
    write("to/x.bin.part", "abcde")   -- of another file
    assert.are.equal("0123456789", programs.read(files.download({base[2]}, "x.bin", root .. "/to", "781e5e245d69b566979b86e28d23f2c7")))
    os.remove(path)
    assert.is_truthy(message(files.download, {base[2]}, "x.bin", root .. "/to", ("0"):rep(32)):find "File not found or corrupted.", 1, true)
    assert.is_nil(programs.read(path))
  end)
end)
