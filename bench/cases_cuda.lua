-- cases_cuda.lua: the Tocha side of the table for a GPU: the cost of one operator, memory, products, optimizers, small nets.
-- cases_cuda.py is the PyTorch side with the same cases, and families_cuda.lua has the other families.
--   cases_cuda.lua [PATTERN]   see measuring_cuda.lua
local torch = require "torch"
local measuring = dofile "bench/measuring_cuda.lua"
local case, sized, rand, cuda, SMALL = measuring.case, measuring.sized, measuring.rand, measuring.device, measuring.small
local nn, optim, F = torch.nn, torch.optim, torch.nn.functional

-- ---- small tensors: the cost of one operator beside its arithmetic ----

local function matrix() return torch.arange(9., {device = cuda}):reshape(3, 3) / 7 end

case("a + b, 3x3", nil, function()
  local a, b = matrix(), matrix()
  return function() return a + b end
end)

case("a + b, 3x3, recorded", nil, function()
  local a, b = matrix():requires_grad_(), matrix()
  return function() return a + b end
end)

case("x * 2 + 1, 3x3", nil, function()
  local x = matrix()
  return function() return x * 2 + 1 end
end)

case("x[1, 1]", nil, function()
  local x = matrix()
  return function() return x[{1, 1}] end
end)

case("zeros(3, 3)", nil, function()
  return function() return torch.zeros(3, 3, {device = cuda}) end
end)

case("sum, 3x3", nil, function()
  local x = matrix()
  return function() return x:sum() end
end)

case("matmul 8x8", nil, function()
  local a, b = rand(8, 8), rand(8, 8)
  return function() return a:matmul(b) end
end)

case("item()", nil, function()
  local x = torch.tensor(0.5, {device = cuda})
  return function() return x:item() end
end)

-- ---- memory: bytes moved, beside a copy on the GPU ----

local MANY = sized(64 * 1024 * 1024, 16 * 1024)
local ROWS = sized(8192, 64)

case("copy on the GPU, float32", 8 * MANY, function()
  local x, y = rand(MANY), rand(MANY)
  return function() return y:copy_(x) end
end)

for _, name in ipairs{"float32", "bfloat16", "float16"} do
  local dtype = torch[name]
  case("x + y, " .. name, 3 * dtype.itemsize * MANY, function()
    local x, y = rand(MANY):to(dtype), rand(MANY):to(dtype)
    return function() return x + y end
  end)
end

case("x + y into out, float32", 12 * MANY, function()
  local x, y = rand(MANY), rand(MANY)
  local out = torch.zeros(MANY, {device = cuda})
  return function() torch.add(x, y, {out = out}) end
end)

case("gelu, float32", 8 * MANY, function()
  local x = rand(MANY)
  return function() return F.gelu(x) end
end)

case("relu_, bfloat16", 4 * MANY, function()
  local x = rand(MANY):to(torch.bfloat16)
  return function() return torch.relu_(x) end
end)

case("x + row, float32", 8 * ROWS * ROWS, function()
  local x, row = rand(ROWS, ROWS), rand(ROWS)
  return function() return x + row end
end)

case("x + y.T, float32", 12 * ROWS * ROWS, function()
  local x, y = rand(ROWS, ROWS), rand(ROWS, ROWS).T
  return function() return x + y end
end)

case("float32 to bfloat16", 6 * MANY, function()
  local x = rand(MANY)
  return function() return x:to(torch.bfloat16) end
end)

case("sum, float32", 4 * MANY, function()
  local x = rand(MANY)
  return function() return x:sum() end
end)

case("sum, bfloat16", 2 * MANY, function()
  local x = rand(MANY):to(torch.bfloat16)
  return function() return x:sum() end
end)

for dim = 0, 1 do
  case(("sum over dim %d, float32"):format(dim), 4 * ROWS * ROWS, function()
    local x = rand(ROWS, ROWS)
    return function() return x:sum(dim) end
  end)
end

case("max over dim 1, float32", 4 * ROWS * ROWS, function()
  local x = rand(ROWS, ROWS)
  return function() return x:max(1) end
end)

for _, name in ipairs{"float32", "bfloat16"} do
  local dtype = torch[name]
  case("softmax of rows, " .. name, 2 * dtype.itemsize * ROWS * ROWS, function()
    local x = rand(ROWS, ROWS):to(dtype)
    return function() return torch.softmax(x, 1) end
  end)
end

case("softmax of short rows (128), float32", 8 * MANY, function()
  local x = rand(MANY // 128, 128)
  return function() return torch.softmax(x, 1) end
end)

case("cross_entropy and backward, float32", nil, function()
  local x = rand(ROWS, ROWS):requires_grad_()
  local labels = torch.randint(0, ROWS, {ROWS}, {device = cuda})
  return function()
    x.grad = nil
    F.cross_entropy(x, labels):backward()
  end
end)

-- ---- matrix products ----

local SIZES = SMALL and {32, 64} or {256, 1024, 4096, 8192}

for _, name in ipairs{"float32", "tf32", "bfloat16", "float16"} do
  local dtype = torch[name == "tf32" and "float32" or name]
  for _, size in ipairs(SIZES) do
    case(("matmul %s %dx%d"):format(name, size, size), nil, function()
      torch.backends.cuda.matmul.allow_tf32 = name == "tf32"
      local a, b = rand(size, size):to(dtype), rand(size, size):to(dtype)
      return function() return a:matmul(b) end
    end)
  end
end

case("bmm bfloat16 64 of 256x256", nil, function()
  local count, size = sized(64, 2), sized(256, 16)
  local a, b = rand(count, size, size):to(torch.bfloat16), rand(count, size, size):to(torch.bfloat16)
  return function() return torch.bmm(a, b) end
end)

case("linear bfloat16 4096x4096 with bias", nil, function()
  local size = sized(4096, 32)
  local layer = nn.Linear(size, size):to(cuda, torch.bfloat16)
  for parameter in layer:parameters() do parameter:requires_grad_(false) end
  local x = rand(size, size):to(torch.bfloat16)
  return function() return layer(x) end
end)

-- ---- optimizers: one step over 10 million parameters in 50 tensors ----

local function parameters()
  local list = {}
  for i = 1, 50 do
    list[i] = nn.Parameter(rand(sized(400, 4), 500))
    list[i].grad = rand(sized(400, 4), 500)
  end
  return list
end

for _, entry in ipairs{
  {"SGD with momentum", optim.SGD, {lr = 0.01, momentum = 0.9}, 5},
  {"Adam", optim.Adam, {lr = 0.001}, 7},
  {"Adam, fused", optim.Adam, {lr = 0.001, fused = true}, 7},
  {"AdamW, fused", optim.AdamW, {lr = 0.001, fused = true}, 7},
} do
  case(entry[1] .. ", 10M parameters", entry[4] * 4 * sized(10000000, 100000), function()
    local optimizer = entry[2](parameters(), entry[3])
    return function() optimizer:step() end
  end)
end

-- ---- training ----

-- Returns the step of the tutorials, whose batch comes from the host.
local function training_step(model, optimizer, loss_fn, x, y)
  return function()
    local inputs, labels = x:to(cuda), y:to(cuda)
    optimizer:zero_grad()
    loss_fn(model(inputs), labels):backward()
    optimizer:step()
  end
end

-- Returns a step with autocast and a scaler, whose batch is on the GPU already.
local function mixed_step(model, optimizer, loss_fn, x, y, dtype)
  local scaler = torch.amp.GradScaler("cuda", {enabled = dtype == torch.float16})
  return function()
    optimizer:zero_grad()
    local loss
    do
      local _ <close> = torch.autocast("cuda", {dtype = dtype})
      loss = loss_fn(model(x), y)
    end
    scaler:scale(loss):backward()
    scaler:step(optimizer)
    scaler:update()
  end
end

case("tutorial 03: 64-64-10, batch 32, Adam", nil, function()
  local model = nn.Sequential(nn.Flatten(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10)):to(cuda)
  return training_step(model, optim.Adam(model:parameters(), {lr = 0.001}), nn.CrossEntropyLoss(),
    torch.rand(32, 1, 8, 8), torch.randint(0, 10, {32}))
end)

case("tutorial 05: 20-50-2, batch 64, SGD", nil, function()
  local model = nn.Sequential(nn.Linear(20, 50), nn.ReLU(), nn.Linear(50, 2)):to(cuda)
  return training_step(model, optim.SGD(model:parameters(), {lr = 0.1, momentum = 0.9}), nn.CrossEntropyLoss(),
    torch.rand(64, 20), torch.randint(0, 2, {64}))
end)

case("tutorial 04: 1-10-10-1, autocast, scaler", nil, function()
  local model = nn.Sequential(nn.Linear(1, 10), nn.Linear(10, 10), nn.Linear(10, 1)):to(cuda)
  local x = torch.arange(0, 0.8, 0.02, {device = cuda}):unsqueeze(1)
  return mixed_step(model, optim.SGD(model:parameters(), {lr = 0.01}), nn.L1Loss(), x, 0.7 * x + 0.3, torch.float16)
end)

local function classifier(sizes, batch)
  local layers = {}
  for i = 1, #sizes - 1 do
    layers[#layers + 1] = nn.Linear(sizes[i], sizes[i + 1])
    if i < #sizes - 1 then layers[#layers + 1] = nn.ReLU() end
  end
  local model = nn.Sequential(table.unpack(layers)):to(cuda)
  return model, rand(batch, sizes[1]), torch.randint(0, sizes[#sizes], {batch}, {device = cuda})
end

case("net 784-512-512-10, batch 64, Adam step", nil, function()
  local model, x, y = classifier({784, 512, 512, 10}, 64)
  return training_step(model, optim.Adam(model:parameters(), {lr = 0.001}), nn.CrossEntropyLoss(), x, y)
end)

for _, name in ipairs{"float16", "bfloat16"} do
  case("net 1024-4096-4096-1000, 4096 rows, " .. name, nil, function()
    local model, x, y = classifier({1024, sized(4096, 64), sized(4096, 64), 1000}, sized(4096, 16))
    return mixed_step(model, optim.AdamW(model:parameters(), {lr = 0.001}), nn.CrossEntropyLoss(), x, y, torch[name])
  end)
end

measuring.run(arg[1] or "")
