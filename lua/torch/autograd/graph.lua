-- graph.lua: torch.autograd.graph: hooks for tensors saved for backward, and for gradients of several tensors.
local torch = ...
local support = torch._part "support"
local graph = {}

-- Returns the block in last place, or nil if a variable is closed instead, for Python's `with`.
local function last_function(...)
  local count = select("#", ...)
  local block = select(count > 0 and count or 1, ...)
  if type(block) == "function" then return block end
end

--- Packs the tensors saved for backward within the block: pack(tensor) returns any value, unpack(value) the tensor again.
function graph.saved_tensors_hooks(pack, unpack, block)
  if support.is_plain(pack) and unpack == nil then pack, unpack, block = pack.pack_hook, pack.unpack_hook, pack[1] end
  return torch._saved_tensors_hooks(pack, unpack, block)
end

local function on_cpu(tensor) return {tensor.device, tensor:cpu()} end
local function on_device(packed) return packed[2]:to(packed[1]) end

--- Keeps the tensors saved for backward in the memory of the CPU.
function graph.save_on_cpu(...) return torch._saved_tensors_hooks(on_cpu, on_device, last_function(...)) end

--- Makes saved_tensors_hooks an error within the block.
function graph.disable_saved_tensors_hooks(error_message, block)
  if type(error_message) ~= "string" then
    support.fail("TypeError", "disable_saved_tensors_hooks(): argument 'error_message' must be str, not %s", torch._python_type(error_message))
  end
  local outer = graph.saved_tensors_hooks
  local function refuse() return support.fail("RuntimeError", "%s", error_message) end
  graph.saved_tensors_hooks = refuse
  return support.guarded(function()
    if graph.saved_tensors_hooks == refuse then graph.saved_tensors_hooks = outer end
  end, block)
end

-- --- changes of saved tensors -------------------------------------------------------------------------

local region -- the region that is entered

local function keep_copy(tensor) return {tensor:clone(), region} end
local function copy_of(kept)
  if kept[2] ~= region then
    support.fail("AssertionError", "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context" ..
      "in which the graph was originally recorded.")
  end
  return kept[1]
end

--- Allows tensors that were saved for backward to be changed in place within the block. backward must be called within the block,
-- too, and gets the old values. Each tensor is copied when it is saved.
function graph.allow_mutation_on_saved_tensors(block)
  if region then support.fail("RuntimeError", "allow_mutation_on_saved_tensors contexts cannot be nested") end
  local mine = {}
  region = mine
  local hooks = torch._saved_tensors_hooks(keep_copy, copy_of)
  return support.guarded(function()
    if region == mine then region = nil end
    local _ <close> = hooks
  end, block)
end

-- --- edges -------------------------------------------------------------------------------------------

local Edge = {__name = "GradientEdge"}
function Edge:__tostring() return ("GradientEdge(node=%s, output_nr=%d)"):format(self.node, self.output_nr) end

--- Returns the place {node =, output_nr =} at which the gradient of a tensor is computed. torch.autograd.grad and backward accept
-- it in place of the tensor.
function graph.get_gradient_edge(tensor)
  if not torch.is_tensor(tensor) or not tensor.requires_grad then
    support.fail("RuntimeError", "It is not possible to get the gradient edge for a Tensor that does not require gradients")
  end
  local _ <close> = torch.enable_grad()
  local edge = tensor:view_as(tensor).grad_fn.next_functions[1]
  return setmetatable({tensor = tensor, node = edge[1], output_nr = edge[2]}, Edge)
end

--- Counts a change of a tensor, or of those in a table, that torch cannot detect.
function graph.increment_version(tensor)
  for _, t in ipairs(support.is_plain(tensor) and tensor or {tensor}) do
    local _ <close> = torch.no_grad()
    t:mul_(1)
  end
end

local Handle = {__name = "RemovableHandle"}
Handle.__index = Handle
function Handle:remove()
  for _, handle in ipairs(self) do handle:remove() end
end

--- Calls fn with a table of the gradients of several tensors when a backward has computed all of those that it computes ("all";
-- the others are nil), or with the first gradient ("any").
function graph.register_multi_grad_hook(tensors, fn, options)
  local mode = type(options) == "table" and options.mode or "all"
  if mode ~= "all" and mode ~= "any" then support.fail("ValueError", "Expects mode to be one of ('all', 'any') but got %s", mode) end
  local handle, grads, seen, expected = setmetatable({}, Handle), {}, 0, 0
  local function begin()
    grads, seen, expected = {}, 0, 0
    for _, t in ipairs(tensors) do
      if torch._function.computes_gradient(t) then expected = expected + 1 end
    end
  end
  for i, t in ipairs(tensors) do
    handle[i] = t:register_hook(function(grad)
      if seen == 0 or grads[i] then begin() end   -- a second time: an earlier backward failed midway
      grads[i], seen = grad, seen + 1
      local first, all = seen == 1, seen >= expected and grads
      if all then seen = 0 end
      if mode == "any" then
        if first then fn(grad) end
      elseif all then
        fn(all)
      end
    end)
  end
  return handle
end

return torch._namespace(graph, "torch.autograd.graph")
