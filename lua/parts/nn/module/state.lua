-- state.lua: state_dict and load_state_dict of trees with hooks, extra states or methods written in Lua (bindings/nn/state.c
-- calls this, and does all other trees itself).
local torch = ...
local support = torch._part "support"
local types = torch._part "serialization.types"
local own = torch._module_state
local state = {}

local EXTRA = "_extra_state"

-- Returns the hooks of a kind, each {function, flag}.
local function hooks_of(module, kind) return (own.hooks(module) or {})[kind] or {} end

-- --- saving --------------------------------------------------------------------------------------------------------

--- Saves a module's own state: nn.Module:_save_to_state_dict(destination, prefix, keep_vars).
function state.save_own(module, dict, prefix, keep_vars)
  own.save_members(module, dict, prefix, keep_vars)
  if module.get_extra_state then dict[prefix .. EXTRA] = module:get_extra_state() end
end

local inherited = torch.nn.Module.state_dict

local function save(module, dict, metadata, prefix, keep_vars)
  local facts = {version = module._version}
  metadata[prefix:sub(1, -2)] = facts
  for _, hook in ipairs(hooks_of(module, "before_state_dict")) do hook[1](module, prefix, keep_vars) end
  module:_save_to_state_dict(dict, prefix, keep_vars)
  for name, child in own.children(module) do
    local below = prefix .. name .. "."
    if child.state_dict == inherited then
      save(child, dict, metadata, below, keep_vars)
    else
      child:state_dict{destination = dict, prefix = below, keep_vars = keep_vars}
    end
  end
  for _, hook in ipairs(hooks_of(module, "after_state_dict")) do
    local result = hook[1](module, dict, prefix, facts)
    if result ~= nil and hook[2] then support.fail("RuntimeError", "state_dict post-hook must return None") end
    if result ~= nil then dict = result end
  end
  return dict
end

function state.save(module, destination, prefix, keep_vars)
  local dict = destination or own.part(types.OrderedDict(), "")
  local metadata = dict._metadata or types.OrderedDict()
  local result = save(module, dict, metadata, prefix, keep_vars)
  dict._metadata = metadata
  return result
end

-- --- loading -------------------------------------------------------------------------------------------------------

--- Loads a module's own state: nn.Module:_load_from_state_dict(state_dict, prefix, local_metadata, strict, missing_keys,
-- unexpected_keys, error_msgs).
function state.load_own(module, dict, prefix, facts, strict, missing, unexpected, messages)
  for _, hook in ipairs(hooks_of(module, "before_load")) do
    if hook[2] then
      hook[1](module, dict, prefix, facts, strict, missing, unexpected, messages)
    else
      hook[1](dict, prefix, facts, strict, missing, unexpected, messages)
    end
  end
  if not strict then missing, unexpected = {}, {} end
  local reads = module.set_extra_state ~= nil
  own.load_members(module, dict, prefix, facts.version, facts.assign_to_params_buffers, reads, missing, unexpected, messages)
  if not reads then return end
  local extra = dict[prefix .. EXTRA]
  if extra ~= nil then
    module:set_extra_state(extra)
  else
    missing[#missing + 1] = prefix .. EXTRA
  end
end

local function load(module, run, dict, prefix)
  local facts = {}
  for key, value in pairs(run.metadata and run.metadata[prefix:sub(1, -2)] or {}) do facts[key] = value end
  if run.assign then facts.assign_to_params_buffers = true end
  module:_load_from_state_dict(dict, prefix, facts, true, run.keys.missing_keys, run.keys.unexpected_keys, run.messages)
  for name, child in own.children(module) do
    local below = prefix .. name .. "."
    load(child, run, own.part(dict, below), below)
  end
  for _, hook in ipairs(hooks_of(module, "after_load")) do
    if hook[1](module, run.keys) ~= nil then
      support.fail("AssertionError", "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new " ..
        "values, if incompatible_keys need to be modified, it should be done inplace.")
    end
  end
end

local function quoted(keys) return '"' .. table.concat(keys, '", "') .. '"' end

function state.load(module, dict, strict, assign)
  local run = {keys = own.incompatible({}, {}), messages = {}, metadata = dict._metadata, assign = assign}
  load(module, run, own.part(dict, ""), "")
  local missing, unexpected, messages = run.keys.missing_keys, run.keys.unexpected_keys, run.messages
  if strict then
    if #unexpected > 0 then table.insert(messages, 1, ("Unexpected key(s) in state_dict: %s. "):format(quoted(unexpected))) end
    if #missing > 0 then table.insert(messages, 1, ("Missing key(s) in state_dict: %s. "):format(quoted(missing))) end
  end
  if #messages > 0 then
    support.fail("RuntimeError", "Error(s) in loading state_dict for %s:\n\t%s", module:_get_name(), table.concat(messages, "\n\t"))
  end
  return run.keys
end

return state
