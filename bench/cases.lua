-- cases.lua: the Tocha side of the table; cases.py is the PyTorch side with the same cases.
--   cases.lua speed [PATTERN]   prints "name<TAB>nanoseconds<TAB>ns[<TAB>bytes moved]"
--   cases.lua memory [PATTERN]  prints "name<TAB>bytes<TAB>bytes"
-- A case that cannot run prints "name<TAB>missing<TAB>why".
local torch = require "torch"
local measuring = dofile "bench/measuring.lua"
local nn, optim, F = torch.nn, torch.optim, torch.nn.functional
local now, status_bytes = measuring.now, measuring.status_bytes

local BATCHES, BATCH_NS = 7, 2e7

local cases = {}

-- Adds a case. prepare() returns run(n), which does the work n times; bytes: the number of bytes that one time reads and writes.
local function case(name, prepare, bytes)
  cases[#cases + 1] = {name = name, prepare = prepare, bytes = bytes}
end

-- ---- small tensors: the cost of one operator beside its arithmetic ----

local function matrix() return torch.arange(9.):reshape(3, 3) / 7 end

case("a + b, 3x3", function()
  local a, b = matrix(), matrix()
  return function(n) for _ = 1, n do local _ = a + b end end
end)

case("a + b, 3x3, recorded", function()
  local a, b = matrix():requires_grad_(), matrix()
  return function(n) for _ = 1, n do local _ = a + b end end
end)

case("x * 2 + 1, 3x3", function()
  local x = matrix()
  return function(n) for _ = 1, n do local _ = x * 2 + 1 end end
end)

case("item()", function()
  local x = torch.tensor(0.5)
  return function(n) for _ = 1, n do local _ = x:item() end end
end)

case("zeros(3, 3)", function()
  return function(n) for _ = 1, n do local _ = torch.zeros(3, 3) end end
end)

case("x[1, 1]", function()
  local x = matrix()
  return function(n) for _ = 1, n do local _ = x[{1, 1}] end end
end)

case("matmul 8x8", function()
  local a, b = torch.rand(8, 8), torch.rand(8, 8)
  return function(n) for _ = 1, n do local _ = a:matmul(b) end end
end)

-- ---- large tensors: the speed of a loop over memory ----

local function pair(count) return torch.rand(count), torch.rand(count) end

for _, size in ipairs {{"1e3", 1000}, {"1e5", 100000}, {"1e7", 10000000}} do
  case("x + y, " .. size[1] .. " floats", function()
    local x, y = pair(size[2])
    return function(n) for _ = 1, n do local _ = x + y end end
  end, 12 * size[2])
end

case("x + y into out, 1e7 floats", function()
  local x, y = pair(10000000)
  local out = torch.zeros(10000000)
  return function(n) for _ = 1, n do torch.add(x, y, {out = out}) end end
end, 120000000)

case("exp, 1e6 floats", function()
  local x = torch.rand(1000000)
  return function(n) for _ = 1, n do local _ = torch.exp(x) end end
end, 8000000)

case("sum, 1e7 floats", function()
  local x = torch.rand(10000000)
  return function(n) for _ = 1, n do local _ = torch.sum(x) end end
end, 40000000)

for _, name in ipairs {"uint8", "int16", "int32"} do
  local dtype = torch[name]
  case("amax, 1e7 " .. name, function()
    local x = (torch.arange(10000000) % 100):to(dtype)
    return function(n) for _ = 1, n do local _ = x:amax() end end
  end, 10000000 * dtype.itemsize)
end

case("pdist, 1000x100", function()
  local x = torch.rand(1000, 100)
  return function(n) for _ = 1, n do local _ = torch.pdist(x) end end
end)

case("bincount, 1e6 uint8", function()
  local x = (torch.arange(1000000) % 100):to(torch.uint8)
  return function(n) for _ = 1, n do local _ = x:bincount() end end
end)

case("softmax of rows, 1000x1000", function()
  local x = torch.rand(1000, 1000)
  return function(n) for _ = 1, n do local _ = torch.softmax(x, 1) end end
end, 8000000)

for _, size in ipairs {64, 256, 1024} do
  case(("matmul %dx%d"):format(size, size), function()
    local a, b = torch.rand(size, size), torch.rand(size, size)
    return function(n) for _ = 1, n do local _ = a:matmul(b) end end
  end)
end

for _, case_of in ipairs {{"bfloat16", 64}, {"bfloat16", 256}, {"bfloat16", 1024}, {"float16", 64}, {"float16", 256}} do
  local name, size = table.unpack(case_of)
  case(("matmul %s %dx%d"):format(name, size, size), function()
    local a, b = torch.rand(size, size):to(torch[name]), torch.rand(size, size):to(torch[name])
    return function(n) for _ = 1, n do local _ = a:matmul(b) end end
  end)
end

-- ---- autograd and training ----

case("1000 operators forward and backward", function()
  local x = matrix():requires_grad_()
  return function(n)
    for _ = 1, n do
      local y = x
      for _ = 1, 1000 do y = y * 1.001 end
      y:sum():backward()
      x.grad = nil
    end
  end
end)

local function training_step(model, optimizer, loss_fn, x, y)
  return function(n)
    for _ = 1, n do
      optimizer:zero_grad()
      loss_fn(model(x), y):backward()
      optimizer:step()
    end
  end
end

case("net 1-10-10-1, 40 rows, SGD step", function()
  local x = torch.arange(0, 0.8, 0.02):unsqueeze(1)
  local model = nn.Sequential(nn.Linear(1, 10), nn.Linear(10, 10), nn.Linear(10, 1))
  local optimizer = optim.SGD(model:parameters(), {lr = 0.01})
  return training_step(model, optimizer, nn.L1Loss(), x, 0.7 * x + 0.3)
end)

case("net 64-64-10, batch 32, Adam step", function()
  local model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
  local optimizer = optim.Adam(model:parameters(), {lr = 0.001})
  return training_step(model, optimizer, nn.CrossEntropyLoss(), torch.rand(32, 64),
    torch.randint(0, 10, {32}))
end)

local function prepare_mlp()
  local model = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(),
    nn.Linear(512, 10))
  local optimizer = optim.Adam(model:parameters(), {lr = 0.001})
  return training_step(model, optimizer, nn.CrossEntropyLoss(), torch.rand(64, 784),
    torch.randint(0, 10, {64}))
end

case("net 784-512-512-10, batch 64, Adam step", prepare_mlp)

-- Returns the 1797 digits of data/digits.csv: 64 pixels and a label on each line.
local function read_digits()
  local pixels, labels = {}, {}
  for line in io.lines "data/digits.csv" do
    local row = {}
    for number in line:gmatch "%d+" do row[#row + 1] = math.tointeger(number) + 0.0 end
    labels[#labels + 1] = math.tointeger(table.remove(row))
    pixels[#pixels + 1] = row
  end
  return torch.tensor(pixels) / 16, torch.tensor(labels)
end

local function digits_loader()
  return torch.utils.data.DataLoader(torch.utils.data.TensorDataset(read_digits()), {batch_size = 32, shuffle = true})
end

local function passes_over(loader, samples)
  return function(n)
    for _ = 1, n do
      local rows = 0
      for x in loader do rows = rows + x.shape[0] end
      assert(rows == samples)
    end
  end
end

case("loader, 1797 digits in batches of 32", function() return passes_over(digits_loader(), 1797) end)

-- Loads the images of bench/pictures.lua, with the usual transforms of ImageNet.
for _, workers in ipairs {0, 2} do
  case(("loader, 128 pictures in files, %d workers"):format(workers), function()
    local T = torch.vision.transforms
    local transform = T.Compose {T.RandomResizedCrop(224), T.RandomHorizontalFlip(), T.ToTensor(),
      T.Normalize({0.485, 0.456, 0.406}, {0.229, 0.224, 0.225})}
    local dataset = torch.vision.datasets.ImageFolder(assert(os.getenv "PICTURES"), {transform = transform})
    return passes_over(torch.utils.data.DataLoader(dataset, {batch_size = 32, shuffle = true, num_workers = workers,
      persistent_workers = workers > 0}), 128)
  end)
end

case("digits 64-64-10, one epoch with a loader", function()
  local loader = digits_loader()
  local model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
  local optimizer = optim.Adam(model:parameters(), {lr = 0.001})
  return function(n)
    for _ = 1, n do
      for x, y in loader do
        optimizer:zero_grad()
        F.cross_entropy(model(x), y):backward()
        optimizer:step()
      end
    end
  end
end)

-- ---- measuring ----

local function nanoseconds(run)
  local count = 1
  while true do
    local start = now()
    run(count)
    local elapsed = now() - start
    if elapsed >= BATCH_NS then break end
    count = elapsed < BATCH_NS / 100 and count * 10 or count * BATCH_NS // elapsed + 1
  end
  local times = {}
  for batch = 1, BATCHES do
    local start = now()
    run(count)
    times[batch] = (now() - start) / count
  end
  return measuring.median(times)
end

local function report(name, unit, bytes, measure)
  local ok, value = pcall(measure)
  if ok then
    io.write(("%s\t%.1f\t%s\t%s\n"):format(name, value, unit, bytes or ""))
  else
    io.write(("%s\tmissing\t%s\n"):format(name, tostring(value):match "[^\n]*"))
  end
  io.flush()
end

local what, pattern = arg[1] or "speed", arg[2] or ""

if what == "speed" then
  for _, c in ipairs(cases) do
    if c.name:find(pattern, 1, true) then
      torch.manual_seed(1)
      report(c.name, "ns", c.bytes, function() return nanoseconds(c.prepare()) end)
    end
  end
elseif ("memory of training"):find(pattern, 1, true) then
  local before = status_bytes "VmRSS"
  local ok, why = pcall(function() prepare_mlp()(100) end)
  report("memory of training: 784-512-512-10", "bytes", nil, function()
    return assert(ok and status_bytes "VmHWM" - before, why)
  end)
  report("memory of training: whole process", "bytes", nil, function()
    return assert(ok and status_bytes "VmHWM", why)
  end)
end
