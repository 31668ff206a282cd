-- The Lua side of the bridge: tensors, modules, datasets, loaders and blocks as proxies of PyTorch's own objects.
local bridge = __bridge
local error_mt = {__tostring = function(e) return e.message .. "\nhint: (bridge)" end}
local function check(ok, ...)
  if not ok then error(setmetatable({message = (...), code = select(2, ...)}, error_mt), 0) end
  return ...
end
local function py(...) return check(bridge(...)) end

local MT = {}
local wrappers = setmetatable({}, {__mode = "v"})   -- number of an object -> its proxy
local classes, fields = {}, {}                      -- number of an object made from a Lua class -> class, Lua fields
function __wrap(number, kind)
  local w = wrappers[number]
  if not w then
    w = setmetatable({__py = number}, MT[kind] or error("bridge: kind " .. kind))
    wrappers[number] = w
  end
  return w
end

local function str(o) return py("string", o) end
local function text(o) return type(o) == "table" and rawget(o, "__py") and py("format", o) or tostring(o) end
local function concat(a, b) return text(a) .. text(b) end
local function length(o) return py("length", o) end
local function equal(a, b) return py("equal", a, b) end

-- Returns its arguments; a block in first place is entered.
local function entered(first, ...)
  if type(first) == "table" and getmetatable(first) == MT.block then py("enter", first) end
  return first, ...
end

local methods = {}
local function method(name)
  methods[name] = methods[name] or function(self, ...) return entered(py("callmethod", name, self, ...)) end
  return methods[name]
end
MT.method = {}
local renamed = {and_then = "then"}   -- a word of Lua's
local function getattr(o, k)
  k = renamed[k] or k
  local v = py("getattr", o, k)
  if type(v) == "table" and getmetatable(v) == MT.method then return method(k) end
  return v
end
local function setattr(o, k, v) py("setattr", o, k, v) end

-- tensors, arrays ---------------------------------------------------------------------------
local python_names = {["end"] = true}
local lua_names = {rep = "repeat"}
local function is_name(k) return type(k) == "string" and k:match "^[%a_][%w_]*$" and k ~= "None" and k ~= "True" and k ~= "False" end
local tensor = {__tostring = str, __concat = concat, __len = length, __eq = equal,
  __index = function(t, k)
    if is_name(k) then return getattr(t, lua_names[k] or k) end
    return py("index", t, k)
  end,
  __newindex = function(t, k, v)
    if is_name(k) then setattr(t, k, v) else py("setindex", t, k, v) end
  end,
  __pairs = function(t)
    local n, i = #t, -1
    return function()
      i = i + 1
      if i < n then return i, t[i] end
    end
  end,
  __lt = function(a, b) return py("compare", "lt", a, b) end,
  __le = function(a, b) return py("compare", "le", a, b) end,
  __unm = function(a) return py("unary", "unm", a) end,
  __bnot = function(a) return py("unary", "bnot", a) end,
}
for _, n in ipairs {"add", "sub", "mul", "div", "idiv", "mod", "pow", "band", "bor", "bxor", "shl", "shr"} do
  tensor["__" .. n] = function(a, b) return py("binary", n, a, b) end
end
MT.tensor, MT.array = tensor, tensor

-- small objects -----------------------------------------------------------------------------
local function index_or_getattr(o, k)
  if type(k) == "number" then return py("index", o, k) end
  return getattr(o, k)
end
MT.size = {__tostring = str, __concat = concat, __len = length, __eq = equal, __index = index_or_getattr}
MT.dtype = {__tostring = str, __concat = concat, __index = getattr}
MT.device = {__tostring = str, __concat = concat, __index = getattr, __eq = equal}
MT.namespace = {__index = function(o, k) return py("getattr", o, k) end}
MT.iterator = {__call = function(it) return py("next", it) end}
MT.dictionary = {__tostring = str, __len = length, __newindex = setattr,
  __index = function(o, k) return py("getattr", o, k) end,
  __pairs = function(o)
    local keys, i = py("keys", o), 0
    return function()
      i = i + 1
      if keys[i] ~= nil then return keys[i], py("getattr", o, keys[i]) end
    end
  end}
MT.block = {__index = getattr,
  __close = function(b)
    if not rawget(b, "left") then
      rawset(b, "left", true)
      py("leave", b)
    end
  end}

-- classes written in Lua -----------------------------------------------------------------------
local function extend(base, name)
  local class = {__py = py("extend", base, name).__py}
  classes[class.__py] = class -- a function's methods are static
  local lua_base = rawget(base, "lua_class") and base or nil
  rawset(class, "lua_class", true)
  return setmetatable(class, {
    __index = function(_, k)
      if k == "extend" then return extend end
      if k == "apply" then
        return function(first, ...)
          if rawequal(first, class) then return py("apply", class, ...) end
          return py("apply", class, first, ...)
        end
      end
      return lua_base and lua_base[k]
    end,
    __call = function(_, ...)
      local object = py("new", class)
      classes[object.__py], fields[object.__py] = class, {}
      if class.init then class.init(object, ...) end
      return object
    end})
end
py("dispatcher", function(object, name, ...)
  local class = classes[object.__py]
  if name == "?" then return class[(...)] ~= nil end
  if name == "static" then return class[(...)](select(2, ...)) end
  return class[name](object, ...)
end)
local function object_index(o, k)
  local number = rawget(o, "__py")
  local class = classes[number]
  if class then
    local v = fields[number][k]
    if v == nil and type(k) == "string" then v = class[k] end
    if v ~= nil then return v end
  end
  if k == "isinstance" then return function(self, c) return py("isinstance", self, c) end end
  return index_or_getattr(o, k)
end
local function is_proxy(v) return type(v) == "table" and rawget(v, "__py") and not rawget(v, "lua_class") end
MT.object = {__tostring = str, __concat = concat, __len = length, __index = object_index,
  __newindex = function(o, k, v)
    local own = fields[rawget(o, "__py")]
    if own then own[k] = v else setattr(o, k, v) end
  end}
MT.module = {__tostring = str, __concat = concat, __len = length,
  __index = function(m, k)
    if type(k) == "number" then return py("getattr", m, k) end
    return object_index(m, k)
  end,
  __newindex = function(m, k, v)
    local own = fields[rawget(m, "__py")]
    if own and not is_proxy(v) and k ~= "training" and not py("registered", m, k) then own[k] = v else setattr(m, k, v) end
  end,
  __call = function(m, ...) return py("forward", m, ...) end}
MT["function"] = {
  __call = function(f, ...) return entered(py("call", f, ...)) end,
  __index = function(f, k)
    if k == "extend" then return extend end
    return py("getattr", f, k)
  end}

-- loaders and samplers: the control variable of the for statement finds its iterator, so loops may nest -----------
local running = setmetatable({}, {__mode = "k"})
MT.loader = {__len = length,
  __index = function(o, k)
    if k ~= "enumerate" then return getattr(o, k) end
    return function(self)
      local it, i = py("iterator", self), -1
      local function step(first, ...)
        if first == nil then return nil end
        i = i + 1
        return i, first, ...
      end
      return function() return step(py("next", it)) end
    end
  end,
  __call = function(o, _, control)
    local key = type(control) == "table" and control or o
    local it = control ~= nil and running[key] or py("iterator", o)
    local function remember(first, ...)
      if first ~= nil then running[type(first) == "table" and first or o] = it end
      return first, ...
    end
    return remember(py("next", it))
  end}

-- torch itself ------------------------------------------------------------------------------------
local torch = __wrap(__torch_number, "namespace")
local special = {}
local function block(constructor)
  return function(...)
    local n = select("#", ...)
    local last = select(n > 0 and n or 1, ...)
    if type(last) ~= "function" then
      local b = py("call", constructor, ...)
      py("enter", b)
      return b
    end
    local arguments = {...}
    local b = py("call", constructor, table.unpack(arguments, 1, n - 1))
    py("enter", b)
    local function leave(ok, ...)
      py("leave", b)
      if not ok then error((...), 0) end
      return ...
    end
    return leave(pcall(last))
  end
end
for _, n in ipairs {"no_grad", "enable_grad", "inference_mode", "set_grad_enabled", "autocast"} do
  special[n] = block(py("getattr", torch, n))
end
function special.format(format, ...) return string.format(format, py("items", ...)) end
function special.scope(f, ...) return f(...) end
MT.namespace.__index = function(o, k)
  if o == torch and special[k] then return special[k] end
  return py("getattr", o, k)
end
for _, name in ipairs {"", ".io", ".utils", ".transforms", ".transforms.functional", ".transforms.v2", ".transforms.v2.functional", ".ops", ".models", ".datasets"} do
  package.preload["torchvision" .. name] = function() return py("module", "torchvision" .. name) end
end
package.preload["torch"] = function() return torch end
package.preload["torch.numpy"] = function() return py "numpy" end
function __run(program)
  local ok, e = xpcall(program, function(e) return debug.traceback(tostring(e), 2) end)
  io.stdout:flush()
  if not ok then error(e, 0) end
end
