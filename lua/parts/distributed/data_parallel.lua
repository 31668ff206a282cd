-- distributed/data_parallel.lua: torch.nn.parallel.DistributedDataParallel. What happens while backward runs is C's
-- (runtime/distributed/ddp/); this file reads arguments, calls the module, and looks for tensors in what it returns.
local torch = ...
local support = torch._part "support"
local world = torch._part "distributed.world"
local join = torch._part "distributed.join"
local collectives = torch._part "distributed.collectives"
local MAX = torch._part("distributed.facts").ReduceOp.MAX
local driver = torch._distributed
local nn, define, fail = torch.nn, torch._define, support.fail

-- --- values of any form --------------------------------------------------------------------------------

-- Calls f for each tensor of the value, which may be a table of tables; list and count: a packed list.
local function each_tensor(value, f)
  if torch.is_tensor(value) then return f(value) end
  if not support.is_plain(value) then return end
  for _, member in pairs(value) do each_tensor(member, f) end
end

-- Returns the value with each tensor replaced by f(tensor).
local function mapped(value, f)
  if torch.is_tensor(value) then return f(value) end
  if not support.is_plain(value) then return value end
  local out = {}
  for key, member in pairs(value) do out[key] = mapped(member, f) end
  return out
end

local function tensors_of(value)
  local list = {}
  each_tensor(value, function(t) list[#list + 1] = t end)
  return list
end

-- --- outputs that the loss may not use -------------------------------------------------------------------

-- Returns its inputs. Its backward runs if one of them is part of the loss, and then that of all others runs, too, without
-- gradients, so that the parameters behind them are known to be unused.
local Sink = torch.autograd.Function:extend "DDPSink"
function Sink.forward(ctx, ...)
  ctx:set_materialize_grads(false)
  local copies = table.pack(...)
  for i = 1, copies.n do copies[i] = copies[i]:clone() end
  return table.unpack(copies, 1, copies.n)
end
function Sink.backward(_, ...) return ... end

local function through_sink(outputs)
  local list = {}
  each_tensor(outputs, function(t) if t.grad_fn ~= nil then list[#list + 1] = t end end)
  if #list == 0 then return outputs end
  local passed, at = table.pack(Sink.apply(table.unpack(list))), 0
  return mapped(outputs, function(t)
    if t.grad_fn == nil then return t end
    at = at + 1
    return passed[at]
  end)
end

-- --- the module ---------------------------------------------------------------------------------------------

local DDP = nn.Module:extend "DistributedDataParallel"

local read = define("DistributedDataParallel.__init__(module, device_ids?, output_device?, dim=0, broadcast_buffers?, init_sync=true, " ..
  "process_group?, bucket_cap_mb?, find_unused_parameters=false, check_reduction=false, gradient_as_bucket_view=false, " ..
  "static_graph=false, delay_all_reduce_named_params?, param_to_hook_all_reduce?, mixed_precision?, device_mesh?, " ..
  "skip_all_reduce_unused_params=false, bucket_cap_mb_list?, batched_grad_copy=false, forward_sync_buffers?, " ..
  "lazy_bucket_allocation=false)")

local absent = {"delay_all_reduce_named_params", "param_to_hook_all_reduce", "mixed_precision", "device_mesh", "bucket_cap_mb_list"}

local function device_index(device)
  if device == nil or math.type(device) == "integer" then return device end
  return torch.device(device).index
end

-- Sets the GPU to which inputs are moved: nil if the script moves them.
local function take_devices(self, a)
  if a.device_ids ~= nil and type(a.device_ids) ~= "table" then
    torch._raise("TypeError", ("object of type '%s' has no len()"):format(torch._python_type(a.device_ids)), "device_ids is a list of one device: {0}")
  end
  local first = a.module:parameters()()
  local on_cpu = first == nil or first.device.type == "cpu"
  if a.device_ids ~= nil and #a.device_ids > 1 then
    fail("ValueError", "device_ids can only be None or contain a single element.")
  end
  if on_cpu and (a.device_ids ~= nil and #a.device_ids > 0 or a.output_device ~= nil) then
    torch._raise("ValueError", "DistributedDataParallel device_ids and output_device arguments only work with single-device/multiple-device "
      .. "GPU modules or CPU modules, but got device_ids " .. support.python(a.device_ids) .. ", output_device " .. support.python(a.output_device)
      .. ", and module parameters {device(type='cpu')}.", "leave device_ids out for a module on the CPU")
  end
  if a.device_ids ~= nil and #a.device_ids == 1 then self.input_device = torch.device("cuda", device_index(a.device_ids[1])) end
end

function DDP:init(...)
  local a = read(...)
  if not nn.Module.isinstance(a.module, nn.Module) then
    fail("TypeError", "DistributedDataParallel: a module expected, but got %s", torch._python_type(a.module))
  end
  for _, name in ipairs(absent) do
    if a[name] ~= nil then fail("NotImplementedError", "DistributedDataParallel has no %s here", name) end
  end
  if a.check_reduction then
    torch._warn("The `check_reduction` argument in `DistributedDataParallel` module is deprecated. Please avoid using it.", "FutureWarning")
  end
  take_devices(self, a)
  local syncs = a.forward_sync_buffers
  if syncs == nil then syncs = a.broadcast_buffers end
  self.module = a.module
  self.process_group = world.group_or_default(a.process_group)
  self.find_unused_parameters, self.static_graph = a.find_unused_parameters, a.static_graph
  self.gradient_as_bucket_view, self.dim = a.gradient_as_bucket_view, a.dim
  self.reducer = driver.reducer(a.module, self.process_group.handle, {
    bucket_cap_mb = a.bucket_cap_mb, find_unused_parameters = a.find_unused_parameters, gradient_as_bucket_view = a.gradient_as_bucket_view,
    static_graph = a.static_graph, no_init_sync = not a.init_sync, keep_buffers = a.forward_sync_buffers == nil and a.broadcast_buffers == false,
    keep_buffers_later = syncs == false}, a.module._ddp_params_and_buffers_to_ignore)
end

-- Names parameters and buffers of a module that DistributedDataParallel leaves alone; PyTorch has no other name for this.
function DDP._set_params_and_buffers_to_ignore_for_model(module, names) module._ddp_params_and_buffers_to_ignore = names end

-- Returns some of the facts that PyTorch's method of this name returns: the sizes of the buckets in bytes, and their parameters' numbers.
function DDP:_get_ddp_logging_data()
  local buckets, rebuilt = self.reducer:buckets()
  local sizes, members = {}, {}
  for i, bucket in ipairs(buckets) do sizes[i], members[i] = tostring(bucket.bytes), table.concat(bucket.parameters, " ") end
  return {has_rebuilt_buckets = rebuilt and 1 or 0, bucket_sizes = not rebuilt and table.concat(sizes, ", ") or nil,
    rebuilt_bucket_sizes = rebuilt and table.concat(sizes, ", ") or nil, rebuilt_per_bucket_param_indices = rebuilt and table.concat(members, ", ") or nil}
end

-- --- uneven inputs ------------------------------------------------------------------------------------------

-- Finds out with all ranks which is the last one for which `counts` holds, and if one of them reduces gradients in this pass.
local function agree(self, counts, reduces)
  local facts = torch.tensor({counts and self.process_group.own_rank or -1, reduces and 1 or 0}, {device = self:join_device()})
  collectives.all_reduce(facts, MAX, {group = self.process_group})
  return facts[0]:item(), facts[1]:item() > 0
end

-- Prepares a pass of a rank that has inputs.
local function meet_ranks_that_ended(self)
  local work, number = join.notify(self)
  if not self._join_config or not self._join_config.enable then return end
  local divisor = 0
  if work then
    work:wait()
    divisor = self.divides_by_initial and 0 or math.tointeger(number:item())
  end
  self.reducer:set_uneven(divisor, (agree(self, true, torch.is_grad_enabled() and self.reducer:sync())))
end

function DDP:join_process_group() return self.process_group end
function DDP:join_device() return self.module:parameters()().device end

-- Options: divide_by_initial_world_size.
function DDP:join_hook(options)
  self.divides_by_initial = options.divide_by_initial_world_size ~= false
  local hook = {}
  function hook.main_hook()
    local root, reduces = agree(self, false, false)
    self.reducer:set_uneven(0, root)
    self.reducer:before_forward()
    self.reducer:shadow_pass(reduces)
  end
  function hook.post_hook(_, is_last)
    self.reducer:set_uneven(0, (agree(self, is_last, false)))
    self.reducer:sync_state()
    self.reducer:set_uneven(0, 0)
  end
  return hook
end

local read_join = define "join(divide_by_initial_world_size=true, enable=true, throw_on_early_termination=false)"

--- ddp:join() is a block (local _ <close> = ddp:join(), or ddp:join(function() ... end)) for a loop over inputs of which ranks have
-- different numbers: those that have ended take part in the operations of the others. divide_by_initial_world_size = false divides
-- gradients by the number of ranks that go on.
function DDP:join(...)
  local given = table.pack(...)
  local block = type(given[given.n]) == "function" and given[given.n] or nil
  return join.block({self}, read_join(table.unpack(given, 1, given.n - (block and 1 or 0))), block)
end

-- --- passes ---------------------------------------------------------------------------------------------------

function DDP:forward(...)
  meet_ranks_that_ended(self)
  self.reducer:before_forward()
  local inputs = table.pack(...)
  if self.input_device then
    for i = 1, inputs.n do
      inputs[i] = mapped(inputs[i], function(t) return t:to(self.input_device) end)
    end
  end
  local outputs = table.pack(self.module(table.unpack(inputs, 1, inputs.n)))
  local trains = torch.is_grad_enabled() and self.reducer:sync()
  local finds = self.find_unused_parameters and not self.static_graph
  self.reducer:before_backward(finds and trains and tensors_of(outputs) or nil)
  if finds and trains then
    local n = outputs.n
    outputs.n = nil
    outputs = through_sink(outputs)
    outputs.n = n
  end
  return table.unpack(outputs, 1, outputs.n)
end

--- ddp:no_sync() is a block (local _ <close> = ddp:no_sync(), or ddp:no_sync(function() ... end)) in which backward passes only
-- accumulate gradients; the first pass after it reduces them all.
function DDP:no_sync(block)
  local before = self.reducer:sync(false)
  return support.guarded(function() self.reducer:sync(before) end, block)
end

-- --- communication hooks ------------------------------------------------------------------------------------

local Bucket = {__name = "torch.distributed.GradBucket"}
Bucket.__index = Bucket
function Bucket:index() return self._index end
function Bucket:is_last() return self._is_last end
function Bucket:buffer() return self._buffer end
function Bucket:gradients() return self._gradients end
function Bucket:parameters() return self._parameters end
function Bucket:set_buffer(tensor) self._buffer = tensor end

--- ddp:register_comm_hook(state, hook): hook(state, bucket) replaces the all_reduce of a bucket's gradients, which are not divided
-- by the number of ranks; it returns a Future of the reduced buffer.
function DDP:register_comm_hook(state, hook)
  if type(hook) ~= "function" then fail("TypeError", "Communication hook must be callable.") end
  local futures = {}
  self.reducer:register_comm_hook(function(index, is_last, buffer, gradients, parameters)
    local bucket = setmetatable({_index = index, _is_last = is_last, _buffer = buffer, _gradients = gradients, _parameters = parameters}, Bucket)
    futures[index] = hook(state, bucket)
    if type(futures[index]) ~= "table" or not futures[index].wait then
      fail("TypeError", "the communication hook must return a Future, but got %s", torch._python_type(futures[index]))
    end
  end, function(index, _, buffer)
    local result = futures[index]:wait()
    futures[index] = nil
    if not torch.is_tensor(result) then result = result[1] end
    if result.dtype ~= buffer.dtype or result:data_ptr() ~= buffer:data_ptr() then buffer:copy_(result) end
  end)
end

return DDP
