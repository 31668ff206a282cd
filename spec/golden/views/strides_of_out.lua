-- out= that grows keeps its place in the storage.
local torch = require "torch"
local i = torch.ones(2, 3)
local function show(f)
  for _, out in ipairs {torch.zeros(8)["2:4"], torch.zeros(4, 3)["1, :0"], torch.zeros(3, 5):t(), torch.zeros(3, 2):t()} do
    f(out)
    local strides = {}
    for d = 0, out:dim() - 1 do strides[d + 1] = out:stride(d) end
    print(out.shape, table.concat(strides, " "), out:storage_offset())
    print(out)
  end
end
show(function(out) torch.cat({i, i}, {out = out}) end)
show(function(out) torch.add(i, 1, {out = out}) end)
show(function(out) torch.linspace(0, 1, 5, {out = out}) end)
show(function(out) torch.eye(3, {out = out}) end)
