-- kernels.lua: launches the kernels to examine with NVIDIA's ncu, each once at a size beyond the cache: bench/on_card profile.
local torch = require "torch"
local F = torch.nn.functional
local SMALL = os.getenv "SMALL" == "1" or os.getenv "TOCHA_CUDA" == "simulate"
local n = SMALL and 64 or 8192

local function rand(dtype, ...) return torch.rand{size = {...}, device = "cuda"}:to(dtype) end

for _, dtype in ipairs{torch.float32, torch.bfloat16} do
  local a, b, row = rand(dtype, n, n), rand(dtype, n, n), rand(dtype, n)
  for _, run in ipairs{
    function() return a + b end, function() return a + row end, function() return a:float() + b end,
    function() return F.gelu(a) end, function() return F.silu(a) end, function() return a:sigmoid() end, function() return a:tanh() end,
    function() return a:sum(0) end, function() return a:sum(1) end, function() return a:sum() end,
    function() return a:argmax(1) end, function() return a:var(0) end,
    function() return a:softmax(1) end, function() return a:softmax(0) end, function() return rand(dtype, n // 8, 6 * n + 1):softmax(1) end,
    function() return a:cumsum(0) end, function() return a:cumsum(1) end, function() return a:t():contiguous() end,
    function() return a[torch.randint(0, n, {size = {n}, device = "cuda"})] end, function() return (a:sort(1)) end,
  } do run() end
end

-- ---- convolution, norms, attention, pooling, resampling, recurrent layers, places, random numbers: forward and backward ----

local nn = torch.nn
local function both(f, ...)
  local x = rand(torch.float32, ...):requires_grad_()
  local y = f(x)
  if type(y) == "table" then y = y[1] end
  y:sum():backward()
end
local batch, size = SMALL and 2 or 32, SMALL and 8 or 112
local function on_gpu(module) return module:to "cuda" end

both(on_gpu(nn.Conv2d(8, 8, 3, {padding = 1})), batch, 8, size, size)
both(on_gpu(nn.BatchNorm2d(8)), batch, 8, size, size)
both(on_gpu(nn.LayerNorm(1024)), batch * 16, 1024)
both(on_gpu(nn.GroupNorm(2, 8)), batch, 8, size, size)
both(function(x) return F.max_pool2d(x, 3, 2, 1) end, batch, 8, size, size)
both(function(x) return F.avg_pool2d(x, 2) end, batch, 8, size, size)
both(function(x) return F.interpolate(x, {scale_factor = 2, mode = "bilinear"}) end, batch, 8, size, size)
both(function(x) return F.scaled_dot_product_attention(x, x, x, {is_causal = true}) end, 2, 4, SMALL and 16 or 1024, 64)
both(on_gpu(nn.LSTM(64, 64)), SMALL and 3 or 16, batch, 64)
both(on_gpu(nn.GRU(64, 64)), SMALL and 3 or 16, batch, 64)
local grid = rand(torch.float32, 2, size, size, 2) * 2 - 1
both(function(x) return F.grid_sample(x, grid, {align_corners = false}) end, 2, 3, size, size)
local places = torch.randint(0, n, {size = {n}, device = "cuda"})
both(function(x) return F.embedding(places, x) end, n, 64)
both(function(x) return x:scatter_add(0, places:unsqueeze(1):expand(n, 64), x) end, n, 64)
both(function(x) return F.dropout(x, 0.5) end, n, 64)
both(function(x) return F.cross_entropy(x, places % 64) end, n, 64)
both(function(x) return (x:topk(10, 1)) end, n, 512)
both(function(x) return torch.where(x:gt(0.5), x, -x) end, n, 64)
torch.multinomial(rand(torch.float32, 8, 1024), 64)
torch.unique(places)
torch.cuda.synchronize()
