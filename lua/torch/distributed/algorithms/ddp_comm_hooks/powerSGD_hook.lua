-- powerSGD_hook.lua: PowerSGD (Vogels, Karimireddy and Jaggi, 2019): gradients travel as products of two narrow matrices, P and Q.
--   local state = powerSGD_hook.PowerSGDState(nil, {matrix_approximation_rank = 2, start_powerSGD_iter = 10})
--   ddp:register_comm_hook(state, powerSGD_hook.powerSGD_hook)
local torch = ...
local support = torch._part "support"
local world = torch._part "distributed.world"
local collectives = torch._part "distributed.collectives"
local random_state = torch._part "numpy.random_state"
local default_hooks = torch._part "torch.distributed.algorithms.ddp_comm_hooks.default_hooks"
local fail = support.fail

local MODULE = "torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook"
local hooks = {}

-- --- state ------------------------------------------------------------------------------------------------------

--- PowerSGDState(process_group, matrix_approximation_rank = 1, start_powerSGD_iter = 1000, min_compression_rate = 2, use_error_feedback = true,
-- warm_start = true, orthogonalization_epsilon = 0, random_seed = 0): passes before start_powerSGD_iter send gradients as they are.
local State = support.class("PowerSGDState", nil, MODULE)
hooks.PowerSGDState = State

local read = torch._define("PowerSGDState.__init__(process_group?, matrix_approximation_rank=1, start_powerSGD_iter=1000, min_compression_rate=2, " ..
  "use_error_feedback=true, warm_start=true, orthogonalization_epsilon=0, random_seed=0, compression_stats_logging_frequency=10000, " ..
  "batch_tensors_with_same_shape=false)")

function State:init(...)
  for name, value in pairs(read(...)) do self[name] = value end
  if (self.use_error_feedback or self.warm_start) and self.start_powerSGD_iter <= 1 then
    fail("ValueError", "Expect `start_powerSGD_iter` > 1 if `use_error_feedback` or `warm_start` is enabled, because PowerSGD can only be applied " ..
      "after the first two iterations in DDP.")
  end
  self.rng = random_state.new(self.random_seed)
  self.error_dict, self.p_memory_dict, self.q_memory_dict = {}, {}, {}   -- by the number of a bucket
  self.iter, self.total_numel_before_compression, self.total_numel_after_compression = 0, 0, 0
end

function State:maybe_increase_iter(bucket)
  if bucket:is_last() then self.iter = self.iter + 1 end
end

--- Returns how much smaller gradients became, and the numbers of elements before and after.
function State:compression_stats()
  local before, after = self.total_numel_before_compression, self.total_numel_after_compression
  return after > 0 and before / after or 0, before, after
end

-- --- matrices ---------------------------------------------------------------------------------------------------

-- Makes the columns of each matrix of a batch orthonormal, in place: by Gram and Schmidt's way for few columns, else by QR.
local function orthogonalize(matrices, epsilon)
  local columns, dtype = matrices:size(2), matrices.dtype
  if columns > 2 and dtype ~= torch.float16 and dtype ~= torch.bfloat16 then
    return matrices:copy_((torch.linalg.qr(matrices)))
  end
  for i = 0, columns - 1 do
    local column = matrices:narrow(2, i, 1)
    local length = torch.linalg.vector_norm(column, {dim = 1, keepdim = true})
    column:div_(epsilon == 0 and length or length + epsilon)
    if i + 1 < columns then
      local rest = matrices:narrow(2, i + 1, columns - i - 1)
      rest:sub_((column * rest):sum(1, true) * column)
    end
  end
end

-- Fills matrices with the same random numbers on all ranks.
local function randomize(state, matrices)
  local generator = torch.Generator():manual_seed(state.rng:below(999999999))
  for _, m in ipairs(matrices) do
    m:copy_(torch.randn(m.shape, {generator = generator, dtype = m.dtype}))
    orthogonalize(m, state.orthogonalization_epsilon)
  end
end

-- Returns the gradients of a bucket as a list of matrices that are worth compressing, and a list of the others.
local function sorted_out(state, gradients)
  local matrices, others = {}, {}
  for _, gradient in ipairs(gradients) do
    local m = gradient:view(gradient:size(0), -1)
    local rows, columns = m:size(0), m:size(1)
    local rank = math.min(rows, columns, state.matrix_approximation_rank)
    local whole, small = rows * columns, (rows + columns) * rank
    local worth = small * state.min_compression_rate < whole
    state.total_numel_before_compression = state.total_numel_before_compression + whole
    state.total_numel_after_compression = state.total_numel_after_compression + (worth and small or whole)
    table.insert(worth and matrices or others, worth and m or gradient)
  end
  return matrices, others
end

-- Returns batches {matrix = (count, rows, columns), members = matrices}: those of one shape in one if the state says so, shape by shape.
local function batches_of(state, matrices)
  local by_shape, batches = {}, {}
  for _, m in ipairs(matrices) do
    local shape = ("%dx%d"):format(m:size(0), m:size(1))
    if not by_shape[shape] then
      by_shape[shape] = {}
      by_shape[#by_shape + 1] = shape
    end
    table.insert(by_shape[shape], m)
  end
  for _, shape in ipairs(by_shape) do
    local members = by_shape[shape]
    if state.batch_tensors_with_same_shape and #members > 1 then
      batches[#batches + 1] = {matrix = torch.stack(members), members = members}
    else
      for _, m in ipairs(members) do batches[#batches + 1] = {matrix = m:unsqueeze(0), members = {}} end
    end
  end
  return batches
end

-- Gives each batch its P and Q: views of two tensors, so that two all_reduces carry all of them. Returns true if they are new.
local function place(state, number, batches, buffer)
  local p_count, q_count = 0, 0
  for _, b in ipairs(batches) do
    local count, rows, columns = b.matrix:size(0), b.matrix:size(1), b.matrix:size(2)
    b.rank = math.min(rows, columns, state.matrix_approximation_rank)
    b.p_from, b.q_from = p_count, q_count
    p_count, q_count = p_count + count * rows * b.rank, q_count + count * columns * b.rank
  end
  local is_new = not state.warm_start or not state.p_memory_dict[number]
  if is_new then
    state.p_memory_dict[number] = torch.empty(p_count, {dtype = buffer.dtype, device = buffer.device})
    state.q_memory_dict[number] = torch.empty(q_count, {dtype = buffer.dtype, device = buffer.device})
  end
  local function part(memory, from, count, rows, rank) return memory:narrow(0, from, count * rows * rank):view(count, rows, rank) end
  for _, b in ipairs(batches) do
    local count = b.matrix:size(0)
    b.p = part(state.p_memory_dict[number], b.p_from, count, b.matrix:size(1), b.rank)
    b.q = part(state.q_memory_dict[number], b.q_from, count, b.matrix:size(2), b.rank)
  end
  return is_new
end

-- Adds what the last pass lost to the gradients. Returns a copy of them, from which this pass's loss is found; nil without feedback.
local function with_error(state, number, buffer)
  if not state.use_error_feedback then return nil end
  if state.error_dict[number] then buffer:add_(state.error_dict[number]) end
  return buffer:clone()
end

-- --- the hook ---------------------------------------------------------------------------------------------------

local function flat_copy(tensors, buffer)
  local parts = {}
  for i, t in ipairs(tensors) do parts[i] = t:reshape(-1) end
  return #parts > 0 and torch.cat(parts) or buffer:new_empty{0}
end

local function unpack_into(tensors, flat)
  local at = 0
  for _, t in ipairs(tensors) do
    t:copy_(flat:narrow(0, at, t:numel()):view(t.shape))
    at = at + t:numel()
  end
end

-- Writes the products of P and Q to the gradients.
local function decompress(batches)
  for _, b in ipairs(batches) do
    b.matrix:copy_(b.p:bmm(b.q:transpose(1, 2)))
    for i, member in ipairs(b.members) do member:copy_(b.matrix[i - 1]) end
  end
end

--- powerSGD_hook(state, bucket): the gradients of matrices as products of two narrow ones; others, and all in the first passes, as they are.
function hooks.powerSGD_hook(state, bucket)
  local group, buffer, number = world.group_or_default(state.process_group), bucket:buffer(), bucket:index()
  if state.iter < state.start_powerSGD_iter then
    state:maybe_increase_iter(bucket)
    return default_hooks.allreduce_hook(group, bucket)
  end
  local before = with_error(state, number, buffer)
  local matrices, others = sorted_out(state, bucket:gradients())
  local rest, batches, qs = flat_copy(others, buffer), batches_of(state, matrices), {}
  local is_new = place(state, number, batches, buffer)
  local ps_memory, qs_memory = state.p_memory_dict[number], state.q_memory_dict[number]
  for i, b in ipairs(batches) do qs[i] = b.q end
  if is_new then
    randomize(state, qs)
  else
    for _, q in ipairs(qs) do orthogonalize(q, state.orthogonalization_epsilon) end
  end
  for _, b in ipairs(batches) do b.p:copy_(b.matrix:bmm(b.q)) end

  return collectives.all_reduce(rest, {group = group, async_op = true}):get_future():and_then(function()
    unpack_into(others, rest:div_(group.count))
    collectives.all_reduce(ps_memory, {group = group})
    for _, b in ipairs(batches) do
      orthogonalize(b.p, state.orthogonalization_epsilon)
      b.q:copy_(b.matrix:transpose(1, 2):bmm(b.p))
    end
    collectives.all_reduce(qs_memory, {group = group})
    qs_memory:div_(group.count)
    decompress(batches)
    if before then state.error_dict[number] = before:sub_(buffer) end
    if not state.warm_start then state.p_memory_dict, state.q_memory_dict = {}, {} end
    state:maybe_increase_iter(bucket)
    return buffer
  end)
end

-- --- all gradients as one matrix ----------------------------------------------------------------------------------

-- Returns P and Q of a bucket: from the last pass, or a new P and a random Q.
local function square_factors(state, number, matrix)
  local side = matrix:size(0)
  local rank = math.min(side, state.matrix_approximation_rank)
  if not state.warm_start or not state.p_memory_dict[number] then
    local generator = torch.Generator():manual_seed(state.rng:below(999999999))
    state.p_memory_dict[number] = torch.empty(side, rank, {dtype = matrix.dtype, device = matrix.device})
    state.q_memory_dict[number] = torch.randn({side, rank}, {generator = generator, dtype = matrix.dtype}):to(matrix.device)
  end
  return state.p_memory_dict[number], state.q_memory_dict[number]
end

--- batched_powerSGD_hook(state, bucket): all gradients of a bucket as one square matrix, filled up with zeros: quicker, and less exact.
function hooks.batched_powerSGD_hook(state, bucket)
  local group, buffer, number = world.group_or_default(state.process_group), bucket:buffer(), bucket:index()
  if state.iter < state.start_powerSGD_iter then
    state:maybe_increase_iter(bucket)
    return default_hooks.allreduce_hook(group, bucket)
  end
  local count = buffer:numel()
  local side = math.ceil(math.sqrt(count))
  state.total_numel_before_compression = state.total_numel_before_compression + count
  state.total_numel_after_compression = state.total_numel_after_compression + 2 * side * state.matrix_approximation_rank
  local flat = torch.nn.functional.pad(buffer, {0, side * side - count})
  local before = with_error(state, number, flat)
  local matrix = flat:view(side, side)
  local p, q = square_factors(state, number, matrix)
  orthogonalize(q:unsqueeze(0), state.orthogonalization_epsilon)
  p:copy_(matrix:mm(q))

  return collectives.all_reduce(p, {group = group, async_op = true}):get_future():and_then(function()
    orthogonalize(p:unsqueeze(0), state.orthogonalization_epsilon)
    q:copy_(matrix:t():mm(p))
    collectives.all_reduce(q, {group = group})
    q:div_(group.count)
    matrix:copy_(p:mm(q:t()))
    if before then state.error_dict[number] = before:sub_(flat) end
    if not state.warm_start then state.p_memory_dict, state.q_memory_dict = {}, {} end
    state:maybe_increase_iter(bucket)
    return buffer:copy_(flat:narrow(0, 0, count))
  end)
end

return torch._namespace(hooks, MODULE)
