-- metrics/functional.lua: torch.metrics.functional: scores of predictions, computed from counts of right and wrong answers, as
-- the package torchmetrics defines them. task: "binary", "multiclass" (num_classes) or "multilabel" (num_labels).
local torch = ...
local support = torch._part "support"
local fail = support.fail
local functional = {}

-- --- options ----------------------------------------------------------------------------------------------------

local AVERAGES = {micro = true, macro = true, weighted = true, none = true}

--- Checks the options of a metric.
function functional._check(options)
  local task = options.task
  if task ~= "binary" and task ~= "multiclass" and task ~= "multilabel" then
    fail("ValueError", "Invalid Classification: expected one of ['binary', 'multiclass', 'multilabel'], but got %s.", support.python(task))
  end
  local name = ({multiclass = "num_classes", multilabel = "num_labels"})[task]
  if name and math.type(options[name]) ~= "integer" then
    fail("ValueError", "`%s` is expected to be `int` but `%s was passed.`", name, support.python_class(options[name]))
  end
  if options.average == false then options.average = "none" end
  if options.average and not AVERAGES[options.average] then
    fail("ValueError", "Expected argument `average` to be one of ('micro', 'macro', 'weighted', 'none', None), but got %s", tostring(options.average))
  end
  return options
end

-- --- answers ----------------------------------------------------------------------------------------------------

-- Returns scores as probabilities, by `f` unless they are probabilities already.
local function probabilities(preds, f)
  if preds:numel() > 0 and (preds:min():item() < 0 or preds:max():item() > 1) then return f(preds) end
  return preds
end

-- Returns predictions and targets as flat lists of the same length: 0 or 1, or classes. Those with ignore_index are omitted.
local function flat(preds, target, options)
  preds, target = preds:flatten(), target:flatten()
  if options.ignore_index then
    local keep = target:ne(options.ignore_index)
    preds, target = preds[keep], target[keep]
  end
  return preds, target
end

local function check_shapes(preds, target)
  if preds.shape ~= target.shape then
    fail("RuntimeError", "Predictions and targets are expected to have the same shape, but got %s and %s.", tostring(preds.shape), tostring(target.shape))
  end
end

local function decided(preds, options)
  if not preds.dtype.is_floating_point then return preds end
  return probabilities(preds, torch.sigmoid):gt(options.threshold or 0.5):to(torch.int64)
end

local function check_range(values, n, what)
  if values:numel() > 0 and (values:min():item() < 0 or values:max():item() >= n) then
    fail("RuntimeError", "Detected more unique values in `%s` than expected. Expected only %d but found a value outside of 0 to %d.", what, n, n - 1)
  end
end

--- Counts how often j was predicted for the target i: a (n, n) tensor [i, j]; for several labels (num_labels, 2, 2).
function functional._confusion(preds, target, options)
  if options.task == "multilabel" then
    check_shapes(preds, target)
    local of, matrices = {task = "binary", threshold = options.threshold, ignore_index = options.ignore_index}, {}
    local scores = preds.dtype.is_floating_point and probabilities(preds, torch.sigmoid) or preds
    for i = 0, options.num_labels - 1 do
      matrices[i + 1] = functional._confusion(scores:select(1, i):contiguous(), target:select(1, i):contiguous(), of)
    end
    return torch.stack(matrices)
  end
  local n = options.num_classes
  if options.task == "binary" then
    check_shapes(preds, target)
    n, preds = 2, decided(preds, options)
  else
    if preds.ndim == target.ndim + 1 then preds = preds:argmax(1) end
    check_shapes(preds, target)
  end
  preds, target = flat(preds, target, options)
  preds, target = preds:to(torch.int64), target:to(torch.int64)
  check_range(preds, n, "preds")
  check_range(target, n, "target")
  return torch.bincount(target * n + preds, {minlength = n * n}):reshape(n, n)
end

-- Returns true and false positives, true and false negatives: a number for a binary task, else one for each class or label.
local function counts(matrix, options)
  if options.task == "binary" then matrix = matrix:unsqueeze(0) end
  if options.task == "multiclass" then
    local right = matrix:diagonal()
    local fp, fn = matrix:sum(0) - right, matrix:sum(1) - right
    return right, fp, matrix:sum() - right - fp - fn, fn
  end
  local function at(i, j)
    local c = matrix:select(1, i):select(1, j)
    return options.task == "binary" and c:squeeze(0) or c
  end
  return at(1, 1), at(0, 1), at(0, 0), at(1, 0)
end

-- --- scores -----------------------------------------------------------------------------------------------------

local function divide(a, b)
  a, b = a:to(torch.float32), b:to(torch.float32)
  return torch.where(b:eq(0), torch.zeros_like(a), a / torch.where(b:eq(0), torch.ones_like(b), b))
end

-- Returns the mean of the scores of classes. Classes that never occurred do not count in the macro average.
local function averaged(score, tp, fp, fn, options)
  if options.average == "none" then return score end
  local weights = torch.ones_like(score)
  if options.average == "weighted" then
    weights = (tp + fn):to(torch.float32)
  elseif options.task ~= "multilabel" then
    weights = weights:masked_fill((tp + fp + fn):eq(0), 0)
  end
  return (divide(weights, weights:sum():expand_as(weights)) * score):sum()
end

-- score(tp, fp, tn, fn) of one class.
local scores = {
  precision = function(tp, fp) return divide(tp, tp + fp) end,
  recall = function(tp, _, _, fn) return divide(tp, tp + fn) end,
  f1_score = function(tp, fp, _, fn) return divide(2 * tp, 2 * tp + fp + fn) end,
  specificity = function(_, fp, tn) return divide(tn, tn + fp) end,
  accuracy = function(tp, fp, tn, fn, options)
    if options.task == "multiclass" then return divide(tp, tp + fn) end
    return divide(tp + tn, tp + tn + fp + fn)
  end,
}

--- Returns the score of that name of a confusion matrix.
function functional._score(name, matrix, options)
  local tp, fp, tn, fn = counts(matrix, options)
  if options.task == "binary" then return scores[name](tp, fp, tn, fn, options) end
  if (options.average or "micro") == "micro" then return scores[name](tp:sum(), fp:sum(), tn:sum(), fn:sum(), options) end
  return averaged(scores[name](tp, fp, tn, fn, options), tp, fp, fn, options)
end

--- Returns a confusion matrix as fractions of the targets ("true"), of the predictions ("pred"), or of all ("all").
function functional._normalized(matrix, normalize)
  if not normalize or normalize == "none" then return matrix end
  local values, total = matrix:to(torch.float32), nil
  if normalize == "true" then
    total = values:sum{dim = -1, keepdim = true}
  elseif normalize == "pred" then
    total = values:sum{dim = -2, keepdim = true}
  elseif normalize == "all" then
    total = values:sum{dim = {-2, -1}, keepdim = true}
  else
    fail("ValueError", "Expected argument `normalize` to be one of ('true', 'pred', 'all', 'none', None), but got %s.", tostring(normalize))
  end
  return torch.nan_to_num(values / total, 0)
end

-- --- areas ------------------------------------------------------------------------------------------------------

-- Returns the area below the curve of true over false positives, of flat scores and targets of 0 and 1.
local function area(preds, target)
  local order = preds:argsort{descending = true}
  local sorted, right = preds[order], target[order]:to(torch.float64)
  local n = sorted:numel()
  local positives, negatives = right:sum():item(), n - right:sum():item()
  if positives == 0 or negatives == 0 then
    torch._warn(positives == 0 and "No positive samples in targets, true positive value should be meaningless. Returning zero tensor in true positive score"
      or "No negative samples in targets, false positive value should be meaningless. Returning zero tensor in false positive score")
    return torch.tensor(0.0)
  end
  local last = torch.cat{sorted["1:"]:ne(sorted[":-1"]), torch.ones(1, {dtype = torch.bool, device = sorted.device})} -- of equal scores
  local tp = torch.cumsum(right, 0)
  local fp = torch.arange(1, n + 1, {dtype = torch.float64, device = sorted.device}) - tp
  local zero = torch.zeros(1, {dtype = torch.float64, device = sorted.device})
  local y, x = torch.cat{zero, tp[last]}:to(torch.float32) / positives, torch.cat{zero, fp[last]}:to(torch.float32) / negatives
  return torch.trapezoid(y, x)
end

--- Returns the area of scores and targets, gathered over all batches.
function functional._auroc(preds, target, options)
  if options.task == "binary" then
    check_shapes(preds, target)
    preds, target = flat(preds, target, options)
    return area(probabilities(preds, torch.sigmoid), target)
  end
  local multiclass = options.task == "multiclass"
  local classes = multiclass and options.num_classes or options.num_labels
  local values = probabilities(preds, multiclass and function(t) return t:softmax(1) end or torch.sigmoid)
  if not multiclass and options.average == "micro" then
    local p, t = flat(values, target, options)
    return area(p, t)
  end
  local out, weights = {}, {}
  for i = 0, classes - 1 do
    local p, t = flat(values:select(1, i), multiclass and target:eq(i):to(torch.int64) or target:select(1, i), options)
    out[i + 1], weights[i + 1] = area(p, t), t:sum():to(torch.float32)
  end
  local each = torch.stack(out)
  if options.average == "none" then return each end
  if options.average ~= "weighted" then return each:mean() end
  local w = torch.stack(weights)
  return (each * w / w:sum()):sum()
end

-- --- public functions -------------------------------------------------------------------------------------------

local OPTIONS = "preds, target, task, threshold=0.5, num_classes?, num_labels?, average?, ignore_index?"
for name in pairs(scores) do
  local read = torch._define(("%s(%s)"):format(name, OPTIONS))
  functional[name] = function(...)
    local a = functional._check(read(...))
    return functional._score(name, functional._confusion(a.preds, a.target, a), a)
  end
end

local read_matrix = torch._define "confusion_matrix(preds, target, task, threshold=0.5, num_classes?, num_labels?, normalize?, ignore_index?)"
function functional.confusion_matrix(...)
  local a = functional._check(read_matrix(...))
  return functional._normalized(functional._confusion(a.preds, a.target, a), a.normalize)
end

local read_auroc = torch._define "auroc(preds, target, task, num_classes?, num_labels?, average='macro', ignore_index?)"
function functional.auroc(...)
  local a = functional._check(read_auroc(...))
  return functional._auroc(a.preds, a.target, a)
end

return torch._namespace(functional, "torch.metrics.functional")
