-- distributed/sync_batch_norm.lua: the forward pass of torch.nn.SyncBatchNorm over the batches of all ranks.
local torch = ...

-- Returns the dimensions of x but that of its channels, and the shape that channels have beside x.
local function layout_of(x)
  local dims, shape = {0}, {1, -1}
  for d = 2, x:dim() - 1 do
    dims[#dims + 1] = d
    shape[#shape + 1] = 1
  end
  return dims, shape
end

-- Returns the means and variances (biased) of the channels over all ranks, and the number of values. Each rank gathers the others'
-- means, sums of squared differences and counts, and joins them by the formula of Chan, Golub and LeVeque (1979).
local function joined_statistics(x, group)
  local dist = torch.distributed
  local dims = layout_of(x)
  local channels, count = x:size(1), x:numel() // math.max(x:size(1), 1)
  local mean = count > 0 and x:mean(dims) or torch.zeros(channels, {dtype = x.dtype, device = x.device})
  local squares = count > 0 and x:var(dims, {correction = 0}) * count or torch.zeros_like(mean)
  local mine = torch.cat{mean, squares, torch.full({1}, count, {dtype = mean.dtype, device = x.device})}
  local ranks = dist.get_world_size(group)
  local all = torch.empty({ranks, mine:numel()}, {dtype = mine.dtype, device = mine.device})
  dist.all_gather_into_tensor(all, mine, {group = group})
  local means, sums, counts = all:narrow(1, 0, channels), all:narrow(1, channels, channels), all:narrow(1, 2 * channels, 1)
  local total = counts:sum()
  local joint = (means * counts):sum(0) / total
  return joint, ((means - joint):square() * counts + sums):sum(0) / total, total
end

local Synchronized = torch.autograd.Function:extend "SyncBatchNorm"

function Synchronized.forward(ctx, input, weight, bias, statistics, group, eps)
  local _, shape = layout_of(input)
  local x = input:to(statistics.dtype)
  local mean, variance = statistics[1], statistics[2]
  local inverse = (variance + eps):rsqrt()
  ctx:save_for_backward(input, weight, mean, inverse, statistics.total)
  ctx.group = group
  local y = (x - mean:view(shape)) * inverse:view(shape)
  if weight then y = y * weight:view(shape) end
  if bias then y = y + bias:view(shape) end
  return y:to(input.dtype)
end

function Synchronized.backward(ctx, gradient)
  local input, weight, mean, inverse, total = table.unpack(ctx.saved_tensors)
  local dims, shape = layout_of(input)
  local dy, centered = gradient:to(mean.dtype), input:to(mean.dtype) - mean:view(shape)
  local sums = torch.stack{dy:sum(dims), (dy * centered):sum(dims)}
  local dweight, dbias = sums[1] * inverse, sums[0]
  local everywhere = sums:clone()
  torch.distributed.all_reduce(everywhere, {group = ctx.group})
  local means = everywhere / total
  local dx = (dy - means[0]:view(shape) - centered * (inverse:square() * means[1]):view(shape)) * inverse:view(shape)
  if weight then dx = dx * weight:view(shape) end
  return dx:to(input.dtype), weight and dweight:to(weight.dtype), ctx.needs_input_grad[3] and dbias or nil, nil, nil, nil
end

local function update_running_statistics(self, statistics)
  local mean, variance, total = statistics[1], statistics[2], statistics.total
  self.num_batches_tracked:add_(1)
  local factor = self.momentum or 1 / self.num_batches_tracked:item()
  self.running_mean:mul_(1 - factor):add_(mean:to(self.running_mean.dtype) * factor)
  self.running_var:mul_(1 - factor):add_((variance * (total / (total - 1))):to(self.running_var.dtype) * factor)
end

return function(self, x)
  local statistics
  do
    local _ <close> = torch.no_grad()
    local wide = (x.dtype == torch.float16 or x.dtype == torch.bfloat16) and x:float() or x
    local mean, variance, total = joined_statistics(wide:detach(), self.process_group)
    statistics = {mean, variance, total = total, dtype = wide.dtype}
    if self.running_mean ~= nil then update_running_statistics(self, statistics) end
  end
  return Synchronized.apply(x, self.weight, self.bias, statistics, self.process_group, self.eps)
end
