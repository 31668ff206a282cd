-- nn/AdaptiveLogSoftmaxWithLoss.lua: torch.nn.AdaptiveLogSoftmaxWithLoss: softmax over many classes, rare ones in clusters.
local torch = ...
local support = torch._part "support"
local nn, F = torch.nn, torch.nn.functional

local Adaptive = nn.Module:extend "AdaptiveLogSoftmaxWithLoss"

local function check_cutoffs(cutoffs, n_classes)
  if #cutoffs == 0 then support.fail("ValueError", "cutoffs should be a sequence of length larger than 0") end
  for i, c in ipairs(cutoffs) do
    if math.type(c) ~= "integer" or c <= (cutoffs[i - 1] or 0) or c > n_classes - 1 then
      support.fail("ValueError", "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each value is " ..
        "between 1 and n_classes-1")
    end
  end
end

local read = torch._define("AdaptiveLogSoftmaxWithLoss.__init__(in_features, n_classes, cutoffs, div_value=4.0, head_bias=false, device?, dtype?)")
function Adaptive:init(...)
  local a = read(...)
  local where = {device = a.device, dtype = a.dtype}
  check_cutoffs(a.cutoffs, a.n_classes)
  self.in_features, self.n_classes, self.div_value, self.head_bias = a.in_features, a.n_classes, a.div_value, a.head_bias
  self.cutoffs = table.move(a.cutoffs, 1, #a.cutoffs, 1, {})
  table.insert(self.cutoffs, a.n_classes)
  self.shortlist_size, self.n_clusters = self.cutoffs[1], #self.cutoffs - 1
  self.head_size = self.shortlist_size + self.n_clusters
  self.head = nn.Linear(a.in_features, self.head_size, a.head_bias, where)
  self.tail = nn.ModuleList()
  for i = 1, self.n_clusters do
    local hidden = math.floor(a.in_features // a.div_value ^ i)
    self.tail:append(nn.Sequential(nn.Linear(a.in_features, hidden, false, where),
      nn.Linear(hidden, self.cutoffs[i + 1] - self.cutoffs[i], false, where)))
  end
end

function Adaptive:reset_parameters()
  self.head:reset_parameters()
  for _, cluster in pairs(self.tail) do
    cluster[0]:reset_parameters()
    cluster[1]:reset_parameters()
  end
end

local function check_inputs(input, target)
  if target.ndim == 1 then
    if input.shape[0] ~= target.shape[0] then
      support.fail("RuntimeError", "Input and target should have the same size in the batch dimension.")
    elseif input.ndim ~= 2 then
      support.fail("RuntimeError", "1D target tensor expects 2D input tensors, but found inputs with size %s", tostring(input.shape))
    end
  elseif target.ndim == 0 then
    if input.ndim ~= 1 then
      support.fail("RuntimeError", "0D target tensor expects 1D input tensors, but found inputs with size %s", tostring(input.shape))
    end
  else
    support.fail("RuntimeError", "0D or 1D target tensor expected, multi-target not supported")
  end
end

-- Returns the logarithms of the targets' probabilities within their clusters, and the index of the head's output that belongs to
-- each target.
local function within_clusters(self, input, target)
  local output, of_head, used, low = input:new_zeros{target.shape[0]}, torch.empty_like(target), 0, 0
  for i = 0, self.n_clusters do
    local high = self.cutoffs[i + 1]
    local mask = target:ge(low) & target:lt(high)
    local rows = mask:nonzero():squeeze(1)
    if rows:numel() > 0 then
      if i == 0 then
        of_head:index_copy_(0, rows, target:masked_select(mask))
      else
        local log_probs = F.log_softmax(self.tail[i - 1](input:index_select(0, rows)), 1)
        local relative = target:masked_select(mask) - low
        of_head:index_fill_(0, rows, self.shortlist_size + i - 1)
        output = output:index_copy(0, rows, log_probs:gather(1, relative:unsqueeze(1)):squeeze(1))
      end
    end
    used, low = used + rows:numel(), high
  end
  if used ~= target.shape[0] then
    support.fail("RuntimeError", "Target values should be in [0, %d], but values in range [%d, %d] were found. ", self.n_classes - 1,
      target:min():item(), target:max():item())
  end
  return output, of_head
end

Adaptive.forward = torch._define("AdaptiveLogSoftmaxWithLoss.forward(self, input_, target_)", function(self, input, target)
  check_inputs(input, target)
  local alone = target.ndim == 0
  if alone then input, target = input:unsqueeze(0), target:unsqueeze(0) end
  local output, of_head = within_clusters(self, input, target)
  output = output + F.log_softmax(self.head(input), 1):gather(1, of_head:unsqueeze(1)):squeeze(1)
  local loss = (-output):mean()
  return alone and output:squeeze(0) or output, loss
end)

--- Returns the logarithms of the probabilities of all classes.
function Adaptive:log_prob(input)
  local head = F.log_softmax(self.head(input), 1)
  local parts = {head:narrow(1, 0, self.shortlist_size)}
  for i = 0, self.n_clusters - 1 do
    parts[#parts + 1] = F.log_softmax(self.tail[i](input), 1) + head:select(1, self.shortlist_size + i):unsqueeze(1)
  end
  return torch.cat(parts, 1)
end

--- Returns the most probable class of each row.
function Adaptive:predict(input) return self:log_prob(input):argmax(1) end

return Adaptive
