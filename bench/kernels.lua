-- The kernels worth a look by NVIDIA's ncu, each launched once at a size beyond the cache: bench/on_card profile.
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
torch.cuda.synchronize()
