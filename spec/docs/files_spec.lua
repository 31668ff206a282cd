-- files_spec.lua: the examples of pages in docs/ print what stands behind `-->`.
local programs = require "programs"

-- What a program is to print, and what it prints.
local function expected_of(block)
  local lines = {}
  for line in block:gmatch "%-%->%s?([^\n]*)" do lines[#lines + 1] = line end
  return table.concat(lines, "\n")
end

local function printed_by(block)
  local lines = {}
  local environment = setmetatable({torch = require "torch", print = function(...)
    local parts = table.pack(...)
    for i = 1, parts.n do parts[i] = tostring(parts[i]) end
    lines[#lines + 1] = table.concat(parts, "\t")
  end}, {__index = _G})
  assert(load(block, "=page", "t", environment))()
  return table.concat(lines, "\n")
end

-- Returns the library that a program requires and this machine lacks, or nil if there is none.
local function missing_library(block)
  for name in block:gmatch "require%s*%(?%s*\"([%w_.]+)\"" do
    if not name:find "^torch" and not pcall(require, name) then return name end
  end
end

for page, least in pairs {["docs/files.md"] = 6, ["docs/vision.md"] = 4, ["docs/plot.md"] = 3, ["docs/pytorch-to-lua.md"] = 9,
  ["docs/tutorial.md"] = 9, ["docs/cookbook.md"] = 9, ["docs/workers.md"] = 1, ["docs/modules.md"] = 7,
  ["docs/lua-libraries.md"] = 6} do
  describe(page, function()
    local count = 0
    for block in programs.read(page):gmatch "```lua\n(.-)```" do
      count = count + 1
      it("shows what is printed (" .. count .. ")", function()
        local missing = missing_library(block)
        if missing then pending("needs " .. missing) return end
        assert.are.equal(expected_of(block), printed_by(block))
      end)
    end
    it("has examples", function() assert.is_true(count >= least) end)
  end)
end
