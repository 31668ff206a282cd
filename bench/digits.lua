-- digits.lua [PATTERN]: measures the price of PyTorch's digits: each case with torch.backends.cpu.digits "pytorch" and "fast",
-- in turns. Prints the medians of the fastest turns, and names the faster one if the other takes over 10% longer. Started by
-- `bench/run digits`.
local torch = require "torch"
local measuring = dofile "bench/measuring.lua"
local now, median = measuring.now, measuring.median
local pattern = arg[1] or ""
local nn, F = torch.nn, torch.nn.functional

local BATCHES, BATCH_NS, MARGIN = 7, 2e7, 1.1
local CHOICES = {"pytorch", "fast"}

torch.set_num_threads(math.tointeger(tonumber(os.getenv "OMP_NUM_THREADS" or "")) or 1)

local cases = {}
local function case(name, run) cases[#cases + 1] = {name = name, run = run} end

local function backward(name, run) case(name .. ", backward", function() run():sum():backward() end) end

-- ---- products ----

for _, sizes in ipairs {{1, 64, 64}, {1, 768, 768}, {2, 256, 256}, {3, 64, 64}, {8, 8, 8}, {8, 64, 4}, {32, 128, 10}, {64, 64, 64}, {100, 100, 100},
  {32, 300, 300}, {64, 784, 128}, {512, 512, 512}} do
  local m, k, n = table.unpack(sizes)
  local a, b, bt = torch.rand(m, k), torch.rand(k, n), torch.rand(n, k)
  case(("matmul %dx%d, %dx%d"):format(m, k, k, n), function() return a:matmul(b) end)
  case(("linear %dx%d, %dx%d"):format(m, k, k, n), function() return F.linear(a, bt) end)
end
do
  local x, y = torch.rand(1000), torch.rand(1000)
  case("dot 1000", function() return x:dot(y) end)
  local a, b = torch.rand(32, 16, 16), torch.rand(32, 16, 3)
  case("bmm 32 of 16x16, 16x3", function() return a:bmm(b) end)
end

-- ---- convolutions ----

local function image(...) return torch.rand(...):requires_grad_() end
for _, c in ipairs {{1, 3, 16, 32, 3, 1}, {1, 16, 32, 16, 1, 1}, {1, 1, 8, 8, 3, 1}, {8, 1, 8, 8, 3, 1}, {8, 16, 32, 32, 3, 1}, {8, 16, 32, 32, 3, 2}} do
  local n, channels, outputs, side, kernel, stride = table.unpack(c)
  local x, conv = image(n, channels, side, side), nn.Conv2d(channels, outputs, kernel, {stride = stride, padding = kernel // 2})
  local name = ("conv2d %dx%dx%dx%d, %d of %dx%d, stride %d"):format(n, channels, side, side, outputs, kernel, kernel, stride)
  case(name, function() return torch.no_grad(function() return conv(x) end) end)
  backward(name, function() return conv(x) end)
end
do
  local x, conv = image(4, 16, 16, 16), nn.ConvTranspose2d(16, 16, 4, {stride = 2, padding = 1})
  case("conv_transpose2d 4x16x16x16, stride 2", function() return torch.no_grad(function() return conv(x) end) end)
end

-- ---- normalization, attention, losses, recurrent layers ----

do
  local x, norm = torch.rand(32, 256), nn.LayerNorm(256)
  case("layer_norm 32x256", function() return norm(x) end)
  local batch = nn.BatchNorm2d(16)
  local y = torch.rand(8, 16, 16, 16)
  case("batch_norm 8x16x16x16", function() return batch(y) end)
  local half, y_half = nn.BatchNorm2d(16):bfloat16(), y:bfloat16()
  case("batch_norm 8x16x16x16, bfloat16", function() return half(y_half) end)
  case("log_softmax 32x256, bfloat16", function() return F.log_softmax(x:bfloat16(), {dim = 1}) end)
end
for _, dtype in ipairs {"float32", "bfloat16"} do
  local q = torch.rand(2, 4, 64, 32, {dtype = torch[dtype]}):requires_grad_()
  case("attention 2x4x64x32, " .. dtype, function() return torch.no_grad(function() return F.scaled_dot_product_attention(q, q, q) end) end)
  backward("attention 2x4x64x32, " .. dtype, function() return F.scaled_dot_product_attention(q, q, q) end)
end
do
  local x, y = torch.rand(64, 64):bfloat16(), torch.rand(64, 64):bfloat16()
  case("huber_loss 64x64, bfloat16", function() return F.huber_loss(x, y) end)
  case("mse_loss 64x64, bfloat16", function() return F.mse_loss(x, y) end)
  case("logit 64x64, bfloat16", function() return x:logit(0.01) end)
  local gru, steps = nn.GRU(32, 32):bfloat16(), torch.rand(16, 8, 32):bfloat16()
  case("GRU 16x8x32, bfloat16", function() return (gru(steps)) end)
end

-- ---- linear algebra ----

for _, n in ipairs {3, 8, 20} do
  local a = torch.rand(16, n, n)
  a = a + a:transpose(1, 2)
  case(("eigh 16 of %dx%d"):format(n, n), function() return torch.linalg.eigh(a) end)
  local wide = torch.rand(16, n, 2 * n)
  case(("svd 16 of %dx%d"):format(n, 2 * n), function() return torch.linalg.svd(wide, {full_matrices = false}) end)
end

-- ---- measuring ----

local function time(run, count)
  local start = now()
  for _ = 1, count do run() end
  return (now() - start) / count
end

local function measure(c)
  local times, count = {pytorch = {}, fast = {}}, {}
  for _, choice in ipairs(CHOICES) do   -- also creates objects that are created once, such as oneDNN's primitives
    torch.backends.cpu.digits = choice
    c.run()
    count[choice] = math.max(1, BATCH_NS // math.max(1, time(c.run, 1)))
  end
  for _ = 1, BATCHES do
    for _, choice in ipairs(CHOICES) do
      torch.backends.cpu.digits = choice
      table.insert(times[choice], time(c.run, math.tointeger(count[choice])))
    end
  end
  return median(times.pytorch), median(times.fast)
end

print(("%-52s %12s %12s %8s"):format("", "pytorch, us", "fast, us", "fast is"))
for _, c in ipairs(cases) do
  if c.name:find(pattern, 1, true) then
    local pytorch, fast = measure(c)
    local note = pytorch > MARGIN * fast and "faster" or fast > MARGIN * pytorch and "SLOWER" or ""
    print(("%-52s %12.2f %12.2f %7.2fx %s"):format(c.name, pytorch / 1000, fast / 1000, pytorch / fast, note))
  end
end
