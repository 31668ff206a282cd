-- optim/Muon.lua: torch.optim.Muon (Jordan et al. 2024): momentum made orthogonal by Newton and Schulz's iteration in bfloat16.
local torch = ...
local support = torch._part "support"
local common = torch._part "optim.support"
local Optimizer, text, number = torch.optim.Optimizer, common.text, common.number
local fail = support.fail

local Muon = support.class("Muon", Optimizer, "torch.optim._muon")
local names = {"lr", "weight_decay", "momentum", "nesterov", "ns_coefficients", "eps", "ns_steps", "adjust_lr_fn"}
local read = torch._define("Muon.__init__(params, lr=1e-3, weight_decay=0.1, momentum=0.95, nesterov=true, ns_coefficients?, eps=1e-7, " ..
  "ns_steps=5, adjust_lr_fn?)")

-- The factors of the learning rate for an a x b matrix.
local ratios = {
  original = function(a, b) return math.sqrt(math.max(1, a / b)) end,
  match_rms_adamw = function(a, b) return 0.2 * math.sqrt(math.max(a, b)) end,
  spectral_unclamped = function(a, b) return math.sqrt(a / b) end,
}

local function check(condition, message, value)
  if not condition then fail("ValueError", message, text(value)) end
end

function Muon:init(...)
  local a, defaults = read(...), {}
  a.ns_coefficients = a.ns_coefficients or {3.4445, -4.775, 2.0315}
  for _, name in ipairs(names) do defaults[name] = a[name] end
  if torch.is_tensor(a.lr) and a.lr:numel() ~= 1 then fail("ValueError", "Tensor lr must be 1-element") end
  check(number(a.lr) >= 0, "Learning rate should be >= 0 but is: %s", a.lr)
  check(a.momentum >= 0, "momentum should be >= 0 but is: %s", a.momentum)
  check(a.weight_decay >= 0, "weight decay should be >= 0 but is: %s", a.weight_decay)
  check(a.adjust_lr_fn == nil or ratios[a.adjust_lr_fn], "Adjust learning rate function %s is not supported", a.adjust_lr_fn)
  Optimizer.init(self, a.params, defaults, names)
  for _, group in ipairs(self.param_groups) do
    for _, p in ipairs(group.params) do
      check(p.ndim == 2, "Muon only supports 2D parameters whereas we found a parameter with size: %s", tostring(p:size()))
    end
  end
end

-- Returns approximately the nearest orthogonal matrix to `update`: applies a quintic polynomial to its singular values, `steps`
-- times.
local function orthogonal(update, group)
  if group.ns_steps >= 100 then fail("ValueError", "Number of steps must be less than 100 for computational efficiency") end
  if #group.ns_coefficients ~= 3 then fail("ValueError", "Coefficients must be a tuple of exactly 3 values") end
  local a, b, c = table.unpack(group.ns_coefficients)
  local tall = update:size(0) > update:size(1)
  local x = update:to{dtype = torch.bfloat16, copy = true}
  if tall then x = x.T end
  x:div_(x:norm():clamp{min = group.eps})
  for _ = 1, group.ns_steps do
    local gram = x:matmul(x.T)
    x = torch.addmm(x, torch.addmm(gram, gram, gram, {beta = b, alpha = c}), x, {beta = a})
  end
  return tall and x.T or x
end

local function step_one(p, group, state)
  state.momentum_buffer = state.momentum_buffer or torch.zeros_like(p.grad)
  state.momentum_buffer:lerp_(p.grad, 1 - group.momentum)
  local update = group.nesterov and p.grad:lerp(state.momentum_buffer, group.momentum) or state.momentum_buffer
  update = orthogonal(update, group)
  local lr = number(group.lr)
  p:mul_(1 - lr * group.weight_decay)
  p:add_(update, {alpha = -lr * ratios[group.adjust_lr_fn or "original"](p:size(0), p:size(1))})
end

function Muon:step(closure) return common.step_each(self, closure, step_one) end

return Muon
