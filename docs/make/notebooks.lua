-- notebooks.lua: writes the tutorials of examples/ as notebooks: a comment at the beginning of a line and behind an empty one is a cell of text,
-- what follows it a cell of code.
--
--   build/tocha docs/make/notebooks.lua examples/notebooks
--   jupyter nbconvert --to notebook --inplace --execute --ExecutePreprocessor.record_timing=False examples/notebooks/*.ipynb
--   jupyter nbconvert --to notebook --inplace --coalesce-streams examples/notebooks/*.ipynb
local torch = require "torch"
local json = torch._part "tools.json"
local folder = arg[1] or "examples/notebooks"

local tutorials = {"01_fundamentals", "02_devices", "03_train_and_evaluate", "04_mixed_precision", "05_gpu_and_cuda"}

-- The lines of a comment as a text; a line with a rule at its end is a heading.
local function text_of(lines)
  local out = {}
  for _, line in ipairs(lines) do
    local text = line:gsub("^%-%-%s?", "")
    local heading = text:match "^(.-)%s*%-%-%-%-+$"
    out[#out + 1] = heading and "## " .. heading or text
  end
  return table.concat(out, "\n")
end

-- Cells {kind, text} of a script.
local function cells_of(script)
  local cells, comment, code, after_blank = {}, {}, {}, true
  local function finish()
    local text = table.concat(code, "\n"):gsub("^\n+", ""):gsub("%s+$", "")
    local last = text:match "[^\n]*$"
    if last:find "^[%w_.:]+%b()$" and not last:find "^print" then text = text .. ";" end -- shows nothing, as in the script
    if text ~= "" then cells[#cells + 1] = {"code", text} end
    code = {}
  end
  local function explain()
    if #comment > 0 then cells[#cells + 1] = {"markdown", text_of(comment)} end
    comment = {}
  end
  for line in (script .. "\n"):gmatch "(.-)\n" do
    local begins = after_blank and line:find "^%-%-" and load(table.concat(code, "\n")) ~= nil
    if begins then finish() end
    if begins or #comment > 0 and line:find "^%-%-" then
      comment[#comment + 1] = line
    else
      explain()
      code[#code + 1] = line
    end
    after_blank = line == "" or line:find "%-%-%-%-$" ~= nil and #comment == 0
  end
  explain()
  finish()
  return cells
end

local function lines_of(text)
  local lines = json.array {}
  for line, stop in text:gmatch "([^\n]*)(\n?)" do
    if line ~= "" or stop ~= "" then lines[#lines + 1] = line .. stop end
  end
  return lines
end

local function notebook_of(name, script)
  local cells = json.array {}
  for i, cell in ipairs(cells_of(script)) do
    local kind, text = cell[1], cell[2]
    if i == 1 and kind == "markdown" then text = ("# %s\n\n%s"):format(name:gsub("^(%d+)_", "%1 "):gsub("_", " "), text) end
    cells[i] = {cell_type = kind, id = ("cell-%d"):format(i), metadata = {}, source = lines_of(text)}
    if kind == "code" then cells[i].outputs, cells[i].execution_count = json.array {}, json.null end
  end
  return {cells = cells, nbformat = 4, nbformat_minor = 5,
    metadata = {kernelspec = {name = "tocha", display_name = "Lua (Tocha)", language = "lua"}, language_info = {name = "lua", file_extension = ".lua"}}}
end

for _, name in ipairs(tutorials) do
  local source = assert(io.open("examples/" .. name .. ".lua"))
  local notebook = notebook_of(name, source:read "a")
  source:close()
  local out = assert(io.open(("%s/%s.ipynb"):format(folder, name), "w"))
  out:write(json.write(notebook), "\n")
  assert(out:close())
end
