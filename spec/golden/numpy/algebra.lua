-- cpu only: arrays are on the CPU
-- Linear algebra, statistics and logic of arrays.
local np = require "torch.numpy"
local a = np.array{{1, 2, 3}, {4, 5, 6}}
local m = np.array{{2.0, 1.0}, {1.0, 4.0}}
print(np.linalg.inv(m))
print(np.linalg.solve(m, np.array{1.0, 2.0}))
print(np.round(np.linalg.norm(a), 6), np.linalg.norm(a, {axis = 1}))
print(np.linalg.matrix_rank(m), np.linalg.matrix_power(m, 2))
print(np.einsum("ij,ij->i", a, a), np.einsum("ij->", a))
print(np.cov(a), np.corrcoef(np.array{1.0, 2.0, 4.0}, np.array{2.0, 1.0, 5.0}))
print(np.logical_and(np.greater(a, 1), np.less(a, 5)), np.logical_not(np.greater(a, 2)))
print(np.isin(a, {1, 5}))
local counts, edges = np.histogram(np.array{1.0, 2.0, 1.0, 4.0}, {bins = 3})
print(counts, edges)
print(np.interp(2.5, {1, 2, 3}, {3, 2, 0}), np.interp(np.array{0.0, 1.5, 9.0}, {1, 2, 3}, {3, 2, 0}))
print(np.round(np.polyfit({0.0, 1.0, 2.0, 3.0}, {1.0, 3.0, 5.0, 7.5}, 1), 6), np.polyval({2.0, 1.0}, np.array{0.0, 3.0}))
print(np.std(a, {axis = 0, ddof = 1}), np.var(a, {ddof = 1}), a:std{axis = 1, ddof = 1})
print(np.cumprod(a, {axis = 1}), a:item(2))
print(a[":, ::-1"], a["::-1"], a["..., ::-2"])
np.random.seed(3)
print(np.random.choice({1, 2, 3}, 4), np.random.choice(5, 3, {replace = false}), np.random.choice(4, {2, 2}))
print(np.random.choice({1, 2, 3}, {size = 6, p = {0.2, 0.5, 0.3}}))
