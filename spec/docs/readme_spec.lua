-- readme_spec.lua: what README.md shows is what happens: its program, its session, its host in C.
local programs = require "programs"
local TOCHA, quote = programs.tocha, programs.quote
local page = programs.read "README.md"

-- The block of lines, set in by four spaces, that begins with this line.
local function block(first)
  local at = assert(page:find("\n    " .. first, 1, true), first)
  local lines = {}
  for line in page:sub(at + 1):gmatch "([^\n]*)\n" do
    if line ~= "" and line:sub(1, 4) ~= "    " then break end
    lines[#lines + 1] = line:sub(5)
  end
  return (table.concat(lines, "\n"):gsub("\n+$", "\n"))
end

describe("README.md", function()
  it("has a program that runs", function()
    assert.equal("1797\t32\n", programs.run(block 'local torch = require "torch"' .. 'print(#torch.datasets.Digits(), loader.batch_size)\n'))
  end)

  it("has a session as it is", function()
    local typed, shown = {}, {}
    for line in block "$ build/tocha\n":gmatch "([^\n]*)\n" do
      local entry = line:match "^> (.*)"
      if entry then typed[#typed + 1] = entry end
      if not line:find "^%$ " then shown[#shown + 1] = entry and "> " or line .. "\n" end
    end
    local name = os.tmpname()
    programs.write(name, table.concat(typed, "\n") .. "\n")
    local text = programs.output(("env -u LUA_INIT TERM=dumb NO_COLOR=1 %s -i <%s"):format(quote(TOCHA), quote(name)))
    os.remove(name)
    assert.equal(table.concat(shown) .. "> \n", text)
  end)

  it("has a host in C that compiles and prints", function()
    local name, folder = os.tmpname(), quote(programs.folder)
    local usable = "{ command -v cc && ! nm -D %s/libtocha.so | grep __asan_init; } >/dev/null 2>&1"
    if not os.execute(usable:format(folder)) then pending "needs cc, and a build without sanitizers" return end
    programs.write(name .. ".c", block "#include <tocha/tocha.h>")
    local compile = "cc -std=c11 -Wall -Werror -Iruntime/include -I%s/generated/include -o %s %s.c -L%s -ltocha -Wl,-rpath,%s"
    compile = compile:format(folder, quote(name), quote(name), folder, folder)
    local text = programs.output(("%s && %s"):format(compile, quote(name)))
    os.remove(name)
    os.remove(name .. ".c")
    assert.equal("tensor([[ 7., 10.],\n        [15., 22.]])\n", text)
  end)
end)
