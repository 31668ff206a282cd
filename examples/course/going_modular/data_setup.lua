-- data_setup.lua: loaders for pictures in folders, and the folders themselves: circles, crosses and squares on noise.
local torch = require "torch"
local vision = require "torchvision"
local data = torch.utils.data
local data_setup = {}

--- Writes pictures of 32x32 pixels below root: train/CLASS/N.png and test/CLASS/N.png.
function data_setup.draw(root, counts)
  local generator = torch.Generator():manual_seed(7)
  local function random(low, high, size) return torch.randint(low, high, size, {generator = generator}) end
  local y, x = torch.arange(32):view(32, 1), torch.arange(32):view(1, 32)
  local shapes = {
    circle = function(dy, dx, r) return (dy * dy + dx * dx):le(r * r) end,
    cross = function(dy, dx, r) return (dy:abs():le(1) | dx:abs():le(1)) & dy:abs():le(r) & dx:abs():le(r) end,
    square = function(dy, dx, r) return dy:abs():le(r) & dx:abs():le(r) end,
  }
  for _, split in ipairs{"train", "test"} do
    for _, class in ipairs{"circle", "cross", "square"} do
      local folder = ("%s/%s/%s"):format(root, split, class)
      os.execute(("mkdir -p '%s'"):format(folder))
      for i = 0, counts[split] - 1 do
        local noise, colour = random(0, 60, {3, 32, 32}), random(120, 256, {3, 1, 1})
        local cy, cx = table.unpack(random(6, 26, {2}):tolist())
        local r = random(4, 8, {1}):item()
        local picture = torch.where(shapes[class](y - cy, x - cx, r), colour, noise)
        vision.io.write_png(picture:to(torch.uint8), ("%s/%02d.png"):format(folder, i))
      end
    end
  end
end

function data_setup.create_dataloaders(train_dir, test_dir, train_transform, test_transform, batch_size)
  local train_data = vision.datasets.ImageFolder(train_dir, {transform = train_transform})
  local test_data = vision.datasets.ImageFolder(test_dir, {transform = test_transform})
  return data.DataLoader(train_data, {batch_size = batch_size, shuffle = true}),
    data.DataLoader(test_data, {batch_size = batch_size, shuffle = false}), train_data.classes
end

return data_setup
