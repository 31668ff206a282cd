-- linalg_spec.lua: linear algebra on a GPU, by cuSOLVER and cuBLAS, against the CPU: single matrices, batches of small ones (which take
-- functions for batches) and of larger ones, and errors.
local torch = require "torch"
local gpus = require "gpus"
local section = gpus.with_one
local linalg = torch.linalg

local function close(got, expected, what)
  assert.equal("cuda", got.device.type, what)
  assert.is_true(torch.allclose(got:cpu(), expected, {rtol = 1e-4, atol = 1e-4}), what)
end

-- Symmetric matrices with positive eigenvalues.
local function positive(...)
  local a = torch.randn(...)
  return a:matmul(a.mT) + 3 * torch.eye(a:size(-1))
end

local shapes = {{5, 5}, {3, 5, 5}, {2, 2, 4, 4}, {2, 40, 40}, {1, 6, 6}}

it("torch.backends.cuda.preferred_linalg_library keeps PyTorch's words", function()
  local prefer = torch.backends.cuda.preferred_linalg_library
  assert.equal("_LinalgBackend.Default", prefer())
  assert.equal("_LinalgBackend.Cusolver", prefer "cusolver")
  assert.has_error(function() prefer "lapack" end)
  assert.has_error(function() prefer(3) end)
  assert.equal("_LinalgBackend.Default", prefer "default")
end)

section("linear algebra on a GPU", function()
  before_each(function() torch.manual_seed(3) end)

  for _, shape in ipairs(shapes) do
    local size = shape[#shape]
    local title = table.concat(shape, "x")
    it("factors and solves " .. title, function()
      local a, b = torch.randn(shape) + 2 * torch.eye(size), torch.randn{size = {size, 4}}
      local d, e = a:cuda(), b:cuda()
      close(linalg.det(d), linalg.det(a), "det")
      local sign, logarithm = linalg.slogdet(d)
      local sign_there, logarithm_there = linalg.slogdet(a)
      close(sign, sign_there, "sign")
      close(logarithm, logarithm_there, "logarithm")
      close(linalg.inv(d), linalg.inv(a), "inv")
      close(d:matmul(linalg.solve(d, e)), b:expand_as(a:matmul(b)), "solve")
      close(linalg.solve(d, e.mT:contiguous(), {left = false}), linalg.solve(a, b.mT:contiguous(), {left = false}), "solve from the right")
      local p, l, u = linalg.lu(d)
      close(p:matmul(l):matmul(u), a, "lu")
      local lu, pivots = linalg.lu_factor(d)
      close(d:matmul(linalg.lu_solve(lu, pivots, e:expand_as(d:matmul(e)))), b:expand_as(a:matmul(b)), "lu_solve")
    end)

    it("factors symmetric " .. title, function()
      local a, b = positive(table.unpack(shape)), torch.randn{size = {size, 2}}
      local d, e = a:cuda(), b:cuda()
      for _, upper in ipairs {false, true} do
        local factor = linalg.cholesky(d, {upper = upper})
        close(factor, linalg.cholesky(a, {upper = upper}), "cholesky")
        close(torch.cholesky_solve(e, factor, upper), linalg.solve(a, b), "cholesky_solve")
        close(torch.cholesky_inverse(factor, upper), linalg.inv(a), "cholesky_inverse")
        close(linalg.solve_triangular(factor, e, {upper = upper}), linalg.solve_triangular(factor:cpu(), b, {upper = upper}), "solve_triangular")
      end
      local w, v = linalg.eigh(d)
      close(w, linalg.eigvalsh(a), "eigenvalues")
      close(v:matmul(torch.diag_embed(w)):matmul(v.mT), a, "eigenvectors")
      close(linalg.eigvalsh(d), w:cpu(), "eigvalsh")
    end)
  end

  for _, shape in ipairs {{6, 4}, {4, 6}, {3, 6, 4}, {3, 4, 6}, {2, 40, 33}, {2, 33, 40}} do
    it("decomposes " .. table.concat(shape, "x"), function()
      local a = torch.randn(shape)
      local d = a:cuda()
      for _, full in ipairs {false, true} do
        local u, s, vh = linalg.svd(d, {full_matrices = full})
        local k = s:size(-1)
        close(s, linalg.svdvals(a), "singular values")
        close((u:narrow(-1, 0, k) * s:unsqueeze(-2)):matmul(vh:narrow(-2, 0, k)), a, "svd")
        close(u.mT:matmul(u), torch.eye(u:size(-1)):expand_as(u.mT:matmul(u):cpu()), "orthogonal")
        close(vh:matmul(vh.mT), torch.eye(vh:size(-2)):expand_as(vh:matmul(vh.mT):cpu()), "orthogonal rows")
      end
      close(linalg.svdvals(d), linalg.svdvals(a), "svdvals")
      close(linalg.pinv(d), linalg.pinv(a), "pinv")
      assert.is_true(torch.equal(linalg.matrix_rank(d):cpu(), linalg.matrix_rank(a)))
      for _, mode in ipairs {"reduced", "complete"} do
        local q, r = linalg.qr(d, mode)
        close(q:matmul(r), a, "qr " .. mode)
        close(q.mT:matmul(q), torch.eye(q:size(-1)):expand_as(q.mT:matmul(q):cpu()), "q " .. mode)
      end
      local reflections, tau = torch.geqrf(d)
      local c = a:narrow(-1, 0, 2)
      close(torch.ormqr(reflections, tau, c:cuda()), torch.ormqr(reflections:cpu(), tau:cpu(), c), "ormqr")
    end)
  end

  it("has gradients", function()
    local a, b = positive(3, 4, 4), torch.randn(3, 4, 2)
    local d, e = a:cuda():requires_grad_(), b:cuda():requires_grad_()
    a:requires_grad_()
    b:requires_grad_()
    for _, f in ipairs {linalg.solve, function(x, y) return linalg.cholesky(x):sum() + linalg.eigvalsh(x):sum() + linalg.svdvals(y):sum() end} do
      local got, expected = torch.autograd.grad(f(d, e):sum(), {d, e}), torch.autograd.grad(f(a, b):sum(), {a, b})
      for i = 1, 2 do close(got[i], expected[i], "gradient") end
    end
  end)

  it("reports singular matrices, or leaves the code in info", function()
    local zero = torch.zeros(2, 3, 3):cuda()
    assert.has_error(function() linalg.inv(zero) end)
    assert.has_error(function() linalg.cholesky(zero) end)
    assert.is_true(torch.equal(select(2, linalg.inv_ex(zero)):cpu(), torch.tensor({1, 1}, {dtype = torch.int32})))
    assert.is_true(torch.equal(select(2, linalg.cholesky_ex(zero)):cpu(), torch.tensor({1, 1}, {dtype = torch.int32})))
  end)
end)

section("linear algebra on a GPU without cuSOLVER", function()
  it("runs on the CPU, and its results are on the GPU", function()
    local program = [[
      local torch = require "torch"
      local linalg = torch.linalg
      torch.manual_seed(3)
      local a, b = torch.randn(2, 5, 5), torch.randn(2, 5, 2)
      a = a:matmul(a.mT) + 3 * torch.eye(5)
      local d, e = a:cuda():requires_grad_(), b:cuda()
      local function lower(x) return select(3, linalg.lu(x)) end
      local function product(x) local q, r = linalg.qr(x) return q:matmul(r) end
      local function triangular(x, y) return linalg.solve_triangular(x, y, {upper = true}) end
      for k, f in ipairs{linalg.inv, linalg.det, linalg.cholesky, linalg.eigvalsh, linalg.svdvals, lower, product, linalg.solve, triangular} do
        local takes_two = k > 7
        local got, expected = takes_two and f(d, e) or f(d), takes_two and f(a, b) or f(a)
        if got.device.type ~= "cuda" or not torch.allclose(got:detach():cpu(), expected, {rtol = 1e-4, atol = 1e-4}) then
          print(k, got, expected)
        end
      end
      print(torch.autograd.grad(linalg.solve(d, e):sum(), d)[1].device)
    ]]
    gpus.prints("cuda:0\n", "TOCHA_CUDA=simulate TOCHA_SIMULATOR_CUSOLVER=off", program)
  end)
end)
