-- distributed/point_to_point.lua: torch.distributed's operations between two ranks: send, recv and their like.
local torch = ...
local support = torch._part "support"
local world = torch._part "distributed.world"
local Work = torch._part "distributed.work".Work
local coalescing = torch._part "distributed.coalescing"
local driver, fail, define = torch._distributed, support.fail, torch._define

local point_to_point = {}

-- Begins to send. Returns nil on a rank that is not in the group.
local function begin_send(name, tensor, dst, group, tag, group_dst)
  group = world.group_or_default(group)
  local peer = world.choose_rank(group, dst, group_dst)
  world.check_tensor(tensor, "tensor")
  if world.is_outside(group, name) then return end
  world.refuse_self(group, peer, "destination")
  return Work(group, {driver.send(group.handle, true, tensor, peer, tag)}, {})
end

-- Begins to receive; without a source from anyone.
local function begin_recv(name, tensor, src, group, tag, group_src)
  world.check_tensor(tensor, "tensor")
  group = world.group_or_default(group)
  if world.is_outside(group, name) then return end
  local peer = (src ~= nil or group_src ~= nil) and world.choose_rank(group, src, group_src) or -1
  world.refuse_self(group, peer, "source")
  local work = Work(group, {driver.recv(group.handle, true, tensor, peer, tag)}, {tensor})
  work.is_recv = true
  return work
end

--- Begins to send a tensor to rank dst (group_dst: a rank of the group), and returns a Work. The tensor must not be written until
-- it has ended.
point_to_point.isend = define("isend(tensor, dst?, group?, int tag=0, group_dst?)", function(tensor, dst, group, tag, group_dst)
  return begin_send("isend", tensor, dst, group, tag, group_dst)
end)

--- Begins to receive a tensor from rank src, or from anyone without one, and returns a Work.
point_to_point.irecv = define("irecv(tensor, src?, group?, int tag=0, group_src?)", function(tensor, src, group, tag, group_src)
  return begin_recv("irecv", tensor, src, group, tag, group_src)
end)

--- Sends a tensor to rank dst (group_dst: a rank of the group).
point_to_point.send = define("send(tensor, dst?, group?, int tag=0, group_dst?)", function(tensor, dst, group, tag, group_dst)
  local work = begin_send("send", tensor, dst, group, tag, group_dst)
  if work then work:wait() end
end)

--- Receives a tensor from rank src, or from anyone without one. Returns the rank in the world that sent it, or -1 on a rank that is not
-- in the group.
point_to_point.recv = define("recv(tensor, src?, group?, int tag=0, group_src?)", function(tensor, src, group, tag, group_src)
  local work = begin_recv("recv", tensor, src, group, tag, group_src)
  if not work then return -1 end
  work:wait()
  return work:source_rank()
end)

-- --- several at once --------------------------------------------------------------------------------------------------

local P2POp = support.class("P2POp", nil, "torch.distributed.distributed_c10d")
point_to_point.P2POp = P2POp

local read = define "P2POp(op, tensor, peer?, group?, int tag=0, group_peer?)"

--- Describes a send or a receive for batch_isend_irecv. op: torch.distributed.isend or irecv.
function P2POp:init(...)
  local a = read(...)
  if a.op ~= point_to_point.isend and a.op ~= point_to_point.irecv then
    fail("ValueError", "Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or ``torch.distributed.irecv``.")
  end
  world.check_tensor(a.tensor, "tensor")
  self.op, self.tensor, self.tag = a.op, a.tensor, a.tag
  self.group = world.group_or_default(a.group)
  self.group_peer = world.choose_rank(self.group, a.peer, a.group_peer)
  self.peer = world.global_rank(self.group, self.group_peer)
end

function P2POp:__tostring()
  local sends = self.op == point_to_point.isend
  local own = self.group.own_rank
  return ("P2POp(%s pg=%s, group_src=%d, group_dst=%d,  %s, %s)"):format(sends and "isend" or "irecv", self.group.group_name,
    sends and own or self.group_peer, sends and self.group_peer or own, tostring(self.tensor.shape), tostring(self.tensor.dtype))
end

-- Begins them as one operation, in which none waits for another one. Returns its Work.
local function begin_as_one(list)
  local group, items, outputs = list[1].group, {}, {}
  for i, op in ipairs(list) do
    local sends = op.op == point_to_point.isend
    world.refuse_self(group, op.group_peer, sends and "destination" or "source")
    items[i] = {name = sends and "send" or "recv", op.tensor, op.group_peer, op.tag}
    if not sends then outputs[#outputs + 1] = op.tensor end
  end
  return Work(group, {coalescing.begin(group, items, true)}, outputs)
end

--- Begins all sends and receives of a table of P2POps, and returns the table of their Works; with nccl one Work of all of them.
point_to_point.batch_isend_irecv = define("batch_isend_irecv(p2p_op_list)", function(list)
  for i = 1, support.is_plain(list) and math.max(#list, 1) or 1 do
    if support.class_of(support.is_plain(list) and list[i]) ~= P2POp then
      fail("ValueError", "Invalid ``p2p_op_list``. Each op is expected to to be of type ``torch.distributed.P2POp``.")
    end
    if list[i].group ~= list[1].group then fail("ValueError", "All ops need to use the same group.") end
  end
  if driver.coalesces(list[1].group.handle, list[1].tensor) then return {begin_as_one(list)} end
  local works = {}
  for i, op in ipairs(list) do
    works[i] = op.op(op.tensor, {group = op.group, tag = op.tag, group_dst = op.op == point_to_point.isend and op.group_peer or nil,
      group_src = op.op == point_to_point.irecv and op.group_peer or nil})
  end
  return works
end)

return point_to_point
