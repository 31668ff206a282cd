-- schedulers.lua: the learning-rate schedulers, one entry each. Plain data: runtime/list/write_schedulers.lua generates the option
-- struct and the constructor of C, the fields of the state dict, and the rate of each step, in C and in Lua. Those whose constructor takes functions
-- or other schedulers have no signature: <tocha/scheduler.h> declares their constructors.
--
--   scheduler "Name" {
--     "(int step_size, float gamma=0.1, int last_epoch=-1)",
--                        -- the constructor's arguments after the optimizer. Kinds: int, float, bool, string, int[], and
--                        -- float[]: a number for each group, or one for all
--     check = {"gamma >= 0: PyTorch's message"},  -- in PyTorch's order: a condition, and the ValueError if it is false
--     fields = "int total_steps, string mode",    -- what the state dict has; default: the arguments but last_epoch.
--                        -- A field of kind float? may be None; one of kind Scalar keeps the kind of its number.
--                        -- counts: {number: occurrences}; none: always None; functions, phases, schedulers: the kinds of
--                        -- runtime/optim/scheduler.h
--     choices = {mode = {"min", "max"}},          -- the texts that a field of kind string may have
--     bare = "epoch" or "", -- the state dict has no base_lrs and counts; "": last_epoch neither
--     rate = "if epoch != 0 then lr = lr * gamma end",
--                        -- the next rate of a group: of lr, its rate so far; base, its first; epoch; `initial`: in the
--                        -- constructor; `first`: the first step was made; the fields
--     closed = "lr = base * gamma ^ epoch",       -- the rate from base alone, for steps to a given epoch
--     begin = "cyclic",  -- in place of check: tocha_schedule_begin_cyclic checks the arguments, sets the fields, starts
--     rates = "cyclic",  -- in place of rate: tocha_schedule_rates_cyclic computes the rates of all groups
--     step = "restarts", -- tocha_schedule_step_restarts makes the whole step
--     metric = "plateau", -- tocha_schedule_metric_plateau makes a step that depends on a number
--     doc = "One sentence, a source.",
--   }
--
-- Functions in formulas: cos, floor, minimum, modulo (with Python's sign), occurrences and passed (of a list of numbers: how many are
-- equal to the second argument, and how many are at most that). pi is a number. runtime/list/expressions.lua describes the language.

scheduler "LambdaLR" {
  fields = "functions lr_lambdas", rates = "lambda",
  doc = "The first rate times a function of the epoch.",
}

scheduler "MultiplicativeLR" {
  fields = "functions lr_lambdas", rates = "multiplicative",
  doc = "Each step multiplies the rate by a function of the epoch.",
}

scheduler "StepLR" {
  "(int step_size, float gamma=0.1, int last_epoch=-1)",
  rate = "if epoch != 0 and modulo(epoch, step_size) == 0 then lr = lr * gamma end",
  closed = "lr = base * gamma ^ floor(epoch / step_size)",
  doc = "Every step_size epochs the rate is multiplied by gamma.",
}

scheduler "MultiStepLR" {
  "(int[] milestones, float gamma=0.1, int last_epoch=-1)",
  fields = "counts milestones, float gamma",
  rate = "if occurrences(milestones, epoch) > 0 then lr = lr * gamma ^ occurrences(milestones, epoch) end",
  closed = "lr = base * gamma ^ passed(milestones, epoch)",
  doc = "At each milestone, an epoch, the rate is multiplied by gamma.",
}

scheduler "ConstantLR" {
  "(float factor=0.3333333333333333, int total_iters=5, int last_epoch=-1)",
  check = {"factor <= 1 and factor >= 0: Constant multiplicative factor expected to be between 0 and 1."},
  rate = [[
    if epoch == 0 then lr = lr * factor
    elseif epoch == total_iters then lr = lr * (1 / factor) end
  ]],
  closed = "if epoch >= total_iters then lr = base * (factor + (1 - factor)) else lr = base * factor end",
  doc = "The rate times factor for the first total_iters epochs.",
}

scheduler "LinearLR" {
  "(float start_factor=0.3333333333333333, float end_factor=1.0, int total_iters=5, int last_epoch=-1)",
  check = {"start_factor <= 1 and start_factor > 0: " ..
      "Starting multiplicative factor expected to be greater than 0 and less or equal to 1.",
    "end_factor <= 1 and end_factor >= 0: Ending multiplicative factor expected to be between 0 and 1."},
  rate = [[
    if epoch == 0 then
      lr = lr * start_factor
    elseif not initial and epoch <= total_iters then
      lr = lr * (1 + (end_factor - start_factor) / (total_iters * start_factor + (epoch - 1) * (end_factor - start_factor)))
    end
  ]],
  closed = "lr = base * (start_factor + (end_factor - start_factor) * minimum(total_iters, epoch) / total_iters)",
  doc = "The factor of the rate goes from start_factor to end_factor in total_iters epochs.",
}

scheduler "ExponentialLR" {
  "(float gamma, int last_epoch=-1)",
  rate = "if not initial then lr = lr * gamma end",
  closed = "lr = base * gamma ^ epoch",
  doc = "Each epoch multiplies the rate by gamma.",
}

scheduler "PolynomialLR" {
  "(int total_iters=5, float power=1.0, int last_epoch=-1)",
  rate = [[
    if not initial and epoch <= total_iters then
      lr = lr * ((1 - epoch / total_iters) / (1 - (epoch - 1) / total_iters)) ^ power
    end
  ]],
  closed = "lr = base * (1 - minimum(total_iters, epoch) / total_iters) ^ power",
  doc = "The rate falls to 0 in total_iters epochs, as a polynomial.",
}

scheduler "CosineAnnealingLR" {
  "(int T_max, float eta_min=0.0, int last_epoch=-1)",
  rate = [[
    if not initial then
      if first and epoch > 0 then
        lr = eta_min + (base - eta_min) * (1 + cos(epoch * pi / T_max)) / 2
      elseif modulo(epoch - 1 - T_max, 2 * T_max) == 0 then
        lr = lr + (base - eta_min) * (1 - cos(pi / T_max)) / 2
      else
        lr = (1 + cos(pi * epoch / T_max)) / (1 + cos(pi * (epoch - 1) / T_max)) * (lr - eta_min) + eta_min
      end
    end
  ]],
  closed = "lr = eta_min + (base - eta_min) * (1 + cos(pi * epoch / T_max)) / 2",
  doc = "Half a cosine, from the first rate to eta_min in T_max epochs (Loshchilov and Hutter 2017).",
}

scheduler "CosineAnnealingWarmRestarts" {
  "(int T_0, int T_mult=1, float eta_min=0.0, int last_epoch=-1)",
  fields = "int T_0, int T_i, int T_mult, float eta_min, Scalar T_cur",
  begin = "restarts", step = "restarts",
  rate = "lr = eta_min + (base - eta_min) * (1 + cos(pi * T_cur / T_i)) / 2",
  doc = "Half a cosine again and again, each run T_mult times as long as the one before (Loshchilov and Hutter 2017).",
}

scheduler "CyclicLR" {
  "(float[] base_lr, float[] max_lr, float step_size_up=2000, float step_size_down=0, string mode='triangular', float gamma=1.0, " ..
    "bool cycle_momentum=true, float[] base_momentum=0.8, float[] max_momentum=0.9, int last_epoch=-1)",
  fields = "float[] max_lrs, float total_size, float step_ratio, string mode, float gamma, none _scale_fn_custom, string scale_mode, " ..
    "bool cycle_momentum, bool? use_beta1, float[] base_momentums, float[] max_momentums",
  choices = {mode = {"triangular", "triangular2", "exp_range"}, scale_mode = {"cycle", "iterations"}},
  begin = "cyclic", rates = "cyclic",
  doc = "The rate goes up and down between base_lr and max_lr (Smith 2017). step_size_down 0 is step_size_up.",
}

scheduler "OneCycleLR" {
  "(float[] max_lr, int total_steps=0, int epochs=0, int steps_per_epoch=0, float pct_start=0.3, string anneal_strategy='cos', " ..
    "bool cycle_momentum=true, float[] base_momentum=0.85, float[] max_momentum=0.95, float div_factor=25.0, " ..
    "float final_div_factor=10000.0, bool three_phase=false, int last_epoch=-1)",
  fields = "int total_steps, phases _schedule_phases, string _anneal_func_type, bool cycle_momentum, bool? use_beta1",
  choices = {_anneal_func_type = {"cos", "linear"}},
  begin = "one_cycle", rates = "one_cycle",
  doc = "One rise to max_lr and one fall to nearly 0 (Smith and Topin 2018). total_steps 0 is epochs * steps_per_epoch.",
}

scheduler "ReduceLROnPlateau" {
  "(string mode='min', float factor=0.1, int patience=10, float threshold=1e-4, string threshold_mode='rel', int cooldown=0, " ..
    "float[] min_lr=0, float eps=1e-8)",
  fields = "float factor, float? default_min_lr, float[] min_lrs, int patience, int cooldown, float eps, float mode_worse, string mode, " ..
    "float threshold, string threshold_mode, float best, int cooldown_counter, int num_bad_epochs",
  choices = {mode = {"min", "max"}, threshold_mode = {"rel", "abs"}},
  bare = "epoch", begin = "plateau", step = "plateau", metric = "plateau",
  doc = "The rate is multiplied by factor when a number has not improved for more than `patience` epochs.",
}

scheduler "SequentialLR" {
  fields = "int[] _milestones, schedulers _schedulers",
  bare = "epoch", step = "sequential",
  doc = "One scheduler after the other, each from its milestone on.",
}

scheduler "ChainedScheduler" {
  fields = "schedulers _schedulers",
  bare = "", step = "chained",
  doc = "Several schedulers at once.",
}
