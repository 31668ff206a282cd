-- vision/transforms/mix.lua: MixUp and CutMix of torchvision.transforms.v2: mix the samples of a batch, and their labels, with
-- their neighbours.
local torch = ...
local base = torch._part "support"
local image = torch._part "vision.transforms.support"
local fail = base.fail
local mix = {}

-- Returns the labels in (images, labels) or {images, labels}.
local function find_labels(self, inputs)
  if self.labels_getter ~= "default" then return self.labels_getter(table.unpack(inputs, 1, inputs.n)) end
  return inputs[2]
end

local function check_labels(self, labels)
  if not torch.is_tensor(labels) then fail("ValueError", "The labels must be a tensor, but got %s instead.", base.python_class(labels)) end
  if labels:dim() ~= 1 and labels:dim() ~= 2 then
    fail("ValueError", "labels should be index based with shape (batch_size,) or probability based with shape (batch_size, num_classes), but got a "
      .. "tensor of shape %s instead.", tostring(labels.shape))
  end
  local classes = self.num_classes
  if labels:dim() == 2 and classes and labels:size(-1) ~= classes then
    fail("ValueError", "When passing 2D labels, the number of elements in last dimension must match num_classes: %d != %d. You can Leave "
      .. "num_classes to None.", labels:size(-1), classes)
  end
  if labels:dim() == 1 and not classes then fail("ValueError", "num_classes must be passed if the labels are index-based (1D)") end
end

local function check_images(images, batch_size)
  if images:dim() ~= 4 then fail("ValueError", "Expected a batched input with 4 dims, but got %d dimensions instead.", images:dim()) end
  if images:size(0) ~= batch_size then
    fail("ValueError", "The batch size of the image or video does not match the batch size of the labels: %d != %d.", images:size(0), batch_size)
  end
end

local function blend(t, share) return t:roll(1, 0):mul_(1.0 - share):add_(t:mul(share)) end

local function mixed_labels(self, labels, share)
  if labels:dim() == 1 then labels = torch.nn.functional.one_hot(labels, self.num_classes) end
  if not labels.dtype.is_floating_point then labels = labels:float() end
  return blend(labels, share)
end

-- Defines the class of MixUp or CutMix. make(self, images, batch_size) returns the images and the labels' share.
local function class(name, make)
  local made = image.class(name, "*, alpha=1.0, num_classes?, labels_getter='default'")
  function made:prepare() self.alpha = self.alpha + 0.0 end
  function made:forward(...)
    local inputs, list = table.pack(...), false
    if inputs.n == 1 and base.is_plain(inputs[1]) then inputs, list = table.pack(table.unpack(inputs[1])), true end
    local labels = find_labels(self, inputs)
    check_labels(self, labels)
    local images, share = make(self, inputs[1], labels:size(0))
    local out = {n = inputs.n, images}
    for i = 2, inputs.n do
      out[i] = rawequal(inputs[i], labels) and mixed_labels(self, labels, share) or inputs[i]
    end
    if list then return table.move(out, 1, inputs.n, 1, {}) end
    return table.unpack(out, 1, inputs.n)
  end
  function made:extra_repr()
    local classes = self.num_classes and ", num_classes=" .. self.num_classes or ""
    return "alpha=" .. image.show(self.alpha) .. classes
  end
  mix[name] = made
end

local function draw_share(self) return image.dirichlet(1, {self.alpha, self.alpha})[0][0]:item() end

class("MixUp", function(self, images, batch_size)
  local share = draw_share(self)
  check_images(images, batch_size)
  return blend(images, share), share
end)

class("CutMix", function(self, images, batch_size)
  local share = draw_share(self)
  local _, height, width = image.dimensions(images)
  local x, y = image.integer(0, width), image.integer(0, height)
  local r = 0.5 * math.sqrt(1.0 - share)
  local half_width, half_height = image.truncate(r * width), image.truncate(r * height)
  local x1, y1 = math.max(x - half_width, 0), math.max(y - half_height, 0)
  local x2, y2 = math.min(x + half_width, width), math.min(y + half_height, height)
  check_images(images, batch_size)
  local out, rolled = images:clone(), images:roll(1, 0)
  if x2 > x1 and y2 > y1 then
    local function box(t) return t:narrow(2, y1, y2 - y1):narrow(3, x1, x2 - x1) end
    box(out):copy_(box(rolled))
  end
  return out, 1.0 - (x2 - x1) * (y2 - y1) / (width * height)
end)

return mix
