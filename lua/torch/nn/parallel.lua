-- nn/parallel.lua: torch.nn.parallel and nn.DataParallel: one process, several GPUs. A batch is cut, each GPU runs a replica of
-- the module on its piece, and the results are joined. All steps are operators that record, so that the gradients of the
-- replicas are summed into the module. Nothing here waits for a GPU: all GPUs get their work before the first result is read.
local torch = ...
local support = torch._part "support"
local nn, driver = torch.nn, torch._cuda
local is_plain, define = support.is_plain, torch._define

local parallel = {}

-- --- devices -------------------------------------------------------------------------------------------

-- Returns the index that a number, "cuda:1" or a device means; nil for nil.
local function index_of(device)
  if device == nil or math.type(device) == "integer" then return device end
  if type(device) == "string" then device = torch.device(device) end
  if device.type ~= "cuda" then support.fail("ValueError", "Expected a cuda device, but got: %s", tostring(device)) end
  return device.index or driver.current_device()
end

local function indices_of(devices)
  local list = {}
  for i, device in ipairs(devices) do list[i] = index_of(device) end
  return list
end

local function device_of(index) return torch.device("cuda", index) end

local function all_gpus()
  local list = {}
  for i = 1, driver.device_count() do list[i] = i - 1 end
  return list
end

-- --- scatter -------------------------------------------------------------------------------------------

-- Returns the pieces of a value, one a device, and their number. Tensors are cut, tables are tables of pieces, and every device
-- gets any other value.
local function pieces_of(value, devices, dim)
  if torch.is_tensor(value) then
    local pieces = torch.chunk(value, #devices, dim)
    for i, piece in ipairs(pieces) do pieces[i] = piece:to(device_of(devices[i]), {non_blocking = true}) end
    return pieces, #pieces
  end
  local pieces, count = {}, #devices
  if not is_plain(value) or next(value) == nil then
    for i = 1, count do pieces[i] = value end
    return pieces, count
  end
  for i = 1, count do pieces[i] = {} end
  for key, member in pairs(value) do
    local parts, n = pieces_of(member, devices, dim)
    count = math.min(count, n)
    for i = 1, n do pieces[i][key] = parts[i] end
  end
  for i = count + 1, #devices do pieces[i] = nil end
  return pieces, count
end

local read_scatter = define "scatter(inputs, target_gpus, dim=0)"

--- scatter(inputs, target_gpus, dim = 0) returns a table of pieces of inputs, one a GPU. Tensors in (nested) tables are cut along
-- dim; other values are the same for all.
function parallel.scatter(...)
  local a = read_scatter(...)
  return (pieces_of(a.inputs, indices_of(a.target_gpus), a.dim))
end

-- Returns the pieces of a call's arguments as packed tables.
local function scatter_arguments(arguments, devices, dim)
  local count, lists = #devices, {}
  for k = 1, arguments.n do
    local n
    lists[k], n = pieces_of(arguments[k], devices, dim)
    count = math.min(count, n)
  end
  if arguments.n == 0 then count = 1 end
  local calls = {}
  for i = 1, count do
    calls[i] = {n = arguments.n}
    for k = 1, arguments.n do calls[i][k] = lists[k][i] end
  end
  return calls
end

-- --- gather --------------------------------------------------------------------------------------------

local function gather_tensors(tensors, target, dim)
  local scalars, moved = dim == 0, {}
  for i, t in ipairs(tensors) do
    if t.device.type == "cpu" then support.fail("AssertionError", "Gather function not implemented for CPU tensors") end
    scalars = scalars and t.ndim == 0
    moved[i] = t:to(target, {non_blocking = true})
  end
  if scalars then
    torch._warn("Was asked to gather along dimension 0, but all input tensors were scalars; will instead unsqueeze and "
      .. "return a vector.")
    for i, t in ipairs(moved) do moved[i] = t:view(1) end
  end
  return torch.cat(moved, dim)
end

local function gather_values(values, count, target, dim)
  local first = values[1]
  if torch.is_tensor(first) then return gather_tensors(values, target, dim) end
  if first == nil then return nil end
  if not is_plain(first) then
    support.fail("TypeError", "'%s' object is not iterable", torch._python_type(first))
  end
  local function size(t)
    local n = 0
    for _ in pairs(t) do n = n + 1 end
    return n
  end
  local result = {}
  for i = 2, count do
    if size(values[i]) ~= size(first) then support.fail("ValueError", "All dicts must have the same number of keys") end
  end
  for key in pairs(first) do
    local members = {}
    for i = 1, count do members[i] = values[i][key] end
    result[key] = gather_values(members, count, target, dim)
  end
  return result
end

-- Returns the device that an index, a name, a device or -1 (the CPU) means; the current GPU for nil.
local function target_of(device)
  if device == "cpu" or device == -1 then return torch.device "cpu" end
  if device ~= nil and type(device) ~= "number" and torch.device(device).type == "cpu" then return torch.device "cpu" end
  return device_of(index_of(device) or driver.current_device())
end

local read_gather = define "gather(outputs, target_device, dim=0)"

--- gather(outputs, target_device, dim = 0) joins the tensors of all GPUs along dim on the target; tables of tensors become a
-- table of joined ones.
function parallel.gather(...)
  local a = read_gather(...)
  return gather_values(a.outputs, #a.outputs, target_of(a.target_device), a.dim)
end

-- --- replicate -----------------------------------------------------------------------------------------

local SMALL, BUCKET = 256 * 1024, 10 * 1024 * 1024 -- bytes

-- Groups tensors that are copied together: small ones of one dtype, all with or all without a gradient. Returns lists of their
-- numbers.
local function buckets_of(tensors)
  local open, buckets = {}, {}
  for i, t in ipairs(tensors) do
    local bytes, key = t.nbytes, tostring(t.dtype) .. tostring(t.requires_grad)
    local bucket = open[key]
    if bytes > SMALL or not bucket or bucket.bytes + bytes > BUCKET then
      bucket = {bytes = 0}
      buckets[#buckets + 1] = bucket
      if bytes <= SMALL then open[key] = bucket end
    end
    bucket[#bucket + 1] = i
    bucket.bytes = bucket.bytes + bytes
  end
  return buckets
end

-- Returns for each device the tensors there: the tensors themselves on their own device, else copies. A bucket is copied at
-- once.
local function broadcast(tensors, devices)
  local copies = {}
  for j in ipairs(devices) do copies[j] = {} end
  local function cross(bucket, flat, sizes)
    for j, index in ipairs(devices) do
      local device = device_of(index)
      local there = tensors[bucket[1]].device ~= device
      local parts = there and flat and torch.split(flat:to(device, {non_blocking = true}), sizes)
      for k, i in ipairs(bucket) do
        local t = tensors[i]
        copies[j][i] = not there and t or parts and parts[k]:view(t.shape) or t:to(device, {non_blocking = true})
      end
    end
  end
  for _, bucket in ipairs(buckets_of(tensors)) do
    local list, sizes = {}, {}
    for k, i in ipairs(bucket) do
      list[k], sizes[k] = tensors[i]:flatten(), tensors[i]:numel()
    end
    cross(bucket, #bucket > 1 and #devices > 1 and torch.cat(list) or nil, sizes)
  end
  return copies
end

local read_replicate = define "replicate(network, devices, detach=false)"

--- replicate(network, devices) returns a table of copies of a module, one a GPU. Their parameters are results of an operator (on
-- the module's own GPU they are its own), so their gradients are added to the module's.
function parallel.replicate(...)
  local _, listed = ...
  if type(listed) == "table" and next(listed) == nil then return {} end
  local a = read_replicate(...)
  local devices, tensors = indices_of(a.devices), {}
  for t in a.network:parameters() do tensors[#tensors + 1] = t end
  for t in a.network:buffers() do tensors[#tensors + 1] = t end
  local copies
  if a.detach then
    copies = torch.no_grad(function() return broadcast(tensors, devices) end)
  else
    copies = broadcast(tensors, devices)
  end
  local replicas = {}
  for j in ipairs(devices) do replicas[j] = torch._replicate(a.network, tensors, copies[j]) end
  return replicas
end

-- --- parallel_apply ------------------------------------------------------------------------------------

-- Returns the first tensor in a value.
local function tensor_in(value)
  if torch.is_tensor(value) then return value end
  if not is_plain(value) then return nil end
  for _, member in pairs(value) do
    local found = tensor_in(member)
    if found then return found end
  end
end

-- Raises a replica's error with its place in front of the message.
local function caught(err, number, index)
  local kind = type(err) == "table" and rawget(err, "code") or "RuntimeError"
  local where = ("Caught %s in replica %d on device %d.\n"):format(kind, number, index)
  if type(err) ~= "table" or type(err.message) ~= "string" then support.fail("RuntimeError", "%s%s", where, tostring(err)) end
  err.message = where .. err.message
  error(err, 0)
end

-- Calls each module with its packed arguments on its GPU and returns a table of packed results.
local function run(modules, calls, devices)
  local results, old <const> = {}, driver.current_device()
  local _ <close> = driver.enter_device(old)
  for i, module in ipairs(modules) do
    local index = devices[i]
    if not index then
      local found = tensor_in(calls[i])
      if not found then
        support.fail("RuntimeError", "in replica %d, no device was provided and no tensor input was found; device cannot be "
          .. "resolved", i - 1)
      end
      index = found.device.index or old
    end
    driver.set_device(index)
    results[i] = table.pack(pcall(module, table.unpack(calls[i], 1, calls[i].n)))
    if not results[i][1] then caught(results[i][2], i - 1, index) end
    table.remove(results[i], 1)
    results[i].n = results[i].n - 1
  end
  return results
end

local function check_count(modules, other, what)
  if other and #modules ~= #other then
    support.fail("AssertionError", "The number of modules %d is not equal to the number of %s %d", #modules, what, #other)
  end
end

local read_apply = define "parallel_apply(modules, inputs, kwargs_tup?, devices?)"

--- parallel_apply(modules, inputs, kwargs_tup = nil, devices = nil) returns the table of each module's result on its input (a
-- table: its arguments), on its GPU. kwargs_tup: a table of keywords for each.
function parallel.parallel_apply(...)
  local a = read_apply(...)
  check_count(a.modules, a.inputs, "inputs")
  check_count(a.modules, a.kwargs_tup, "kwargs_tup")
  check_count(a.modules, a.devices, "devices")
  local calls, outputs = {}, {}
  for i in ipairs(a.modules) do
    local input, keywords = a.inputs[i], a.kwargs_tup and a.kwargs_tup[i]
    local call = is_plain(input) and table.pack(table.unpack(input, 1, input.n or #input)) or table.pack(input)
    if keywords and next(keywords) ~= nil then
      call.n = call.n + 1
      call[call.n] = keywords
    end
    calls[i] = call
  end
  for i, result in ipairs(run(a.modules, calls, a.devices and indices_of(a.devices) or {})) do
    if result.n > 1 then
      result.n = nil
      outputs[i] = result
    else
      outputs[i] = result[1]
    end
  end
  return outputs
end

-- --- data parallelism ----------------------------------------------------------------------------------

local function check_devices(module, source)
  local function check(t)
    if t.device == source then return end
    torch._raise("RuntimeError", ("module must have its parameters and buffers on device %s (device_ids[0]) but found one of "
      .. "them on device: %s"):format(source, t.device), ("write net:to(\"%s\") before the call"):format(source))
  end
  for t in module:parameters() do check(t) end
  for t in module:buffers() do check(t) end
end

-- Calls the module on packed arguments, cut along dim, on the GPUs. Returns the module's results, joined on output_device.
local function apply(module, arguments, device_ids, output_device, dim)
  check_devices(module, device_of(device_ids[1]))
  local calls = scatter_arguments(arguments, device_ids, dim)
  if #device_ids == 1 then return module(table.unpack(calls[1], 1, calls[1].n)) end
  local devices = table.move(device_ids, 1, #calls, 1, {})
  local results = run(parallel.replicate(module, devices), calls, devices)
  local joined, target = {}, target_of(output_device)
  for k = 1, results[1].n do
    local values = {}
    for i = 1, #results do values[i] = results[i][k] end
    joined[k] = gather_values(values, #results, target, dim)
  end
  return table.unpack(joined, 1, results[1].n)
end

local read_data_parallel = define "data_parallel(module, inputs, device_ids?, output_device?, dim=0, module_kwargs?)"

--- data_parallel(module, inputs, device_ids = all, output_device = device_ids[1], dim = 0, module_kwargs = nil) calls the module
-- on a tensor, or on a table of arguments, on several GPUs without a DataParallel.
function parallel.data_parallel(...)
  local a = read_data_parallel(...)
  local device_ids = indices_of(a.device_ids or all_gpus())
  if #device_ids == 0 then support.fail("RuntimeError", "device type could not be determined") end
  local arguments = is_plain(a.inputs) and table.pack(table.unpack(a.inputs)) or table.pack(a.inputs)
  if a.module_kwargs then
    arguments.n = arguments.n + 1
    arguments[arguments.n] = a.module_kwargs
  end
  local output = a.output_device
  if output == nil then output = device_ids[1] end
  return apply(a.module, arguments, device_ids, output, a.dim)
end

-- Warns if the GPUs differ much, because they wait for each other.
local function check_balance(device_ids)
  for _, property in ipairs{"total_memory", "multi_processor_count"} do
    local smallest, largest
    for _, index in ipairs(device_ids) do
      local value = driver.properties(index)[property]
      if not smallest or value < smallest.value then smallest = {value = value, index = index} end
      if not largest or value > largest.value then largest = {value = value, index = index} end
    end
    if smallest.value / largest.value < 0.75 then
      torch._warn(("There is an imbalance between your GPUs. You may want to exclude GPU %d which has less than 75%% of the "
        .. "memory or cores of GPU %d. You can do so by setting the device_ids argument to DataParallel, or by setting the "
        .. "CUDA_VISIBLE_DEVICES environment variable."):format(smallest.index, largest.index))
      return
    end
  end
end

--- nn.DataParallel(module, device_ids = all, output_device = device_ids[1], dim = 0): shares the batch of each call among the
-- GPUs. On one GPU, or none, it calls the module itself.
local DataParallel = nn.Module:extend "DataParallel"
parallel.DataParallel = DataParallel

local read_module = define "DataParallel.__init__(module, device_ids?, output_device?, dim=0)"

function DataParallel:init(...)
  local a = read_module(...)
  self.module = a.module
  self.device_ids = {}
  if driver.device_count() == 0 then return end
  self.device_ids = indices_of(a.device_ids or all_gpus())
  self.dim = a.dim
  self.output_device = self.device_ids[1]
  if a.output_device ~= nil then self.output_device = index_of(a.output_device) end
  self.src_device_obj = device_of(self.device_ids[1])
  check_balance(self.device_ids)
  if #self.device_ids == 1 then a.module:to(self.src_device_obj) end
end

function DataParallel:forward(...)
  if #self.device_ids == 0 then return self.module(...) end
  return apply(self.module, table.pack(...), self.device_ids, self.output_device, self.dim)
end

return torch._namespace(parallel, "torch.nn.parallel")
