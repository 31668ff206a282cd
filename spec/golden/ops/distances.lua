-- cpu only: has the digits of the CPU's sums
-- pdist and cdist: the digits of their sums, few columns and many, no number and no distance.
local torch = require "torch"
local F = torch.nn.functional
torch.manual_seed(3)
local function show(t) print((torch.format("%.9g", t:double():sum()):gsub("e[+-]0*", "e")), t:isnan():sum()) end
for _, dtype in ipairs {torch.float32, torch.float64} do
  for _, columns in ipairs {1, 3, 8, 37} do
    local x, y = torch.randn(11, columns, {dtype = dtype}), torch.randn(2, 10, columns, {dtype = dtype})
    for _, p in ipairs {0.0, 1.0, 2.0, 1 / 0} do
      show(F.pdist(x, p))
      show(torch.cdist(x, y, p))
    end
    print(torch.format("%.6g", torch.cdist(x, y, 3.0):double():sum()))
    print(torch.cdist(y[0], y[1], 0.5)[4], F.pdist(x["0:3"], 1.5))
  end
end
local odd = torch.tensor {{0 / 0, 1.0}, {2.0, 3.0}, {1 / 0, 3.0}}
for _, p in ipairs {0.0, 1.0, 2.0, 3.0, 1 / 0} do print(p, F.pdist(odd, p), torch.cdist(odd, odd, p)) end
print(F.pdist(torch.zeros(4, 0)), F.pdist(torch.zeros(1, 3)), torch.cdist(torch.zeros(2, 0), torch.zeros(3, 0)))
