-- lists_spec.lua: what there is to know about an operator stands in its entry (runtime/ops/*/*.lua): no file of the
-- binding names one in a string. What it needs, it asks the table of operators.
package.path = "runtime/list/?.lua;" .. package.path
local read = require "read"

-- Words that operators are called by, too: types and devices as messages and scripts write them, a mode of Lua's loader, functions
-- of Lua's table library, keys of the tables that PyTorch's functions on a GPU's memory return.
local words = {bool = true, int = true, float = true, short = true, bfloat16 = true, cpu = true, t = true, full = true,
  index = true, any = true, concat = true, sort = true, all = true, addr = true, max = true, min = true}
-- Collectives and methods of stores, which are called so in bindings/distributed/ alone.
local of_ranks = {gather = true, scatter = true, add = true, clone = true}

local function strings_of(file)
  local f = assert(io.open(file))
  local text = f:read("a"):gsub("/%*.-%*/", ""):gsub("#include[^\n]*", ""):gsub('\\"', "")
  f:close()
  return text:gmatch '"([^"\n]*)"'
end

describe("bindings/", function()
  local names = {}
  for _, op in ipairs(read.load "runtime") do names[op.name], names[op.lua_name] = true, true end

  local pipe, files = io.popen "find bindings -name '*.c' -o -name '*.h'", {}
  for file in pipe:lines() do files[#files + 1] = file end
  pipe:close()

  it("has files", function() assert.is_true(#files > 20) end)

  for _, file in ipairs(files) do
    it(file:match "bindings/(.*)" .. " names no operator", function()
      local found = {}
      for text in strings_of(file) do
        if names[text] and not words[text] and not (of_ranks[text] and file:find "^bindings/distributed/") then found[#found + 1] = text end
      end
      assert.are.equal("", table.concat(found, " "))
    end)
  end
end)
