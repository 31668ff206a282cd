-- Function.lua: torch.autograd.Function: functions with a custom derivative. The graph's side is torch._function
-- (bindings/autograd/function.c).
local torch = ...
local support = torch._part "support"
local driver = torch._function

-- The key under which a ctx stores the link to its node. No key of the user's can be equal.
local LINK = {}

-- --- ctx ----------------------------------------------------------------------------------------------------

local methods = {}
function methods.save_for_backward(ctx, ...) ctx.to_save = table.pack(...) end
function methods.save_for_forward(ctx, ...) ctx.saved_for_forward = table.pack(...) end
function methods.mark_dirty(ctx, ...) ctx.dirty_tensors = table.pack(...) end
function methods.mark_non_differentiable(ctx, ...) ctx.non_differentiable = table.pack(...) end
function methods.set_materialize_grads(ctx, value) ctx.materialize_grads = not not value end
function methods.mark_shared_storage()
  torch._warn("mark_shared_storage is deprecated. Tensors with shared storages are automatically tracked. Note that calls to " ..
    "`set_()` are not tracked", "DeprecationWarning")
end

local function saved_tensors(ctx)
  local link = rawget(ctx, LINK)
  return link and driver.saved(link) or {}
end

-- Returns the metatable of the ctx of a class. The graph calls its `backward`.
local function context_class(class)
  return {
    __name = class.node_name,
    __index = function(ctx, key)
      if key == "saved_tensors" or key == "saved_variables" then return saved_tensors(ctx) end
      return methods[key]
    end,
    __tostring = function(ctx)
      return ("<torch.autograd.function.%s object at %s>"):format(class.node_name, support.address(ctx))
    end,
    backward = function(ctx, ...) return class.backward(ctx, ...) end,
  }
end

-- --- classes --------------------------------------------------------------------------------------------------

local Function = {__name = "Function", __module = "torch.autograd.function"}
local contexts = setmetatable({}, {__mode = "k"}) -- class -> metatable of its ctx

function Function.forward()
  support.fail("NotImplementedError", "You must implement the forward function for custom autograd.Function.")
end
function Function.backward()
  support.fail("NotImplementedError", "You must implement either the backward or vjp method for your custom autograd.Function to " ..
    "use it with backward mode AD.")
end

-- Returns true if a method's first parameters are self and ctx, as in `function Exp:forward(ctx, x)`. The methods are static in
-- PyTorch; both forms work here.
local function takes_class(f)
  return debug and debug.getlocal and type(f) == "function" and debug.getlocal(f, 1) == "self" and debug.getlocal(f, 2) == "ctx"
end

local function define(class, name, f)
  if (name == "forward" or name == "backward" or name == "setup_context") and takes_class(f) then
    local method = f
    f = function(...) return method(class, ...) end
  end
  rawset(class, name, f)
end

local function run_forward(class, ctx, ...)
  local _ <close> = torch.no_grad()
  local setup = class.setup_context
  if not setup then return table.pack(class.forward(ctx, ...)) end
  local outputs = table.pack(class.forward(...))
  setup(ctx, {...}, outputs.n > 1 and table.move(outputs, 1, outputs.n, 1, {}) or outputs[1])
  for i = 1, ctx.to_save and ctx.to_save.n or 0 do
    local t = ctx.to_save[i]
    for k = 1, torch.is_tensor(t) and outputs.n or 0 do
      for _, input in ipairs{...} do
        if rawequal(t, outputs[k]) and rawequal(t, input) then
          support.fail("RuntimeError", "An input that has been returned as-is as output is being saved for backward. This is not " ..
            "supported if you override setup_context. You should return and save a view of the input instead, e.g. with " ..
            "x.view_as(x) or setup ctx inside the forward function itself.")
        end
      end
    end
  end
  return outputs
end

local function apply(class, ...)
  local inputs, count = {...}, select("#", ...)
  local ctx = setmetatable({}, contexts[class])
  local link, needs = driver.begin(class.node_name, inputs, count)
  ctx[LINK], ctx.needs_input_grad = link, needs
  local outputs = run_forward(class, ctx, ...)
  driver.finish(link, ctx, inputs, count, outputs, outputs.n)
  ctx.to_save, ctx.dirty_tensors, ctx.non_differentiable = nil, nil, nil
  return table.unpack(outputs, 1, outputs.n)
end

--- Creates a class of functions: Name.forward(ctx, ...), Name.backward(ctx, ...). Name.apply(...) calls the function.
function Function.extend(base, name)
  if type(name) ~= "string" then support.fail("TypeError", "extend() takes the name of the class, not %s", torch._python_type(name)) end
  local class = {__name = name, __module = "__main__", node_name = name .. "Backward"}
  function class.apply(...)
    if rawequal((...), class) then return apply(class, select(2, ...)) end -- Name:apply(...)
    return apply(class, ...)
  end
  contexts[class] = context_class(class)
  return setmetatable(class, {
    __index = base,
    __newindex = define,
    __call = function()
      support.fail("RuntimeError", "%s should not be instantiated. Methods on autograd functions are all static, so you should invoke " ..
        "them on the class itself: %s.apply(...)", tostring(class), name)
    end,
    __tostring = function() return ("<class '__main__.%s'>"):format(name) end,
  })
end

return setmetatable(Function, {__tostring = function() return "<class 'torch.autograd.function.Function'>" end})
