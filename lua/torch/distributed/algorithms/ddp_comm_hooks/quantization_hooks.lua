-- quantization_hooks.lua: communication hooks that send gradients as one byte an element, with a scale and a zero point of each rank:
--   ddp:register_comm_hook(nil, quantization_hooks.quantization_pertensor_hook)
-- Every rank receives all ranks' bytes, and adds up itself.
local torch = ...
local world = torch._part "distributed.world"
local collectives = torch._part "distributed.collectives"

local hooks = {}

local HIGHEST = 255
local EPSILON = 2 ^ -23   -- of float32

-- Returns the scale and the zero point of each row, as two columns of float32.
local function scales_of(rows)
  local low, high = rows:amin(1):clamp{max = 0}, rows:amax(1):clamp{min = 0}
  local scale = ((high - low) / HIGHEST):clamp{min = EPSILON}
  local zero = (-(low / scale):round()):clamp(0, HIGHEST)
  return torch.stack({scale, zero}, 1)
end

-- Returns the rows as bytes, by a scale and a zero point of each.
local function quantized(rows, scales)
  local scale, zero = scales:narrow(1, 0, 1), scales:narrow(1, 1, 1)
  return ((rows / scale):round() + zero):clamp(0, HIGHEST):to(torch.uint8)
end

local function restored(bytes, scales)
  return scales:narrow(1, 0, 1) * (bytes:to(torch.float32) - scales:narrow(1, 1, 1))
end

-- Gathers a tensor of each rank. Returns a future of the list of them.
local function gather(tensor, group)
  local list = {}
  for r = 1, group.count do list[r] = torch.empty_like(tensor) end
  return collectives.all_gather(list, tensor, {group = group, async_op = true}):get_future():and_then(function() return list end)
end

-- Returns a future of the mean of all ranks' rows.
local function mean_of_rows(rows, group)
  local own = scales_of(rows)
  return gather(own, group):and_then(function(scales)
    local sum = torch.zeros_like(rows, {dtype = torch.float32})
    for r, bytes in ipairs(gather(quantized(rows, own), group):wait()) do sum:add_(restored(bytes, scales:value()[r])) end
    return sum / group.count
  end)
end

--- quantization_pertensor_hook(process_group, bucket): the mean of gradients that travel as bytes, with one scale for the bucket.
function hooks.quantization_pertensor_hook(process_group, bucket)
  local rows = bucket:buffer():unsqueeze(0)
  return mean_of_rows(rows, world.group_or_default(process_group)):and_then(function(mean) return mean:value()[0] end)
end

--- quantization_perchannel_hook(process_group, bucket, bucket_size = 512): the same with a scale for each bucket_size elements.
function hooks.quantization_perchannel_hook(process_group, bucket, bucket_size)
  bucket_size = bucket_size or 512
  local buffer = bucket:buffer()
  local count = buffer:numel()
  local rows = torch.nn.functional.pad(buffer, {0, bucket_size - count % bucket_size}):view(-1, bucket_size)
  return mean_of_rows(rows, world.group_or_default(process_group)):and_then(function(mean)
    return mean:value():flatten():narrow(0, 0, count)
  end)
end

return torch._namespace(hooks, "torch.distributed.algorithms.ddp_comm_hooks.quantization_hooks")
