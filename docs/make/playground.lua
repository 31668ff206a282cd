-- playground.lua: writes the parts of the site that run Tocha: the playground, its worker and its examples; and the same as one file.

-- The programs of the playground's menu: group, title, file.
local programs = {
  {"Examples", "A first look", "examples/small/first_look.lua"},
  {"Examples", "Read handwritten digits", "examples/digits.lua"},
  {"Examples", "XOR: where a network decides", "examples/small/xor.lua"},
  {"Examples", "A convolutional network", "examples/small/conv_net.lua"},
  {"Examples", "A model of characters", "examples/small/characters.lua"},
  {"Examples", "Gradients: two ways down", "examples/small/autograd.lua"},
  {"Examples", "Plots", "examples/small/plots.lua"},
  {"Examples", "Two classes, four classes", "examples/course/02_classification.lua"},
  {"Examples", "A pole that balances", "examples/pytorch/reinforce.lua"},
  {"Examples", "Waves, continued by an LSTM", "examples/pytorch/time_sequence_prediction.lua"},
  {"Tutorials", "Fundamentals", "examples/01_fundamentals.lua"},
  {"Tutorials", "Linear regression", "examples/linear_regression.lua"},
  {"Tutorials", "Devices", "examples/02_devices.lua"},
  {"Tutorials", "Train and evaluate", "examples/03_train_and_evaluate.lua"},
  {"Tutorials", "Mixed precision", "examples/04_mixed_precision.lua"},
  {"Tutorials", "GPUs and CUDA", "examples/05_gpu_and_cuda.lua"},
}

-- The modules of the two pages, each after those that it imports.
local play = {"version", "dom", "packing", "session", "output", "editor", "store", "examples", "play"}
local runner = {"version", "dom", "packing", "session", "output", "runner"}

-- The set that a browser keeps for the time without a network.
local kept = {"play.html", "style.css", "play.css", "worker.js", "tocha.wasm"}
for _, name in ipairs(play) do kept[#kept + 1] = name .. ".js" end

local shared = require "files"
local read, quoted = shared.read, shared.json
local function shell(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  assert(file:write(text))
  assert(file:close())
end

local function output_of(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read "a"
  assert(pipe:close(), command)
  return text
end

-- Returns modules as one script: imports and exports among them are left out, since all names differ.
local function joined(folder, modules)
  local out = {}
  for i, name in ipairs(modules) do
    out[i] = read(folder .. "/" .. name .. ".js"):gsub("import [^\n]- from \"%./[^\n]*\n", ""):gsub("%f[^\n%z]export ", "")
  end
  return table.concat(out, "\n")
end

-- Returns an inline script that a page's policy names by its digest.
local function inline(folder, text, kind)
  write(folder .. "/script.tmp", text)
  local digest = output_of("openssl dgst -sha256 -binary " .. shell(folder .. "/script.tmp") .. " | base64"):gsub("%s", "")
  os.remove(folder .. "/script.tmp")
  return ("<script%s>%s</script>"):format(kind and (' type="%s"'):format(kind) or "", text), ("'sha256-%s'"):format(digest)
end

-- Returns a text in which `old`, which must be there, is replaced.
local function replaced(text, old, new)
  local first, last = text:find(old, 1, true)
  assert(first, old)
  return text:sub(1, first - 1) .. new .. text:sub(last + 1)
end

-- Returns the programs as entries of a <select>, by groups.
local function menu()
  local out, group = {}, nil
  for _, program in ipairs(programs) do
    if program[1] ~= group then out[#out + 1] = (group and "</optgroup>" or "") .. ('<optgroup label="%s">'):format(program[1]) end
    group = program[1]
    out[#out + 1] = ('<option value="%s">%s</option>'):format(program[3], program[2])
  end
  return table.concat(out, "\n") .. "</optgroup>"
end

-- Writes tocha.html: the playground as one file, which runs from disk.
local function write_one_file(folder, parts)
  local page = read(folder .. "/play.html")
  local data, data_digest = inline(folder, parts)
  local code, code_digest = inline(folder, joined(folder, play), "module")
  page = replaced(page, "script-src 'self'", ("script-src %s %s"):format(data_digest, code_digest))
  page = replaced(page, '<script type="module" src="play.js"></script>', data .. "\n" .. code)
  for _, name in ipairs {"style.css", "play.css"} do
    page = replaced(page, ('<link rel="stylesheet" href="%s">'):format(name), "<style>\n" .. read(folder .. "/" .. name) .. "</style>")
  end
  write(folder .. "/tocha.html", page)
end

-- Writes everything into `folder`; web: the folder with tocha_web.js and tocha_web.wasm.
return function(folder, web)
  for name in output_of "ls docs/site":gmatch "%S+" do write(folder .. "/" .. name, read("docs/site/" .. name)) end
  local texts = {}
  for i, program in ipairs(programs) do texts[i] = quoted(program[3]) .. ": " .. quoted(read(program[3])) end
  write(folder .. "/examples.js", "// The programs of the menu, written by docs/make/playground.lua.\nexport const examples = {\n" ..
    table.concat(texts, ",\n") .. "\n};\n")
  write(folder .. "/play.html", replaced(read "docs/site/play.html", "@MENU@", menu()))
  local wasm = read(web .. "/tocha_web.wasm")
  write(folder .. "/tocha.wasm", wasm)
  write(folder .. "/worker.js", read(web .. "/tocha_web.js") .. "\n" .. read "docs/site/worker.js")
  local version = ("export const version = %s, reset = %s, frameHead = %s, build = "):format(quoted(torch.__version__),
    quoted(read "docs/make/reset.lua"), quoted(read "docs/site/frame.html"))
  write(folder .. "/version.js", version .. "\"\";\n")
  local files = {}
  for i, name in ipairs(kept) do files[i] = shell(folder .. "/" .. name) end
  local build = output_of("cat " .. table.concat(files, " ") .. " | cksum"):match "%d+"
  write(folder .. "/version.js", version .. quoted(build) .. ";\n")
  local set = quoted {build = "tocha-" .. build, files = torch._part "tools.json".array(kept)}
  write(folder .. "/offline.js", ("const SET = %s;\n"):format(set) .. read "docs/site/offline.js")

  local zipped = output_of("gzip -9 -n -c " .. shell(folder .. "/tocha.wasm"))
  local parts = ("globalThis.tochaInline = {worker: %s, wasm: %s};\n"):format(quoted(read(folder .. "/worker.js")),
    quoted(torch._part "tools.base64"(zipped)))
  write_one_file(folder, parts)
  write(folder .. "/run-inline.js", parts .. "globalThis.tochaRunner = (() => {\n" .. joined(folder, runner) .. "\nreturn {click};\n})();\n")
end
