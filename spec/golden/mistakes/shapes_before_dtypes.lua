-- cpu only: integers divided by zero are no error there
-- Of elementwise operators the shapes are looked at before the dtypes and the values.
local torch = require "torch"
local function attempt(f, ...)
  local ok, result = pcall(f, ...)
  if ok then return print(result) end
  print((tostring(result):match "[^\n]*"))
end
local x, column, odd = torch.zeros(3), torch.zeros(3, 1), torch.zeros(2)
for _, name in ipairs {"bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift"} do
  for _, other in ipairs {x, column, odd, x:long(), column:long()} do
    attempt(torch[name], x, other)
    attempt(x[name .. "_"], x:clone(), other)
    attempt(x[name .. "_"], x:long(), other)
  end
end
for _, name in ipairs {"floor_divide", "remainder", "fmod"} do
  for _, other in ipairs {x:long(), odd:long(), torch.tensor(0), 0} do
    attempt(torch[name], torch.ones(3):long(), other)
    attempt(torch[name], torch.zeros(0, 3):long(), other)
    attempt(torch[name], torch.zeros(0, 1):long(), other)
  end
end
