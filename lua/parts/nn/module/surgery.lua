-- surgery.lua: methods of modules that replace their members (bindings/nn/methods.c calls this).
local torch = ...
local support = torch._part "support"
local surgery = {}

local function is_module(value) return type(value) == "userdata" and torch.nn.Module.isinstance(value, torch.nn.Module) end

local function has(module, name)
  local ok, value = pcall(function() return module[name] end)   -- an unknown name may raise
  return ok and value ~= nil, ok and value
end

--- Replaces a submodule: Module:set_submodule(target, module, strict).
function surgery.set_submodule(self, target, module, strict)
  if target == "" then support.fail("ValueError", "Cannot set the submodule without a target name!") end
  local path, name = target:match "^(.*)%.([^.]*)$"
  local parent = path and self:get_submodule(path) or self
  name = name or target
  local there, old = has(parent, tonumber(name) or name)
  if strict and not there then support.fail("AttributeError", "%s has no attribute `%s`", parent:_get_name(), name) end
  if there and not is_module(old) then support.fail("AttributeError", "`%s` is not an nn.Module", name) end
  if not is_module(module) then
    support.fail("ValueError", "`module` is not an nn.Module, found %s", support.python_class(module))
  end
  parent[tonumber(name) or name] = module
end

--- Moves parameters and buffers to a device without their values: Module:to_empty{device = ..., recurse = ...}.
function surgery.to_empty(self, device, recurse)
  for name, p in self:named_parameters{recurse = false} do
    self[name] = torch.nn.Parameter(torch.empty_like(p:detach(), {device = device}), p.requires_grad)
  end
  for name, b in self:named_buffers{recurse = false} do self[name] = torch.empty_like(b, {device = device}) end
  if recurse then
    for child in self:children() do surgery.to_empty(child, device, true) end
  end
  return self
end

--- Calls f for all modules, children first: Module:apply(f). In Lua, so that f may yield.
function surgery.apply(self, f)
  for child in self:children() do surgery.apply(child, f) end
  f(self)
  return self
end

-- Calls f for each parameter and buffer.
local function each_tensor(self, f)
  for p in self:parameters() do f(p) end
  for b in self:buffers() do f(b) end
end

local read_type = torch._define "type(dst_type)"
--- Module:type(dst_type): casts all parameters and buffers, also those that are not floating point.
function surgery.type(self, ...)
  local a = read_type(...)
  each_tensor(self, function(t)
    local grad = t.grad
    t.grad = nil
    t.data = t.data:type(a.dst_type)
    if grad then t.grad = grad:type(a.dst_type) end
  end)
  return self
end

--- Module:share_memory(): does nothing, because workers are threads, which share memory anyway.
function surgery.share_memory(self)
  each_tensor(self, function(t) t:share_memory_() end)
  return self
end

return surgery
