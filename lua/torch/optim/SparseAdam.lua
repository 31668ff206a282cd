-- optim/SparseAdam.lua: torch.optim.SparseAdam, which accepts sparse gradients only. Tocha has none, so its step raises
-- PyTorch's error for dense ones.
local torch = ...
local support = torch._part "support"
local common = torch._part "optim.support"
local Optimizer, text, number = torch.optim.Optimizer, common.text, common.number
local fail = support.fail

local SparseAdam = support.class("SparseAdam", Optimizer, "torch.optim.sparse_adam")
local names = {"lr", "betas", "eps", "maximize"}
local read = torch._define "SparseAdam.__init__(params, lr=1e-3, betas?, eps=1e-8, maximize=false)"

function SparseAdam:init(...)
  local a = read(...)
  a.betas = a.betas or {0.9, 0.999}
  if torch.is_tensor(a.lr) and a.lr:numel() ~= 1 then fail("ValueError", "Tensor lr must be 1-element") end
  if number(a.lr) <= 0 then fail("ValueError", "Invalid learning rate: %s", text(a.lr)) end
  if a.eps <= 0 then fail("ValueError", "Invalid epsilon value: %s", text(a.eps)) end
  for i, beta in ipairs(a.betas) do
    if not (beta >= 0 and beta < 1) then fail("ValueError", "Invalid beta parameter at index %d: %s", i - 1, text(beta)) end
  end
  Optimizer.init(self, a.params, {lr = a.lr, betas = a.betas, eps = a.eps, maximize = a.maximize}, names)
end

function SparseAdam:step(closure)
  local loss = closure and closure()
  for _, group in ipairs(self.param_groups) do
    for _, p in ipairs(group.params) do
      if p.grad then fail("RuntimeError", "SparseAdam does not support dense gradients, please consider Adam instead") end
    end
  end
  return loss
end

return SparseAdam
