-- distributed/objects.lua: torch.distributed's collectives of Lua values. Values travel as torch.save writes them, and reading
-- executes nothing.
local torch = ...
local support = torch._part "support"
local world = torch._part "distributed.world"
local collectives = torch._part "distributed.collectives"
local point_to_point = torch._part "distributed.point_to_point"
local files = torch._part "serialization.files"
local fail, define = support.fail, torch._define

local objects = {}

-- --- values as bytes --------------------------------------------------------------------------------------------------

-- Returns the device on which bytes travel.
local function device_of(group, device)
  if device ~= nil then return torch.device(device) end
  return torch.device((group.backend == "nccl" or group.backend == "cuda:nccl") and "cuda" or "cpu")
end

-- Returns the bytes of a table of values as a uint8 tensor. Each value has a table of its own, so that nil travels, too.
local function encode(values, count, device)
  local boxes = {}
  for i = 1, count do boxes[i] = {values[i]} end
  return torch.frombuffer(files.save_bytes(boxes), {dtype = torch.uint8}):to(device)
end

-- Writes the values of bytes into a table, from place `first` on.
local function decode(bytes, list, first, weights_only)
  for i, box in ipairs(files.load_bytes(bytes:tostring_bytes(), {weights_only = weights_only})) do list[first + i - 1] = box[1] end
end

local function sizes(device, ...) return torch.tensor({...}, {dtype = torch.int64, device = device}) end

-- Returns bytes with zeros behind them, so that all ranks' have the same length.
local function padded(bytes, length)
  return torch.cat{bytes, torch.zeros(length - bytes:numel(), {dtype = torch.uint8, device = bytes.device})}
end

-- Marks the value in place k as one that holds no keywords, if it is the last argument of a call.
local Boxed = {}
local function box(k, ...)
  if select("#", ...) ~= k then return ... end
  local arguments = {...}
  arguments[k] = setmetatable({arguments[k]}, Boxed)
  return table.unpack(arguments, 1, k)
end
local function unbox(value)
  if getmetatable(value) == Boxed then return value[1] end
  return value
end

local function check_object_list(list)
  if not support.is_plain(list) then fail("TypeError", "'%s' object is not iterable", torch._python_type(list)) end
end

-- --- gathering ------------------------------------------------------------------------------------------------------------

-- Returns the length of each rank's bytes, and the largest.
local function lengths(group, bytes)
  local all = torch.zeros(group.count, {dtype = torch.int64, device = bytes.device})
  collectives.all_gather_into_tensor(all, sizes(bytes.device, bytes:numel()), {group = group})
  return all, all:max():item()
end

-- Returns a table of room for the bytes of each rank.
local function rooms(group, length, device)
  return torch.empty({group.count, length}, {dtype = torch.uint8, device = device}):unbind(0)
end

local read_all_gather = define "all_gather_object(object_list, obj?, group?, bool weights_only=true)"
--- Gathers a value from each rank: object_list receives them in order. weights_only = false also reads values of unknown classes, as
-- tables.
function objects.all_gather_object(...)
  local a = read_all_gather(box(2, ...))
  local group, obj = world.group_or_default(a.group), unbox(a.obj)
  if world.is_outside(group, "all_gather_object") then return end
  check_object_list(a.object_list)
  local bytes = encode({obj}, 1, device_of(group))
  local all, longest = lengths(group, bytes)
  local received = rooms(group, longest, bytes.device)
  collectives.all_gather(received, padded(bytes, longest), {group = group})
  for i = 1, group.count do decode(received[i]:narrow(0, 0, all[i - 1]:item()), a.object_list, i, a.weights_only) end
end

local read_gather = define "gather_object(obj?, object_gather_list?, dst?, group?, group_dst?, bool weights_only=true)"
--- Gathers a value from each rank at rank dst, whose object_gather_list receives them in order.
function objects.gather_object(...)
  local a = read_gather(box(1, ...))
  local group, list, obj = world.group_or_default(a.group), a.object_gather_list, unbox(a.obj)
  if world.is_outside(group, "gather_object") then return end
  local root = a.dst == nil and a.group_dst == nil and 0 or world.choose_rank(group, a.dst, a.group_dst)
  local is_root = root == group.own_rank
  if is_root and list == nil then
    fail("ValueError", "Argument ``gather_list`` must be specified on destination rank.")
  elseif not is_root and list ~= nil and #list > 0 then
    fail("ValueError", "Argument ``gather_list`` must NOT be specified on non-destination ranks.")
  end
  local bytes = encode({obj}, 1, device_of(group))
  local all, longest = lengths(group, bytes)
  local received = is_root and rooms(group, longest, bytes.device) or nil
  collectives.gather(padded(bytes, longest), received, {group_dst = root, group = group})
  for i = 1, is_root and group.count or 0 do decode(received[i]:narrow(0, 0, all[i - 1]:item()), list, i, a.weights_only) end
end

-- --- from one rank ----------------------------------------------------------------------------------------------------------

--- Copies the values of a table of rank src (the first one by default) to the tables of all ranks.
objects.broadcast_object_list = define("broadcast_object_list(object_list, src?, group?, device?, group_src?, bool weights_only=true)",
  function(list, src, group, device, group_src, weights_only)
    group = world.group_or_default(group)
    if world.is_outside(group, "broadcast_object_list") then return end
    check_object_list(list)
    local root = src == nil and group_src == nil and 0 or world.choose_rank(group, src, group_src)
    device = device_of(group, device)
    local bytes = root == group.own_rank and encode(list, #list, device)
    local length = sizes(device, bytes and bytes:numel() or 0)
    collectives.broadcast(length, {group_src = root, group = group})
    bytes = bytes or torch.empty(length:item(), {dtype = torch.uint8, device = device})
    collectives.broadcast(bytes, {group_src = root, group = group})
    if root ~= group.own_rank then decode(bytes, list, 1, weights_only) end
  end)

--- Copies the values of scatter_object_input_list of rank src (the first one by default) to the ranks: each receives its own as the
-- first value of scatter_object_output_list.
objects.scatter_object_list = define(
  "scatter_object_list(scatter_object_output_list, scatter_object_input_list?, src?, group?, group_src?, bool weights_only=true)",
  function(output, input, src, group, group_src, weights_only)
    group = world.group_or_default(group)
    if world.is_outside(group, "scatter_object_list") then return end
    if not support.is_plain(output) then
      fail("ValueError", "Expected argument scatter_object_output_list to be a list of size at least 1.")
    end
    local root = src == nil and group_src == nil and 0 or world.choose_rank(group, src, group_src)
    local is_root, device = root == group.own_rank, device_of(group)
    local rows, list, longest = {}, {}, 0
    if is_root then
      if not input then fail("ValueError", "source rank must provide non-None scatter_object_input_list") end
      if #input ~= group.count then
        fail("ValueError", "scatter_object_list: scatter_object_input_list has %d values, but the group has %d ranks", #input, group.count)
      end
      for i = 1, group.count do
        list[i] = encode({input[i]}, 1, device)
        longest = math.max(longest, list[i]:numel())
      end
      for i, bytes in ipairs(list) do rows[i] = sizes(device, longest, bytes:numel()) end
      for i, bytes in ipairs(list) do list[i] = padded(bytes, longest) end
    end
    local own = sizes(device, 0, 0)
    collectives.scatter(own, is_root and rows or nil, {group_src = root, group = group})
    local received = torch.empty(own[0]:item(), {dtype = torch.uint8, device = device})
    collectives.scatter(received, is_root and list or nil, {group_src = root, group = group})
    decode(received:narrow(0, 0, own[1]:item()), output, 1, weights_only)
  end)

-- --- between two ranks --------------------------------------------------------------------------------------------------------

--- Sends the values of a table to rank dst, which calls recv_object_list.
objects.send_object_list = define("send_object_list(object_list, dst?, group?, device?, group_dst?, bool use_batch=false, bool weights_only=true)",
  function(list, dst, group, device, group_dst)
    group = world.group_or_default(group)
    local peer = world.choose_rank(group, dst, group_dst)
    if world.is_outside(group, "send_object_list") then return end
    world.refuse_self(group, peer, "destination")
    check_object_list(list)
    local bytes = encode(list, #list, device_of(group, device))
    point_to_point.send(sizes(bytes.device, bytes:numel()), {group_dst = peer, group = group})
    point_to_point.send(bytes, {group_dst = peer, group = group})
  end)

--- Receives the values of a table that rank src sends, or anyone without one. Returns the sender's rank.
objects.recv_object_list = define("recv_object_list(object_list, src?, group?, device?, group_src?, bool use_batch=false, bool weights_only=true)",
  function(list, src, group, device, group_src, _, weights_only)
    group = world.group_or_default(group)
    if world.is_outside(group, "recv_object_list") then return -1 end
    local peer = (src ~= nil or group_src ~= nil) and world.choose_rank(group, src, group_src) or nil
    if peer then world.refuse_self(group, peer, "source") end
    check_object_list(list)
    device = device_of(group, device)
    local length = sizes(device, 0)
    local source = point_to_point.recv(length, {group_src = peer, group = group})
    local bytes = torch.empty(length:item(), {dtype = torch.uint8, device = device})
    point_to_point.recv(bytes, source, {group = group})
    decode(bytes, list, 1, weights_only)
    return source
  end)

return objects
