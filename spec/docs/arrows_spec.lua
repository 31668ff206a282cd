-- arrows_spec.lua: an include may only point down (docs/architecture.md): a room of the runtime includes itself and the
-- rooms below it, the bindings and the programs include public headers only, the CUDA backend sees plain data of the runtime.
local rooms = {"random", "core", "device", "tensor", "dispatch", "autograd", "ops", "optim", "amp", "nn", "profiler", "io", "image", "serialization"}
local height = {}
for i, room in ipairs(rooms) do height[room] = i end

-- What is not there yet: files that still include what they should not.
local known = {}

local function includes(folder)
  local command = ([[grep -rnoE '#include "[^"]+"' %s --include=*.c --include=*.h --include=*.cu --include=*.cpp]]):format(folder)
  local pipe, out = io.popen(command), {}
  for line in pipe:lines() do
    local file, path = line:match '^([^:]+):%d+:#include "([^"]+)"'
    out[#out + 1] = {file = file, path = path}
  end
  pipe:close()
  return out
end

local function check(folder, allowed)
  local wrong = {}
  for _, include in ipairs(includes(folder)) do
    if not allowed(include.file, include.path) and not known[include.file] then
      wrong[#wrong + 1] = include.file .. " includes " .. include.path
    end
  end
  if #wrong > 0 then error(table.concat(wrong, "\n"), 0) end
end

-- Headers that the build writes: of a family (FAMILY/implementations.h), of formulas, modules, optimizers, functions.
local function generated(path)
  return path:find "^[%w_]+/implementations%.h$" ~= nil or path:find "^pointwise/formulas/" ~= nil or not path:find "/"
end

describe("includes", function()
  it("of the runtime point down", function()
    check("runtime", function(file, path)
      local room, to = file:match "^runtime/([%w_]+)/", path:match "^([%w_]+)/"
      if not room or to == "tocha" or room == "include" then return true end
      if not height[to] then return generated(path) end
      return height[to] <= height[room]
    end)
  end)

  it("of a family's loops know no operator", function()
    check("runtime/ops/*/cpu", function(_, path) return not path:find "^tocha/ops/" end)
  end)

  it("of the binding and the programs are public headers, or their own", function()
    local own = {["function_table.h"] = true}   -- written from bindings/functions.lua
    local pipe = io.popen "find bindings -name '*.h' -o -name '*.def'"
    for file in pipe:lines() do own[file:match "^bindings/(.*)"] = true end
    pipe:close()
    check("bindings", function(_, path) return path:find "^tocha/" ~= nil or own[path] end)
    check("examples", function(_, path) return path:find "^tocha/" ~= nil end)
  end)

  it("of the CUDA backend see no tensor and no context", function()
    check("cuda", function(_, path) return not (path:find "^core/" or path:find "^dispatch/" or path:find "^autograd/" or
      path == "tocha/context.h" or path == "tocha/tensor.h") end)
  end)

  it("of an operator are used", function()
    local functions = {}   -- by header: what it declares and defines
    local function declared(path)
      if not functions[path] then
        local names, f = {}, assert(io.open("build/generated/include/" .. path))
        local text = f:read "a"
        f:close()
        for line in text:gmatch "[^\n]+" do
          local name = (line:find "^TOCHA_API" or line:find "^static inline") and line:match "(tocha_[%w_]+)%("
          if name then names[name] = true end
        end
        for name in text:gmatch "#define (tocha_[%w_]+)" do names[name] = true end
        functions[path] = names
      end
      return functions[path]
    end
    local texts = {}   -- by file: the words in it
    local function uses(file, names)
      if not texts[file] then
        local words, f = {}, assert(io.open(file))
        for word in f:read("a"):gsub("#include[^\n]*", ""):gmatch "%f[%w_]tocha_[%w_]+" do words[word] = true end
        f:close()
        texts[file] = words
      end
      for word in pairs(texts[file]) do if names[word] then return true end end
      return false
    end
    for _, folder in ipairs {"runtime", "bindings", "examples", "spec/c"} do
      check(folder, function(file, path) return not path:find "^tocha/ops/" or uses(file, declared(path)) end)
    end
  end)
end)
