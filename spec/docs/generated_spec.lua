-- generated_spec.lua: pages of docs/ that a program writes are what it writes today. Such a page names its command near
-- its beginning: `command > docs/page.md`.
local lfs = require "lfs"
local programs = require "programs"

local pages = {}
for name in lfs.dir "docs" do
  local text = name:find "%.md$" and programs.read("docs/" .. name) or ""
  for command, page in text:sub(1, 600):gmatch "`([^`\n]+) > docs/([^`\n]+)`" do
    if page == name then pages[#pages + 1] = {name = name, command = command, text = text} end
  end
end
table.sort(pages, function(a, b) return a.name < b.name end)

-- The first line that differs.
local function difference(wanted, got)
  local next_got = (got .. "\n"):gmatch "(.-)\n"
  for line in (wanted .. "\n"):gmatch "(.-)\n" do
    local other = next_got()
    if line ~= other then return ("\n- %s\n+ %s"):format(line, other or "(end)") end
  end
  return "\nmore lines"
end

describe("docs/", function()
  it("has the generated pages", function() assert.is_true(#pages >= 2) end)

  for _, page in ipairs(pages) do
    local simulator = page.command:find "simulate" and not lfs.attributes(programs.folder .. "/libtocha_cuda_simulated.so")
    if simulator then
      pending(page.name .. " is what its command writes: no simulated GPU was built")
    else
      it(page.name .. " is what its command writes", function()
        local command = page.command:gsub("build/tocha", programs.tocha):gsub("lua5%.4", programs.lua)
        local pipe = io.popen("env -u TOCHA_SPEC_DEVICE " .. command)
        local written = pipe:read "a"
        assert.is_true(pipe:close())
        if written ~= page.text then error(("stale: run %s > docs/%s"):format(page.command, page.name) .. difference(page.text, written), 0) end
      end)
    end
  end
end)
