-- The kernels worth a look by NVIDIA's ncu, each launched once at a size beyond the cache: bench/on_card profile.
local torch = require "torch"
local F = torch.nn.functional
local SMALL = os.getenv "SMALL" == "1" or os.getenv "TOCHA_CUDA" == "simulate"
local n = SMALL and 64 or 8192

local function rand(dtype, ...) return torch.rand{size = {...}, device = "cuda"}:to(dtype) end

for _, dtype in ipairs{torch.float32, torch.bfloat16} do
  local a, b, row = rand(dtype, n, n), rand(dtype, n, n), rand(dtype, n)
  local results -- luacheck: ignore (what is measured are the launches)
  results = {a + b, a + row, F.gelu(a), F.silu(a), a:sigmoid(), a:tanh(), a:sum(0), a:sum(1), a:sum(), a:argmax(1), a:var(0)}
  results = {a:softmax(1), a:softmax(0), rand(dtype, n // 8, 6 * n + 1):softmax(1), a:cumsum(0), a:cumsum(1), a:t():contiguous(), a:float() + b}
  results = {a[torch.randint(0, n, {size = {n}, device = "cuda"})], a:sort(1)}
end
torch.cuda.synchronize()
