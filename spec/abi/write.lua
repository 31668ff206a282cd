-- write.lua: writes the lists that abi_spec.lua holds the library against, from the build: at a release, or after a change that is
-- meant to break programs (docs/embedding.md says when that is allowed).
--
--   lua5.4 spec/abi/write.lua build         writes spec/abi/libtocha.txt and spec/abi/tocha_lua.txt
local build = arg[1] or error("usage: lua5.4 spec/abi/write.lua BUILD", 0)
package.path = "spec/support/?.lua;runtime/list/?.lua;" .. package.path
local abi, json, programs = require "abi", require "json", require "programs"

local function write(name, api, header)
  local lines = abi.lines(api)
  local layouts, message = abi.layouts(api, build, header)
  table.move(layouts or error(message), 1, #layouts, #lines + 1, lines)
  programs.write("spec/abi/" .. name, ("# What programs rely on; abi_spec.lua reads it, and says how to write it. Layouts are those of systems with 64-bit " ..
    "pointers.\n%s\n"):format(table.concat(lines, "\n")))
end

write("libtocha.txt", json.decode(assert(programs.read(build .. "/generated/tocha_api.json")), "tocha_api.json"), "tocha/tocha.h")
write("tocha_lua.txt", abi.of_lua(build) or error("this build has no headers of Lua", 0), "tocha/lua.h")
