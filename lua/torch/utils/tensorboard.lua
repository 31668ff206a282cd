-- utils/tensorboard.lua: torch.utils.tensorboard.SummaryWriter: writes files that TensorBoard shows. A file is a sequence of
-- records. Each is an Event of TensorFlow's event.proto in Protocol Buffers' encoding, between its length and two checksums
-- (CRC-32C, masked).
local torch = ...
local support = torch._part "support"
local shell, fail = torch._part "tools.shell", support.fail
local tensorboard = {}

-- --- checksums --------------------------------------------------------------------------------------------------

local CASTAGNOLI = {}
for i = 0, 255 do
  local c = i
  for _ = 1, 8 do c = c & 1 == 1 and c >> 1 ~ 0x82f63b78 or c >> 1 end
  CASTAGNOLI[i] = c
end

local function masked(text)
  local c = 0xffffffff
  for i = 1, #text do c = CASTAGNOLI[(c ~ text:byte(i)) & 0xff] ~ c >> 8 end
  c = c ~ 0xffffffff
  return ("<I4"):pack(((c >> 15 | c << 17) + 0xa282ead8) & 0xffffffff)
end

-- --- Protocol Buffers -------------------------------------------------------------------------------------------

local function varint(n)
  local out = {}
  repeat
    local rest = n >> 7
    out[#out + 1] = string.char(n & 0x7f | (rest ~= 0 and 0x80 or 0))
    n = rest
  until n == 0
  return table.concat(out)
end
local function bytes_field(number, text) return varint(number << 3 | 2) .. varint(#text) .. text end
local function int_field(number, n) return n == 0 and "" or varint(number << 3) .. varint(n) end -- 0 is omitted
local function float_field(number, x) return varint(number << 3 | 5) .. ("<f"):pack(x) end
local function double_field(number, x) return x == 0 and "" or varint(number << 3 | 1) .. ("<d"):pack(x) end
local function doubles_field(number, list)
  local out = {}
  for i, x in ipairs(list) do out[i] = ("<d"):pack(x) end
  return bytes_field(number, table.concat(out))
end

-- --- values -----------------------------------------------------------------------------------------------------

local function number_of(value)
  if torch.is_tensor(value) then return value:item() end
  return value
end

local function scalar_value(tag, value) return bytes_field(1, tag) .. float_field(2, number_of(value)) end

local function text_value(tag, text)
  local metadata = bytes_field(9, bytes_field(1, bytes_field(1, "text")))
  local shape = bytes_field(2, bytes_field(2, int_field(1, 1)))
  return bytes_field(1, tag .. "/text_summary") .. bytes_field(8, int_field(1, 7) .. shape .. bytes_field(8, text)), metadata
end

-- Returns the limits of TensorBoard's own histograms: powers of 1.1 on both sides of 0.
local edges
local function default_edges()
  if edges then return edges end
  local positive, v = {}, 1e-12
  while v < 1e20 do
    positive[#positive + 1] = v
    v = v * 1.1
  end
  local all = {}
  for i = #positive, 1, -1 do all[#all + 1] = -positive[i] end
  all[#all + 1] = 0.0
  table.move(positive, 1, #positive, #all + 1, all)
  edges = torch.tensor(all, {dtype = torch.float64, device = "cpu"})
  return edges
end

-- Counts the values between each pair of limits. The last pair includes its right end.
local function count_between(values, limits)
  local n = limits:numel() - 1
  local place = torch.bucketize(values, limits, {right = true}) - 1
  place = torch.where(values:eq(limits[-1]), torch.full_like(place, n - 1), place)
  return torch.bincount(place[place:ge(0):logical_and(place:lt(n))], {minlength = n})
end

local function histogram_value(tag, values, bins)
  values = torch.as_tensor(values):detach():cpu():to(torch.float64):flatten()
  if values:numel() == 0 then fail("ValueError", "The input has no element.") end
  local limits = default_edges()
  if type(bins) == "number" then
    limits = torch.linspace(values:min():item(), values:max():item(), bins + 1, {dtype = torch.float64, device = "cpu"})
  elseif bins and bins ~= "tensorflow" then
    limits = torch.as_tensor(bins, {dtype = torch.float64, device = "cpu"})
  end
  local counts = count_between(values, limits)
  local used = counts:nonzero():flatten()
  if used:numel() == 0 then fail("ValueError", "The histogram is empty, please file a bug report.") end
  local first, last = used[0]:item(), used[-1]:item()
  local shown = counts:narrow(0, first, last - first + 1):tolist()
  table.insert(shown, 1, first > 0 and counts[first - 1]:item() or 0)
  local histogram = double_field(1, values:min():item()) .. double_field(2, values:max():item()) .. double_field(3, values:numel() + 0.0) ..
    double_field(4, values:sum():item()) .. double_field(5, values:dot(values):item()) ..
    doubles_field(6, limits:narrow(0, first, last - first + 2):tolist()) .. doubles_field(7, shown)
  return bytes_field(1, tag) .. bytes_field(5, histogram)
end

-- --- images -----------------------------------------------------------------------------------------------------

-- Returns an image (H, W, C) of bytes as a PNG.
local function png(image)
  local channels = image:size(2)
  if channels == 2 or channels > 4 then fail("ValueError", "an image has 1, 3 or 4 channels, not %d", channels) end
  return torch._io.encode_pixels(image, 6, 0):tostring_bytes()
end

local ORDERS = {CHW = {1, 2, 0}, HWC = {0, 1, 2}}
local function image_value(tag, image, dataformats)
  image = torch.as_tensor(image):detach():cpu()
  if image.dtype ~= torch.uint8 then image = (image:to(torch.float32) * 255):clamp(0, 255):to(torch.uint8) end
  if dataformats == "HW" then
    image = image:unsqueeze(-1):expand(-1, -1, 3)
  else
    image = image:permute(table.unpack(ORDERS[dataformats] or fail("ValueError", "unknown dataformats '%s'", tostring(dataformats))))
    if image:size(2) == 1 then image = image:expand(-1, -1, 3) end
  end
  local text = int_field(1, image:size(0)) .. int_field(2, image:size(1)) .. int_field(3, image:size(2)) .. bytes_field(4, png(image))
  return bytes_field(1, tag) .. bytes_field(4, text)
end

-- Returns images (N, C, H, W) as one image, eight in a row.
local function tiled(images, dataformats)
  images = torch.as_tensor(images):detach():cpu()
  if dataformats == "NHWC" then images = images:permute(0, 3, 1, 2) end
  local n, c, h, w = images:size(0), images:size(1), images:size(2), images:size(3)
  local columns = math.min(n, 8)
  local rows = (n + columns - 1) // columns
  local sheet = torch.zeros(rows * columns, c, h, w, {dtype = images.dtype})
  sheet:narrow(0, 0, n):copy_(images)
  return sheet:view(rows, columns, c, h, w):permute(2, 0, 3, 1, 4):reshape(c, rows * h, columns * w)
end

-- --- files ------------------------------------------------------------------------------------------------------

local files = 0

local function open_file(folder, suffix)
  shell.make_folders(folder)
  files = files + 1
  local host, process = torch._process()
  local name = ("%s/events.out.tfevents.%010d.%s.%d.%d%s"):format(folder, os.time(), host, process, files - 1, suffix)
  local file, problem = io.open(name, "wb")
  if not file then fail("OSError", "%s", problem) end
  return file
end

-- --- the writer -------------------------------------------------------------------------------------------------

local SummaryWriter = support.class("SummaryWriter", nil, "torch.utils.tensorboard.writer")
tensorboard.SummaryWriter = SummaryWriter
local read = torch._define "SummaryWriter.__init__(log_dir?, comment='', purge_step?, max_queue=10, flush_secs=120, filename_suffix='')"

function SummaryWriter:init(...)
  local a = read(...)
  if a.purge_step ~= nil then support.fail("NotImplementedError", "SummaryWriter: purge_step is not supported") end
  self.log_dir = a.log_dir or ("runs/%s_%s%s"):format(os.date "%b%d_%H-%M-%S", (torch._process()), a.comment)
  self.filename_suffix, self.max_queue, self.waiting, self.writers = a.filename_suffix, a.max_queue, 0, {}
  self.file = open_file(self.log_dir, self.filename_suffix)
  self:_record(double_field(1, os.time() + 0.0) .. bytes_field(3, "brain.Event:2"))
  self:flush()
end

function SummaryWriter:_record(event)
  if not self.file then self.file = open_file(self.log_dir, self.filename_suffix) end
  local length = ("<I8"):pack(#event)
  local ok, problem = self.file:write(length, masked(length), event, masked(event))
  if not ok then fail("OSError", "%s", problem) end
  self.waiting = self.waiting + 1
  if self.waiting >= self.max_queue then self:flush() end
end

function SummaryWriter:_add(value, step, walltime)
  local event = double_field(1, (walltime or os.time()) + 0.0)
  if step ~= nil then event = event .. int_field(2, math.tointeger(number_of(step)) or fail("TypeError", "global_step must be an int")) end
  self:_record(event .. bytes_field(5, bytes_field(1, value)))
end

-- Returns the options that may follow a tag and its value, by position or by name.
local function options_of(step, walltime)
  if support.is_plain(step) then return step end
  if support.is_plain(walltime) then
    local options = {global_step = step}
    for key, value in pairs(walltime) do options[key] = value end
    return options
  end
  return {global_step = step, walltime = walltime}
end

function SummaryWriter:add_scalar(tag, scalar_value_, global_step, walltime)
  local o = options_of(global_step, walltime)
  self:_add(scalar_value(tag, scalar_value_), o.global_step, o.walltime)
end

--- Adds several lines to one chart: each has a folder below the log's.
function SummaryWriter:add_scalars(main_tag, tag_scalar_dict, global_step, walltime)
  local o, tags = options_of(global_step, walltime), {}
  for tag in pairs(tag_scalar_dict) do tags[#tags + 1] = tag end
  table.sort(tags)
  for _, tag in ipairs(tags) do
    local folder = ("%s/%s_%s"):format(self.log_dir, main_tag:gsub("/", "_"), tag)
    self.writers[folder] = self.writers[folder] or SummaryWriter{log_dir = folder, filename_suffix = self.filename_suffix}
    self.writers[folder]:add_scalar(main_tag, tag_scalar_dict[tag], o.global_step, o.walltime)
  end
end

function SummaryWriter:add_histogram(tag, values, global_step, bins, walltime)
  local o = support.is_plain(global_step) and global_step or {global_step = global_step, bins = bins, walltime = walltime}
  if support.is_plain(bins) and bins[1] == nil then o = {global_step = global_step, bins = bins.bins, walltime = bins.walltime} end
  self:_add(histogram_value(tag, values, o.bins), o.global_step, o.walltime)
end

function SummaryWriter:add_text(tag, text_string, global_step, walltime)
  local o = options_of(global_step, walltime)
  local value, metadata = text_value(tag, text_string)
  self:_add(value .. metadata, o.global_step, o.walltime)
end

function SummaryWriter:add_image(tag, img_tensor, global_step, walltime, dataformats)
  local o = options_of(global_step, walltime)
  self:_add(image_value(tag, img_tensor, dataformats or o.dataformats or "CHW"), o.global_step, o.walltime)
end

function SummaryWriter:add_images(tag, img_tensor, global_step, walltime, dataformats)
  local o = options_of(global_step, walltime)
  self:_add(image_value(tag, tiled(img_tensor, dataformats or o.dataformats or "NCHW"), "CHW"), o.global_step, o.walltime)
end

--- Warns that graphs are not written, because there is no tracer.
function SummaryWriter.add_graph(_)
  torch._warn "SummaryWriter.add_graph writes nothing: torch.summary(model, {input_size = ...}) shows the layers of a model"
end

function SummaryWriter:get_logdir() return self.log_dir end

function SummaryWriter:flush()
  if self.file then self.file:flush() end
  self.waiting = 0
  for _, writer in pairs(self.writers) do writer:flush() end
end

--- Closes the files; later additions open new ones.
function SummaryWriter:close()
  if self.file then self.file:close() end
  self.file = nil
  for _, writer in pairs(self.writers) do writer:close() end
end

return torch._namespace(tensorboard, "torch.utils.tensorboard")
