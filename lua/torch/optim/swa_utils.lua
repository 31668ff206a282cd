-- optim/swa_utils.lua: torch.optim.swa_utils: averages of weights (Izmailov et al. 2018), plain or exponential.
local torch = ...
local support = torch._part "support"
local fail, repr = support.fail, torch._part "optim.support".repr
local nn = torch.nn
local LRScheduler = torch._part "torch.optim.lr_scheduler.LRScheduler"
local swa = {}

-- --- kinds of averages ----------------------------------------------------------------------------------------

local function decay_of(decay)
  if support.is_plain(decay) then decay = decay.decay end
  decay = decay or 0.999
  if decay < 0.0 or decay > 1.0 then
    fail("ValueError", "Invalid decay value %s provided. Please provide a value in [0,1] range.", repr(decay))
  end
  return decay
end

-- Returns f without recording.
local function unrecorded(f)
  return function(...)
    local _ <close> = torch.no_grad()
    return f(...)
  end
end

function swa.get_ema_avg_fn(decay)
  decay = decay_of(decay)
  return unrecorded(function(averaged, current) return decay * averaged + (1 - decay) * current end)
end

function swa.get_swa_avg_fn()
  return unrecorded(function(averaged, current, n) return averaged + (current - averaged) / (n + 1) end)
end

function swa.get_ema_multi_avg_fn(decay)
  decay = decay_of(decay)
  return unrecorded(function(averaged, current)
    for i, a in ipairs(averaged) do
      if torch.is_floating_point(a) then a:lerp_(current[i], 1 - decay) else a:copy_(a * decay + current[i] * (1 - decay)) end
    end
  end)
end

function swa.get_swa_multi_avg_fn()
  return unrecorded(function(averaged, current, n)
    local weight = 1 / (n + 1)
    if torch.is_tensor(weight) then weight = weight:item() end
    for i, a in ipairs(averaged) do
      if torch.is_floating_point(a) then
        a:lerp_(current[i], weight)
      elseif torch.is_tensor(n) then
        a:addcdiv_(current[i] - a, n + 1)
      else
        a:add_(current[i] - a, {alpha = weight})
      end
    end
  end)
end

-- --- the model ------------------------------------------------------------------------------------------------

-- Returns a copy of a module with parameters and buffers of its own.
local function deep_copy(model)
  local tensors, copies = {}, {}
  for p in model:parameters() do
    tensors[#tensors + 1] = p
    local copy = nn.Parameter(p:detach():clone(), p.requires_grad)
    copies[#copies + 1] = copy
  end
  for b in model:buffers() do
    tensors[#tensors + 1] = b
    copies[#copies + 1] = b:detach():clone()
  end
  return torch._replicate(model, tensors, copies)
end

local AveragedModel = nn.Module:extend "AveragedModel"
swa.AveragedModel = AveragedModel
local read = torch._define "AveragedModel.__init__(model, device?, avg_fn?, multi_avg_fn?, use_buffers=false)"

function AveragedModel:init(...)
  local a = read(...)
  if a.avg_fn ~= nil and a.multi_avg_fn ~= nil then
    fail("AssertionError", "Only one of avg_fn and multi_avg_fn should be provided")
  end
  local copy = deep_copy(a.model)
  if a.device ~= nil then copy = copy:to(a.device) end
  self.module = copy
  self:register_buffer("n_averaged", torch.tensor(0, {dtype = torch.int64, device = a.device}))
  self.avg_fn, self.multi_avg_fn, self.use_buffers = a.avg_fn, a.multi_avg_fn, a.use_buffers
end

function AveragedModel:forward(...) return self.module(...) end

local function list(first, second)
  local out = {}
  for t in first do out[#out + 1] = t:detach() end
  if second then
    for t in second do out[#out + 1] = t:detach() end
  end
  return out
end

-- Groups tensors by device and dtype, together with their partners.
local function grouped(averaged, current)
  local groups, by_key = {}, {}
  for i, a in ipairs(averaged) do
    local key = ("%s %s"):format(a.device, a.dtype)
    if not by_key[key] then
      by_key[key] = {averaged = {}, current = {}, device = a.device}
      groups[#groups + 1] = by_key[key]
    end
    local group = by_key[key]
    group.averaged[#group.averaged + 1], group.current[#group.current + 1] = a, current[i]
  end
  return groups
end

local function average(self, averaged, current)
  if self.avg_fn then
    for i, a in ipairs(averaged) do a:copy_(self.avg_fn(a, current[i], self.n_averaged:to(a.device))) end
    return
  end
  local f = self.multi_avg_fn
  for _, group in ipairs(grouped(averaged, current)) do
    local n = self.n_averaged:to(group.device)
    if f or group.device.type == "cuda" then
      (f or swa.get_swa_multi_avg_fn())(group.averaged, group.current, n)
    else
      local one = swa.get_swa_avg_fn()
      for i, a in ipairs(group.averaged) do a:copy_(one(a, group.current[i], n)) end
    end
  end
end

--- Adds the weights of model to the average.
function AveragedModel:update_parameters(model)
  local buffers = self.use_buffers
  local averaged = list((buffers and self.module or self):parameters(), buffers and self.module:buffers())
  local current = list(model:parameters(), buffers and model:buffers())
  for i, a in ipairs(averaged) do current[i] = current[i]:to(a.device) end
  if self.n_averaged:item() == 0 then
    for i, a in ipairs(averaged) do a:copy_(current[i]) end
  else
    average(self, averaged, current)
  end
  if not buffers then
    local from = list(model:buffers())
    for i, b in ipairs(list(self.module:buffers())) do b:copy_(from[i]) end
  end
  self.n_averaged:add_(1)
end

-- --- batch normalization --------------------------------------------------------------------------------------

local function is_batch_norm(module) return tostring(module):find "^%a*BatchNorm" ~= nil end

--- Computes the running statistics of batch normalization again, from the data of a loader.
function swa.update_bn(loader, model, device)
  if support.is_plain(device) then device = device.device end
  local _ <close> = torch.no_grad()
  local modules = {}
  for module in model:modules() do
    if is_batch_norm(module) then
      module.running_mean:zero_()
      module.running_var:fill_(1)
      module.num_batches_tracked:zero_()
      modules[#modules + 1] = {module, module.momentum}
    end
  end
  if #modules == 0 then return end
  local was_training = model.training
  model:train()
  for _, entry in ipairs(modules) do entry[1].momentum = nil end
  for input in support.values(loader) do
    if support.is_plain(input) then input = input[1] end
    model(device and input:to(device) or input)
  end
  for _, entry in ipairs(modules) do entry[1].momentum = entry[2] end
  model:train(was_training)
end

-- --- the learning rate ----------------------------------------------------------------------------------------

local SWALR = support.class("SWALR", LRScheduler, "torch.optim.swa_utils")
swa.SWALR = SWALR
local read_swalr = torch._define "SWALR.__init__(optimizer, swa_lr, anneal_epochs=10, anneal_strategy='cos', last_epoch=-1)"

local anneal = {linear = function(t) return t end, cos = function(t) return (1 - math.cos(math.pi * t)) / 2 end}

function SWALR:init(...)
  local a = read_swalr(...)
  LRScheduler.check_optimizer(a.optimizer)
  local rates = LRScheduler.for_groups("swa_lr", a.optimizer, a.swa_lr)
  for i, group in ipairs(a.optimizer.param_groups) do group.swa_lr = rates[i] end
  if not anneal[a.anneal_strategy] then
    fail("ValueError", "anneal_strategy must be one of 'cos' or 'linear', instead got %s", support.python(a.anneal_strategy))
  end
  if math.type(a.anneal_epochs) ~= "integer" or a.anneal_epochs < 0 then
    fail("ValueError", "anneal_epochs must be equal or greater than 0, got %s", repr(a.anneal_epochs))
  end
  self._anneal_strategy, self.anneal_epochs = a.anneal_strategy, a.anneal_epochs
  LRScheduler.init(self, a.optimizer, a.last_epoch)
end

function SWALR:get_lr()
  self:check_within_step()
  local step, f = self._step_count - 1, anneal[self._anneal_strategy]
  if self.anneal_epochs == 0 then step = math.max(1, step) end
  local function share(n) return f(math.max(0, math.min(1, n / math.max(1, self.anneal_epochs)))) end
  local before, now = share(step - 1), share(step)
  return self:each(function(lr, _, group)
    local first = before == 1 and group.swa_lr or (lr - before * group.swa_lr) / (1 - before)
    return group.swa_lr * now + first * (1 - now)
  end)
end

return torch._namespace(swa, "torch.optim.swa_utils")
