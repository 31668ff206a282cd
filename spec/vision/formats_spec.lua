-- formats_spec.lua: images in .bmp, .ppm, .pgm, .pbm and .webp: the pixels that Pillow reads (spec/golden/pictures.py); damaged files; and the
-- name of the file that cannot be read.
local torch = require "torch"
local image, datasets = require "torchvision.io", require "torchvision.datasets"
local hostile_files, programs = require "hostile_files", require "programs"

local FOLDER = "spec/vision/files/formats/"
local function bytes(text) return torch.frombuffer(text, {dtype = torch.uint8}) end
local names = {}
for _, name in ipairs(torch._io.list(FOLDER)) do
  if not name:find "%.png$" then names[#names + 1] = name end
end
table.sort(names)
local has_webp = pcall(image.read_image, FOLDER .. "rgb.webp")

describe("images without a library of their own", function()
  for _, name in ipairs(names) do
    it("are what Pillow reads: " .. name, function()
      if name:find "webp" and not has_webp then return pending "there is no libwebp" end
      for _, mode in ipairs{"rgb", "gray"} do
        local golden = io.open(FOLDER .. name .. "." .. mode .. ".png", "rb")
        if golden then
          golden:close()
          local expected = image.read_image(FOLDER .. name .. "." .. mode .. ".png", mode)
          assert.is_true(torch.equal(expected, image.read_image(FOLDER .. name, mode)), mode)
          assert.is_true(torch.equal(expected, image.decode_image(FOLDER .. name, mode)), mode)
        end
      end
    end)
  end

  it("keep their channels if no mode is asked for", function()
    local function channels(name, mode) return image.read_image(FOLDER .. name, mode):size(0) end
    assert.are.same({3, 1, 3, 4, 2, 3}, {channels "rgb.bmp", channels "gray.pgm", channels "32.bmp", channels("rgb.bmp", "RGB_ALPHA"),
      channels("gray.pgm", "GRAY_ALPHA"), channels("gray.pgm", "RGB")})
    assert.are.equal(255, image.read_image(FOLDER .. "rgb.ppm", "RGBA")[3]:min():item())
  end)

  it("are errors or images if they are damaged", function()
    hostile_files.seed(7)
    local failed = 0
    for _, name in ipairs(names) do
      local whole = programs.read(FOLDER .. name)
      for _ = 1, hostile_files.COUNT do
        local changed = hostile_files.change(whole)
        if #changed > 0 then
          local ok, e = pcall(image.decode_image, bytes(changed), hostile_files.random(5) - 1)
          if not ok then
            failed = failed + 1
            assert.are.equal("string", type(e.message))
          end
        end
      end
      for n = 1, #whole - 1 do pcall(image.decode_image, bytes(whole:sub(1, n))) end
    end
    assert.is_true(failed > #names)
  end)

  it("are named if they cannot be read", function()
    local root = os.tmpname()
    os.remove(root)
    finally(function() os.execute("rm -rf " .. root) end)
    os.execute(("mkdir -p %s/a"):format(root))
    local function write(name, text)
      local file <close> = assert(io.open(root .. "/a/" .. name, "wb"))
      file:write(text)
    end
    write("1.bmp", programs.read(FOLDER .. "rgb.bmp"))
    write("2.tif", "II*\0" .. ("\0"):rep(20))
    write("3.png", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    write("4.jpg", "\xff\xd8\xffabc")
    local set = datasets.ImageFolder(root)
    assert.are.equal(4, #set)
    assert.are.equal("torch.Size([3, 5, 7])", tostring(set[0][1].shape))
    for i, kind in pairs{"a TIFF image", "a Git LFS pointer", ""} do
      local ok, e = pcall(set.getitem, set, i)
      assert.is_false(ok)
      assert.truthy(e.hint:find(set.samples[i + 1][1], 1, true), e.hint)
      assert.truthy(e.hint:find(kind, 1, true), e.hint)
    end
    local loader = torch.utils.data.DataLoader(set, {batch_size = 4})
    local ok, e = pcall(function() for _ in loader do end end)
    assert.is_false(ok)
    assert.truthy(tostring(e):find(root .. "/a/2.tif", 1, true))
  end)
end)
