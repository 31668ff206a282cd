-- The tutorials as notebooks: what docs/make/notebooks.lua makes of the scripts, and run by nbconvert they print what the scripts print.
local json = require "torch"._part "tools.json"
local programs = require "programs"
local jupyter = require "jupyter"
local TOCHA, quote, read = programs.tocha, programs.quote, programs.read
local driven = jupyter.missing and function(name) it(name, function() pending(jupyter.missing) end) end or it
local names = {"01_fundamentals", "02_devices", "03_train_and_evaluate", "04_mixed_precision", "05_gpu_and_cuda"}

local function cells_of(path) return assert(json.read(assert(read(path), path))).cells end

-- What the cells of a notebook printed.
local function printed(cells)
  local parts = {}
  for _, cell in ipairs(cells) do
    for _, output in ipairs(cell.outputs or {}) do
      if output.name == "stdout" then parts[#parts + 1] = table.concat(output.text) end
    end
  end
  return table.concat(parts)
end

local function expected_of(name)
  return read("spec/examples/expected/" .. name .. ".expected") or read("spec/examples/expected/" .. name .. ".cpu.expected")
end

describe("examples/notebooks", function()
  local folder = jupyter.folder()
  teardown(function() os.execute("rm -r " .. quote(folder)) end)

  it("are what their command makes of the scripts", function()
    assert.is_true(jupyter.succeeds(("%s docs/make/notebooks.lua %s"):format(quote(TOCHA), quote(folder))))
    for _, name in ipairs(names) do
      local made, kept = cells_of(folder .. "/" .. name .. ".ipynb"), cells_of("examples/notebooks/" .. name .. ".ipynb")
      assert.equal(#made, #kept)
      for i, cell in ipairs(made) do
        assert.equal(cell.cell_type, kept[i].cell_type)
        assert.equal(table.concat(cell.source), table.concat(kept[i].source))
      end
    end
  end)

  for _, name in ipairs(names) do
    it("keep what " .. name .. " prints", function()
      assert.equal(expected_of(name), printed(cells_of("examples/notebooks/" .. name .. ".ipynb")))
    end)

    driven("run by nbconvert print the same: " .. name, function()
      jupyter.install(folder)
      local command = "TOCHA_CUDA= CUDA_VISIBLE_DEVICES= JUPYTER_DATA_DIR=%s timeout 100 %s -m nbconvert --to notebook --execute --output-dir %s/run %s"
      assert.is_true(jupyter.succeeds(command:format(quote(folder), quote(jupyter.python), quote(folder), "examples/notebooks/" .. name .. ".ipynb")))
      assert.equal(expected_of(name), printed(cells_of(("%s/run/%s.ipynb"):format(folder, name))))
    end)
  end
end)
