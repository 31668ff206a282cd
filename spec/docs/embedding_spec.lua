-- embedding_spec.lua: the C of docs/embedding.md and docs/sandbox.md compiles, and its programs run.
local programs = require "programs"
local shell = require "shell"
local build = programs.folder

-- The declarations that the pieces of a page need.
local BEFORE = [[
#include <stdlib.h>
#include <string.h>
#include <tocha/lua.h>
#include <tocha/tocha.h>
extern char message[256];
extern tocha_context *cx, *other;
extern tocha_module *model;
extern tocha_optimizer *adam;
extern tocha_scheduler *schedule;
extern lua_State *L;
extern tocha_lua_options options;
extern const char *text;
extern size_t length;
void show(const char *line);
]]

-- Returns the blocks of a page that are C, and their first lines.
local function blocks_of(page)
  local file <close> = assert(io.open(page))
  local blocks, block, number = {}, nil, 0
  for line in file:lines() do
    number = number + 1
    if line == "```c" then
      block = {line = number + 1}
    elseif line:find "^```" and block then
      blocks[#blocks + 1] = {text = table.concat(block, "\n") .. "\n", line = block.line}
      block = nil
    elseif block then
      block[#block + 1] = line
    end
  end
  return blocks
end

-- Returns the flags of the compiler, or nil if this build has no headers of Lua.
local function flags()
  local cache <close> = assert(io.open(build .. "/CMakeCache.txt"))
  local lua = cache:read "a":match "\nLUA_INCLUDE:PATH=([^\n]*)"
  if not lua or lua:find "NOTFOUND" then return nil end
  return ("-std=c11 -Wall -Wextra -Werror -Wno-unused -I runtime/include -I bindings/include -I '%s/generated/include' -I '%s'"):format(build, lua)
end

local function compile(block)
  local name = os.tmpname() .. ".c"
  local is_function = block.text:find "^static" or block.text:find "^TOCHA_EXPORT"
  programs.write(name, BEFORE .. (is_function and block.text or "void piece(void);\nvoid piece(void) {\n" .. block.text .. "}\n"))
  shell.run(("cc %s -fsyntax-only %s"):format(flags(), name))
  os.remove(name)
end

local function run(block)
  local name = os.tmpname()
  programs.write(name .. ".c", block.text)
  shell.run(("cc %s %s.c -o %s '%s/libtocha_lua.a' -L '%s' -ltocha -llua5.4 -lm -Wl,-rpath,'%s'"):format(flags(), name, name, build, build, build))
  assert.equal("6\n", shell.run(name))
  os.remove(name)
end

for _, page in ipairs {"docs/embedding.md", "docs/sandbox.md"} do
  describe(page, function()
    for _, block in ipairs(blocks_of(page)) do
      it(("line %d is C"):format(block.line), function()
        if not flags() or not shell.has "cc" then pending "needs cc and Lua's headers" return end
        if not block.text:find "^#include" then return compile(block) end
        if os.execute(("nm -D '%s/libtocha.so' | grep -q __asan_init"):format(build)) then pending "a build without sanitizers" return end
        run(block)
      end)
    end
  end)
end
