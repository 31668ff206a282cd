-- adding_spec.lua: walks through the pages on adding things. A fenced block with a path (```lua runtime/nn/modules.lua) goes to the end of that
-- file, or above the line that it names (```c ops/kernels.h above "LINE"), in a copy of the sources that is laid over them; the copy is built,
-- which compiles what these blocks touch, and each program (```lua try) must print what stands behind `-->`.
local lfs = require "lfs"
local programs = require "programs"
local quote = programs.quote

local pages = {"docs/adding-a-view.md", "docs/adding-a-loss.md", "docs/adding-an-operator-in-c.md", "docs/adding-an-operator.md",
  "docs/adding-a-reduction.md", "docs/adding-a-kernel.md", "docs/adding-a-module.md", "docs/adding-an-optimizer.md", "docs/adding-a-function.md"}

local root = lfs.currentdir()
local tocha = programs.tocha:find "^/" and programs.tocha or root .. "/" .. programs.tocha
local build = tocha:match "^(.*)/"

-- Returns the blocks of a page: what is added to files, a list of {path, text, above: the line that follows, or nil}; and the program.
local function blocks_of(page)
  local text, additions = programs.read(page), {}
  for path, place, block in text:gmatch "\n```%l+ ([%w_/]+%.[%w]+)([^\n]*)\n(.-)```" do
    additions[#additions + 1] = {path = path, text = block, above = place:match '^ above "(.*)"$'}
  end
  return additions, text:match "\n```lua try\n(.-)```"
end

-- Returns the text of a file with an addition.
local function added(text, addition)
  if not addition.above then return text .. addition.text end
  local line = "\n" .. addition.above .. "\n"
  local place = text:find(line, 1, true)
  assert(place and not text:find(line, place + 1, true), addition.path .. " has not one line " .. addition.above)
  return text:sub(1, place) .. addition.text .. text:sub(place + 1)
end

-- What a program is to print: the text behind each `-->`.
local function expected_of(program)
  local lines = {}
  for line in program:gmatch "%-%->%s?([^\n]*)" do lines[#lines + 1] = line end
  return table.concat(lines, "\n") .. "\n"
end

-- Runs a command where `folder`/upper is laid over the sources, in a name space of its own; returns what it prints, and its status.
local function in_copy(folder, command)
  local mount = ("mount -t overlay overlay -o userxattr,lowerdir=%s,upperdir=%s/upper,workdir=%s/work %s"):format(root, folder, folder, root)
  local pipe = io.popen(("unshare --user --map-root-user --mount sh -c %s 2>&1"):format(quote(("%s && cd %s && %s"):format(mount, root, command))))
  local text = pipe:read "a"
  return text, pipe:close() == true
end

local function new_folder()
  local pipe = io.popen "mktemp -d"
  local folder = pipe:read "l"
  pipe:close()
  assert(lfs.mkdir(folder .. "/upper") and lfs.mkdir(folder .. "/work"))
  return folder
end

-- Writes the additions of all pages, and their programs, into the copy.
local function write_copy(folder)
  local texts = {}
  for _, page in ipairs(pages) do
    for _, addition in ipairs(blocks_of(page)) do
      texts[addition.path] = added(texts[addition.path] or programs.read(addition.path) or "", addition)
    end
  end
  for path, text in pairs(texts) do
    assert(os.execute("mkdir -p " .. quote(folder .. "/upper/" .. path:match "^(.*)/")))
    programs.write(folder .. "/upper/" .. path, text)
  end
end

describe("the pages on adding things", function()
  local folder, reason, built, has_gpu = nil, nil, nil, nil

  lazy_setup(function()
    folder = new_folder()
    if build:find "/sanitize$" then reason = "the build without sanitizers does it" return end
    local said, works = in_copy(folder, "true")
    if not works then reason = "this machine has no name spaces of mounts for users: " .. said:gsub("\n.*", "") return end
    if build:sub(1, #root + 1) ~= root .. "/" or not lfs.attributes(build .. "/build.ninja") then
      reason = "ninja's build folder is not below the sources"
      return
    end
    write_copy(folder)
    has_gpu = programs.read(build .. "/build.ninja"):find("build tocha_cuda_simulated:", 1, true) ~= nil
    local text, ok = in_copy(folder, ("nice ninja -C %s tocha %s"):format(quote(build), has_gpu and "tocha_cuda_simulated" or ""))
    built = ok or text:sub(-3000)
  end)
  lazy_teardown(function() os.execute("chmod -R u+rwX " .. quote(folder) .. "; rm -rf " .. quote(folder)) end)

  it("show code that builds", function()
    if reason then pending(reason) return end
    if built ~= true then error(built, 0) end
  end)

  for _, page in ipairs(pages) do
    local additions, program = blocks_of(page)
    it(page .. " ends in a program that prints what it says", function()
      assert.is_true(#additions > 0 and program ~= nil, page)
      if reason or built ~= true then pending(reason or "the copy does not build") return end
      programs.write(folder .. "/upper/try.lua", program)
      assert.equal(expected_of(program), (in_copy(folder, quote(tocha) .. " try.lua")))
    end)
  end

  it("add a kernel that a GPU has, too", function()
    if not has_gpu or built ~= true then pending(reason or "there is no simulated GPU, or the copy does not build") return end
    programs.write(folder .. "/upper/try.lua", "local x = torch.rand(2, 3, 5) print(torch.equal(x:checkerboard(), x:cuda():checkerboard():cpu()))")
    assert.equal("true\n", (in_copy(folder, "TOCHA_CUDA=simulate " .. quote(tocha) .. " try.lua")))
  end)
end)

-- A new row compiles the whole library again, so only the files are compiled that say something of every dtype.
describe("the page on adding a dtype", function()
  local text = programs.read "docs/adding-a-dtype.md"
  local row, above = text:match "\n```c runtime/include/tocha/dtypes%.def\n(DTYPE.-\n)```", text:match "above the row of (%w+)"
  local includes = ("-I%%s -Iruntime/include -I%s/include -Iruntime -I%s -Ibindings"):format(build .. "/generated", build .. "/generated")
  local compile = (os.getenv "CC" or "cc") .. " -std=c11 -Wall -Wextra -Werror "
  local folder

  lazy_setup(function()
    folder = new_folder()
    assert(lfs.mkdir(folder .. "/tocha"))
    local rows = programs.read "runtime/include/tocha/dtypes.def"
    programs.write(folder .. "/tocha/dtypes.def", (rows:gsub("DTYPE%(" .. above .. ",", row:gsub("%%", "%%%%") .. "%0")))
    programs.write(folder .. "/try.c", text:match "\n```c try\n(.-)```")
    includes = includes:format(folder)
  end)
  lazy_teardown(function() os.execute("rm -rf " .. quote(folder)) end)

  it("shows a program that prints what it says", function()
    local command = ("%s %s %s/try.c runtime/core/dtype.c -o %s/try && %s/try"):format(compile, includes, folder, folder, folder)
    assert.are.equal(text:match "\n```text\n(.-)```", programs.output(command))
  end)

  for _, file in ipairs {"runtime/io/npy_types.c", "runtime/serialization/safetensors.c", "runtime/tensor/convert.c", "runtime/tensor/fill.c"} do
    it("shows a row that compiles in " .. file, function()
      assert.are.equal("", programs.output(("%s %s -fsyntax-only %s"):format(compile, includes, file)))
    end)
  end
end)
