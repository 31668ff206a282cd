-- scatter_ with reduce=: several elements of one place, of every width.
local torch = require "torch"
for _, dtype in ipairs {torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int8, torch.int64, torch.bool} do
  torch.manual_seed(1)
  local x, s = torch.randn(3, 2):mul(3):to(dtype), torch.randn(3, 9):mul(3):to(dtype)
  local i = torch.tensor{{0, 1, 0, 0, 1, 0, 0, 1, 0}, {1, 1, 1, 1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 1, 1, 1, 1, 0}}
  for _, reduce in ipairs {"add", "multiply"} do
    print(dtype, reduce, x:clone():scatter_(1, i, s, {reduce = reduce}))
    print(x:clone():scatter_(1, i, 2, {reduce = reduce}))
    print(torch.scatter(x:t(), 0, i:t(), s:t(), {reduce = reduce}))
  end
end
print(torch.scatter(torch.tensor(3.0), 0, torch.tensor(0), torch.tensor(2.0), {reduce = "multiply"}))
