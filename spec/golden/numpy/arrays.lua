-- cpu only: arrays are on the CPU
-- Making arrays, arithmetic, shared memory.
local torch = require "torch"
local np = require "torch.numpy"
local a = np.array{1, 2, 3}
print(a, a.dtype, a.shape, a.ndim, a.size, a.nbytes)
print(a + 1, a * 2, a - 0.5, a / 2, a + a)
print(np.zeros{2, 3}, np.ones(3), np.arange(5), np.arange(1.0, 2.0, 0.25), np.linspace(0, 1, 5))
print(np.eye(2))
print(np.array{{1.5, 2}, {3, 4}}.T, np.array{{1.5, 2}, {3, 4}}.shape)
local t = torch.ones(2, 3)
local shared = t:numpy()
t:add_(1)
print(shared, shared.dtype, shared.shape)
print(torch.from_numpy(np.array{1.5, 2.5}))
print(np.array(torch.tensor{1, 2}), torch.tensor(np.array{1.0, 2.0}))
print(a:sum(), a:max(), a:argmax(), a:mean())
print(a:reshape(3, 1))
print(np.sqrt(np.array{1.0, 4.0}), np.concatenate{a, a})
np.random.seed(42)
print(np.random.rand(3))
print(np.random.randn(2, 2))
print(np.random.randint(0, 10, 5))
print(np.random.permutation(6))
print(np.random.normal(5, 2, {3}), np.random.uniform(-1, 1, 2))
np.random.seed{1, 2, 3}
print(np.random.rand(2), np.random.randint(0, 1000, 3))
np.random.seed{4294967295}
print(np.random.permutation(5))
