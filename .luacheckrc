-- luacheck: every Lua file of the project.
std = "lua54"
cache = false
self = false -- a method need not use its object
max_line_length = 160
exclude_files = { "build", "examples/host/service/models/typo.lua" }
read_globals = { "torch" }

-- Lists of declarations, one a line.
files["runtime"] = { max_line_length = false, read_globals = { "family", "op", "formula", "reduction", "module", "lazy", "initializer", "optimizer", "scheduler" } }
files["bindings/functions.lua"] = { read_globals = { "def" }, max_line_length = false }
files["lua/parts/plot/glyphs.lua"] = { max_line_length = false }
files["lua/help/texts/init.lua"] = { max_line_length = false }
files["lua/help/texts"] = { max_line_length = false }
files["lua/help/examples"] = { max_line_length = false }
files["docs/make"] = { read_globals = { "arg" } }
files["spec"] = { std = "+busted", ignore = { "213" } }

-- Programs told as PyTorch's tutorials tell them: globals are made at the top level, guards are
-- locals named _, and long lines are the tutorials' own.
local told = {
  allow_defined_top = true,
  max_line_length = false,
  ignore = { "131", "211", "221", "231", "311", "411", "421", "431", "512", "551", "213", "611", "612", "614" },
}
files["examples"] = told
files["spec/golden"] = told
files["spec/golden/bridge/surface.lua"] = { globals = { "__bridge", "__wrap", "__torch_number", "__run" } }
