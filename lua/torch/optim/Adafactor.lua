-- optim/Adafactor.lua: torch.optim.Adafactor (Shazeer and Stern 2018): stores the second moment of a matrix as a row and a
-- column.
local torch = ...
local support = torch._part "support"
local common = torch._part "optim.support"
local Optimizer, text, number = torch.optim.Optimizer, common.text, common.number
local fail = support.fail

local Adafactor = support.class("Adafactor", Optimizer, "torch.optim._adafactor")
local names = {"eps", "lr", "beta2_decay", "d",   -- in the order in which PyTorch's step reads them
  "weight_decay", "foreach", "maximize"}
local read = torch._define("Adafactor.__init__(params, lr=1e-2, beta2_decay=-0.8, eps?, d=1.0, weight_decay=0.0, *, foreach?, maximize=false)")

local function check(condition, message, value)
  if not condition then fail("ValueError", message, text(value)) end
end

function Adafactor:init(...)
  local a = read(...)
  a.eps = a.eps or {nil, 1e-3}
  local defaults = {}
  for _, name in ipairs(names) do defaults[name] = a[name] end
  if torch.is_tensor(a.lr) and a.lr:numel() ~= 1 then fail("ValueError", "Tensor lr must be 1-element") end
  check(number(a.lr) >= 0, "Learning rate should be >= 0 but is: %s", a.lr)
  check(a.beta2_decay <= 0, "beta2_decay should be <= 0 but is: %s", a.beta2_decay)
  check(a.eps[1] == nil or a.eps[1] >= 0, "epsilon1 should be >= 0 but is: %s", a.eps[1])
  check(a.eps[2] >= 0, "epsilon2 should be >= 0 but is: %s", a.eps[2])
  check(a.d >= 1, "Clipping threshold d should be >= 1 but is: %s", a.d)
  check(a.weight_decay >= 0, "weight_decay should be >= 0 but is: %s", a.weight_decay)
  Optimizer.init(self, a.params, defaults, names)
end

local function new_state(state, grad)
  state.step = torch.tensor(0.0)
  if grad.ndim < 2 then
    state.variance = torch.zeros_like(grad)
    return
  end
  state.row_var, state.col_var = torch.zeros_like(grad:select(-1, 0)):unsqueeze(-1), torch.zeros_like(grad:select(-2, 0)):unsqueeze(-2)
end

-- Returns the mean of the squares along dim.
local function mean_square(grad, dim)
  return torch.linalg.vector_norm(grad, {dim = dim, keepdim = true}):square_():div_(grad:size(dim))
end

local function estimate_variance(state, grad, weight, eps1)
  if grad.ndim < 2 then
    state.variance:lerp_(grad * grad, weight)
    return state.variance:clone()
  end
  state.row_var:lerp_(mean_square(grad, -1), weight)
  state.col_var:lerp_(mean_square(grad, -2), weight)
  local estimate = state.row_var:matmul(state.col_var)
  return estimate:div_(state.row_var:mean{dim = -2, keepdim = true}:clamp_{min = eps1})
end

local function step_one(p, group, state)
  local grad = group.maximize and -p.grad or p.grad
  if next(state) == nil then new_state(state, grad) end
  local eps1, lr = group.eps[1] or torch.finfo(p.dtype).eps, number(group.lr)
  state.step:add_(1)
  local step = state.step:item()
  local alpha = math.max(group.eps[2], p:norm(2):item() / p:numel() ^ 0.5) * math.min(lr, 1 / step ^ 0.5)
  if group.weight_decay ~= 0 then p:mul_(1 - lr * group.weight_decay) end
  local update = estimate_variance(state, grad, step ^ group.beta2_decay, eps1):clamp_{min = eps1 * eps1}:rsqrt_()
  update:mul_(grad)
  local denominator = math.max(1.0, update:norm(2):item() / (update:numel() ^ 0.5 * group.d))
  p:add_(update, {alpha = -alpha / denominator})
end

function Adafactor:step(closure) return common.step_each(self, closure, step_one) end

return Adafactor
