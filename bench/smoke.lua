-- smoke.lua: checks in seconds that a GPU works at all. The basic checks come first.
--   smoke.lua [N]    from check N on; after a permanent error it ends with exit code 70 and prints the next N.
--                    SMALL=1 in the environment: small sizes (TOCHA_CUDA=simulate, compute-sanitizer)
local torch = require "torch"
local nn, F = torch.nn, torch.nn.functional
local SMALL = os.getenv "SMALL" == "1" or os.getenv "TOCHA_CUDA" == "simulate"
local cuda = torch.device "cuda"
torch.backends.cudnn.allow_tf32 = false   -- convolutions are compared with the CPU's
io.stdout:setvbuf "line"   -- a check that hangs is the one after the last line

-- Returns the error that every call fails with from now on, or nil. The first synchronization may report an older error.
local function error_that_stays()
  if pcall(torch.cuda.synchronize) then return nil end
  local ok, problem = pcall(torch.cuda.synchronize)
  return not ok and tostring(problem):match "[^\n]*" or nil
end

local first, number, failed = tonumber(arg[1] or "") or 1, 0, 0
local function check(name, f)
  number = number + 1
  if number < first then return end
  local start = os.time()
  local ok, why = pcall(f)
  local stays = error_that_stays()
  if ok and stays then ok, why = false, stays end
  failed = failed + (ok and 0 or 1)
  local word = ok and (why and "skipped" or "ok") or "FAILED"
  print(("%-7s %s%s, %d s"):format(word, name, why and ": " .. tostring(why):match "[^\n]*" or "", os.time() - start))
  if stays then
    print(("the GPU is lost; go on with: smoke.lua %d"):format(number + 1))
    os.exit(70)
  end
end

-- Checks that the tensors which f(device) returns are the same on the GPU and on the CPU. Random numbers are drawn on the CPU.
local function check_as_on_cpu(name, f, tolerance)
  tolerance = tolerance or 1e-4
  check(name, function()
    local wanted, got = table.pack(f(torch.device "cpu")), table.pack(f(cuda))
    for i = 1, wanted.n do
      assert(got[i].is_cuda, "not on the GPU")
      local a, b = wanted[i]:detach():double(), got[i]:detach():cpu():double()
      assert(torch.allclose(a, b, tolerance, tolerance, true), ("result %d is off by %.3g"):format(i, (a - b):abs():max():item()))
    end
  end)
end

local function drawn(...)
  torch.manual_seed(1)
  return torch.randn{size = {...}}
end

-- Returns the outputs of a module and the gradients of its inputs and parameters, on a device.
local function outputs_and_gradients(device, module, x)
  module = module:to(device)
  x = x:to(device):requires_grad_()
  local y = module(x)
  if type(y) == "table" then y = y[1] end
  (y * y):sum():backward()
  local results = {y, x.grad}
  for parameter in module:parameters() do results[#results + 1] = parameter.grad end
  return table.unpack(results)
end

check("an add", function() assert((torch.ones(3, {device = cuda}) + 1):sum():item() == 6) end)

check("a product of matrices", function()
  for _, dtype in ipairs{torch.float32, torch.bfloat16, torch.float16, torch.float64} do
    local a = torch.ones(64, 32, {device = cuda, dtype = dtype})
    assert(a:matmul(a:t()):eq(32):all():item(), tostring(dtype))
  end
end)

check("a backward pass", function()
  local x = torch.arange(1., 5., {device = cuda}):requires_grad_()
  local y = x * x
  y:sum():backward()
  assert(x.grad:cpu():equal(torch.arange(1., 5.) * 2))
end)

-- Checks offsets of more than 31 bits.
local function large(n, dtype)
  local x = torch.zeros(n, {device = cuda, dtype = dtype})
  x["-7:"]:fill_(1)
  local y = x + 1
  assert(y["-8:"]:cpu():tolist()[1] == 1 and y["-1"]:item() == 2, "add")
  assert((x:sum{dtype = torch.float32}):item() == 7, "sum")
  y:copy_(x)
  assert(y["-1"]:item() == 1 and y[0]:item() == 0, "copy")
  assert(x:index_select(0, torch.tensor({0, n - 1}, {device = cuda})):tolist()[2] == 1, "index_select")
  y:free()
  if dtype == torch.int8 then assert(x:cumsum(0, {dtype = torch.int8})["-1"]:item() == 7, "cumsum") end
end

check("more than 2^31 elements", function()
  local n = SMALL and 5000 or (1 << 31) + 1000
  for _, dtype in ipairs{torch.int8, torch.bfloat16} do
    if torch.cuda.mem_get_info() < 5 * n * dtype.itemsize then return "too little memory" end
    large(n, dtype)
    collectgarbage()
    torch.cuda.empty_cache()
  end
end)

check("a copy of pageable memory is done when it returns", function()
  local n = SMALL and 1 << 16 or 1 << 26
  local source = torch.ones(n)
  for _ = 1, 4 do
    source:fill_(1)
    local there = source:to(cuda, {non_blocking = true})
    source:fill_(2)
    assert(there:sum():item() == n)
  end
end)

check("two streams", function()
  local side = torch.cuda.Stream()
  for _ = 1, SMALL and 3 or 100 do
    local x = torch.ones(SMALL and 1000 or 1 << 20, {device = cuda})
    side:wait_stream(torch.cuda.current_stream())
    local y = torch.cuda.stream(side, function() return x * 2 end)
    x:record_stream(side)
    torch.cuda.current_stream():wait_stream(side)
    assert(y:sum():item() == 2 * x:numel())
  end
end)

check("pinned batches", function()
  local total = torch.zeros(1, {device = cuda})
  local rounds = SMALL and 10 or 1000
  for k = 1, rounds do
    local batch = torch.full({4096}, k % 7):pin_memory()
    total:add_(batch:to(cuda, {non_blocking = true}):sum())
  end
  local expected = 0
  for k = 1, rounds do expected = expected + k % 7 * 4096 end
  assert(total:item() == expected)
end)

-- ---- families of operators, with gradients ----

local function check_module(name, make, ...)
  local size = {...}
  check_as_on_cpu(name, function(device)
    local x = drawn(table.unpack(size))
    return outputs_and_gradients(device, make(), x)
  end, 1e-3)
end

check_module("conv2d", function() return nn.Conv2d(3, 5, 3, {padding = 1, stride = 2}) end, 2, 3, 9, 9)
check_module("conv_transpose2d", function() return nn.ConvTranspose2d(3, 5, 3, {stride = 2}) end, 2, 3, 5, 5)
check_module("batch_norm", function() return nn.BatchNorm2d(3) end, 4, 3, 7, 7)
check_module("layer_norm", function() return nn.LayerNorm(300) end, 5, 300)
check_module("group_norm", function() return nn.GroupNorm(2, 6) end, 3, 6, 5, 5)
check_module("max_pool2d", function() return nn.MaxPool2d(3, 2, 1) end, 2, 3, 9, 9)
check_module("avg_pool2d", function() return nn.AvgPool2d(2) end, 2, 3, 8, 8)
check_module("interpolate", function() return nn.Upsample{scale_factor = 2, mode = "bilinear"} end, 2, 3, 5, 5)
check_module("LSTM", function() return nn.LSTM(6, 8, 2) end, 5, 3, 6)
check_module("GRU", function() return nn.GRU(6, 8) end, 5, 3, 6)
check_module("TransformerEncoderLayer", function()
  return nn.TransformerEncoderLayer(16, 2, 32, {dropout = 0, batch_first = true})
end, 2, 5, 16)

check_as_on_cpu("attention", function(device)
  local q = drawn(2, 2, 70, 16):to(device):requires_grad_()
  local y = F.scaled_dot_product_attention(q, q, q, {is_causal = true})
  y:sum():backward()
  return y, q.grad
end)

check_as_on_cpu("grid_sample", function(device)
  local x, grid = drawn(1, 2, 6, 6):to(device):requires_grad_(), (drawn(1, 4, 4, 2) / 2):to(device)
  local y = F.grid_sample(x, grid, {align_corners = false})
  y:sum():backward()
  return y, x.grad
end)

check_as_on_cpu("sort, topk, unique", function(device)
  local x = drawn(3, SMALL and 3000 or 100000):to(device)
  return (x:sort(1)), (x:topk(7, 1)), (torch.unique((x * 4):round()))
end)

check_as_on_cpu("cumsum, cumprod", function(device)
  local x = drawn(4, 3000):to(device)
  return x:cumsum(1), x:cumsum(0), (x * 0 + 1.0001):cumprod(1)
end, 1e-3)

check_as_on_cpu("sum, mean, var, argmax, logsumexp", function(device)
  local x = drawn(70, 1100):to(device)
  return x:sum(), x:mean(0), x:var(1), x:argmax(1), x:logsumexp(1)
end, 1e-3)

check_as_on_cpu("softmax, cross_entropy", function(device)
  local x = drawn(9, 5000):to(device):requires_grad_()
  local loss = F.cross_entropy(x, torch.arange(9):to(device))
  loss:backward()
  return x:softmax(1), loss, x.grad
end)

check_as_on_cpu("index_put, gather, scatter_add, where, cat", function(device)
  local x = drawn(50, 20):to(device)
  local rows = (torch.arange(200) * 7 % 50):to(device)
  local sums = torch.zeros(50, 20, {device = device}):index_put_({rows}, x:index_select(0, rows), true)
  local there = rows[":20"]:unsqueeze(0):expand(50, 20)
  return sums, x:gather(0, there), x:scatter_add(0, there, x), torch.where(x:gt(0), x, -x), torch.cat({x, sums}, 1)
end)

check_as_on_cpu("embedding", function(device)
  local weight = drawn(30, 16):to(device):requires_grad_()
  local y = F.embedding((torch.arange(500) * 11 % 30):to(device), weight)
  y:square():sum():backward()
  return y, weight.grad
end, 1e-3)

check("dropout, multinomial, randn, randperm", function()
  local n = 100000
  local kept = F.dropout(torch.ones(n, {device = cuda}), 0.25):gt(0):sum():item() / n
  assert(math.abs(kept - 0.75) < 0.01, "dropout keeps " .. kept)
  local share = torch.multinomial(torch.tensor({0., 3., 1.}, {device = cuda}), n // 10, true):eq(1):sum():item() / (n // 10)
  assert(math.abs(share - 0.75) < 0.03, "multinomial draws the first at " .. share)
  local x = torch.randn(n, {device = cuda})
  assert(math.abs(x:mean():item()) < 0.02 and math.abs(x:std():item() - 1) < 0.02, "randn")
  assert((torch.randperm(1000, {device = cuda}):sort()):equal(torch.arange(1000, {device = cuda})), "randperm")
end)

-- ---- training ----

-- Checks that the losses of three steps in mixed precision are those of float32, up to the digits of the dtype.
local function check_autocast(dtype, tolerance)
  check("autocast in " .. tostring(dtype):sub(7) .. ", GradScaler", function()
    local function losses(mixed)
      torch.manual_seed(2)
      local model = nn.Sequential(nn.Linear(20, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 4))
      local x, y = drawn(16, 20):to(cuda), (torch.arange(16) % 4):to(cuda)
      model:to(cuda)
      local optimizer = torch.optim.AdamW(model:parameters(), {lr = 0.01})
      local scaler = torch.amp.GradScaler("cuda", {enabled = mixed and dtype == torch.float16})
      local told = {}
      for step = 1, 3 do
        optimizer:zero_grad()
        local loss
        do
          local _ <close> = torch.autocast("cuda", {dtype = dtype, enabled = mixed})
          loss = F.cross_entropy(model(x), y)
        end
        scaler:scale(loss):backward()
        scaler:step(optimizer)
        scaler:update()
        told[step] = loss:item()
      end
      return told
    end
    local exact, mixed = losses(false), losses(true)
    for step, loss in ipairs(exact) do
      assert(math.abs(loss - mixed[step]) < tolerance * loss, ("loss %d is %g, in float32 %g"):format(step, mixed[step], loss))
    end
  end)
end
check_autocast(torch.float16, 0.01)
check_autocast(torch.bfloat16, 0.05)

check_as_on_cpu("a convolutional network learns", function(device)
  torch.manual_seed(3)
  local model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 3)):to(device)
  local x, y = drawn(12, 1, 8, 8):to(device), (torch.arange(12) % 3):to(device)
  local optimizer = torch.optim.SGD(model:parameters(), {lr = 0.1, momentum = 0.9})
  local losses = {}
  for step = 1, 5 do
    optimizer:zero_grad()
    losses[step] = F.cross_entropy(model(x), y)
    losses[step]:backward()
    nn.utils.clip_grad_norm_(model:parameters(), 1)
    optimizer:step()
  end
  return table.unpack(losses)
end, 1e-3)

check("an index out of range is told", function()
  local ok, why = pcall(function()
    return torch.arange(3, {device = cuda}):index_select(0, torch.tensor({5}, {device = cuda})):tolist()
  end)
  assert(not ok and tostring(why):find "out of bounds", tostring(why))
end)

print(("%d failed"):format(failed))
os.exit(failed == 0)
