-- lowrank.lua: torch.svd_lowrank and pca_lowrank, randomized decompositions (Halko, Martinsson, Tropp, 2009, algorithms 4.4 and
-- 5.1), and torch.lu. They consist of operators.
local torch = ...

-- Returns an orthonormal basis of the images of q random vectors under A, improved by niter products with A and its transpose.
local function basis(A, q, niter)
  local dtype = A.dtype.is_floating_point and A.dtype or torch.float32
  local Q = torch.linalg.qr(A:matmul(torch.randn(A.shape[-1], q, {dtype = dtype, device = A.device})))
  for _ = 1, niter do
    Q = torch.linalg.qr(A.mT:matmul(Q))
    Q = torch.linalg.qr(A:matmul(Q))
  end
  return Q
end

local function rows_and_columns(A)
  if A:dim() < 2 then torch._raise("ValueError", ("not enough values to unpack (expected 2, got %d)"):format(A:dim())) end
  return A.shape[-2], A.shape[-1]
end

local function svd(A, q, niter, M)
  local m, n = rows_and_columns(A)
  if M then A = A - M:broadcast_to(A.shape) end
  local wide = m < n
  if wide then A = A.mT end
  local Q = basis(A, q or 6, niter or 2)
  local U, S, Vh = torch.linalg.svd(Q.mT:matmul(A), false)
  U = Q:matmul(U)
  if wide then return Vh.mT, S, U end
  return U, S, Vh.mT
end

local function pca(A, q, center, niter)
  local m, n = rows_and_columns(A)
  local smaller = math.min(m, n)
  q = q or math.min(6, smaller)
  if q < 0 or q > smaller then
    torch._raise("ValueError", ("q(=%s) must be non-negative integer and not greater than min(m, n)=%d"):format(q, smaller))
  end
  if niter < 0 then torch._raise("ValueError", ("niter(=%s) must be non-negative integer"):format(niter)) end
  if center then A = A - A:mean{dim = -2, keepdim = true} end
  return svd(A, q, niter)
end

local function lu(A, pivot, get_infos)
  if get_infos then return torch.linalg.lu_factor_ex(A, {pivot = pivot}) end
  return torch.linalg.lu_factor(A, {pivot = pivot})
end
local options = "bool pivot=true, bool get_infos=false)"
local of_method = torch._define("Tensor.lu(" .. options)

return {
  svd = torch._define("svd_lowrank(Tensor A, int? q, int? niter, Tensor? M)", svd),
  pca = torch._define("pca_lowrank(Tensor A, int? q, bool center=true, int niter=2)", pca),
  lu = torch._define("_lu_no_infos(Tensor A, " .. options, lu),
  lu_of = function(self, ...)
    local a = of_method(...)
    return lu(self, a.pivot, a.get_infos)
  end,
}
