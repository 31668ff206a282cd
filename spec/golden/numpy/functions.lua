-- cpu only: arrays are on the CPU
-- Functions of numpy that are thin layers over those of tensors.
local np = require "torch.numpy"
local a = np.array{{3, 1, 2}, {9, 7, 8}}
local b = np.array{0.5, 2.5, 1.5, 2.5}
print(np.column_stack{{1, 2}, {3, 4}})
print(np.column_stack{np.arange(2), np.ones{2, 2}})
local grid = np.meshgrid(np.arange(3), np.arange(2))
print(grid[1], grid[2])
grid = np.meshgrid(np.arange(3), np.arange(2), {indexing = "ij"})
print(grid[1], grid[2])
for _, part in ipairs(np.split(np.arange(6), 3)) do print(part) end
for _, part in ipairs(np.split(np.arange(6), {1, 4})) do print(part) end
local _, problem = pcall(np.split, np.arange(5), 2)
print((tostring(problem):match "[^\n]*"))
print(np.tile(np.arange(3), 2), np.tile(np.arange(2), {2, 2}))
print(np["repeat"](np.arange(3), 2), np["repeat"](a, 2, {axis = 1}))
print(np.flip(a), np.flip(a, 0), np.roll(a, 1), np.roll(a, 1, {axis = 1}))
print(np.diag{1, 2}, np.triu(a), np.tril(a, -1))
print(np.swapaxes(a, 0, 1), np.moveaxis(np.ones{2, 3, 4}, 0, -1).shape)
print(np.atleast_1d(3), np.atleast_2d{1, 2})
print(np.full_like(a, 7), np.full_like(a, 7, {dtype = np.float32}))
print(np.logspace(0, 2, 3))
print(np.sort(a), np.sort(a, {axis = 0}), np.argsort(a), np.argsort(b))
print(np.diff(b), np.diff(a, {axis = 0}), np.diff(b, {n = 2}))
print(np.unique(b))
print(np.unique(b, {return_inverse = true, return_counts = true}))
print(np.unique(b, {return_index = true}))
print(np.nonzero(np.array{0, 3, 0, 4})[1])
print(np.argwhere(np.array{{0, 3}, {1, 4}}), np.count_nonzero(a), np.bincount{1, 1, 3})
print(np.searchsorted({1, 2, 3}, 2), np.searchsorted({1, 2, 3}, {0, 2.5}))
print(np.arctan(np.array{0, 1}), np.arctan2(1.0, 2.0), np.hypot(3, 4))
print(np.round(b), np.round(np.array{1.234, 5.678}, 1), np.round(a))
print(np.outer({1, 2}, {3, 4}), np.isclose({1.0, 2.0}, {1.0, 2.1}), np.trace(np.eye(3)))
print(np.quantile(b, 0.5), np.percentile(b, 25), np.median(a), np.median(a, {axis = 0}), np.percentile(b, {25, 75}))
print(np.finfo(np.float32).eps, np.iinfo(np.int16).max, np.dtype "float32")
