-- linalg_laws.lua: checks the laws of factors and solutions, which do not depend on their signs: their products are the matrix,
-- their columns are orthogonal, they solve the system.
--   local broken = require "linalg_laws"()   a list of texts; empty if no law is broken
local torch = require "torch"
local linalg = torch.linalg

local shapes = {{1, 1}, {2, 2}, {5, 5}, {17, 17}, {60, 60}, {5, 3}, {3, 5}, {40, 7}, {7, 40}, {1, 5}, {5, 1}}
local drivers = {"gels", "gelsy", "gelsd", "gelss"}
local broken, tolerance, title

local function product(...)
  local result = ...
  for i = 2, select("#", ...) do result = result:matmul((select(i, ...))) end
  return result
end

-- Notes if the tensors are further apart than `factor` times the dtype's tolerance.
local function agree(what, a, b, factor)
  local apart = (a - b):abs():max():item()
  if apart > tolerance * (factor or 1) or apart ~= apart then broken[#broken + 1] = ("%s, %s: %g apart"):format(title, what, apart) end
end

local function are_orthogonal(what, columns)
  local n = columns:size(-1)
  agree(what, product(columns.mT, columns), torch.eye(n, {dtype = columns.dtype}):expand(columns:size(0), n, n), 10)
end

local function check_svd(a)
  local k = math.min(a:size(1), a:size(2))
  for _, full in ipairs {false, true} do
    local u, s, vh = linalg.svd(a, {full_matrices = full})
    are_orthogonal("svd's U", u)
    are_orthogonal("svd's V", vh.mT)
    agree("svd", product(u:narrow(2, 0, k) * s:unsqueeze(-2), vh:narrow(1, 0, k)), a, 10 * k)
    agree("svd's order", s:sort(-1, true), s, 0)
    agree("svdvals", linalg.svdvals(a), s, 10)
  end
end

local function check_least_squares(random)
  local m, n = random:size(1), random:size(2)
  local k, b = math.min(m, n), torch.randn(random:size(0), m, 3, {dtype = random.dtype})
  local a = random / (4 * math.sqrt(math.max(m, n))) + torch.eye(m, n, {dtype = random.dtype})   -- far from singular
  local inverse = linalg.pinv(a)
  agree("pinv", product(a, inverse, a), a, 50 * k)
  for _, driver in ipairs(drivers) do
    local x, left, rank = linalg.lstsq(a, b, {driver = driver})
    agree(driver, x, product(inverse, b), 100)
    if driver ~= "gels" then agree(driver .. "'s rank", rank:double(), torch.full({a:size(0)}, k):double()) end
    if driver ~= "gelsy" and a:size(1) > a:size(2) then agree(driver .. "'s residuals", left, (product(a, x) - b):square():sum(-2), 1000) end
  end
end

local function check_qr(a)
  for _, mode in ipairs {"reduced", "complete"} do
    local q, r = linalg.qr(a, mode)
    are_orthogonal("qr", q)
    agree("qr", product(q, r), a, 10)
  end
  local reflections, tau = torch.geqrf(a)
  local q, c = linalg.qr(a, "complete"), torch.randn(a:size(0), a:size(1), 3, {dtype = a.dtype})
  for _, transposed in ipairs {false, true} do
    local factor = transposed and q.mT or q
    agree("ormqr from the left", torch.ormqr(reflections, tau, c, true, transposed), product(factor, c), 100)
    agree("ormqr from the right", torch.ormqr(reflections, tau, c.mT, false, transposed), product(c.mT, factor), 100)
  end
end

local function check_triangular(a, b)
  for i = 0, 7 do
    local upper, left, unit = i % 2 == 1, i // 2 % 2 == 1, i // 4 == 1
    local t = upper and a:triu() or a:tril()
    if unit then t = t / t:diagonal {dim1 = -2, dim2 = -1}:unsqueeze(-1) end
    local right = left and b or b.mT
    local x = linalg.solve_triangular(t, right, {upper = upper, left = left, unitriangular = unit})
    agree(("solve_triangular, upper %s, left %s"):format(upper, left), left and product(t, x) or product(x, t), right, 1000)
  end
end

local function check_definite(a, b)
  local n = a:size(1)
  local c = product(a, a.mT) + n * torch.eye(n, {dtype = a.dtype})
  local lower, upper = linalg.cholesky(c), linalg.cholesky(c, {upper = true})
  agree("cholesky", product(lower, lower.mT), c, 20 * n)
  agree("cholesky, upper", product(upper.mT, upper), c, 20 * n)
  agree("cholesky_inverse", product(torch.cholesky_inverse(lower), c), product(c, torch.cholesky_inverse(upper, {upper = true})).mT, 100 * n)
  agree("cholesky_solve", product(c, torch.cholesky_solve(b, lower)), b, 100 * n)
  agree("cholesky_solve, upper", product(c, torch.cholesky_solve(b, upper, {upper = true})), b, 100 * n)
  check_triangular(c / n, b)
end

local function check_symmetric(a, b)
  local n = a:size(1)
  local h = a + a.mT
  for _, uplo in ipairs {"L", "U"} do
    local w, z = linalg.eigh(h, uplo)
    are_orthogonal("eigh", z)
    agree("eigh", product(z * w:unsqueeze(-2), z.mT), h, 20 * n)
    agree("eigvalsh", linalg.eigvalsh(h, uplo), w, 20 * n)
    agree("eigh's order", w:sort(), w, 0)
  end
  local ld, pivots = linalg.ldl_factor(h)
  agree("ldl_solve", product(h, linalg.ldl_solve(ld, pivots, b)), b, 5000 * n)
end

local function check_lu(a, b)
  local n = a:size(1)
  local c = a + n * torch.eye(n, {dtype = a.dtype})
  local lu, pivots = linalg.lu_factor(c)
  agree("solve", product(c, linalg.solve(c, b)), b, 100 * n)
  agree("solve from the right", product(linalg.solve(c, b.mT, {left = false}), c), b.mT, 100 * n)
  agree("lu_solve, adjoint", product(c.mT, linalg.lu_solve(lu, pivots, b, {adjoint = true})), b, 100 * n)
  agree("inv", product(linalg.inv(c), c), torch.eye(n, {dtype = a.dtype}):expand_as(c), 100 * n)
  local s, logarithm = linalg.slogdet(c / n)
  agree("slogdet", s * logarithm:exp() / linalg.det(c / n), torch.ones_like(s), 100 * n)
end

-- Checks matrices whose rank is smaller than their sizes.
local function check_deficient(dtype)
  local a = product(torch.randn(1, 9, 2, {dtype = dtype}), torch.randn(1, 2, 6, {dtype = dtype}))
  title = "rank 2, " .. tostring(dtype)
  check_svd(a)
  check_svd(torch.zeros(1, 4, 3, {dtype = dtype}))
  check_svd(a.mT)
  for i = 2, #drivers do
    local x, _, rank = linalg.lstsq(a, a, {driver = drivers[i]})
    agree(drivers[i] .. "'s rank", rank:double(), torch.tensor({2.0}, {dtype = torch.float64}))
    agree(drivers[i], product(a, x), a, 100)
  end
  agree("det", linalg.det(torch.ones(1, 3, 3, {dtype = dtype})), torch.zeros(1, {dtype = dtype}))
  local matrix = torch.tensor({{{0.0, 1, 2}, {1, 0, 3}, {2, 3, 0}}}, {dtype = dtype})   -- no pivot on its diagonal
  local ld, pivots = linalg.ldl_factor(matrix)
  agree("ldl_solve", product(matrix, linalg.ldl_solve(ld, pivots, matrix)), matrix, 10)
end

return function()
  broken = {}
  torch.manual_seed(1)
  for dtype, eps in pairs {[torch.float32] = 1e-5, [torch.float64] = 1e-13} do
    tolerance = eps
    for _, shape in ipairs(shapes) do
      local a = torch.randn(2, shape[1], shape[2], {dtype = dtype})
      title = ("(%d, %d), %s"):format(shape[1], shape[2], tostring(dtype))
      check_svd(a)
      check_least_squares(a)
      check_qr(a)
      local p, l, u = linalg.lu(a)
      agree("lu", product(p, l, u), a, 10)
      if shape[1] == shape[2] then
        local b = torch.randn(2, shape[1], 3, {dtype = dtype})
        check_definite(a, b)
        check_symmetric(a, b)
        check_lu(a, b)
      end
    end
    check_deficient(dtype)
  end
  return broken
end
