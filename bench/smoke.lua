-- Whether a GPU works at all, in seconds: what only a GPU can show comes after what must work first.
--   smoke.lua        SMALL=1 in the environment: small sizes (TOCHA_CUDA=simulate, compute-sanitizer)
local torch = require "torch"
local SMALL = os.getenv "SMALL" == "1" or os.getenv "TOCHA_CUDA" == "simulate"
local cuda = torch.device "cuda"

local failed = 0
local function check(name, f)
  local start = os.time()
  local ok, why = pcall(f)
  failed = failed + (ok and 0 or 1)
  print(("%-7s %s%s, %d s"):format(ok and (why and "skipped" or "ok") or "FAILED", name, why and ": " .. tostring(why) or "", os.time() - start))
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

-- Offsets of more than 31 bits.
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

check("an index out of range is told", function()
  local ok, why = pcall(function()
    return torch.arange(3, {device = cuda}):index_select(0, torch.tensor({5}, {device = cuda})):tolist()
  end)
  assert(not ok and tostring(why):find "out of bounds", tostring(why))
end)

print(("%d failed"):format(failed))
os.exit(failed == 0)
