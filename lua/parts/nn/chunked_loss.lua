-- chunked_loss.lua: linear_cross_entropy with options: a few rows at a time, so that the logits of all rows never exist
-- together. Its gradients are computed in the forward pass, or with reduction = "none" in the backward pass.
local torch = ...
local support = torch._part "support"
local F, fail = torch.nn.functional, support.fail
local chunked = {}

-- Returns a value as Python's repr shows it.
local function shown(value) return type(value) == "string" and "'" .. value .. "'" or support.python(value) end

-- --- options -----------------------------------------------------------------------------------------

local fields = {"allow_retain_graph", "batch_chunk_size", "chunking_method", "acc_policy", "acc_dtype"}
local Options = {__name = "LinearCrossEntropyOptions"}
Options.__index = function(o, name) return Options.values[o][name] end
Options.__newindex = function(_, name) fail("AttributeError", "cannot assign to field '%s'", tostring(name)) end
Options.values = setmetatable({}, {__mode = "k"})

function Options.__tostring(o)
  local parts = {}
  for i, name in ipairs(fields) do parts[i] = name .. "=" .. shown(o[name]) end
  return "LinearCrossEntropyOptions(" .. table.concat(parts, ", ") .. ")"
end
function Options.__eq(a, b)
  for _, name in ipairs(fields) do if a[name] ~= b[name] then return false end end
  return true
end

local policies = {auto = true, accurate = true, compact = true}
local accumulators = {[torch.float16] = true, [torch.bfloat16] = true, [torch.float32] = true, [torch.float64] = true}

-- Returns the N of "aspect_ratio:N".
local function factor_of(method)
  if method == "auto" or method == "aspect_ratio" then return 1 end
  local factor = math.tointeger(tonumber(method:match "^aspect_ratio:(%d+)$"))
  return factor and factor > 0 and factor
end

local function check(a)
  local size = a.batch_chunk_size
  if not policies[a.acc_policy] then
    fail("ValueError", "invalid acc_policy: %s; expected one of 'auto', 'accurate', 'compact'", shown(a.acc_policy))
  elseif type(a.chunking_method) ~= "string" or not factor_of(a.chunking_method) then
    fail("ValueError", "invalid chunking_method: %s", shown(a.chunking_method))
  elseif size ~= nil and not (math.type(size) == "integer" and size > 0) then
    fail("ValueError", "batch_chunk_size must be positive int or None, got %s", shown(size))
  elseif a.acc_dtype ~= nil and not accumulators[a.acc_dtype] then
    fail("ValueError", "acc_dtype must be one of {None, torch.float16, torch.bfloat16, torch.float32, torch.float64}, got %s. " ..
      "Pass acc_dtype=None to let the op pick automatically.", shown(a.acc_dtype))
  end
end

local read = torch._define("LinearCrossEntropyOptions.__init__(allow_retain_graph=false, batch_chunk_size?, chunking_method='auto', " ..
  "acc_policy='auto', acc_dtype?)")
function chunked.Options(...)
  local a = read(...)
  check(a)
  local options = setmetatable({}, Options)
  Options.values[options] = a
  return options
end

-- --- rows at a time, and the dtype of sums ------------------------------------------------------------------

local function power_of_two_from(n)   -- the smallest one >= n
  local power = 1
  while power < n do power = power * 2 end
  return power
end

-- Returns the number of rows whose logits are as large as the input.
local function rows_by_shape(rows, features, classes, factor)
  local ratio = -(-classes // features)
  return math.min(power_of_two_from(-(-rows // ratio)) // factor, rows)
end

-- Returns the number of rows beyond which a chunk would take more memory than all logits together.
local function max_rows(rows, features, classes, probabilities)
  local maximum = probabilities and rows // 2 or rows * classes // (4 * features)
  local power = power_of_two_from(maximum)
  return math.max(1, power > maximum and power // 2 or power)
end

local function is_half(dtype) return dtype == torch.float16 or dtype == torch.bfloat16 end

local function chunk_size(options, input, classes, probabilities)
  local rows, features = input.shape[0], input.shape[1]
  local method, size = options.chunking_method, options.batch_chunk_size
  if method == "auto" and size then return math.max(1, math.min(size, rows)) end
  local by_shape = rows_by_shape(rows, features, classes, factor_of(method))
  local accurate = options.acc_policy == "accurate" or options.acc_policy == "auto" and input.device.type == "cpu" and is_half(input.dtype)
  if method == "auto" and not accurate then by_shape = math.min(by_shape, max_rows(rows, features, classes, probabilities)) end
  if size and size ~= by_shape then
    fail("ValueError", "batch_chunk_size (=%d) and chunking_method ('%s') give different chunk sizes (%d vs %d); pass only one.", size, method,
      size, by_shape)
  end
  return math.max(1, by_shape)
end

local function accumulator(options, dtype)
  local chosen = options.acc_dtype or options.acc_policy == "auto" and is_half(dtype) and torch.float32 or dtype
  if chosen ~= dtype and not (is_half(dtype) and chosen == torch.float32) then
    fail("RuntimeError", "linear_cross_entropy supports float32 acc_dtype with float16/bfloat16 inputs, but got %s acc_dtype and %s inputs.",
      tostring(chosen), tostring(dtype))
  end
  return chosen
end

-- --- the loss and its gradients ------------------------------------------------------------------------------

-- Returns, for the rows with these targets, their weights and weighted losses. `wanted` is later subtracted from a softmax: the
-- probabilities, or 1 at the class of each row.
local function index_targets(target, log_p, c)
  local kept = target:ne(c.ignore_index)
  local safe = target:masked_fill(kept:logical_not(), 0)
  local mass = c.class_weight and c.class_weight:to(log_p.dtype)[safe] * kept or kept:to(log_p.dtype)
  local at = safe:unsqueeze(1)
  return mass, -log_p:gather(1, at):squeeze(1) * mass, function(slope, factor) slope:scatter_add_(1, at, -(mass * factor):unsqueeze(1)) end
end

local function probability_targets(target, log_p, c)
  local weighted = (c.class_weight and target * c.class_weight or target):to(log_p.dtype)
  return weighted:sum(1), -(weighted * log_p):sum(1), function(slope, factor) slope:sub_(weighted * factor:unsqueeze(1)) end
end

-- Returns the divisor of the mean: the number of rows for probabilities, otherwise the sum of the weights of all rows that
-- count.
local function divisor(c)
  if c.reduction ~= "mean" then return torch.ones({}, {dtype = c.acc, device = c.input.device}) end
  if c.probabilities then return torch.full({}, c.input.shape[0], {dtype = c.acc, device = c.input.device}) end
  local kept = c.target:ne(c.ignore_index)
  if not c.class_weight then return kept:sum():to(c.acc) end
  return (c.class_weight:to(c.acc)[c.target:masked_fill(kept:logical_not(), 0)] * kept):sum()
end

-- Adds the part of the rows from `start` on to the wanted gradients. slope: the softmax, which becomes the gradient of the
-- logits.
local function add_gradients(c, grads, rows, start, slope, mass, subtract, factor)
  slope:mul_((mass * factor):unsqueeze(1))
  subtract(slope, factor)
  if grads.bias then grads.bias:add_(slope:sum(0)) end
  if grads.input then grads.input:narrow(0, start, rows.shape[0]):copy_(slope:mm(c.wide_weight)) end
  if grads.weight then grads.weight:addmm_(slope:t(), rows) end
end

-- Returns the losses of all rows, or their sum, and the gradients that `wants` names, multiplied by `upstream` (for each row;
-- nil: 1).
local function run(c, wants, upstream)
  local input, count = c.input, c.input.shape[0]
  local new = {dtype = c.acc, device = input.device}
  local grads = {input = wants.input and torch.zeros_like(input), weight = wants.weight and torch.zeros(c.weight.shape, new),
    bias = wants.bias and torch.zeros(c.bias.shape, new)}
  local losses, over = torch.zeros({count}, new), divisor(c)
  for start = 0, count - 1, c.chunk do
    local n = math.min(c.chunk, count - start)
    local rows = input:narrow(0, start, n):to(c.acc)
    local log_p = F.linear(rows, c.wide_weight, c.bias and c.bias:to(c.acc)):log_softmax(1)
    local targets = c.probabilities and probability_targets or index_targets
    local mass, loss, subtract = targets(c.target:narrow(0, start, n), log_p, c)
    losses:narrow(0, start, n):copy_(loss)
    if next(wants) then
      local factor = upstream and upstream:narrow(0, start, n):to(c.acc) or torch.ones_like(mass) / over
      add_gradients(c, grads, rows, start, log_p:exp_(), mass, subtract, factor)
    end
  end
  for name, grad in pairs(grads) do grads[name] = grad and grad:to(c[name].dtype) end
  return c.reduction == "none" and losses:to(input.dtype) or (losses:sum() / over):to(input.dtype), grads
end

local name = "GeneratedBackwardFor_torch_nn__linear_cross_entropy_batch_chunked_%sdefault"
local Reduced = torch.autograd.Function:extend(name:format "")
local Rows = torch.autograd.Function:extend(name:format "no_reduction_")
local order = {"input", "weight", "bias"}

function Reduced.forward(ctx, c)
  local loss
  loss, ctx.grads = run(c, c.wants)
  ctx.keeps = c.options.allow_retain_graph
  return loss
end
function Reduced.backward(ctx, grad)
  local grads = ctx.grads
  if not grads then
    fail("RuntimeError", "linear_cross_entropy chunked backward called twice; retain_graph=True / double backward are not supported.")
  end
  if not ctx.keeps then ctx.grads = nil end
  local out = {}
  for i, key in ipairs(order) do
    out[i] = grads[key] and (ctx.keeps and grads[key] * grad or grads[key]:mul_(grad)) or nil
  end
  return nil, out[1], out[2], out[3]
end

function Rows.forward(ctx, c)
  ctx.call = c
  ctx:save_for_backward(c.input, c.weight, c.target, c.bias, c.class_weight)
  return (run(c, {}))
end
function Rows.backward(ctx, grad)
  local _ = ctx.saved_tensors   -- raises if they have changed
  local _, grads = run(ctx.call, ctx.call.wants, grad)
  return nil, grads.input or nil, grads.weight or nil, grads.bias or nil
end

-- --- the function ---------------------------------------------------------------------------------------------

local function wants_of(tensors)
  local wants = {}
  for key, t in pairs(tensors) do wants[key] = t.requires_grad and torch.is_grad_enabled() or nil end
  return wants
end

-- Returns true if the rows can be computed a few at a time. Warns otherwise.
local function applies(a, probabilities)
  local grad = a.target.requires_grad and torch.is_grad_enabled()
  local reduced = a.reduction == "mean" or a.reduction == "sum" or a.reduction == "none"
  local kind = a.target.dtype == torch.int64 or probabilities and a.target.dtype == a.input.dtype and not grad
  if reduced and a.label_smoothing == 0 and kind and a.linear_weight.ndim == 2 then return true end
  local more = {}
  for d = 1, a.linear_weight.ndim - 2 do more[d] = a.linear_weight.shape[d] end
  local sizes = "(" .. table.concat(more, ", ") .. (#more == 1 and ",)" or ")")
  local bias = a.linear_bias and "(" .. table.concat(a.linear_bias.shape:tolist(), ", ") .. (a.linear_bias.ndim == 1 and ",)" or ")") or "None"
  torch._warn(("linear_cross_entropy: ``options`` ignored; chunked path needs reduction in {'mean','sum','none'}, label_smoothing == 0, " ..
    "target.dtype == int64 (or a probability target with dtype matching input and requires_grad == False), out_features == (). Got " ..
    "reduction=%s, label_smoothing=%s, target.dtype=%s, out_features=%s, tracing=False, target.requires_grad=%s, linear_bias.shape=%s."):format(
    shown(a.reduction), shown(a.label_smoothing), tostring(a.target.dtype), sizes, shown(a.target.requires_grad), bias))
  return false
end

local function same_shape(target, input, weight)
  local n = input.ndim
  return target.ndim == n and target.shape[n - 1] == weight.shape[0] and (n == 1 or target.shape[0] == input.shape[0])
end

local function on_meta(t, dtype) return t and t:detach():to("meta", dtype) end
local cpp_names = {[torch.float16] = "c10::Half", [torch.bfloat16] = "c10::BFloat16", [torch.float32] = "float", [torch.float64] = "double"}
local keywords = {"linear_bias", "weight", "reduction", "ignore_index", "label_smoothing"}

-- Computes linear_cross_entropy with options. plain: the function without options.
local function with_options(plain, a)
  local given = {}
  for _, key in ipairs(keywords) do given[key] = a[key] end
  local probabilities = a.linear_weight.ndim == 2 and a.input.ndim > 0 and same_shape(a.target, a.input, a.linear_weight)
  if a.options == nil or not applies(a, probabilities) then return plain(a.input, a.linear_weight, a.target, given) end
  if getmetatable(a.options) ~= Options then fail("AttributeError", "'%s' object has no attribute '_adjust'", torch._python_type(a.options)) end
  local dtype = a.linear_weight.dtype
  local shapes = {linear_bias = on_meta(a.linear_bias, dtype), weight = on_meta(a.weight, dtype), reduction = a.reduction, ignore_index = a.ignore_index}
  plain(on_meta(a.input, dtype), on_meta(a.linear_weight), on_meta(a.target, probabilities and dtype or nil), shapes)   -- its checks
  if a.input.dtype ~= a.linear_weight.dtype then
    fail("RuntimeError", "expected m1 and m2 to have the same dtype, but got: %s != %s", cpp_names[a.input.dtype] or "int",
      cpp_names[a.linear_weight.dtype] or "int")
  end
  local single = a.input.ndim == 1
  local input, target = single and a.input:unsqueeze(0) or a.input, single and a.target:unsqueeze(0) or a.target
  local wants = wants_of{input = input, weight = a.linear_weight, bias = a.linear_bias}
  local call = {input = input:detach(), weight = a.linear_weight:detach(), bias = a.linear_bias and a.linear_bias:detach(),
    target = target:detach(), class_weight = a.weight and a.weight:detach(), reduction = a.reduction, ignore_index = a.ignore_index or -100,
    probabilities = probabilities, options = a.options, wants = wants, acc = accumulator(a.options, input.dtype)}
  call.chunk = chunk_size(a.options, input, a.linear_weight.shape[0], probabilities)
  call.wide_weight = call.weight:to(call.acc)
  local result = (a.reduction == "none" and Rows or Reduced).apply(call, input, a.linear_weight, a.linear_bias)
  return single and result:squeeze(0) or result
end

local read_call = torch._define("linear_cross_entropy(Tensor input, Tensor linear_weight, Tensor target, *, Tensor? linear_bias, Tensor? weight, " ..
  "reduction='mean', ignore_index?, label_smoothing=0.0, options?)")
function chunked.linear_cross_entropy(plain, ...) return with_options(plain, read_call(...)) end

-- --- the module -----------------------------------------------------------------------------------------------

--- Constructs a LinearCrossEntropyLoss with options. plain: the constructor without options, which does the rest.
function chunked.init(plain, module, options, ...)
  local given = table.pack(...)
  local rest = {}
  for key, value in pairs(given[given.n]) do if key ~= "options" then rest[key] = value end end
  given[given.n] = rest
  plain(module, table.unpack(given, 1, given.n))
  module.options = options
end

--- Runs the forward of a LinearCrossEntropyLoss with options.
function chunked.forward(plain, module, input, target)
  local linear, sizes = module.linear, {module.num_classes}
  for _, size in ipairs(module.out_features) do sizes[#sizes + 1] = size end
  local bias = linear.bias and linear.bias:reshape(sizes)
  sizes[#sizes + 1] = linear.in_features
  return with_options(plain, {input = input, linear_weight = linear.weight:reshape(sizes), target = target, linear_bias = bias, weight = module.weight,
    reduction = module.reduction, ignore_index = module.ignore_index, label_smoothing = module.label_smoothing, options = module.options})
end

return chunked
