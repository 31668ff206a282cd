-- optim/LBFGS.lua: torch.optim.LBFGS (Nocedal and Wright, "Numerical Optimization", algorithms 7.4 and 3.5 with cubic
-- interpolation). All parameters are one vector, whose state is stored with the first parameter.
local torch = ...
local support = torch._part "support"
local common = torch._part "optim.support"
local Optimizer, text, number = torch.optim.Optimizer, common.text, common.number
local fail = support.fail

local LBFGS = support.class("LBFGS", Optimizer, "torch.optim.lbfgs")
local names = {"lr", "max_iter", "max_eval", "tolerance_grad", "tolerance_change", "history_size", "line_search_fn", "maximize"}
local read = torch._define("LBFGS.__init__(params, lr=1, max_iter=20, max_eval?, tolerance_grad=1e-7, tolerance_change=1e-9, " ..
  "history_size=100, line_search_fn?, *, maximize=false)")

function LBFGS:init(...)
  local a = read(...)
  if torch.is_tensor(a.lr) and a.lr:numel() ~= 1 then fail("ValueError", "Tensor lr must be 1-element") end
  if number(a.lr) < 0 then fail("ValueError", "Invalid learning rate: %s", text(a.lr)) end
  local defaults = {max_eval = a.max_iter * 5 // 4}
  for _, name in ipairs(names) do
    if a[name] ~= nil then defaults[name] = a[name] end
  end
  Optimizer.init(self, a.params, defaults, names)
  if #self.param_groups ~= 1 then
    fail("ValueError", "LBFGS doesn't support per-parameter options (parameter groups)")
  end
end

-- --- the parameters as one vector ---------------------------------------------------------------------------

function LBFGS:gather_flat_grad()
  local views = {}
  for i, p in ipairs(self.param_groups[1].params) do
    views[i] = p.grad and p.grad:reshape(-1) or torch.zeros_like(p):reshape(-1)
  end
  local flat = torch.cat(views, 0)
  return self.param_groups[1].maximize and flat:neg_() or flat
end

function LBFGS:add_direction(step, direction)
  local offset, alpha = 0, number(step)
  for _, p in ipairs(self.param_groups[1].params) do
    local n = p:numel()
    p:add_(direction:narrow(0, offset, n):view_as(p), {alpha = alpha})
    offset = offset + n
  end
end

-- Returns the loss and the gradient at x + step * direction, and sets the parameters back to x.
function LBFGS:evaluate(closure, x, step, direction)
  self:add_direction(step, direction)
  local loss = self:loss_of(closure())
  local flat = self:gather_flat_grad()
  for i, p in ipairs(self.param_groups[1].params) do p:copy_(x[i]) end
  return loss, flat
end

function LBFGS:loss_of(value)
  value = number(value) + 0.0
  return self.param_groups[1].maximize and -value or value
end

-- --- line search --------------------------------------------------------------------------------------------
-- Steps and derivatives are 0-dim tensors in the parameters' dtype, as PyTorch's are, or numbers.

local function at_most(a, b) return number(a) <= number(b) end
local function smaller(a, b) return number(b) < number(a) and b or a end   -- Python's min and max: the first of equal ones
local function larger(a, b) return number(b) > number(a) and b or a end

-- Returns the minimum of the cubic through two points with their derivatives, between the bounds.
local function cubic_interpolate(x1, f1, g1, x2, f2, g2, low, high)
  if not low then
    if at_most(x1, x2) then low, high = x1, x2 else low, high = x2, x1 end
  end
  local d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
  local square = d1 ^ 2 - g1 * g2
  if number(square) >= 0 then
    if not at_most(x1, x2) then x1, g1, x2, g2 = x2, g2, x1, g1 end
    local d2 = square:sqrt()
    local position = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
    return smaller(larger(position, low), high)
  end
  return (low + high) / 2.0
end

local C1, C2, SMALLEST_CHANGE = 1e-4, 0.9, 1e-9

-- Steps forward until the minimum is passed. Returns a bracket of two points {t, f, g, gtd}, or of the accepted point alone, and
-- the step, the evaluations and the iterations.
local function find_bracket(evaluate, t, d, start, new, max_iterations)
  local previous, evaluations, iteration = start, 1, 0
  while iteration < max_iterations do
    local first = number(new.f) > number(start.f + C1 * t * start.gtd) or (iteration > 1 and new.f >= previous.f)
    if first then return {previous, new}, t, evaluations, iteration end
    if at_most(torch.abs(new.gtd), -C2 * start.gtd) then return {new, done = true}, t, evaluations, iteration end
    if number(new.gtd) >= 0 then return {previous, new}, t, evaluations, iteration end
    local minimum, maximum = t + 0.01 * (t - previous.t), t * 10
    local following = cubic_interpolate(previous.t, previous.f, previous.gtd, t, new.f, new.gtd, minimum, maximum)
    previous, t = new, following
    local f, g = evaluate(t)
    new = {t = t, f = f, g = g, gtd = g:dot(d)}
    evaluations, iteration = evaluations + 1, iteration + 1
  end
  return {{t = 0, f = start.f, g = start.g, gtd = start.gtd}, new}, t, evaluations, iteration
end

local function order(bracket)
  if bracket[1].f <= bracket[#bracket].f then return 1, 2 end
  return 2, 1
end

-- Returns a trial step inside the bracket that is not close to its ends twice in a row.
local function trial(bracket, stuck)
  local a, b = bracket[1], bracket[2]
  local t = cubic_interpolate(a.t, a.f, a.gtd, b.t, b.f, b.gtd)
  local low, high = smaller(a.t, b.t), larger(a.t, b.t)
  local margin = 0.1 * (high - low)
  if number(smaller(high - t, t - low)) >= number(margin) then return t, false end
  if not (stuck or at_most(high, t) or at_most(t, low)) then return t, true end
  if math.abs(number(t - high)) < math.abs(number(t - low)) then return high - margin, false end
  return low + margin, false
end

-- Makes the bracket smaller until the Wolfe conditions are satisfied. Returns the best point and the number of evaluations.
local function zoom(evaluate, bracket, d, start, max_iterations, iteration)
  local width, evaluations, stuck = d:abs():max(), 0, false
  local low, high = order(bracket)
  local done = bracket.done
  while not done and iteration < max_iterations do
    if number(torch.abs(torch.as_tensor(bracket[2].t - bracket[1].t)) * width) < SMALLEST_CHANGE then break end
    local t
    t, stuck = trial(bracket, stuck)
    local f, g = evaluate(t)
    local new = {t = t, f = f, g = g, gtd = g:dot(d)}
    evaluations, iteration = evaluations + 1, iteration + 1
    if number(f) > number(start.f + C1 * t * start.gtd) or f >= bracket[low].f then
      bracket[high] = new
      low, high = order(bracket)
    else
      if at_most(torch.abs(new.gtd), -C2 * start.gtd) then
        done = true
      elseif number(new.gtd * (bracket[high].t - bracket[low].t)) >= 0 then
        bracket[high] = bracket[low]
      end
      bracket[low] = new
    end
  end
  return bracket[low], evaluations
end

local function strong_wolfe(evaluate, t, d, loss, flat_grad, gtd, max_iterations)
  local f, g = evaluate(t)
  local start = {t = 0, f = loss, g = flat_grad:clone(), gtd = gtd}
  local bracket, _, evaluations, iteration = find_bracket(evaluate, t, d, start, {t = t, f = f, g = g, gtd = g:dot(d)}, max_iterations)
  local point, more = zoom(evaluate, bracket, d, start, max_iterations, iteration)
  return point.f, point.g, point.t, evaluations + more
end

-- --- directions ---------------------------------------------------------------------------------------------

-- Returns the approximate inverse Hessian times -gradient, from the steps remembered in m.
local function direction_of(m, state, flat_grad, history_size)
  local y, s = flat_grad:sub(m.prev_flat_grad), m.d:mul(m.t)
  local ys = y:dot(s)
  if ys:item() > 1e-10 then
    if #m.old_dirs == history_size then
      table.remove(m.old_dirs, 1)
      table.remove(m.old_stps, 1)
      table.remove(m.ro, 1)
    end
    table.insert(m.old_dirs, y)
    table.insert(m.old_stps, s)
    table.insert(m.ro, 1.0 / ys)
    m.H_diag = ys / y:dot(y)
  end
  local n = #m.old_dirs
  state.al = state.al or {}
  local al, q = state.al, flat_grad:neg()
  for i = n, 1, -1 do
    al[i] = m.old_stps[i]:dot(q) * m.ro[i]
    q:add_(m.old_dirs[i], {alpha = -al[i]:item()})
  end
  local d = torch.mul(q, m.H_diag)
  for i = 1, n do
    local be = m.old_dirs[i]:dot(d) * m.ro[i]
    d:add_(m.old_stps[i], {alpha = (al[i] - be):item()})
  end
  return d
end

local MEMORY = {"d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss"}

local function next_direction(m, state, flat_grad, group)
  if state.n_iter == 1 then
    m.d, m.old_dirs, m.old_stps, m.ro, m.H_diag = flat_grad:neg(), {}, {}, {}, 1
  else
    m.d = direction_of(m, state, flat_grad, group.history_size)
  end
  if m.prev_flat_grad then m.prev_flat_grad:copy_(flat_grad) else m.prev_flat_grad = flat_grad:clone() end
end

-- Moves along m.d. Returns the loss and gradient there (the old ones in the last iteration), and the number of calls of the
-- closure.
function LBFGS:move(closure, m, loss, flat_grad, gtd, last, max_iterations)
  local search = self.param_groups[1].line_search_fn
  if search then
    if search ~= "strong_wolfe" then fail("RuntimeError", "only 'strong_wolfe' is supported") end
    local x = {}
    for i, p in ipairs(self.param_groups[1].params) do x[i] = p:clone() end
    local function evaluate(t) return self:evaluate(closure, x, t, m.d) end
    local calls
    loss, flat_grad, m.t, calls = strong_wolfe(evaluate, m.t, m.d, loss, flat_grad, gtd, max_iterations)
    self:add_direction(m.t, m.d)
    return loss, flat_grad, calls
  end
  self:add_direction(m.t, m.d)
  if last then return loss, flat_grad, 0 end
  loss = self:loss_of(closure())
  return loss, self:gather_flat_grad(), 1
end

-- Iterates until a stopping condition is met.
function LBFGS:iterate(closure, state, m, loss, flat_grad)
  local group = self.param_groups[1]
  local lr, evaluations, optimal = number(group.lr), 1, false
  for i = 1, group.max_iter do
    state.n_iter = state.n_iter + 1
    next_direction(m, state, flat_grad, group)
    m.prev_loss = loss
    m.t = lr
    if state.n_iter == 1 then m.t = smaller(1.0, 1.0 / flat_grad:abs():sum()) * lr end
    local gtd = flat_grad:dot(m.d)
    if gtd:item() > -group.tolerance_change then return end
    local calls
    loss, flat_grad, calls = self:move(closure, m, loss, flat_grad, gtd, i == group.max_iter, group.max_eval - evaluations)
    if calls > 0 or group.line_search_fn then optimal = flat_grad:abs():max():item() <= group.tolerance_grad end
    evaluations, state.func_evals = evaluations + calls, state.func_evals + calls
    if i == group.max_iter or evaluations >= group.max_eval or optimal or
        m.d:mul(m.t):abs():max():item() <= group.tolerance_change or math.abs(loss - m.prev_loss) < group.tolerance_change then
      return
    end
  end
end

function LBFGS:step(closure)
  if type(closure) ~= "function" then fail("TypeError", "LBFGS.step() missing 1 required positional argument: 'closure'") end
  local first = self.param_groups[1].params[1]
  if not first then return closure() end
  local state = self.state[first]
  state.func_evals, state.n_iter = state.func_evals or 0, state.n_iter or 0
  local original = closure()
  state.func_evals = state.func_evals + 1
  local flat_grad = self:gather_flat_grad()
  if flat_grad:abs():max():item() <= self.param_groups[1].tolerance_grad then return original end
  local m = {}
  for _, name in ipairs(MEMORY) do m[name] = state[name] end
  self:iterate(closure, state, m, self:loss_of(original), flat_grad)
  for _, name in ipairs(MEMORY) do state[name] = m[name] end
  return original
end

return LBFGS
