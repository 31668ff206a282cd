-- evolve.lua: builds a later version of the library, with twenty more operators, two more arguments of modules and a new option of
-- an optimizer, and runs programs with it that were compiled against this one. It takes minutes, so CI does not run it.
--
--   lua5.4 spec/abi/evolve.lua BUILD FOLDER      BUILD: this version's; FOLDER: for the later one, kept
package.path = "spec/support/?.lua;runtime/list/?.lua;" .. package.path
local build, folder = arg[1] or "build", arg[2] or error("usage: lua5.4 spec/abi/evolve.lua BUILD FOLDER", 0)
local abi, json, shell = require "abi", require "json", require "shell"
local run = shell.run

local function read(path)
  local file <close> = assert(io.open(path))
  return file:read "a"
end

-- Replaces the first occurrence of a text in a file of the later version.
local function change(path, from, to)
  local text = read(folder .. "/" .. path)
  local first, last = text:find(from, 1, true)
  if not first then error(("%s lacks %s"):format(path, from), 0) end
  local file <close> = assert(io.open(folder .. "/" .. path, "w"))
  file:write(text:sub(1, first - 1), to, text:sub(last + 1))
end

local function make_later_version()
  run(("rm -rf '%s' && mkdir -p '%s' && git ls-files -z | xargs -0 cp --parents -t '%s'"):format(folder, folder, folder))
  local operators = {}
  for i = 1, 20 do
    operators[i] = ('op "aaa_later_N" {"(Tensor input) -> Tensor", composite = "input + N", sample = {{3, 4}}, doc = "input + N."}\n'):gsub("N", i)
  end
  change("runtime/ops/pointwise/arithmetic.lua", '\nop "', "\n" .. table.concat(operators) .. 'op "')
  change("runtime/nn/modules/attention.lua", 'module "MultiheadAttention" {\n  "(int embed_dim, int num_heads, ',
    'module "MultiheadAttention" {\n  added = "later",\n  "(int embed_dim, int num_heads, int later=7, ')
  change("runtime/nn/modules/convolution.lua", '"bool bias=true,', '"bool later=true, bool bias=true,')   -- of Conv1d to Conv3d
  change("runtime/nn/modules/convolution.lua", 'forward = "conv",', 'forward = "conv", added = "later",')
  change("runtime/optim/optimizers.lua", '"(float lr=1e-3, Scalar momentum=0,', '"(float lr=1e-3, float later=0.5, Scalar momentum=0,')
  change("runtime/optim/optimizers.lua", "p = add(p, g, -lr)", "p = add(p, g, -lr * (later + 0.5))")   -- the same digits by default
  change("runtime/optim/optimizers.lua", 'optimizer "SGD" {', 'optimizer "SGD" {\n  added = "later",')
end

local function compile_programs()
  run(("cc -std=c11 spec/abi/old_host.c -Iruntime/include -I'%s/generated/include' -L'%s' -ltocha -o '%s/old_host'"):format(build, build, folder))
end

local function printed_with(library) return run(("LD_LIBRARY_PATH='%s' '%s/old_host'"):format(library, folder)) end

make_later_version()
compile_programs()
local later = folder .. "/build"
local options = "-DCMAKE_BUILD_TYPE=Release -DTOCHA_LUA=off -DTOCHA_TESTS=off -DTOCHA_SIMULATOR=off -DTOCHA_LOOPS=native"
run(("cmake -G Ninja -S '%s' -B '%s' %s && cmake --build '%s'"):format(folder, later, options, later))

local failed = 0
local function check(what, ok, shown)
  print((ok and "ok: " or "not ok: ") .. what .. (ok and "" or "\n" .. shown))
  if not ok then failed = failed + 1 end
end
local before, after = printed_with(build), printed_with(later)
check("a program prints the same with the later library", before == after, before .. "\n" .. after)
local old, new = json.decode(read(build .. "/generated/tocha_api.json"), "old"), json.decode(read(later .. "/generated/tocha_api.json"), "new")
local breaks = abi.breaks(abi.lines(old), abi.lines(new))
check("nothing that the program knows is gone or changed", #breaks == 0, table.concat(breaks, "\n"))
check("there is something new", #new.functions >= #old.functions + 20, #new.functions)
local ok, shown = pcall(run, ("python3 spec/host/every_function.py '%s/generated/tocha_api.json' '%s/libtocha.so'"):format(build, later))
check("a binding made from the old description calls every function: " .. tostring(shown):match "([^\n]*)\n*$", ok and shown:find " 0 died", shown)
os.exit(failed == 0)
