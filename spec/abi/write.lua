-- write.lua: writes the list that abi_spec.lua holds the library against, from the build: at a release, or after a change that is
-- meant to break programs (docs/embedding.md says when that is allowed).
--
--   lua5.4 spec/abi/write.lua build > spec/abi/libtocha.txt
local build = arg[1] or "build"
package.path = "spec/support/?.lua;runtime/list/?.lua;" .. package.path
local abi, json = require "abi", require "json"

local file <close> = assert(io.open(build .. "/generated/tocha_api.json"))
local api = json.decode(file:read "a", "tocha_api.json")
local layouts, message = abi.layouts(api, {"runtime/include", build .. "/generated/include"})
local lines = abi.lines(api)
for _, line in ipairs(layouts or error(message)) do lines[#lines + 1] = line end
print "# What programs rely on; abi_spec.lua reads it, and says how to write it. Layouts are those of systems with 64-bit pointers."
print(table.concat(lines, "\n"))
