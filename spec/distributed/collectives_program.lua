-- collectives_program.lua: one rank of collectives_spec.lua: every collective with every dtype, reduction, root, shape, group, at once and later,
-- against a model of plain arithmetic, which knows the inputs of all ranks. Prints what differs, then how many were tried. The
-- environment's SPEC_BACKEND is the backend, gloo if it is not set; SPEC_DTYPES names the dtypes, all of them if it is not set.
local torch = require "torch"
local dist = torch.distributed
local on_gpus = os.getenv "SPEC_BACKEND" == "nccl"   -- each rank on one of its own
if on_gpus then
  torch.cuda.set_device(tonumber(os.getenv "LOCAL_RANK"))
  torch.set_default_device("cuda")
end
dist.init_process_group(os.getenv "SPEC_BACKEND" or "gloo", {timeout = 30})
local size, rank = dist.get_world_size(), dist.get_rank()

-- --- the model: numbers in tables; ranks are those of the group -------------------------------------------------------------

local function integer(f) return function(a, b) return f(math.tointeger(a), math.tointeger(b)) end end
local folds = {
  SUM = function(a, b) return a + b end, AVG = function(a, b) return a + b end, PRODUCT = function(a, b) return a * b end,
  MIN = math.min, MAX = math.max, BAND = integer(function(a, b) return a & b end), BOR = integer(function(a, b) return a | b end),
  BXOR = integer(function(a, b) return a ~ b end),
}

local function fold(inputs, op)
  local out = {}
  for i = 1, #inputs[1] do
    local value = inputs[1][i]
    for r = 2, #inputs do value = folds[op](value, inputs[r][i]) end
    out[i] = op == "AVG" and value / #inputs or value
  end
  return out
end

-- Returns part `r` (from 0) of a table that is cut into n.
local function part(list, r, n)
  local length = #list // n
  return table.move(list, r * length + 1, (r + 1) * length, 1, {})
end

local function join(lists)
  local out = {}
  for _, list in ipairs(lists) do table.move(list, 1, #list, #out + 1, out) end
  return out
end

-- What each collective leaves on rank r of n: all inputs, root, reduction. nil: nothing is promised.
local model = {
  all_reduce = function(inputs, _, _, _, op) return fold(inputs, op) end,
  broadcast = function(inputs, _, _, root) return inputs[root + 1] end,
  reduce = function(inputs, r, _, root, op) return r == root and fold(inputs, op) or nil end,
  all_gather = function(inputs) return join(inputs) end,
  gather = function(inputs, r, _, root) return r == root and join(inputs) or nil end,
  scatter = function(inputs, r, n, root) return part(inputs[root + 1], r, n) end,
  reduce_scatter = function(inputs, r, n, _, op) return part(fold(inputs, op), r, n) end,
  all_to_all = function(inputs, r, n)
    local parts = {}
    for from = 1, n do parts[from] = part(inputs[from], r, n) end
    return join(parts)
  end,
}

model.all_gather_into_tensor, model.gather_single = model.all_gather, model.gather
model.reduce_scatter_tensor, model.all_to_all_single = model.reduce_scatter, model.all_to_all

-- --- tensors ------------------------------------------------------------------------------------------------------------------

-- Returns a tensor of this layout, filled with the numbers.
local layouts = {
  scalar = function(dtype) return torch.zeros({}, {dtype = dtype}) end,
  none = function(dtype) return torch.zeros(0, {dtype = dtype}) end,
  one = function(dtype) return torch.zeros(1, {dtype = dtype}) end,
  odd = function(dtype) return torch.zeros({7, 3}, {dtype = dtype}) end,
  strided = function(dtype) return torch.zeros({5, 4}, {dtype = dtype})[":, ::2"] end,
  turned = function(dtype) return torch.zeros({3, 5}, {dtype = dtype}):t() end,
}
local function fill(t, numbers)
  if t:numel() > 0 then t:copy_(torch.tensor(numbers, {dtype = torch.float64}):view(t.shape)) end
  return t
end
local function new(layout, dtype, numbers)
  local t = layouts[layout](dtype)
  return numbers and fill(t, numbers) or t
end
local function list(layout, dtype, n, numbers)
  local out = {}
  for i = 1, n do out[i] = new(layout, dtype, numbers and part(numbers, i - 1, n)) end
  return out
end

-- Calls a collective with this rank's numbers, and returns the tensors that it wrote.
local function finish(work, ...)
  if work then work:wait() end
  return {...}
end
local run = {
  all_reduce = function(c) local t = new(c.layout, c.dtype, c.own); return finish(dist.all_reduce(t, dist.ReduceOp[c.op], c.options), t) end,
  broadcast = function(c) local t = new(c.layout, c.dtype, c.own); return finish(dist.broadcast(t, c.global_root, c.options), t) end,
  reduce = function(c)
    local t = new(c.layout, c.dtype, c.own)
    return finish(dist.reduce(t, c.global_root, dist.ReduceOp[c.op], c.options), t)
  end,
  all_gather = function(c)
    local out = list(c.layout, c.dtype, c.n)
    return finish(dist.all_gather(out, new(c.layout, c.dtype, c.own), c.options), table.unpack(out))
  end,
  gather = function(c)
    local out = c.r == c.root and list(c.layout, c.dtype, c.n) or nil
    return finish(dist.gather(new(c.layout, c.dtype, c.own), out, c.global_root, c.options), table.unpack(out or {}))
  end,
  scatter = function(c)
    local t = new(c.layout, c.dtype)
    return finish(dist.scatter(t, c.r == c.root and list(c.layout, c.dtype, c.n, c.own) or nil, c.global_root, c.options), t)
  end,
  reduce_scatter = function(c)
    local t = new(c.layout, c.dtype)
    return finish(dist.reduce_scatter(t, list(c.layout, c.dtype, c.n, c.own), dist.ReduceOp[c.op], c.options), t)
  end,
  all_gather_into_tensor = function(c)
    local own = new(c.layout, c.dtype, c.own)
    local out = torch.zeros({c.n, own.shape:unpack()}, {dtype = c.dtype})
    return finish(dist.all_gather_into_tensor(out, own, c.options), out)
  end,
  gather_single = function(c)
    local own = new(c.layout, c.dtype, c.own)
    local out = c.r == c.root and torch.zeros({c.n, own.shape:unpack()}, {dtype = c.dtype}) or nil
    return finish(dist.gather_single(own, out, c.global_root, c.options), out)
  end,
  reduce_scatter_tensor = function(c)
    local t = new(c.layout, c.dtype)
    local all = fill(torch.zeros({c.n, t.shape:unpack()}, {dtype = c.dtype}), c.own)
    return finish(dist.reduce_scatter_tensor(t, all, dist.ReduceOp[c.op], c.options), t)
  end,
  all_to_all_single = function(c)
    local all = fill(torch.zeros({c.n, new(c.layout, c.dtype).shape:unpack()}, {dtype = c.dtype}), c.own)
    local out = torch.zeros_like(all)
    return finish(dist.all_to_all_single(out, all, c.options), out)
  end,
  all_to_all = function(c)
    local out = list(c.layout, c.dtype, c.n)
    return finish(dist.all_to_all(out, list(c.layout, c.dtype, c.n, c.own), c.options), table.unpack(out))
  end,
}
local cut = {scatter = true, reduce_scatter = true, all_to_all = true, reduce_scatter_tensor = true, all_to_all_single = true}   -- inputs: a part for each rank
local rooted = {broadcast = true, reduce = true, gather = true, gather_single = true, scatter = true}
local reducing = {all_reduce = true, reduce = true, reduce_scatter = true, reduce_scatter_tensor = true}

-- --- all cases ------------------------------------------------------------------------------------------------------------------

local tried, wrong = 0, 0

local function numbers_of(tensors)
  local out = {}
  for _, t in ipairs(tensors) do
    if t:numel() > 0 then out[#out + 1] = t:to(torch.float64):reshape(-1):tolist() end
  end
  return join(out)
end

local function try(name, c)
  local count = new(c.layout, c.dtype):numel() * (cut[name] and c.n or 1)
  local inputs = {}
  for r = 0, c.n - 1 do
    inputs[r + 1] = {}
    for i = 1, count do inputs[r + 1][i] = (i * 3 + r * 2) % (c.name == "bool" and 2 or 4) end
  end
  c.own = inputs[c.r + 1]
  local expected = model[name](inputs, c.r, c.n, c.root, c.op)
  local ok, got = pcall(run[name], c)
  got = ok and (expected and numbers_of(got) or {}) or {tostring(got)}
  local rounded = expected and numbers_of{torch.tensor(expected, {dtype = torch.float64}):to(c.dtype)} or {}
  tried = tried + 1
  if table.concat(got, " ") == table.concat(rounded, " ") then return end
  wrong = wrong + 1
  if wrong > 5 then return end
  print(name, c.name, c.op, c.layout, c.root, c.n, c.options.async_op, "expected", table.concat(rounded, " "), "got", table.concat(got, " "))
end

local dtypes = {bool = "MIN MAX BAND BOR", uint8 = "SUM PRODUCT MIN MAX BAND BOR BXOR", float32 = "SUM AVG PRODUCT MIN MAX"}
dtypes.int8, dtypes.int32, dtypes.int64 = dtypes.uint8, dtypes.uint8, dtypes.uint8
dtypes.float16, dtypes.bfloat16, dtypes.float64 = dtypes.float32, dtypes.float32, dtypes.float32

if on_gpus then
  for name, ops in pairs(dtypes) do dtypes[name] = ops:gsub(" B%u+", "") end   -- NCCL has no bitwise reductions
end

for name in pairs(dtypes) do
  local only = os.getenv "SPEC_DTYPES"
  if only and not only:find(name, 1, true) then dtypes[name] = nil end
end

-- Calls f with each key of a table in order: on all ranks in the same one.
local function each(t, f)
  local names = {}
  for name in pairs(t) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do f(name) end
end

local groups = {dist.group.WORLD, size > 1 and dist.new_group({0, size - 1}) or nil, size > 2 and dist.new_group({1, 2}) or nil}
for _, group in ipairs(groups) do
  local n = dist.get_world_size(group)
  each(group ~= dist.GroupMember.NON_GROUP_MEMBER and run or {}, function(name)
    each(dtypes, function(dtype)
      each(layouts, function(layout)
        for op in (reducing[name] and dtypes[dtype] or "SUM"):gmatch "%a+" do
          for root = 0, rooted[name] and n - 1 or 0 do
            for _, async_op in ipairs{false, true} do
              try(name, {name = dtype, dtype = torch[dtype], layout = layout, op = op, root = root, n = n, r = dist.get_group_rank(group, rank),
                global_root = dist.get_global_rank(group, root), options = {group = group, async_op = async_op}})
            end
          end
        end
      end)
    end)
  end)
end
dist.barrier()
print(("%d tried, %d wrong"):format(tried, wrong))
dist.destroy_process_group()
