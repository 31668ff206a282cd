-- The public headers as programs in C and C++ see them, and what libtocha gives away beside them.
local programs = require "programs"

local FOLDERS = {"runtime/include", programs.folder .. "/generated/include"}

local function lines(command)
  local pipe, out = io.popen(command), {}
  for line in pipe:lines() do out[#out + 1] = line end
  pipe:close()
  return out
end

local function headers()
  local out = {}
  for _, folder in ipairs(FOLDERS) do
    for _, path in ipairs(lines(("cd %s && find tocha -name '*.h' | sort"):format(folder))) do out[#out + 1] = path end
  end
  return out
end

local function compile(compiler, text)
  local name = os.tmpname()
  programs.write(name, text)
  local out = lines(("%s -pedantic -Wall -Wextra -Werror -fsyntax-only -I%s %s 2>&1 | head -5"):format(compiler,
    table.concat(FOLDERS, " -I"), name))
  os.remove(name)
  assert.are.equal("", table.concat(out, "\n"))
end

local function has(program) return #lines("command -v " .. program) > 0 end

describe("public headers", function()
  local all = {}
  for _, path in ipairs(headers()) do all[#all + 1] = ("#include <%s>\n"):format(path) end
  all = table.concat(all)

  for _, language in ipairs {{"cc", "c", "c99"}, {"cc", "c", "c11"}, {"c++", "c++", "c++98"}, {"c++", "c++", "c++17"}} do
    local compiler, name, standard = table.unpack(language)
    it("are " .. standard, function()
      if not has(compiler) then pending(compiler .. " is missing") return end
      compile(("%s -x %s -std=%s%s"):format(compiler, name, standard, standard == "c++98" and " -Wno-long-long" or ""), all)
    end)
  end

  it("declare what libtocha exports", function()
    if not has "nm" then pending "nm is missing" return end
    local public = {}
    for _, folder in ipairs(FOLDERS) do
      for _, name in ipairs(lines(("grep -rhoE 'tocha_[A-Za-z0-9_]+' %s --include=*.h"):format(folder))) do public[name] = true end
    end
    local hidden, count = {}, 0
    for _, line in ipairs(lines(("nm -D --defined-only %s/libtocha.so"):format(programs.folder))) do
      local name = line:match " [TBDRVW] ([%w_]+)"   -- a version follows the name
      if name then
        count = count + 1
        if not public[name] then hidden[#hidden + 1] = name end
      end
    end
    assert.is_true(count > 500)
    assert.are.equal("", table.concat(hidden, " "))
  end)

  it("import and export their functions on Windows, unless the library is linked statically", function()
    local function declaration(flags)
      local text = "#include <tocha/context.h>\n"
      local name = os.tmpname()
      programs.write(name, text)
      local out = table.concat(lines(("cc -E -P -U__linux__ -D_WIN32 '-D__declspec(how)=how' %s -I%s -xc %s"):format(flags,
        table.concat(FOLDERS, " -I"), name)), " ")
      os.remove(name)
      return out:match "([%w_]+) *tocha_context %*tocha_open%("
    end
    assert.are.equal("dllimport", declaration "")
    assert.are.equal("dllexport", declaration "-DTOCHA_BUILDING")
    assert.are_not.equal("dllimport", declaration "-DTOCHA_STATIC")
    assert.are_not.equal("dllexport", declaration "-DTOCHA_STATIC")
  end)

  it("are C for Windows", function()
    local compiler = "x86_64-w64-mingw32-gcc"
    if not has(compiler) then pending(compiler .. " is missing") return end
    compile(compiler .. " -x c -std=c11", all)
  end)
end)
