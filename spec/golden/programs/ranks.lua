-- cpu only: names any of equal elements there
-- Medians, the greatest few and orders of rows of all lengths, with equal elements, NaN and infinities among them.
local torch = require "torch"
local function row(n, range) return torch.arange(n):mul(7919):add(13):remainder(1009):remainder(range) end
for _, n in ipairs {1, 2, 3, 15, 16, 17, 40, 64, 65, 100, 129, 300, 511, 1025, 5000, 40000} do
  for _, range in ipairs {1, 2, 7, 1009} do
    local k = row(n, range)
    for _, x in ipairs {k, k:float():div(7):sub(3), k:double():neg(), k:to(torch.int32):sub(5)} do
      local value, place = x:median(0)
      local low, at = x:nanmedian(0)
      print(n, range, x.dtype, x:median():item(), value:item(), place:item(), low:item(), at:item())
    end
    if n > 2 then
      local x = k:double():mul(0.5)
      x[n // 2], x[n // 3] = 0 / 0, -1 / 0
      local value, place = x:median(0)
      local low, at = x:nanmedian(0)
      print(n, range, value:item(), place:item(), low:item(), at:item(), x:nanmedian():item())
    end
  end
end
local values, places = row(6000, 1009):view(20, 300):median(0)
print(values["-6:"], places["-6:"])
for _, n in ipairs {3, 20, 100, 400, 2000} do
  for _, range in ipairs {2, 1009} do
    local x = row(n, range):float()
    local top, at = x:topk(3)
    local least, where = x:topk(math.min(n, 18), 0, false)
    print(n, range, top, at, least["-2:"], where["-2:"])
    local sorted, order = x:sort({stable = true})
    print(sorted["-3:"], order["-3:"], order:mul(torch.arange(n)):sum())
  end
end
