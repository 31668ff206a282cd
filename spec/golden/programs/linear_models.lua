-- Principal components by svd and eigh; ridge regression by solve, lstsq, cholesky, inv and pinv.
local torch = require "torch"
torch.set_printoptions{precision = 3, sci_mode = false}
local function show(name, t) print(name, t.dtype, t.shape, t:detach():flatten()["-8:"]) end
for _, dtype in ipairs {torch.float32, torch.float64} do
  torch.manual_seed(7)
  local X = torch.randn(40, 6):to(dtype):requires_grad_()
  local Xc = X - X:mean(0)
  local U, S, Vh = torch.linalg.svd(Xc, {full_matrices = false})
  show("S", S) show("Vh|", Vh:abs()) show("explained", S ^ 2 / (S ^ 2):sum())
  local scores = Xc:matmul(Vh["0:2"].T)
  show("scores", scores:abs())
  local rec = scores:matmul(Vh["0:2"]) + X:mean(0)
  local l = (X - rec):pow(2):mean() + S[0]:log()
  l:backward() print(torch.format("%.3f", l)) show("gX", X.grad)
  local L, Q = torch.linalg.eigh(Xc.T:matmul(Xc) / 39)
  show("L", L) show("Q", Q:abs())
  -- ridge
  local y = torch.randn(40, 2):to(dtype)
  X.grad = nil
  local A = X.T:matmul(X) + 0.5 * torch.eye(6, {dtype = dtype})
  local beta = torch.linalg.solve(A, X.T:matmul(y))
  show("beta", beta)
  local aug, zer = torch.cat{X, math.sqrt(0.5) * torch.eye(6, {dtype = dtype})}, torch.zeros(6, 2, {dtype = dtype})
  local sol = torch.linalg.lstsq(aug, torch.cat{y, zer})
  show("lstsq", sol)
  local c = torch.linalg.cholesky(A)
  show("chol", torch.cholesky_solve(X.T:matmul(y), c))
  show("inv", torch.linalg.inv(A):matmul(X.T):matmul(y))
  show("pinv", torch.linalg.pinv(X):matmul(y))
  local loss
  local sign, logdet = torch.linalg.slogdet(A)
  loss = beta:pow(2):sum() + logdet + sol:sum() + c:sin():sum()
  loss:backward() print(torch.format("%.3f", loss)) show("gX", X.grad)
  local q, rr = torch.linalg.qr(X) show("r", rr:abs())
  print(torch.linalg.matrix_rank(X):item(), torch.format("%.4e", torch.linalg.det(A)), torch.format("%.3f", torch.linalg.cond(A)))
end
