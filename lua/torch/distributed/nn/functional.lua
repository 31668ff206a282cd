-- distributed/nn/functional.lua: torch.distributed.nn.functional: collectives that return new tensors and have gradients. A backward pass
-- runs the opposite collectives, so every rank of the group takes part in it.
local torch = ...
local distributed = torch._part "torch.distributed"
local define, Function, SUM = torch._define, torch.autograd.Function, distributed.ReduceOp.SUM

local functional = {}

-- Ranks are those of the group in the classes below, and of the world in the functions of PyTorch's names.
local Broadcast, Reduce = Function:extend "_Broadcast", Function:extend "_Reduce"
local Gather, Scatter = Function:extend "_Gather", Function:extend "_Scatter"
local ReduceScatter, AllGather = Function:extend "_Reduce_Scatter", Function:extend "_AllGather"
local AllToAll, AllToAllSingle = Function:extend "_AlltoAll", Function:extend "_AlltoAllSingle"
local AllReduce = Function:extend "_AllReduce"

-- Returns the results of a function as a table.
local function list(...) return {...} end

local function empty_like_each(tensors)
  local out = {}
  for i, t in ipairs(tensors) do out[i] = torch.empty_like(t) end
  return out
end

local function contiguous(tensors)
  local out = {}
  for i, t in ipairs(tensors) do out[i] = t:contiguous() end
  return out
end

function Broadcast.forward(ctx, src, group, tensor)
  ctx.src, ctx.group, ctx.rank = src, group, distributed.get_rank()
  tensor = tensor:clone()
  distributed.broadcast(tensor, src, {group = group})
  return tensor
end
function Broadcast.backward(ctx, grad)
  local gx = Reduce.apply(ctx.src, SUM, ctx.group, grad)
  if ctx.src ~= ctx.rank then gx:zero_() end
  return nil, nil, gx
end

function Reduce.forward(ctx, dst, op, group, tensor)
  ctx.dst, ctx.group = dst, group
  tensor = tensor:clone()
  distributed.reduce(tensor, dst, op, {group = group})
  return tensor
end
function Reduce.backward(ctx, grad) return nil, nil, nil, Broadcast.apply(ctx.dst, ctx.group, grad) end

function Gather.forward(ctx, dst, group, tensor)
  ctx.dst, ctx.group = dst, group
  local outputs = {}
  for i = 1, distributed.get_world_size(group) do outputs[i] = torch.zeros_like(tensor) end
  distributed.gather(tensor:contiguous(), distributed.get_rank(group) == dst and outputs or nil, dst, {group = group})
  return table.unpack(outputs)
end
function Gather.backward(ctx, ...) return nil, nil, Scatter.apply(ctx.dst, ctx.group, ...) end

function Scatter.forward(ctx, src, group, ...)
  ctx.src, ctx.group = src, group
  local tensors = contiguous{...}
  local output = torch.zeros_like(tensors[1])
  distributed.scatter(output, distributed.get_rank(group) == src and tensors or nil, src, {group = group})
  return output
end
function Scatter.backward(ctx, grad) return nil, nil, Gather.apply(ctx.src, ctx.group, grad) end

function ReduceScatter.forward(ctx, op, group, output, ...)
  ctx.group = group
  output = output:contiguous()
  distributed.reduce_scatter(output, contiguous{...}, op, {group = group})
  return output
end
function ReduceScatter.backward(ctx, grad) return nil, nil, nil, AllGather.apply(ctx.group, grad) end

function AllGather.forward(ctx, group, tensor)
  ctx.group = group
  tensor = tensor:contiguous()
  local outputs = {}
  for i = 1, distributed.get_world_size(group) do outputs[i] = torch.empty_like(tensor) end
  distributed.all_gather(outputs, tensor, {group = group})
  return table.unpack(outputs)
end
function AllGather.backward(ctx, ...)
  local parts = list(AllToAll.apply(ctx.group, empty_like_each{...}, ...))
  return nil, torch.stack(parts):sum(0)
end

function AllToAll.forward(ctx, group, outputs, ...)
  ctx.group, ctx.shapes = group, {}
  for i, t in ipairs{...} do ctx.shapes[i] = t.shape end
  distributed.all_to_all(outputs, contiguous{...}, {group = group})
  return table.unpack(outputs)
end
function AllToAll.backward(ctx, grad, ...)
  local outputs = {}
  for i, shape in ipairs(ctx.shapes) do outputs[i] = torch.empty(shape, {device = grad.device, dtype = grad.dtype}) end
  return nil, nil, AllToAll.apply(ctx.group, outputs, grad, ...)
end

function AllToAllSingle.forward(ctx, group, output, output_sizes, input_sizes, input)
  ctx.group, ctx.shape, ctx.output_sizes, ctx.input_sizes = group, input.shape, input_sizes, output_sizes
  distributed.all_to_all_single(output, input, output_sizes, input_sizes, {group = group})
  return output
end
function AllToAllSingle.backward(ctx, grad)
  local output = torch.empty(ctx.shape, {device = grad.device, dtype = grad.dtype})
  return nil, nil, nil, nil, AllToAllSingle.apply(ctx.group, output, ctx.output_sizes, ctx.input_sizes, grad:contiguous())
end

function AllReduce.forward(ctx, op, group, tensor)
  ctx.op, ctx.group = op, group
  tensor = tensor:clone{memory_format = torch.contiguous_format}
  distributed.all_reduce(tensor, op, {group = group})
  return tensor
end
function AllReduce.backward(ctx, grad) return nil, nil, AllReduce.apply(ctx.op, ctx.group, grad) end

--- Returns rank src's tensor on all ranks.
functional.broadcast = define("broadcast(tensor, src, group?)", function(tensor, src, group) return Broadcast.apply(src, group, tensor) end)

--- Returns a table of all ranks' tensors on rank dst, and of zeros on the others.
functional.gather = define("gather(tensor, int dst=0, group?)", function(tensor, dst, group) return list(Gather.apply(dst, group, tensor)) end)

--- Returns this rank's one of the tensors of a table of rank src; the other ranks give a table of tensors of the same shape.
functional.scatter = define("scatter(tensors, int src=0, group?)", function(tensors, src, group)
  return Scatter.apply(src, group, table.unpack(tensors))
end)

--- Returns the reduction of all ranks' tensors on rank dst. On other ranks the result means nothing.
functional.reduce = define("reduce(tensor, dst, op?, group?)", function(tensor, dst, op, group) return Reduce.apply(dst, op or SUM, group, tensor) end)

--- Returns the reduction of what all ranks have in this rank's place of their tables.
functional.reduce_scatter = define("reduce_scatter(output, input_list, op?, group?)", function(output, input_list, op, group)
  return ReduceScatter.apply(op or SUM, group, output, table.unpack(input_list))
end)

--- Returns a table of all ranks' tensors.
functional.all_gather = define("all_gather(tensor, group?)", function(tensor, group) return list(AllGather.apply(group, tensor)) end)

--- Sends the tensors of a table, one to each rank, and returns a table of what came. output_tensor_list gives the shapes.
functional.all_to_all = define("all_to_all(output_tensor_list, input_tensor_list, group?)", function(outputs, inputs, group)
  return list(AllToAll.apply(group, outputs, table.unpack(inputs)))
end)

--- Sends rows of a tensor to each rank, and returns output with the rows that came.
functional.all_to_all_single = define("all_to_all_single(output, input, output_split_sizes?, input_split_sizes?, group?)",
  function(output, input, output_sizes, input_sizes, group)
    return AllToAllSingle.apply(group, output, output_sizes, input_sizes, input)
  end)

--- Returns the reduction of all ranks' tensors.
functional.all_reduce = define("all_reduce(tensor, op?, group?)", function(tensor, op, group) return AllReduce.apply(op or SUM, group, tensor) end)

return torch._namespace(functional, "torch.distributed.nn.functional")
