-- split, chunk and unbind answer tables.
local torch = require "torch"
local x = torch.arange(10)
for _, t in ipairs(x:split(4)) do print(t) end
for _, t in ipairs(x:split({1, 2, 7})) do print(t) end
for _, t in ipairs(x:chunk(3)) do print(t) end
for _, t in ipairs(x:view(2, 5):split(2, 1)) do print(t) end
for _, t in ipairs(x:view(2, 5):unbind()) do print(t) end
for _, t in ipairs(x:view(5, 2):unbind{dim = 1}) do print(t) end
for _, t in ipairs(torch.chunk(x:view(5, 2), 2, {dim = 0})) do print(t) end
print(#x:chunk(20), #x:split(3), #torch.unbind(x))
x:split(5)[2][0] = -1
print(x)
local a, b = table.unpack(x:chunk(2))
print(a:sum(), b:sum())
