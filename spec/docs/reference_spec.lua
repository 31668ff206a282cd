-- reference_spec.lua: what docs/make writes: the reference, the annotations for editors; and the manual page.
local lfs = require "lfs"
local programs = require "programs"

local function output_of(command)
  local pipe = io.popen("env -u TOCHA_SPEC_DEVICE " .. command)
  local text = pipe:read "a"
  assert.is_true(pipe:close())
  return text
end

-- Runs f with a new folder, which is removed.
local function with_folder(f)
  local folder = os.tmpname()
  os.remove(folder)
  local done, message = pcall(f, folder)
  os.execute("rm -rf '" .. folder .. "'")
  if not done then error(message, 0) end
end

describe("the reference", function()
  it("has a page for each namespace, and what they link to", function()
    with_folder(function(folder)
      output_of(("%s docs/make/reference.lua %s"):format(programs.tocha, folder))
      local index, count = programs.read(folder .. "/index.md"), 0
      for page in index:gmatch "%]%(([^)]+)%)" do
        count = count + 1
        assert.truthy(lfs.attributes(folder .. "/" .. page))
      end
      assert.is_true(count > 50)
      local nn = programs.read(folder .. "/torch.nn.md")
      assert.truthy(nn:find('<a id="torch.nn.Linear"></a>', 1, true))
      assert.truthy(nn:find("    Linear(int in_features, int out_features, bool bias=true, device? device, dtype? dtype)", 1, true))
    end)
  end)

  it("is a site whose links lead somewhere", function()
    with_folder(function(folder)
      output_of(("%s docs/make/site.lua %s"):format(programs.tocha, folder))
      local anchors, links = {}, {}
      for file in lfs.dir(folder) do
        local text = file:find "%.html$" and programs.read(folder .. "/" .. file) or ""
        for id in text:gmatch '<section id="([^"]+)"' do anchors[file .. "#" .. id] = true end
        for link in text:gmatch 'href="([^"#]+)"' do links[link] = true end
        for link in text:gmatch 'src="([^"]+)"' do links[link] = true end
      end
      for link in pairs(links) do assert.truthy(lfs.attributes(folder .. "/" .. link), link) end
      local count = 0
      for path, space in programs.read(folder .. "/names.js"):gmatch '%["([^"]+)","([^"]+)"' do
        count = count + 1
        assert.truthy(anchors[space .. ".html#" .. path], path)
      end
      assert.is_true(count > 2000)
      local index = programs.read(folder .. "/index.html")
      assert.is_nil(index:find(">1 names<", 1, true))
      assert.truthy(index:find(">torch.<wbr>nn.<wbr>functional</a>", 1, true)) -- narrow columns break it at its dots
    end)
  end)
end)

describe("the annotations", function()
  local text = output_of(programs.tocha .. " docs/make/annotations.lua")

  it("are Lua, and define every name once", function()
    local torch = setmetatable({}, {__index = function(t, key)
      local space = setmetatable({}, getmetatable(t))
      rawset(t, key, space)
      return space
    end})
    assert(load(text, "=meta", "t", {torch = torch}))
    local seen = {}
    for name in text:gmatch "\nfunction ([%w_.:]+)%(" do
      assert.is_nil(seen[name], name)
      seen[name] = true
    end
    for _, name in ipairs {"torch.cat", "Tensor:sum", "torch.nn.functional.relu", "Module:parameters", "Optimizer:step", "torch.numpy.array"} do
      assert.is_true(seen[name], name)
    end
  end)

  it("name types, optional parameters and keywords", function()
    assert.truthy(text:find("---@param tensors torch.Tensor[]\n---@param dim? integer\n---@return torch.Tensor\n" ..
      "---@overload fun(tensors: torch.Tensor[], options: {dim?: integer}): torch.Tensor\nfunction torch.cat(tensors, dim) end", 1, true))
    assert.truthy(text:find("---@class torch.nn.Linear: torch.nn.Module\n", 1, true))
    assert.truthy(text:find("---@overload fun(in_features: integer, out_features: integer, options: {bias?: boolean, device?: torch.device|string, " ..
      "dtype?: torch.dtype}): torch.nn.Linear", 1, true))
    assert.truthy(text:find("---@field shape torch.Size", 1, true))
  end)

  it("have a type for every parameter", function()
    for line in text:gmatch "\n(%-%-%-@param [^\n]*)" do assert.truthy(line:find "^%-%-%-@param [%w_.]+%?? [%a]", line) end
    for line in text:gmatch "\n(%-%-%-@return[^\n]*)" do assert.truthy(line:find "^%-%-%-@return %a", line) end
  end)
end)

describe("the manual page", function()
  it("has every option and every variable", function()
    local page = programs.read "install/tocha.1.in":gsub("\\%-", "-"):gsub("\\f.", "")
    for option in output_of(programs.tocha .. " --help"):gmatch "\n  (%-[%w-]*)" do
      assert.truthy(page:find("[ .BIR]+" .. option:gsub("%-", "%%-") .. "[%s\"]"), option)
    end
    for _, name in ipairs {"LUA_INIT", "OMP_NUM_THREADS", "NO_COLOR", "TOCHA_HISTORY", "TOCHA_CUDA"} do assert.truthy(page:find(name, 1, true), name) end
  end)
end)
