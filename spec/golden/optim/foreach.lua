-- Operators on lists of tensors: torch._foreach_*, in their forms, in place, with gradients, and their errors.
local torch = require "torch"
torch.set_printoptions{precision = 4, sci_mode = false}
local t = torch.tensor

-- Prints the tensors of a list, or the first line of the error.
local function show(what, f, ...)
  local ok, list = pcall(f, ...)
  if not ok then
    print(what, (tostring(list):match "[^\n]*"))
    return
  end
  for i = 1, #list do print(what, list[i].dtype, list[i]) end
end
local function lists() return {t{0.25, 0.5, -0.75}, t{{0.125}, {0.375}}} end
local function others() return {t{1.5, -2.0, 0.5}, t{{3.0}, {0.25}}} end

for _, name in ipairs{"abs", "acos", "asin", "atan", "ceil", "cos", "cosh", "erf", "erfc", "exp", "expm1", "floor", "frac", "lgamma", "neg",
    "reciprocal", "round", "sigmoid", "sign", "sin", "sinh", "tan", "tanh", "trunc"} do
  show(name, torch["_foreach_" .. name], lists())
  local written = lists()
  torch["_foreach_" .. name .. "_"](written)
  print(written[2])
end
for _, name in ipairs{"log", "log10", "log1p", "log2", "rsqrt", "sqrt"} do
  local positive = torch._foreach_abs(lists())
  show(name, torch["_foreach_" .. name], positive)
  local written = {positive[1]:clone(), positive[2]:clone()}
  torch["_foreach_" .. name .. "_"](written)
  print(written[1])
end
for _, name in ipairs{"add", "sub", "mul", "div", "clamp_min", "clamp_max", "maximum", "minimum"} do
  local f, in_place = torch["_foreach_" .. name], torch["_foreach_" .. name .. "_"]
  show(name, f, lists(), others())
  show(name, f, lists(), 0.25)
  show(name, f, lists(), {0.25, 2})
  local written = lists()
  in_place(written, others())
  in_place(written, 0.5)
  print(written[1], written[2])
  show(name, f, lists(), {t{1.0}})
  show(name, f, lists(), {1.0})
end
for _, name in ipairs{"add", "mul", "div"} do show(name, torch["_foreach_" .. name], lists(), t(2.0)) end
show("alpha", torch._foreach_add, lists(), others(), {alpha = 3})
show("alpha", torch._foreach_sub, lists(), others(), {alpha = 0.5})
show("alpha", torch._foreach_add, lists(), t(2.0), {alpha = 3})
show("one element", torch._foreach_add, lists(), t{2.0, 3.0})
show("pow", torch._foreach_pow, lists(), 2)
show("pow", torch._foreach_pow, lists(), {2, 3})
show("pow", torch._foreach_pow, others(), {t{2.0, 2.0, 2.0}, t{{1.0}, {2.0}}})
show("pow", torch._foreach_pow, 2, lists())

for _, name in ipairs{"addcmul", "addcdiv"} do
  local f, in_place = torch["_foreach_" .. name], torch["_foreach_" .. name .. "_"]
  show(name, f, lists(), others(), others())
  show(name, f, lists(), others(), others(), {value = 0.5})
  show(name, f, lists(), others(), others(), {0.5, 2})
  show(name, f, lists(), others(), others(), t{0.5, 2.0})
  show(name, f, lists(), others(), others(), t{0.5, 2.0, 3.0})
  show(name, f, lists(), others(), others(), {0.5})
  show(name, f, lists(), {t{1.0}}, others())
  local written = lists()
  in_place(written, others(), others(), 2)
  print(written[1])
end
show("lerp", torch._foreach_lerp, lists(), others(), 0.25)
show("lerp", torch._foreach_lerp, lists(), others(), torch._foreach_abs(lists()))
show("lerp", torch._foreach_lerp, lists(), others(), {0.25, 0.75})
show("lerp", torch._foreach_lerp, lists(), {t{1.0}}, 0.5)
local written = lists()
torch._foreach_lerp_(written, others(), 0.5)
print(written[1])

show("norm", torch._foreach_norm, lists())
show("norm", torch._foreach_norm, lists(), 1)
show("norm", torch._foreach_norm, lists(), math.huge)
show("norm", torch._foreach_norm, lists(), 2, {dtype = torch.float64})
show("powsum", torch._foreach_powsum, lists(), 3)
show("max", torch._foreach_max, lists())
show("max", torch._foreach_max, {torch.zeros(0)})
show("mm", torch._foreach_mm, {torch.ones(2, 2)}, {torch.ones(2, 3)})
show("mm", torch._foreach_mm, {torch.ones(2, 2)}, {torch.ones(2, 3), torch.ones(2, 2)})
show("clone", torch._foreach_clone, lists())
written = lists()
torch._foreach_copy_(written, others())
print(written[1])
show("copy_", torch._foreach_copy_, written, {t{1.0}})
torch._foreach_zero_(written)
print(written[2])

-- dtypes
show("integers", torch._foreach_add, {t{1, 2}}, 1.5)
show("integers", torch._foreach_add_, {t{1, 2}}, 1.5)
show("integers", torch._foreach_div, {t{1, 2}}, 2)
show("integers", torch._foreach_sqrt, {t{1, 4}})
show("integers", torch._foreach_norm, {t{1, 2}})
show("bool", torch._foreach_neg, {t{true}})

-- gradients
local x, y = t({1.0, 2.0}, {requires_grad = true}), t({3.0}, {requires_grad = true})
local sum = torch.zeros(1)
local function add(f, ...)
  local ok, list = pcall(f, ...)
  for i = 1, ok and #list do sum = sum + list[i]:sum() end
end
add(torch._foreach_mul, {x, y}, {x, y})
add(torch._foreach_norm, {x, y})
add(torch._foreach_lerp, {x, y}, {x * 2, y * 3}, 0.5)
add(torch._foreach_exp, {x, y})
sum:backward()
print(x.grad, y.grad)
show("leaf", torch._foreach_add_, {x}, 1)
