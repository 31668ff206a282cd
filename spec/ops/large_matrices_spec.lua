-- Factors of matrices that are large enough to be made in panels: their products are the matrix again, and what LAPACK says of singular
-- and indefinite ones is said of these.
local torch = require "torch"
local linalg = torch.linalg

local SIZES = {float32 = {{1700, 1700}}, float64 = {{1900, 1500}, {1500, 1900}}}

local function greatest(x) return x:abs():max():item() end

local function matrix(rows, columns, dtype)
  torch.manual_seed(1)
  return torch.rand(rows, columns, {dtype = dtype})
end

local function positive(n, dtype)
  local a = matrix(n, n, dtype)
  return a:mm(a.mT) / n + torch.eye(n, {dtype = dtype})
end

for kind, tolerance in pairs {float32 = 1e-4, float64 = 1e-12} do
  local dtype = torch[kind]
  describe("of " .. kind, function()
    for _, size in ipairs(SIZES[kind]) do
      local name = ("%d x %d"):format(size[1], size[2])

      it("LU, " .. name, function()
        local a = matrix(size[1], size[2], dtype)
        local P, L, U = linalg.lu(a)
        assert.is_true(greatest(P:mm(L):mm(U) - a) < tolerance)
        assert.is_true(greatest(L) <= 1)   -- the pivots are the greatest
      end)

      it("QR, " .. name, function()
        local a = matrix(size[1], size[2], dtype)
        local Q, R = linalg.qr(a)
        assert.is_true(greatest(Q:mm(R) - a) < tolerance)
        assert.is_true(greatest(Q.mT:mm(Q) - torch.eye(Q.shape[1], {dtype = dtype})) < tolerance)
        assert.equal(0, greatest(R:tril(-1)))
      end)
    end

    it("QR with all columns", function()
      local a = matrix(2000, 1100, dtype)
      local Q, R = linalg.qr(a, {mode = "complete"})
      assert.is_true(greatest(Q:mm(R) - a) < tolerance)
      assert.is_true(greatest(Q.mT:mm(Q) - torch.eye(2000, {dtype = dtype})) < tolerance)
    end)

    it("Cholesky, the lower triangle and the upper", function()
      local a = positive(1700, dtype)
      local L, U = linalg.cholesky(a), linalg.cholesky(a, {upper = true})
      assert.is_true(greatest(L:mm(L.mT) - a) < tolerance)
      assert.equal(0, greatest(L:triu(1)))
      assert.is_true(greatest(U.mT:mm(U) - a) < tolerance)
      assert.equal(0, greatest(U:tril(-1)))
      a[{1500, 1500}] = -1
      local _, info = linalg.cholesky_ex(a)
      assert.equal(1501, info:item())
    end)

    it("systems", function()
      local a, b = positive(1700, dtype), matrix(1700, 1600, dtype)
      assert.is_true(greatest(a:mm(linalg.solve(a, b)) - b) < tolerance)
      assert.is_true(greatest(linalg.inv(a):mm(a) - torch.eye(1700, {dtype = dtype})) < tolerance)
      assert.is_true(greatest(a:mm(torch.cholesky_solve(b, linalg.cholesky(a))) - b) < tolerance)
    end)

    it("a singular matrix", function()
      local a = matrix(1700, 1700, dtype)
      a[":, 1400"] = 0
      local LU, _, info = linalg.lu_factor_ex(a)
      assert.equal(1401, info:item())
      assert.is_false(LU:isnan():any():item())
      assert.error_matches(function() linalg.inv(a) end, "singular")
    end)
  end)
end
