-- golden_spec.lua: programs about data, summaries and metrics print what PyTorch and its companions print (spec/golden). And
-- programs of all topics use every function of bindings/functions.lua that PyTorch has.
require "golden" {"data", "course"}

local torch = require "torch"
local asked = require "asked"

-- Returns the functions and methods of bindings/functions.lua, by namespace or class.
local function functions()
  local out = {}
  local environment = setmetatable({def = function(path)
    return function()
      local space, name = path:match "^(.*)[.:]([%w_]+)$"
      out[space] = out[space] or {}
      table.insert(out[space], name)
    end
  end}, {__index = _G})
  assert(loadfile("bindings/functions.lua", "t", environment))()
  return out
end

-- Returns the names that PyTorch has in any namespace or class, as a set.
local function of_pytorch()
  local out = {}
  for _, names in pairs(torch._part "hints.pytorch_names") do
    for name in names:gmatch "%S+" do out[name] = true end
  end
  return out
end

describe("PyTorch was asked about", function()
  it("every function and method that it has", function()
    local known, count = of_pytorch(), 0
    for space, names in pairs(functions()) do
      local there = {}
      for _, name in ipairs(names) do
        if known[name] then there[#there + 1] = name end
      end
      count = count + #there
      assert.same({}, asked.lacking(space, there, "TOPIC"))
    end
    assert.is_true(count > 100)
  end)
end)
