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
      links["data:,"] = nil -- no icon
      for link in pairs(links) do assert.truthy(link:find "^https://" or lfs.attributes(folder .. "/" .. link), link) end
      local count = 0
      for path, space in programs.read(folder .. "/names.js"):gmatch '%["([^"]+)","([^"]+)"' do
        count = count + 1
        assert.truthy(anchors[space .. ".html#" .. path], path)
      end
      assert.is_true(count > 4500)   -- those of the interface in C, too
      local add = programs.read(folder .. "/c-operators.html")
      assert.truthy(add:find("tocha_tensor *tocha_add(tocha_context *cx, tocha_tensor *self, tocha_tensor *other);", 1, true))
      local index = programs.read(folder .. "/index.html")
      assert.is_nil(index:find(">1 names<", 1, true))
      assert.truthy(index:find(">torch.<wbr>nn.<wbr>functional</a>", 1, true)) -- narrow columns break it at its dots
    end)
  end)
end)

describe("the playground", function()
  it("is written for a build for browsers, with all that it loads", function()
    with_folder(function(folder)
      lfs.mkdir(folder)
      programs.write(folder .. "/tocha_web.js", "var createTocha;\n")
      programs.write(folder .. "/tocha_web.wasm", "\0asm\1\0\0\0")
      output_of(("%s docs/make/site.lua %s/site %s"):format(programs.tocha, folder, folder))
      local function exists(name) return lfs.attributes(folder .. "/site/" .. name) ~= nil end
      local page = programs.read(folder .. "/site/play.html")
      for link in page:gmatch '[hs]re?[fc]="([^"#:]+)"' do assert.is_true(exists(link), link) end
      local offline = programs.read(folder .. "/site/offline.js")
      for file in lfs.dir(folder .. "/site") do
        for import in (file:find "%.js$" and programs.read(folder .. "/site/" .. file) or ""):gmatch 'from "%./([^"]+)"' do
          assert.is_true(exists(import), import)
          if file ~= "runner.js" then assert.truthy(offline:find(import, 1, true), import .. " would be missing offline") end
        end
      end
      local one = programs.read(folder .. "/site/tocha.html")
      assert.is_nil(one:find('src="', 1, true))
      assert.is_nil(one:find('rel="stylesheet"', 1, true))
      local function count(name, tag) return select(2, programs.read(folder .. "/site/" .. name):gsub(tag, "")) end
      assert.is_true(count("torch.html", "<pre>") > 500)
      assert.is_true(count("tutorial.html", '<pre data%-run="program">') >= 15)
      assert.is_true(count("training.html", '<pre data%-run="lines">') > 5)
      assert.equal(0, count("torch.cuda.html", "<pre>"))
      assert.equal(0, count("torch.cuda.html", "run.js"))
    end)
  end)
end)

describe("the annotations", function()
  local text = output_of(programs.tocha .. " docs/make/annotations.lua")

  it("are Lua, and define every name once", function()
    assert(load(text, "=meta", "t", {}))() -- every table is there before what is in it
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

  it("use types that they define", function()
    local known = {}
    for word in ("integer number string boolean any nil table function thread userdata fun unknown self"):gmatch "%a+" do known[word] = true end
    for name in text:gmatch "%-%-%-@class ([%w_.]+)" do known[name] = true end
    for name in text:gmatch "%-%-%-@alias ([%w_.]+)" do known[name] = true end
    for kind, line in text:gmatch "\n%-%-%-@(%a+) ([^\n]*)" do
      local list = kind == "param" and line:match "^%S+ (.*)$" or kind == "field" and line:match "^%S+ (%S*)"
        or (kind == "return" or kind == "type") and line or ""
      list = list:gsub("fun%b()", ""):gsub("%b\"\"", ""):gsub("[%w_]+%??:", "")
      for name in list:gmatch "[%a_][%w_.]*" do assert.is_true(known[name], name .. " in " .. line) end
    end
  end)

  it("have parameters as their functions are written, and every public function", function()
    local given, functions = {}, {}
    for line in text:gmatch "[^\n]*" do
      local parameter = line:match "^%-%-%-@param ([%w_]+)"
      if parameter then given[#given + 1] = parameter end
      local name, list = line:match "^function ([%w_.:]+)%((.-)%) end$"
      if name then
        assert.equal((list:gsub(",? ?%.%.%.$", "")), table.concat(given, ", "), name)
        functions[name], given = true, {}
      end
    end
    local spaces = {["torch.Tensor"] = "Tensor:", ["torch.nn.Module"] = "Module:", ["torch.optim.Optimizer"] = "Optimizer:", ["torch.Generator"] = "Generator:"}
    require "torch"._part "help".each(function(path, value)
      local space, name = path:match "^(.*)%.([^.]+)$"
      local written = functions[path] or functions[(spaces[space] or "") .. name] or text:find("\n" .. path .. " = {}", 1, true)
      local spoken = not (" repeat end function"):find(" " .. name, 1, true) and not space:find "%.function$"
      assert.truthy(type(value) ~= "function" or written or not spoken, path)
    end)
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
    for _, name in ipairs {"LUA_INIT", "OMP_NUM_THREADS", "NO_COLOR", "TOCHA_HISTORY", "TOCHA_CUDA", "TOCHA_BLAS", "TOCHA_LAPACK",
      "TOCHA_ONEDNN", "TOCHA_ISA", "TOCHA_DIGITS"} do assert.truthy(page:find(name, 1, true), name) end
  end)
end)
