-- metrics/init.lua: torch.metrics: how good answers are, batch after batch, with the names of the package torchmetrics:
--
--   local accuracy = torch.metrics.Accuracy{task = "multiclass", num_classes = 10}
--   for x, y in loader do print(accuracy(model(x), y)) end     -- of this batch
--   print(accuracy:compute())                                  -- of all since reset()
local torch = ...
local nn = torch.nn
local functional = torch._part "torch.metrics.functional"
local metrics = {functional = functional}

--- The base class of metrics. A derived class defines update(...), compute() and reset(). Those here keep what compute() needs in `gathered`;
-- _sum(a, b) adds up two of them, which may be of two ranks.
local Metric = nn.Module:extend "Metric"
metrics.Metric = Metric

--- Adds a batch, and returns the metric of that batch alone.
function Metric:forward(...)
  local so_far = self:_state()
  self:reset()
  self:update(...)
  local value, here = self:compute(), self:_state()
  self:_set_state(self:_merged(so_far, here))
  return value
end
function Metric:_state() return self.gathered end
function Metric:_set_state(state) self.gathered = state end
function Metric:reset() self.gathered = nil end
function Metric:_merged(a, b)
  if not a or not b then return a or b end
  return self:_sum(a, b)
end

-- --- counts -----------------------------------------------------------------------------------------------------

local function counted(name, score, default)
  local class = Metric:extend(name)
  local read = torch._define(name .. ".__init__(task, threshold=0.5, num_classes?, num_labels?, average?, normalize?, ignore_index?)")
  function class:init(...)
    self.options = functional._check(read(...))
    self.options.average = self.options.average or default
  end
  function class:update(preds, target)
    local _ <close> = torch.no_grad()
    self.gathered = self:_merged(self.gathered, functional._confusion(preds, target, self.options))
  end
  function class._sum(_, a, b) return a + b end
  function class:_matrix()
    if self.gathered then return self.gathered end
    torch._warn(("The ``compute`` method of metric %s was called before the ``update`` method which may lead to errors, as metric states " ..
      "have not yet been updated."):format(name))
    local o = self.options
    if o.task == "multilabel" then return torch.zeros(o.num_labels, 2, 2, {dtype = torch.int64}) end
    local n = o.num_classes or 2
    return torch.zeros(n, n, {dtype = torch.int64})
  end
  function class:compute()
    if score then return functional._score(score, self:_matrix(), self.options) end
    return functional._normalized(self:_matrix(), self.options.normalize)
  end
  metrics[name] = class
end

counted("Accuracy", "accuracy", "micro")
counted("Precision", "precision", "micro")
counted("Recall", "recall", "micro")
counted("F1Score", "f1_score", "micro")
counted("Specificity", "specificity", "micro")
counted("ConfusionMatrix")

-- --- areas ------------------------------------------------------------------------------------------------------

local AUROC = Metric:extend "AUROC"
metrics.AUROC = AUROC
local read = torch._define "AUROC.__init__(task, num_classes?, num_labels?, average='macro', ignore_index?)"
function AUROC:init(...) self.options = functional._check(read(...)) end
function AUROC:update(preds, target)
  self.gathered = self:_merged(self.gathered, {preds = {preds:detach()}, target = {target}})
end
function AUROC._sum(_, a, b)
  local out = {}
  for _, key in ipairs{"preds", "target"} do
    out[key] = table.move(b[key], 1, #b[key], #a[key] + 1, table.move(a[key], 1, #a[key], 1, {}))
  end
  return out
end
function AUROC:compute()
  if not self.gathered then torch._raise("ValueError", "No samples to concatenate") end
  return functional._auroc(torch.cat(self.gathered.preds), torch.cat(self.gathered.target), self.options)
end

--- The mean of numbers, weighted.
local MeanMetric = Metric:extend "MeanMetric"
metrics.MeanMetric = MeanMetric
function MeanMetric:update(value, weight)
  value = torch.as_tensor(value, {dtype = torch.float32}):detach()
  weight = torch.as_tensor(weight or 1, {dtype = torch.float32}):expand_as(value)
  self.gathered = self:_merged(self.gathered, {(value * weight):sum(), weight:sum()})
end
function MeanMetric._sum(_, a, b) return {a[1] + b[1], a[2] + b[2]} end
function MeanMetric:compute() return self.gathered[1] / self.gathered[2] end

if rawget(torch, "_distributed") then torch._part "distributed.metrics"(metrics) end
return torch._namespace(metrics, "torch.metrics")
