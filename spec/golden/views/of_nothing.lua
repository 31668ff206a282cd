-- cpu only: operands of another dtype are converted in the loop there, not before
-- An out= of a dtype that is refused has the result's shape all the same, where PyTorch resizes first.
local torch = require "torch"
local i = torch.ones(2, 3)
local calls = {
  function(out) torch.rand(2, 3, {out = out}) end,
  function(out) torch.randn(2, 3, {out = out}) end,
  function(out) torch.linspace(0, 1, 5, {out = out}) end,
  function(out) torch.stack({i, i}, {out = out}) end,
  function(out) torch.var(i, 0, {out = out}) end,
  function(out) torch.std(i, 0, {out = out}) end,
  function(out) torch.mean(i, 0, {out = out}) end,
  function(out) torch.dot(torch.ones(3), torch.ones(3), {out = out}) end,
  function(out) torch.addbmm(torch.zeros(1), torch.ones(1, 2, 2), torch.ones(1, 2, 3), {out = out}) end,
  function(out) torch.cumsum(i, 0, {out = out}) end,
  function(out) torch.arange(5, {out = out}) end,
  function(out) torch.sin(i, {out = out}) end,
  function(out) torch.sum(i, 0, {out = out}) end,
  function(out) torch.nonzero(i, {out = out}) end,
}
for _, dtype in ipairs {torch.bool, torch.int64} do
  for _, call in ipairs(calls) do
    local out = torch.zeros(0, {dtype = dtype})
    print((pcall(call, out)), out.shape, out:numel() > 0 and out:dim() > 1 and out:stride(-1) or "-")
  end
end
-- Other answers of nothing, and of operands that are converted first.
local x = torch.arange(3.0)
print(torch.broadcast_tensors(x, torch.ones(3))[1])
print(x["1"]:sum_to_size({}):storage_offset(), torch.tensor{true}:sum_to_size({}))
local given = torch.ones(2)
print((pcall(torch.rand, 5, {dtype = torch.float64, out = given})), given)
print(torch.ones(1, 2, 1, 2):transpose(1, 3):bool():isfinite():stride(0))
local leaf = torch.arange(3.0, {requires_grad = true})
print(torch.broadcast_tensors(leaf, torch.ones(3))[1])
print(leaf:diff{n = 0}, torch.arange(3):diff{n = 0, prepend = torch.ones(2)})
print(torch.addmv(torch.tensor{3.0}, torch.ones(0, 2), torch.ones(2), {beta = 2}))
local none = torch.zeros(2, 3):nonzero():double()
print(none:stride(1), none:exp_())
print(torch.bincount(torch.zeros(0, {dtype = torch.int64}), torch.zeros(0)), torch.dropout(torch.tensor{true}, 1.0, true))
local bytes = torch.zeros(3, 2, {dtype = torch.uint8})["..., 0::3"]
print(bytes:exp():stride(1), bytes:float():stride(1), (bytes + 1.5):stride(1), (bytes + 1):stride(1), (2 / bytes):stride(1))
