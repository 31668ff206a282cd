-- optimizers.lua: the optimizers, one entry each. Plain data: runtime/list/write_optimizers.lua generates the class, its
-- options, checks and states, and the step of one element, which the CPU's loops and the GPU's kernel share.
--
--   optimizer "Name" {
--     "(float lr=1e-3, pair betas=(0.9, 0.999), bool? foreach, *, bool maximize=false)",
--                        -- the options in PyTorch's order; by keyword only after *. Kinds: float and Scalar (a number
--                        -- whose kind is the default's), bool, bool? (kept and printed, without effect), pair
--     check = {"lr", "not nesterov or momentum > 0: PyTorch's message about {momentum}", "...: RuntimeError: ..."},
--                        -- in PyTorch's order: a condition, and the ValueError if it is false. A name alone means:
--                        -- not negative (betas: in [0, 1), rho: in [0, 1]), with the usual message.
--                        -- is_float(x), is_tensor(x): tests of the given value's kind
--     states_first = true, -- PyTorch's step reads the states before the options that other classes lack
--     captured = "params and state_steps", -- the tensors that its message for capturable = true on the CPU names
--     states = {"step", "number mu_product = 1", "sum = initial_value", "buffer if momentum != 0"},
--                        -- the states in state_dict: tensors like the parameter, or single numbers ("step" is counted
--                        -- automatically), with their initial values (0), and a condition if not always needed
--     numbers = "step_size = lr / (1 - beta1 ^ step)",
--                        -- computed once a step in float64, as in Python, from options, number states (which may be
--                        -- assigned to), and `first`: a state of this parameter was just created
--     step = "p = add(p, g, -step_size)",
--                        -- the step of an element: p is the parameter, g the gradient; other assigned names that are not
--                        -- states are temporaries. Functions round as torch's of the same name do
--                        -- (runtime/optim/step_math.h). Expressions of only options and numbers are computed in
--                        -- float64 and rounded to the element's type once
--     like = "Adam",     -- copies all fields except options and defaults
--     run = "tocha_run_lbfgs", -- replaces numbers and step: the C function that makes a whole step
--     added = "a b",     -- options that came after the first release: the last fields of the option struct
--     doc = "One sentence, a source.",
--   }
--
-- `pair betas` is beta1 and beta2 in formulas. Three options mean the same everywhere, and are applied before `step`:
-- maximize (the gradient's sign), weight_decay (added to the gradient), decoupled_weight_decay (the parameter shrinks
-- by lr * weight_decay instead). runtime/list/expressions.lua describes the language of formulas.

optimizer "SGD" {
  "(float lr=1e-3, Scalar momentum=0, Scalar dampening=0, Scalar weight_decay=0, bool nesterov=false, *, bool maximize=false, " ..
    "bool? foreach, bool differentiable=false, bool? fused)",
  check = {"lr", "momentum", "weight_decay",
    "not nesterov or momentum > 0 and dampening == 0: Nesterov momentum requires a momentum and zero dampening",
    "not (fused and differentiable): RuntimeError: `fused` does not support `differentiable`",
    "not (fused and foreach): RuntimeError: `fused` and `foreach` cannot be `True` together."},
  states = {"momentum_buffer if momentum != 0"},
  step = [[
    if momentum != 0 then
      if first then
        momentum_buffer = g
      else
        momentum_buffer = add(momentum_buffer * momentum, g, 1 - dampening)
      end
      if nesterov then g = add(g, momentum_buffer, momentum) else g = momentum_buffer end
    end
    p = add(p, g, -lr)
  ]],
  details = "params is model:parameters(), or a table of groups {params = ..., lr = ...} with options of their own. momentum 0.9 is usual; " ..
    "weight_decay adds weight_decay * p to the gradient.",
  doc = "Stochastic gradient descent; Nesterov's momentum as in Sutskever et al. 2013.",
}

optimizer "Adam" {
  "(float lr=1e-3, pair betas=(0.9, 0.999), float eps=1e-8, Scalar weight_decay=0, bool amsgrad=false, *, bool? foreach, " ..
    "bool maximize=false, bool capturable=false, bool differentiable=false, bool? fused, bool decoupled_weight_decay=false)",
  check = {"not is_tensor(lr) or not foreach or capturable: lr as a Tensor is not supported for capturable=False and foreach=True",
    "lr", "eps", "betas", "weight_decay",
    "is_float(beta1) and is_float(beta2) or is_tensor(beta1) and is_tensor(beta2): betas must be either both floats or both Tensors",
    "not is_tensor(beta1) or not foreach or capturable: betas[0] as a Tensor is not supported for capturable=False and foreach=True",
    "not (fused and differentiable): RuntimeError: `fused` does not support `differentiable`",
    "not (fused and foreach): RuntimeError: `fused` and `foreach` cannot be `True` together."},
  states = {"step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq if amsgrad"},
  numbers = "step_size = lr / (1 - beta1 ^ step)",
  step = [[
    exp_avg = lerp(exp_avg, g, 1 - beta1)
    exp_avg_sq = addcmul(exp_avg_sq * beta2, g, g, 1 - beta2)
    v = exp_avg_sq
    if amsgrad then
      max_exp_avg_sq = maximum(v, max_exp_avg_sq)
      v = max_exp_avg_sq
    end
    p = addcdiv(p, exp_avg, sqrt(v) / sqrt(1 - beta2 ^ step) + eps, -step_size)
  ]],
  details = "params is model:parameters(), or a table of groups {params = ..., lr = ...} with options of their own. betas are a table {0.9, " ..
    "0.999}. For weight decay that does not pass through the averages use AdamW.",
  doc = "Adam (Kingma and Ba 2015); amsgrad: Reddi et al. 2018.",
}

optimizer "AdamW" {
  "(float lr=1e-3, pair betas=(0.9, 0.999), float eps=1e-8, float weight_decay=1e-2, bool amsgrad=false, *, bool? foreach, " ..
    "bool maximize=false, bool capturable=false, bool differentiable=false, bool? fused, bool decoupled_weight_decay=true)",
  like = "Adam",
  details = "params is model:parameters(), or a table of groups {params = ..., lr = ...} with options of their own. The weights shrink by lr " ..
    "* weight_decay in each step, apart from the gradient; 0.01 by default.",
  doc = "Adam with decoupled weight decay (Loshchilov and Hutter 2019).",
}

optimizer "Adamax" {
  "(float lr=2e-3, pair betas=(0.9, 0.999), float eps=1e-8, Scalar weight_decay=0, bool? foreach, *, bool maximize=false, " ..
    "bool differentiable=false, bool capturable=false)",
  check = {"lr", "eps", "betas", "weight_decay"},
  states = {"step", "exp_avg", "exp_inf"},
  numbers = "step_size = lr / (1 - beta1 ^ step)",
  step = [[
    exp_avg = lerp(exp_avg, g, 1 - beta1)
    exp_inf = maximum(exp_inf * beta2, abs(g) + eps)
    p = addcdiv(p, exp_avg, exp_inf, -step_size)
  ]],
  doc = "Adam with the infinity norm (Kingma and Ba 2015, section 7).",
}

optimizer "Adagrad" {
  "(float lr=1e-2, Scalar lr_decay=0, Scalar weight_decay=0, Scalar initial_accumulator_value=0, float eps=1e-10, " ..
    "bool? foreach, *, bool maximize=false, bool differentiable=false, bool? fused)",
  check = {"lr", "lr_decay", "weight_decay", "initial_accumulator_value", "eps",
    "not (fused and differentiable): RuntimeError: `fused` does not support `differentiable`",
    "not (fused and foreach): RuntimeError: `fused` and `foreach` cannot be `True` together."},
  states_first = true,
  states = {"step", "sum = initial_accumulator_value"},
  numbers = "step_size = lr / (1 + (step - 1) * lr_decay)",
  step = [[
    sum = addcmul(sum, g, g, 1)
    p = addcdiv(p, g, sqrt(sum) + eps, -step_size)
  ]],
  doc = "Adaptive subgradients (Duchi et al. 2011).",
  details = "Each parameter's rate falls with the sum of its squared gradients: rare features keep a large one. lr is 0.01 by default.",
}

optimizer "RMSprop" {
  "(float lr=1e-2, float alpha=0.99, float eps=1e-8, Scalar weight_decay=0, Scalar momentum=0, bool centered=false, " ..
    "bool capturable=false, bool? foreach, bool maximize=false, bool differentiable=false)",
  check = {"lr", "eps", "momentum", "weight_decay", "alpha"},
  states_first = true,
  states = {"step", "square_avg", "momentum_buffer if momentum > 0", "grad_avg if centered"},
  step = [[
    square_avg = addcmul(square_avg * alpha, g, g, 1 - alpha)
    if centered then
      grad_avg = lerp(grad_avg, g, 1 - alpha)
      avg = sqrt(addcmul(square_avg, grad_avg, grad_avg, -1)) + eps
    else
      avg = sqrt(square_avg) + eps
    end
    if momentum > 0 then
      momentum_buffer = addcdiv(momentum_buffer * momentum, g, avg, 1)
      p = add(p, momentum_buffer, -lr)
    else
      p = addcdiv(p, g, avg, -lr)
    end
  ]],
  doc = "RMSprop (Hinton's lecture 6e, 2012); centered: Graves 2013.",
  details = "Each gradient is divided by the root of a running mean of its square; alpha is how much of that mean is kept. centered = true subtracts " ..
    "the mean gradient, too.",
}

optimizer "Adadelta" {
  "(float lr=1.0, float rho=0.9, float eps=1e-6, Scalar weight_decay=0, bool? foreach, *, bool capturable=false, " ..
    "bool maximize=false, bool differentiable=false)",
  check = {"lr", "rho", "eps", "weight_decay"},
  states = {"step", "square_avg", "acc_delta"},
  step = [[
    square_avg = addcmul(square_avg * rho, g, g, 1 - rho)
    delta = sqrt(acc_delta + eps) / sqrt(square_avg + eps) * g
    acc_delta = addcmul(acc_delta * rho, delta, delta, 1 - rho)
    p = add(p, delta, -lr)
  ]],
  doc = "Adadelta (Zeiler 2012).",
  details = "The step follows from running averages of squared gradients and of squared steps, so that lr, 1 by default, seldom needs a choice. rho is " ..
    "how much of the averages is kept.",
}

optimizer "NAdam" {
  "(float lr=2e-3, pair betas=(0.9, 0.999), float eps=1e-8, Scalar weight_decay=0, float momentum_decay=4e-3, " ..
    "bool decoupled_weight_decay=false, *, bool? foreach, bool maximize=false, bool capturable=false, bool differentiable=false)",
  check = {"lr", "eps", "betas", "weight_decay", "momentum_decay"},
  states_first = true, captured = "params, mu_products and state_steps",
  states = {"step", "number mu_product = 1", "exp_avg", "exp_avg_sq"},
  numbers = [[
    mu = beta1 * (1 - 0.5 * 0.96 ^ (step * momentum_decay))
    mu_next = beta1 * (1 - 0.5 * 0.96 ^ ((step + 1) * momentum_decay))
    mu_product = mu_product * rounded(mu)
    gradient_size = lr * (1 - mu) / (1 - mu_product)
    average_size = lr * mu_next / (1 - mu_product * mu_next)
  ]],
  step = [[
    exp_avg = lerp(exp_avg, g, 1 - beta1)
    exp_avg_sq = addcmul(exp_avg_sq * beta2, g, g, 1 - beta2)
    denominator = sqrt(exp_avg_sq / (1 - beta2 ^ step)) + eps
    p = addcdiv(p, g, denominator, -gradient_size)
    p = addcdiv(p, exp_avg, denominator, -average_size)
  ]],
  doc = "Adam with Nesterov's momentum (Dozat 2016).",
  details = "The gradient of now and the running mean are mixed as if the next step of the mean were known. lr is 0.002 by default.",
}

optimizer "RAdam" {
  "(float lr=1e-3, pair betas=(0.9, 0.999), float eps=1e-8, Scalar weight_decay=0, bool decoupled_weight_decay=false, *, " ..
    "bool? foreach, bool maximize=false, bool capturable=false, bool differentiable=false)",
  check = {"lr", "eps", "betas", "weight_decay"},
  states = {"step", "exp_avg", "exp_avg_sq"},
  numbers = [[
    correction = 1 - beta2 ^ step
    rho_inf = 2 / (1 - beta2) - 1
    rho = rho_inf - 2 * step * beta2 ^ step / correction
    rectification = 0
    if rho > 5 then
      rectification = ((rho - 4) * (rho - 2) * rho_inf / ((rho_inf - 4) * (rho_inf - 2) * rho)) ^ 0.5
    end
  ]],
  step = [[
    exp_avg = lerp(exp_avg, g, 1 - beta1)
    exp_avg_sq = addcmul(exp_avg_sq * beta2, g, g, 1 - beta2)
    change = exp_avg / (1 - beta1 ^ step) * lr
    if rho > 5 then change = change * (1 / (sqrt(exp_avg_sq) + eps) * correction ^ 0.5) * rectification end
    p = p - change
  ]],
  doc = "Adam with a rectified learning rate (Liu et al. 2020).",
  details = "In the first steps, where the variance of the gradients is not known yet, it goes as SGD with momentum; so it needs no warm-up.",
}

optimizer "Rprop" {
  "(float lr=1e-2, pair etas=(0.5, 1.2), pair step_sizes=(1e-6, 50), *, bool capturable=false, bool? foreach, " ..
    "bool maximize=false, bool differentiable=false)",
  check = {"lr", "eta1 > 0 and eta1 < 1 and eta2 > 1: Invalid eta values: {eta1}, {eta2}"},
  states = {"step", "prev", "step_size = lr"},
  step = [[
    same = g * prev
    step_size = minimum(maximum(step_size * by_sign(same, eta1, 1, eta2), step_size1), step_size2)
    prev = by_sign(same, 0, g, g)
    p = addcmul(p, by_sign(prev, -1, 0, 1), step_size, -1)
  ]],
  doc = "Resilient backpropagation (Riedmiller and Braun 1993).",
  details = "Only the signs of the gradients count: a step grows while the sign stays and shrinks where it changes. For whole data sets, not for small " ..
    "batches.",
}

optimizer "ASGD" {
  "(float lr=1e-2, float lambd=1e-4, float alpha=0.75, float t0=1e6, Scalar weight_decay=0, bool? foreach, bool maximize=false, " ..
    "bool differentiable=false, bool capturable=false)",
  check = {"lr", "lambd", "alpha", "weight_decay"},
  states_first = true, captured = "params, mus, etas, and state_steps",
  states = {"step", "number eta = lr", "number mu = 1", "ax"},
  numbers = [[
    rate = eta
    share = mu
    eta = lr / (1 + lambd * lr * step) ^ alpha
    mu = 1 / maximum(1, step - t0)
  ]],
  step = [[
    p = add(p * (1 - lambd * rate), g, -rate)
    if share != 1 then ax = ax + (p - ax) * share else ax = p end
  ]],
  doc = "Averaged stochastic gradient descent (Polyak and Juditsky 1992).",
  details = "Beside the parameters it keeps their mean over the steps after t0, in the state's ax.",
}
