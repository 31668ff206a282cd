-- cpu only: names any of equal elements there
-- which of equal elements a selection names: PyTorch's CPU algorithms decide
local torch = require "torch"

local function show(...)
  for _, t in ipairs {...} do print(table.concat(t:reshape(-1):tolist(), " ")) end
end
local few = torch.tensor {2, 0, 1, 2, 1, 0, 2, 2, 1, 0, 0, 2}
local many = torch.arange(300):mul(7):remainder(5)
local nan = torch.tensor {1, 0 / 0, 2, 0 / 0, 1, 0 / 0, 2, 0}
for _, x in ipairs {few, many, many:to(torch.float64), torch.full({5}, 2.5), nan, torch.full({40}, -2)} do
  for _, k in ipairs {1, 2, 4, 5} do
    show(select(2, x:topk(k)))
    show(select(2, x:topk(k, 0, false)))
    show(select(2, x:topk(k, 0, true, false)))
    show(select(2, x:kthvalue(k)))
  end
  show(select(2, x:mode()))
  show(select(2, x:median(0)))
  show(select(2, x:nanmedian(0)))
end
