-- out= of dtypes that are refused, in memory of an input, in other layouts and with gradients.
local torch = require "torch"
local x, m, i = torch.arange(12):to(torch.float32):reshape(3, 4) + 1, torch.tensor({{2.0, 1.0, 0.0}, {1.0, 3.0, 1.0}, {0.0, 1.0, 4.0}}), torch.tensor{0, 2}
local function out_of(dtype) return torch.empty(0, {dtype = dtype}) end
local function try(name, call, out)
  local ok, message = pcall(call, out)
  print(name, ok or (tostring(message):match "[^\n]*"), out:size(), out.dtype)
end
local calls = {
  {"diag", function(out) torch.diag(x[0], {out = out}) end},
  {"mean", function(out) torch.mean(x, {out = out}) end},
  {"mean of doubles", function(out) torch.mean(x:to(torch.float64), 0, {out = out}) end},
  {"matrix_power", function(out) torch.matrix_power(m, 3, {out = out}) end},
  {"kron", function(out) torch.kron(m, m, {out = out}) end},
  {"matrix_rank", function(out) torch.linalg.matrix_rank(m, {out = out}) end},
  {"solve_triangular", function(out) torch.linalg.solve_triangular(m, m, {upper = true, out = out}) end},
  {"heaviside", function(out) torch.heaviside(x, x, {out = out}) end},
  {"index_copy", function(out) torch.index_copy(x, 0, i, x[{i}], {out = out}) end},
}
for _, dtype in ipairs {torch.bool, torch.int64, torch.float64} do
  for _, call in ipairs(calls) do try(call[1], call[2], out_of(dtype)) end
end
print((tostring(select(2, pcall(torch.normal, x, x, {out = out_of(torch.int64)}))):match "[^\n]*"))
print((tostring(select(2, pcall(torch.normal, 0.0, x, {out = out_of(torch.bool)}))):match "[^\n]*"))
-- wrong in two ways: which is said
local function both(name, call) try(name, call, out_of(torch.bool)) end
both("masked_select", function(out) torch.masked_select(x, torch.ones(7, {dtype = torch.bool}), {out = out}) end)
both("heaviside", function(out) torch.heaviside(x, torch.ones(7), {out = out}) end)
both("logsumexp", function(out) torch.logsumexp(x, 9, {out = out}) end)
both("cholesky_solve", function(out) torch.cholesky_solve(x, torch.ones(7), {out = out}) end)
both("tensorinv", function(out) torch.linalg.tensorinv(x, 9, {out = out}) end)
both("vecdot", function(out) torch.linalg.vecdot(x, torch.ones(7), {out = out}) end)
both("cat", function(out) torch.cat({x, torch.ones(7, 2, 2)}, 0, {out = out}) end)
-- memory that an input has, too
local function shifted(t) return t:as_strided({t:numel() - 1}, {1}, 1) end
local line = torch.arange(6):to(torch.float32) + 1
local function memory(name, call) try(name, call, shifted(line)) end
memory("polygamma", function(out) torch.polygamma(1, line:narrow(0, 0, 5), {out = out}) end)
memory("ldexp", function(out) torch.ldexp(line:narrow(0, 0, 5), torch.ones(5), {out = out}) end)
-- who takes part in a graph
local g = x:clone():requires_grad_()
local function graph(name, call) try(name, call, out_of(torch.float32)) end
graph("msort", function(out) torch.msort(g, {out = out}) end)
graph("orgqr", function(out) torch.orgqr(m:clone():requires_grad_(), torch.ones(3), {out = out}) end)
graph("norm", function(out) torch.norm(g, "fro", 0, {out = out}) end)
