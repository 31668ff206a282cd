-- The first error of functions that PyTorch writes in Python, of their aliases, and of nonzero.
local torch = require "torch"
local F = torch.nn.functional
local env = {torch = torch, F = F, x = torch.ones(3, 4), theta = torch.ones(2, 2, 3)}
local function try(text)
  local ok, e = pcall(function() return load("return " .. text, "=s", "t", env)() end)
  print(text .. " -> " .. (ok and "ok" or (tostring(e):match "[^\n]*")))
end

for _, text in ipairs {
  "split()", "split(x)", "split(x, 2, 0, 7)", "split(x, 2, {bogus = 1})", "split{tensor = x, split_size_or_sections = 2}", "split(1.5, 2)",
  "split(nil, 2)", "split({1.5}, {2, 1})", "split(x, 'x')", "split(x, {1.5})", "split(x, 1.5)", "split(x, x)", "split(x, {'a'})",
  "split(x, {2, 1}, 'x')", "split(x, {2, 1}, {dim = 1.5})", "split(x, {2, 2})", "split(x, -1)", "split(x, 0)",
  "norm()", "norm(x, {bogus = 1})", "norm('x')", "norm(1.5)", "norm({x})", "norm(x, {p = {}})", "norm(x, x)",
  "norm(x, {dim = 'x'})", "norm(x, {dim = 1.5})", "norm(x, {dim = {1.5}})", "norm(x, {keepdim = 'x'})", "norm(x, {dtype = 2})", "norm(x, 'fro', {dim = 'x'})",
  "norm(x, 'fro', {dtype = 2})", "norm(x, 'bogus')",
  "cdist()", "cdist(x)", "cdist(x, 2)", "cdist(2, x)", "cdist(x, x, 'x')", "cdist(x, x, {bogus = 1})", "cdist(x, x, {p = {}})",
  "block_diag(2)", "cartesian_prod(2)", "broadcast_tensors(2)", "meshgrid(2)",
  "lu()", "lu(x, {bogus = 1})", "nonzero()", "nonzero(x, 7)", "nonzero(x, x)", "nonzero(2)", "nonzero(x, {bogus = 1})",
  "special.round()", "special.round({})", "special.round(x, 7)", "special.round(x, {decimals = 'x'})", "special.round(x, {bogus = 1})",
} do try("torch." .. text) end
for _, text in ipairs {
  "normalize(x, {p = {}})", "normalize(x, {p = x})", "normalize(x, x)", "normalize(x, {dim = 'x'})", "normalize(x, {dim = {1.5}})",
  "affine_grid(theta, 2, false)", "affine_grid(theta, torch.float32, false)", "affine_grid(theta, {2, 1}, false)",
} do try("F." .. text) end
