-- utils/checkpoint.lua: torch.utils.checkpoint: drops the tensors that a function saves for backward, and computes them again
-- when backward needs them. The forward pass stores numbers in the graph in place of tensors. When the first of them is
-- unpacked, the function runs again, under the generators' states and the autocast of the first time, and the tensors saved by
-- that run are kept.
local torch = ...
local support = torch._part "support"
local fail = support.fail
local checkpoint = {}

local early_stop = true

-- --- the world of the first run -------------------------------------------------------------------------------

local DEVICES = {"cpu", "cuda"}

-- Returns the GPUs of the tensors among arguments.
local function gpus_of(args)
  local seen, list = {}, {}
  for i = 1, args.n do
    local t = args[i]
    if torch.is_tensor(t) and t.is_cuda and not seen[t.device.index] then
      seen[t.device.index] = true
      list[#list + 1] = t.device.index
    end
  end
  return list
end

local function generator_states(gpus)
  local states = {cpu = torch.get_rng_state()}
  for _, index in ipairs(gpus) do states[index] = torch.cuda.get_rng_state(index) end
  return states
end

local function set_generators(states)
  torch.set_rng_state(states.cpu)
  for index, state in pairs(states) do
    if index ~= "cpu" then torch.cuda.set_rng_state(state, index) end
  end
end

local function autocast_state()
  local states = {cache = torch.is_autocast_cache_enabled()}
  for _, device in ipairs(DEVICES) do
    states[device] = {enabled = torch.is_autocast_enabled(device), dtype = torch.get_autocast_dtype(device)}
  end
  return states
end

-- Calls f() under the autocast of the first run.
local function with_autocast(states, f)
  local _ <close> = torch.autocast("cpu", {enabled = states.cpu.enabled, dtype = states.cpu.dtype, cache_enabled = states.cache})
  local _ <close> = states.cuda.enabled and torch.autocast("cuda", {dtype = states.cuda.dtype, cache_enabled = states.cache}) or nil
  return f()
end

-- --- statistics -----------------------------------------------------------------------------------------------

-- Adds the modules that a function can reach: itself, or modules in its upvalues, some tables deep.
local function collect_modules(value, out, seen, depth)
  if value == nil or seen[value] or depth > 4 then return end
  local kind = type(value)
  if kind ~= "function" and kind ~= "table" and kind ~= "userdata" then return end
  seen[value] = true
  if kind == "userdata" then
    if getmetatable(value) == "torch.nn.Module" then out[#out + 1] = value end
  elseif kind == "table" then
    for _, inner in next, value do collect_modules(inner, out, seen, depth + 1) end
  elseif debug and debug.getupvalue then
    for i = 1, 255 do
      local name, inner = debug.getupvalue(value, i)
      if not name then break end
      if name ~= "_ENV" and inner ~= torch then collect_modules(inner, out, seen, depth + 1) end
    end
  end
end

-- Remembers the buffers of those modules with their values, so that a second run counts no batch twice.
local function keep_buffers(f)
  local modules, kept = {}, {}
  collect_modules(f, modules, {}, 0)
  for _, module in ipairs(modules) do
    for buffer in module:buffers() do kept[#kept + 1] = {buffer, buffer:detach():clone(), buffer._version} end
  end
  return kept
end

local function restore_buffers(kept)
  local _ <close> = torch.no_grad()
  for _, entry in ipairs(kept) do
    if entry[1]._version ~= entry[3] then entry[1]:detach():copy_(entry[2]) end
  end
end

-- --- frames ---------------------------------------------------------------------------------------------------

local function metadata(t)
  return ("{'shape': %s, 'dtype': %s, 'device': device(type='%s'%s)}"):format(t.shape, t.dtype, t.device.type,
    t.device.index and ", index=" .. t.device.index or "")
end

local function check(frame)
  if frame.count ~= frame.again then
    fail("CheckpointError", "torch.utils.checkpoint: A different number of tensors was saved during the original forward and recomputation.\n" ..
      "Number of tensors saved during forward: %d\nNumber of tensors saved during recomputation: %d.", frame.count, frame.again)
  end
  local lines = {}
  for i, was in ipairs(frame.metadata) do
    local is = frame.recomputed[i] and metadata(frame.recomputed[i]) or was
    if is ~= was then
      lines[#lines + 1] = ("tensor at position %d:\nsaved metadata: %s\nrecomputed metadata: %s\n"):format(i - 1, was, is)
    end
  end
  if #lines > 0 then
    fail("CheckpointError", "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than during the " ..
      "forward pass.\n%s", table.concat(lines))
  end
end

local STOP = "the tensors that backward needs are there"

-- Runs the function again and keeps the tensors that it saves.
local function recompute(frame)
  local stopped = false
  frame.recomputed, frame.again = {}, 0
  local function pack(t)
    frame.again = frame.again + 1
    if frame.again > frame.count then
      fail("CheckpointError", "torch.utils.checkpoint: trying to save more tensors during recomputation than during the original forward pass.")
    end
    local kept = t.requires_grad and t:detach() or t
    frame.recomputed[frame.again] = kept
    if frame.early_stop and frame.again == frame.count then
      stopped = true
      error(STOP, 0)
    end
    return kept
  end
  local now = frame.generators and generator_states(frame.gpus)
  if now then set_generators(frame.generators) end
  local kept = keep_buffers(frame.f)
  local ok, problem = pcall(with_autocast, frame.autocast, function()
    local _ <close> = torch.enable_grad()
    local _ <close> = torch.autograd.graph.saved_tensors_hooks(pack, function(t) return t end)
    frame.f(table.unpack(frame.args, 1, frame.args.n))
  end)
  restore_buffers(kept)
  if now then set_generators(now) end
  if not ok and not stopped then error(problem, 0) end
  check(frame)
end

local function run(f, args, options)
  local frame = {f = f, args = args, count = 0, metadata = {}, recomputed = {}, autocast = autocast_state(), gpus = gpus_of(args),
    early_stop = early_stop and options.early_stop ~= false}
  if options.preserve_rng_state ~= false then frame.generators = generator_states(frame.gpus) end
  local function pack(t)
    frame.count = frame.count + 1
    frame.metadata[frame.count] = options.determinism_check ~= "none" and metadata(t) or nil
    return frame.count
  end
  local function unpack(i)
    if not frame.recomputed[i] then recompute(frame) end
    local t = frame.recomputed[i]
    frame.recomputed[i] = nil   -- a tensor that backward took is not kept for another backward
    return t
  end
  local _ <close> = torch.autograd.graph.saved_tensors_hooks(pack, unpack)
  return f(table.unpack(args, 1, args.n))
end

-- --- public functions -----------------------------------------------------------------------------------------

local OPTIONS = {use_reentrant = true, preserve_rng_state = true, context_fn = true, determinism_check = true, debug = true, early_stop = true,
  respect_saved_tensors_hooks = true}
local EXPLICIT = " the use_reentrant parameter should be passed explicitly. In a future release, %s. use_reentrant=False is recommended, but " ..
  "if you need to preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on the " ..
  "differences between the two variants."

-- Removes the options from the keywords of a call: a last table with names.
local function split_options(...)
  local args, options = table.pack(...), {}
  local last = args[args.n]
  if not support.is_plain(last) or #last > 0 then return args, options end
  local rest = {}
  for key, value in pairs(last) do
    if OPTIONS[key] then options[key] = value else rest[key] = value end
  end
  if next(options) == nil then return args, options end
  args[args.n] = next(rest) ~= nil and rest or nil
  if args[args.n] == nil then args.n = args.n - 1 end
  return args, options
end

--- checkpoint(f, arguments..., {use_reentrant = false, preserve_rng_state = true, ...}) returns f(arguments...), whose
-- intermediate results backward computes again. Both values of use_reentrant do the same here.
function checkpoint.checkpoint(f, ...)
  local args, options = split_options(...)
  if options.use_reentrant == nil then
    torch._warn("torch.utils.checkpoint:" .. EXPLICIT:format "calling checkpoint without use_reentrant will raise an exception")
  end
  return run(f, args, options)
end

--- Applies checkpoint to a chain of functions, or an nn.Sequential, cut in segments: all but the last are computed again in
-- backward.
function checkpoint.checkpoint_sequential(functions, segments, input, options)
  options = options or {}
  for key in pairs(options) do
    if key ~= "use_reentrant" and key ~= "preserve_rng_state" then fail("ValueError", "Unexpected keyword arguments: %s", key) end
  end
  if options.use_reentrant == nil then
    torch._warn("torch.utils.checkpoint.checkpoint_sequential:" ..
      EXPLICIT:format "we will raise an exception if use_reentrant is not passed")
  end
  local list = functions
  if not support.is_plain(functions) then
    list = {}
    for child in functions:children() do list[#list + 1] = child end
  end
  local function part(first, last)
    return function(x)
      for i = first, last do x = list[i](x) end
      return x
    end
  end
  local size, last = #list // segments, 0
  for first = 1, size * (segments - 1), math.max(size, 1) do
    last = first + size - 1
    input = run(part(first, last), table.pack(input), options)
  end
  return part(last + 1, #list)(input)
end

--- Sets if a second run ends as soon as it has the tensors that backward needs, for later checkpoints (or those in the block).
function checkpoint.set_checkpoint_early_stop(enable, block)
  local before = early_stop
  early_stop = enable
  return support.guarded(function() early_stop = before end, block)
end

return torch._namespace(checkpoint, "torch.utils.checkpoint")
