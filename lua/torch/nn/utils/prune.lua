-- nn/utils/prune.lua: torch.nn.utils.prune: parameters with some elements set to zero. The parameter NAME becomes NAME_orig, the
-- mask is the buffer NAME_mask, and NAME is their product, computed again before each call.
local torch = ...
local support = torch._part "support"
local fail = support.fail
local prune = {}

-- --- amounts -----------------------------------------------------------------------------------------------

-- Returns the number of elements, out of `size`, that a fraction or number means.
local function count_of(amount, size)
  if type(amount) ~= "number" then fail("TypeError", "Invalid type for amount: %s. Must be int or float.", support.python(amount)) end
  local whole = math.type(amount) == "integer"
  if amount < 0 or not whole and amount > 1 then
    fail("ValueError", "amount=%s should either be a float in the range [0, 1] or a non-negative integer", support.python(amount))
  end
  if whole and amount > size then
    fail("ValueError", "amount=%d should be smaller than the number of parameters to prune=%d", amount, size)
  end
  if whole then return amount end
  local n = amount * size   -- Python's round: halves to the even one
  local low = math.floor(n)
  if n - low == 0.5 then return low % 2 == 0 and low or low + 1 end
  return math.floor(n + 0.5)
end

-- --- masks -------------------------------------------------------------------------------------------------

-- Returns a copy of a mask with zeros at `indices`.
local function zero_at(mask, indices)
  local out = mask:clone()
  out:view(-1):index_fill_(0, indices, 0)
  return out
end

-- Returns the places (in the flattened tensor) of the lowest scores, or of the largest, among the unmasked ones; nil if none is
-- to be pruned.
local function lowest(scores, mask, amount, largest)
  local left = mask:flatten():ne(0):nonzero():squeeze(1)
  local n = count_of(amount, left:numel())
  if n == 0 then return nil end
  local _, picked = scores:flatten():index_select(0, left):topk(n, {largest = largest})
  return left:index_select(0, picked)
end

local methods = {}
function methods.Identity() return function(_, mask) return mask end end
function methods.RandomUnstructured(a)
  return function(t, mask)
    local left = mask:flatten():ne(0):nonzero():squeeze(1)
    local n = count_of(a.amount, left:numel())
    if n == 0 then return mask end
    local scores = torch.rand_like(t:flatten():index_select(0, left))
    local _, picked = scores:topk(n)
    return zero_at(mask, left:index_select(0, picked))
  end
end
function methods.L1Unstructured(a)
  return function(t, mask)
    local places = lowest(t:abs(), mask, a.amount, false)
    return places and zero_at(mask, places) or mask
  end
end
function methods.CustomFromMask(a)
  return function(_, mask) return mask * a.mask:to(mask.dtype) end
end

-- Returns a mask of whole slices along dim, those whose channel is in keep.
local function slices(t, dim, keep)
  local sizes = {}
  for d = 1, t.ndim do sizes[d] = 1 end
  sizes[dim % t.ndim + 1] = t.shape[dim]
  return keep:to(t.dtype):view(sizes):expand_as(t)
end
local function check_structured(t, dim)
  if t.ndim <= 1 then
    fail("ValueError", "Structured pruning can only be applied to multidimensional tensors. Found tensor of shape %s with %d dims",
      tostring(t.shape), t.ndim)
  end
  if dim >= t.ndim or dim < -t.ndim then fail("IndexError", "Invalid index %d for tensor of size %s", dim, tostring(t.shape)) end
end
-- Returns the channels that have unmasked elements, and the other dimensions.
local function channels_left(t, mask, dim)
  local d, others = dim % t.ndim, {}
  for i = 0, t.ndim - 1 do if i ~= d then others[#others + 1] = i end end
  return mask:sum(others):ne(0):nonzero():squeeze(1), others
end
function methods.RandomStructured(a)
  return function(t, mask)
    check_structured(t, a.dim)
    local left = channels_left(t, mask, a.dim)
    local n = count_of(a.amount, left:numel())
    if n == 0 then return mask end
    local drawn = torch.rand(left:numel())
    local threshold = torch.kthvalue(drawn, n)
    local keep = torch.zeros(t.shape[a.dim])
    keep:index_copy_(0, left:to(keep.device), drawn:gt(threshold):to(keep.dtype))
    return slices(t, a.dim, keep:to(t.device)) * mask
  end
end
function methods.LnStructured(a)
  return function(t, mask)
    check_structured(t, a.dim)
    local left, others = channels_left(t, mask, a.dim)
    local n = count_of(a.amount, left:numel())
    if n == 0 then return mask end
    local norm = torch.norm(t:index_select(a.dim, left), {p = a.n, dim = others})
    local _, picked = norm:topk(left:numel() - n)
    local keep = torch.zeros_like(norm):new_zeros{t.shape[a.dim]}:index_fill_(0, left:index_select(0, picked), 1)
    return slices(t, a.dim, keep) * mask
  end
end

-- --- applying ----------------------------------------------------------------------------------------------

local function hooks_of(module)
  local fields = torch._fields(module)
  fields._pruned = fields._pruned or {}
  return fields._pruned
end

local function apply(module, name, method, scores)
  local _ <close> = torch.enable_grad()
  local handles = hooks_of(module)
  local fields = torch._fields(module)
  local first = not handles[name]
  local original = first and module[name] or module[name .. "_orig"]
  if not torch.is_tensor(original) then fail("AttributeError", "'%s' object has no attribute '%s'", module:_get_name(), name) end
  scores = scores or module[name]
  if scores.shape ~= original.shape then
    fail("AssertionError", "importance_scores should have the same shape as parameter %s of %s, got %s vs %s", name, tostring(module),
      tostring(scores.shape), tostring(original.shape))
  end
  local before = first and torch.ones_like(original, {requires_grad = false}):detach() or module[name .. "_mask"]
  local mask = torch.no_grad(function() return method(scores:detach(), before) end)
  if first then
    torch._remove_member(module, name)
    module:register_parameter(name .. "_orig", original)
    torch._compute_members(module, module:_get_name())
    handles[name] = module:register_forward_pre_hook(function(m)
      torch._fields(m)[name] = m[name .. "_mask"]:to(m[name .. "_orig"].dtype) * m[name .. "_orig"]
    end)
  end
  module:register_buffer(name .. "_mask", mask)
  fields[name] = mask:to(original.dtype) * original
  return module
end

-- A pruning method with its options: torch.nn.utils.prune.L1Unstructured(2).
local Method = {}
Method.__index = Method
function Method:as(class)
  self.method = methods[class](self)
  return self
end
function Method:compute_mask(t, default_mask) return torch.no_grad(function() return self.method(t:detach(), default_mask) end) end
function Method:prune(t, default_mask, importance_scores)
  local mask = self:compute_mask(importance_scores or t, default_mask or torch.ones_like(t))
  return t * mask:to(t.dtype)
end

local function define(name, class, signature)
  local read = torch._define(("%s(module, name%s)"):format(name, signature))
  prune[name] = function(...)
    local a = read(...)
    return apply(a.module, a.name, methods[class](a), a.importance_scores)
  end
  local own = signature:gsub("^, ", ""):gsub(", importance_scores%?$", "")
  local read_own = torch._define(("%s(%s)"):format(class, class:find "Structured" and own:gsub("dim$", "dim=-1") or own))
  prune[class] = setmetatable({class = class, apply = prune[name]}, {__call = function(_, ...) return setmetatable(read_own(...), Method):as(class) end})
end
define("identity", "Identity", "")
define("random_unstructured", "RandomUnstructured", ", amount")
define("l1_unstructured", "L1Unstructured", ", amount, importance_scores?")
define("random_structured", "RandomStructured", ", amount, dim")
define("ln_structured", "LnStructured", ", amount, n, dim, importance_scores?")
define("custom_from_mask", "CustomFromMask", ", mask")

--- Makes the pruning permanent: NAME is a parameter again.
prune.remove = torch._define("remove(module, name)", function(module, name)
  local handles = hooks_of(module)
  if not handles[name] then
    fail("ValueError", "Parameter '%s' of module %s has to be pruned before pruning can be removed", name, tostring(module))
  end
  handles[name]:remove()
  handles[name] = nil
  local original = module[name .. "_orig"]
  original.data = torch.no_grad(function() return module[name .. "_mask"]:to(original.dtype) * original:detach() end)
  torch._remove_member(module, name .. "_orig")
  torch._remove_member(module, name .. "_mask")
  torch._fields(module)[name] = nil
  module:register_parameter(name, original)
  return module
end)

--- Returns true if anything in a module is pruned.
function prune.is_pruned(module)
  for m in module:modules() do
    if next(torch._fields(m)._pruned or {}) then return true end
  end
  return false
end

--- Prunes the lowest of all parameters together; parameters: {{module, "weight"}, ...}.
prune.global_unstructured = torch._define("global_unstructured(table parameters, pruning_method, *, amount)",
  function(parameters, pruning_method, amount)
    local scores, masks = {}, {}
    for i, pair in ipairs(parameters) do
      local t = pair[1][pair[2]]
      scores[i] = t:detach():flatten()
      masks[i] = (pair[1][pair[2] .. "_mask"] or torch.ones_like(scores[i])):flatten()
    end
    local mask = torch.no_grad(function()
      return methods[pruning_method.class]{amount = amount}(torch.cat(scores), torch.cat(masks))
    end)
    local at = 0
    for _, pair in ipairs(parameters) do
      local t = pair[1][pair[2]]
      prune.custom_from_mask(pair[1], pair[2], mask:narrow(0, at, t:numel()):view_as(t))
      at = at + t:numel()
    end
  end)

return torch._namespace(prune, "torch.nn.utils.prune")
