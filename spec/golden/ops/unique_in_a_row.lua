-- unique_consecutive: elements and slices, nothing at all, what is not a number, and what is refused.
local torch = require "torch"
local nan = 0 / 0
local function show(x, dim)
  local ok, a, b, c = pcall(torch.unique_consecutive, x, {return_inverse = true, return_counts = true, dim = dim})
  if ok then print(a, b, c) else print(tostring(a):match "[^\n]*") end
end
for _, dtype in ipairs {torch.bool, torch.uint8, torch.int64, torch.bfloat16, torch.float32} do
  local x = torch.tensor{1, 1, 0, 0, 0, 1, 1, 0}:to(dtype)
  show(x) show(x:reshape(2, 4)) show(x:reshape(4, 2), 0) show(x:reshape(2, 4), -1) show(x:reshape(2, 2, 2), 1)
end
show(torch.zeros(0)) show(torch.zeros(0, 2)) show(torch.tensor(3.0)) show(torch.zeros(0, 2), 0)
show(torch.tensor{1, nan, nan}) show(torch.tensor{{1, nan}, {1, nan}, {1, 2}, {1, 2}}, 0)
show(torch.zeros(2, 0), 0) show(torch.zeros(0, 0), 0) show(torch.tensor(1.0), 0) show(torch.zeros(3), 2)
local x = torch.tensor({1.0, 1, 2}, {requires_grad = true})
print(x:unique_consecutive())
local _, words = pcall(function() x:unique_consecutive():sum():backward() end)
print(tostring(words):match "[^\n]*")
-- the function behind it: what was not asked for is empty, except along a dimension of several
for _, dim in ipairs{false, 0, -1} do
  for _, t in ipairs{torch.tensor{1, 1, 2}, torch.tensor{{1, 1}, {1, 1}, {2, 2}}, torch.zeros(0)} do
    for _, asked in ipairs{{}, {return_inverse = true}, {return_counts = true}} do
      print(torch._VF.unique_consecutive(t, {return_inverse = asked.return_inverse, return_counts = asked.return_counts, dim = dim or nil}))
    end
  end
end
