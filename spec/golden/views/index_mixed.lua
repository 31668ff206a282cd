-- Index tensors among slices: where the result's dimension goes.
local torch = require "torch"
local x = torch.arange(120):reshape(2, 3, 4, 5)
local i = torch.tensor{0, 1}
print(x[{i, i}].shape, x[{":", i}].shape, x[{":", i, i}].shape)
print(x[{":", i, ":", i}].shape, x[{i, ":", i}].shape, x[{0, ":", i}].shape)
print(x[{"...", i}].shape, x[{i, "...", i}].shape, x[{":", "None", i}].shape)
print(x[{0, i, ":", i}].shape)
print(x[{{0, 1}, ":", {0, 1}}].shape)
print(x[{0, ":", {0, 1}, 0}])
print(x[{i, 0, ":", i}])
