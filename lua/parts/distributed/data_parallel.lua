-- distributed/data_parallel.lua: torch.nn.parallel.DistributedDataParallel. What happens while backward runs is C's
-- (runtime/distributed/ddp/); this file reads arguments, calls the module, and looks for tensors in what it returns.
local torch = ...
local support = torch._part "support"
local world = torch._part "distributed.world"
local join = torch._part "distributed.join"
local bucket_plan = torch._part "distributed.bucket_plan"
local mixed_precision = torch._part "distributed.mixed_precision"
local delayed_all_reduce = torch._part "distributed.delayed_all_reduce"
local types = torch._part "serialization.types"
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

local function check(a)
  if not nn.Module.isinstance(a.module, nn.Module) then
    fail("TypeError", "DistributedDataParallel: a module expected, but got %s", torch._python_type(a.module))
  end
  if (a.delay_all_reduce_named_params ~= nil) ~= (a.param_to_hook_all_reduce ~= nil) then
    fail("ValueError", "delay_all_reduce_named_params and param_to_hook_all_reduce need to be set at the same time.")
  end
  if a.device_mesh ~= nil then
    if a.process_group ~= nil then fail("RuntimeError", "Cannot specify both process_group and device_mesh arguments.") end
    torch._raise("NotImplementedError", "DistributedDataParallel has no device_mesh here", "process_group takes the group of the mesh")
  end
  if a.check_reduction then
    torch._warn("The `check_reduction` argument in `DistributedDataParallel` module is deprecated. Please avoid using it.", "FutureWarning")
  end
end

-- Returns the names of the parameters and buffers that the reducer leaves alone.
local function ignored_names(a)
  local names = table.move(a.module._ddp_params_and_buffers_to_ignore or {}, 1, #(a.module._ddp_params_and_buffers_to_ignore or {}), 1, {})
  for _, entry in ipairs(a.delay_all_reduce_named_params or {}) do names[#names + 1] = entry[1] end
  return names
end

-- Stands for a reducer if no parameter is left to reduce.
local Idle = {__index = function() return function() end end}
local function idle() return setmetatable({buckets = function() return {}, false end}, Idle) end

local function leaves_none(module, ignored)
  local skipped = {}
  for _, name in ipairs(ignored) do skipped[name] = true end
  for name, p in module:named_parameters() do
    if p.requires_grad and not skipped[name] then return false end
  end
  return true
end

local function make_reducer(self, a)
  if self.delayed and leaves_none(a.module, self.parameters_to_ignore) then return idle() end
  local reducer = driver.reducer(a.module, self.process_group.handle, {
    bucket_cap_mb = a.bucket_cap_mb, bucket_cap_mb_list = a.bucket_cap_mb_list, find_unused_parameters = a.find_unused_parameters,
    gradient_as_bucket_view = a.gradient_as_bucket_view and not a.mixed_precision,   -- gradients have other dtypes than buckets
    static_graph = a.static_graph, no_init_sync = not a.init_sync, keep_buffers = a.forward_sync_buffers == nil and a.broadcast_buffers == false,
    keep_buffers_later = not self.forward_sync_buffers}, self.parameters_to_ignore, bucket_plan.take(self))
  bucket_plan.follow(self, reducer)
  return reducer
end

function DDP:init(...)
  local a = read(...)
  check(a)
  take_devices(self, a)
  self.forward_sync_buffers = a.forward_sync_buffers
  if self.forward_sync_buffers == nil then self.forward_sync_buffers = a.broadcast_buffers ~= false end
  self.module = a.module
  self.process_group = world.group_or_default(a.process_group)
  self.find_unused_parameters, self.static_graph = a.find_unused_parameters, a.static_graph
  self.gradient_as_bucket_view, self.dim = a.gradient_as_bucket_view, a.dim
  self.parameters_to_ignore, self.iteration, self.needs_buffers = ignored_names(a), 0, true
  self.sizes = {bucket_cap_mb = a.bucket_cap_mb, bucket_cap_mb_list = a.bucket_cap_mb_list}
  if a.delay_all_reduce_named_params ~= nil and #a.delay_all_reduce_named_params > 0 then
    self.delayed = delayed_all_reduce.start(a.delay_all_reduce_named_params, a.param_to_hook_all_reduce, self.process_group)
  end
  self.reducer = make_reducer(self, a)
  self.mixed_precision = a.mixed_precision
  if a.mixed_precision ~= nil then self.precision = mixed_precision.start(a.mixed_precision, self, self.parameters_to_ignore) end
end

-- Names parameters and buffers of a module that DistributedDataParallel leaves alone; PyTorch has no other name for this.
function DDP._set_params_and_buffers_to_ignore_for_model(module, names) module._ddp_params_and_buffers_to_ignore = names end

-- Returns what PyTorch's method of this name returns, but for the times of passes.
function DDP:_get_ddp_logging_data() return torch._part "distributed.ddp_facts"(self, self.sizes) end

-- Expects every pass to be like the first one, as the constructor's static_graph does.
function DDP:_set_static_graph()
  if self.static_graph then
    torch._warn "You've set static_graph to be True, no need to set it again."
    return
  end
  self.static_graph = true
  self.reducer:set_static_graph()
  if self.find_unused_parameters then
    torch._warn("You passed find_unused_parameters=true to DistributedDataParallel, `_set_static_graph` will detect unused parameters " ..
      "automatically, so you do not need to set find_unused_parameters=true, just be sure these unused parameters will not change during " ..
      "training loop while calling `_set_static_graph`.")
  end
end

-- --- buffers ------------------------------------------------------------------------------------------------

local Location = {PRE_FORWARD = true, POST_FORWARD = true}

-- Replaces the broadcast of buffers: hook(state, buffers by their names) is called before or after the forward pass, and may return futures.
function DDP:_register_buffer_comm_hook(state, hook, comm_hook_location)
  if type(hook) ~= "function" then fail("AssertionError", "hook must be callable, got %s", torch._python_type(hook)) end
  comm_hook_location = comm_hook_location or "POST_FORWARD"
  if not Location[comm_hook_location] then
    fail("ValueError", "_register_buffer_comm_hook(): PRE_FORWARD or POST_FORWARD expected, but got %s", tostring(comm_hook_location))
  end
  self.buffer_hook = {state = state, call = hook, location = comm_hook_location}
  self.reducer:keep_buffers()
end

-- Calls the hook for buffers if this is its place, and buffers are to be synchronized.
local function call_buffer_hook(self, location)
  local hook = self.buffer_hook
  if not hook or hook.location ~= location or not self.forward_sync_buffers or not self.needs_buffers then return end
  local skipped, buffers = {}, types.OrderedDict()
  for _, name in ipairs(self.parameters_to_ignore) do skipped[name] = true end
  for name, buffer in self.module:named_buffers() do
    if not skipped[name] then buffers[name] = buffer end
  end
  if #buffers == 0 then return end
  local _ <close> = torch.no_grad()
  local futures = hook.call(hook.state, buffers)
  if futures ~= nil and futures.wait then futures = {futures} end
  for _, future in ipairs(futures or {}) do future:wait() end
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
    call_buffer_hook(self, "PRE_FORWARD")
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

-- Moves inputs to the module's GPU and casts them, if either is to be done.
local function prepared(self, inputs)
  local device, precision = self.input_device, self.precision
  if not device and not precision then return inputs end
  for i = 1, inputs.n do
    inputs[i] = mapped(inputs[i], function(t)
      if device then t = t:to(device) end
      return precision and precision:cast(t) or t
    end)
  end
  return inputs
end

-- Expects the backward pass of the outputs. Returns them.
local function after_forward(self, outputs, trains)
  local finds = self.find_unused_parameters and not self.static_graph and trains
  self.needs_buffers = trains
  self.reducer:before_backward(finds and tensors_of(outputs) or nil)
  if self.delayed then self.delayed:prepare() end
  if not finds then return outputs end
  local n = outputs.n
  outputs.n = nil
  outputs = through_sink(outputs)
  outputs.n = n
  return outputs
end

function DDP:forward(...)
  local precision, trains = self.precision, torch.is_grad_enabled() and self.reducer:sync()
  meet_ranks_that_ended(self)
  if precision then precision:restore() end
  self.reducer:before_forward()
  call_buffer_hook(self, "PRE_FORWARD")
  if precision then precision:before_forward() end
  local inputs = prepared(self, table.pack(...))
  local outputs = table.pack(self.module(table.unpack(inputs, 1, inputs.n)))
  call_buffer_hook(self, "POST_FORWARD")
  if precision and not torch.is_grad_enabled() then precision:restore() end
  if trains then self.iteration = self.iteration + 1 end
  outputs = after_forward(self, outputs, trains)
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
