-- Operands that lie across one another: transposed, permuted, of other types, written in place.
local torch = require "torch"
local function grid(a, b, dtype) return torch.arange(a * b):remainder(97):view(a, b):to(dtype) end
local function show(t) print(t.dtype, t:stride(0), t:stride(1), t:double():mul(torch.arange(t:numel()):remainder(89):view(t.shape)):sum()) end
for _, size in ipairs {{3, 5}, {16, 64}, {33, 40}, {100, 100}, {17, 300}, {300, 15}} do
  local a, b = size[1], size[2]
  for _, dtype in ipairs {torch.float32, torch.float64, torch.int64, torch.uint8, torch.bfloat16} do
    local x, y = grid(a, b, dtype), grid(b, a, dtype)
    show(x + y:t())
    show(y:t() - x)
    show(x * y:double():t())
    show(torch.where(x:gt(50), y:t(), x))
    show(x:lt(y:t()))
    show(x:clone():add_(y:t(), {alpha = 2}))
    show(x:clone():t():mul_(y))
    show(y:t():contiguous():t() + x:t())
  end
end
local x = torch.arange(4 * 30 * 50):view(4, 30, 50):float()
local y = torch.arange(4 * 30 * 50):view(50, 4, 30):float()
show(x + y:permute(1, 2, 0))
show(x:transpose(1, 2) * y:transpose(0, 1))
show(x:permute(2, 0, 1) - y)
show(x:transpose(0, 1):add(y:permute(2, 1, 0), {alpha = 0.5}))
