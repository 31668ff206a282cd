-- blocks_spec.lua: every indented block of README.md, REPL.md and docs/ is what it seems to be. Lua is typed at the prompt, where nothing may
-- fail, and a comment that begins with a value is what is shown; sessions and commands answer as they are printed. Fenced blocks are the
-- business of files_spec, autograd_spec and examples_spec; a page that none of them reads fails here.
local lfs = require "lfs"
local programs = require "programs"
local read, quote = programs.read, programs.quote

-- --- blocks ------------------------------------------------------------------------------------------------------

-- Visits the indented blocks of a page: visit(text, number of the line); the fenced ones in Lua, too, where `fences` says so.
local function each_block(page, fences, visit)
  local fenced, block, first, number, in_text = false, nil, 0, 0, false
  for line in (read(page) .. "\n"):gmatch "(.-)\n" do
    number = number + 1
    if line:find "^```" then fenced = not fenced end
    if fences and fenced and line:find "^```lua" then
      block, first = {}, number + 1
    elseif fences and fenced and block then
      block[#block + 1] = line
    elseif not fenced and line:find "^    " and not in_text then
      if not block then block, first = {}, number end
      block[#block + 1] = line:sub(5)
    elseif block and line == "" then
      block[#block + 1] = ""
    elseif block then
      visit(table.concat(block, "\n"):gsub("\n+$", ""), first)
      block = nil
    end
    in_text = line ~= "" and not block
  end
  if block then visit(table.concat(block, "\n"):gsub("\n+$", ""), first) end
end

local function is_session(text) return text:find "^> " ~= nil or text:find "^%$ build/tocha\n" ~= nil end
local function is_shell(text)
  return text:find "^[%u_]+=%S+ " ~= nil or text:find "^%$ " ~= nil or text:find "^%./" ~= nil or text:find "^cmake " ~= nil or text:find "^tocha " ~= nil
    or text:find "^export " ~= nil or text:find "^lua5" ~= nil or text:find "^b[eu][ni][cl][hd]/" ~= nil
end
local function is_c(text) return text:find "^#include" ~= nil or text:find "^// " ~= nil end

-- What programs print or what is drawn, by how it begins.
local shown = {
  "Tensor%-likes are not close!", "Caught ValueError in DataLoader worker", " *examples, scripts", " *░░▓▓▓▓",
  "rank 0 has waited for", "Communication  ", "What the ranks do ",
}
local function is_shown(text)
  for _, beginning in ipairs(shown) do
    if text:find("^" .. beginning) then return true end
  end
  return false
end

-- --- typing ------------------------------------------------------------------------------------------------------

-- A folder for what the blocks read and write.
local folder = os.tmpname()
local tocha = programs.tocha:find "^/" and programs.tocha or lfs.currentdir() .. "/" .. programs.tocha

setup(function()
  os.remove(folder)
  lfs.mkdir(folder)
  programs.write(folder .. "/vocab.json", '{"H": 0, "e": 1, "l": 2, "o": 3, "\\u0120": 4, "w": 5, "r": 6, "d": 7}')
  programs.write(folder .. "/merges.txt", "#version: 0.2\n")
end)
teardown(function() os.execute("rm -r " .. quote(folder)) end)

-- What tocha's prompt says to lines, without its banner and prompts.
local function typed(lines)
  programs.write(folder .. "/lines", lines)
  local pipe = io.popen(("cd %s && env -u LUA_INIT TOCHA_HISTORY= %s -i <lines 2>&1"):format(folder, quote(tocha)))
  local text = pipe:read "a"
  pipe:close()
  text = text:gsub("^Tocha [^\n]*", "")
  repeat
    local prompts
    text, prompts = text:gsub("\n>>? ", "\n")
  until prompts == 0
  return (text:sub(2):gsub("\n\n$", "\n"))
end

-- Cuts a text into entries as the prompt does.
local function entries_of(text)
  local entries, entry = {}, nil
  for line in (text .. "\n"):gmatch "(.-)\n" do
    entry = entry and entry .. "\n" .. line or line
    if load(entry) or load("return " .. entry) then
      if entry:find "%S" then entries[#entries + 1] = entry end
      entry = nil
    end
  end
  assert(not entry, entry)
  return entries
end

local function is_value(comment)
  for _, beginning in ipairs {"false", "true", "nil", "%-?%d", "tensor%(", "torch%.", "array%(", "error: ", "<All"} do
    if comment:find("^" .. beginning) then return true end
  end
  return false
end

-- The shown text agrees with a comment: "tensor([1]): the first part", "false, always", "error: message; hint: text", "1, 2 at once".
local function agrees(comment, text)
  local message, hint = comment:match "^error: (.-); hint: (.*)$"
  message = message or comment:match "^error: (.*)$"
  if message then return text:find(message, 1, true) and (not hint or text:find("hint: " .. hint, 1, true)) end
  text = text:gsub("\nat .*", ""):gsub("[%s]+", " "):gsub(" $", "") -- where an error was is no part of it
  comment = comment:gsub("[%s]+", " ")
  return comment == text or comment:sub(1, #text) == text and comment:find("^[:,;]", #text + 1) ~= nil
end

-- What an entry showed must be what its comment says.
local function check(entry, text)
  local code, comment = entry:match "^(.-)%s*%-%- ([^\n]*)$"
  local fails = comment and comment:find "^error: "
  local shows = code and (load("return " .. code) and not code:find "^print" or code:find "^print%(.*%)$")
  if shows and is_value(comment) then
    assert(agrees(comment, text), entry .. "\nshows\n" .. text)
  end
  assert(fails or not (text:find "stack traceback" or text:find "^stdin:"), entry .. "\n" .. text)
end

-- Types a block of Lua after what the page takes for granted.
local function run_lua(block, before)
  local lines = {(before or ""):gsub("\n%s*", " ") .. ";", "print '\1'"}
  local entries = entries_of(block)
  for _, entry in ipairs(entries) do
    lines[#lines + 1] = entry
    lines[#lines + 1] = "print '\1'"
  end
  local said, at = typed(table.concat(lines, "\n") .. "\n"), 0
  for text in said:gmatch "([^\1]*)\1\n?" do
    if at > 0 then check(entries[at], text) else assert(text == "", "before: " .. text) end
    at = at + 1
  end
  assert.equal(#entries + 1, at, said)
end

-- A session as it is printed; below errors the stack may be left out, of all of them.
local function run_session(text)
  local lines, expected = {}, {}
  for line in (text:gsub("^%$ [^\n]*\n", ""):gsub("^Tocha [^\n]*\n", "") .. "\n"):gmatch "(.-)\n" do
    local code = line:match "^>>? (.*)$"
    if code then lines[#lines + 1] = code else expected[#expected + 1] = line end
  end
  local said, wanted = typed(table.concat(lines, "\n") .. "\n"), table.concat(expected, "\n") .. "\n"
  if not wanted:find "stack traceback:" then said = said:gsub("stack traceback:\n\t.-\n\t%[C%]: in %?\n", "") end
  assert.equal(wanted, said)
end

-- A host program in C.
local function run_c(text)
  local build = tocha:match "^(.*)/"
  local usable = "{ command -v cc && ! nm -D %s/libtocha.so | grep __asan_init; } >/dev/null 2>&1"
  if not os.execute(usable:format(quote(build))) then pending "needs cc, and a build without sanitizers" return end
  programs.write(folder .. "/host.c", text)
  local pipe = io.popen(("cc -Wall -Werror -Iruntime/include -I%s %s/host.c -o %s/host -L%s -ltocha -Wl,-rpath,%s 2>&1 && %s/host"):format(
    quote(build .. "/generated/include"), folder, folder, quote(build), quote(build), folder))
  local said = pipe:read "a"
  pipe:close()
  assert.equal("tensor([[ 7., 10.],\n        [15., 22.]])\n", said)
end

-- Commands behind `$ ` that this build can run, with what they print.
local function run_commands(text)
  local count = 0
  for command, expected in ("\n" .. text .. "\n$ "):gmatch "\n%$ ([^\n]*tocha[^\n]*)\n(.-)%f[\n]\n?%f[$%z]" do
    count = count + 1
    local pipe = io.popen(command:gsub("build/tocha", quote(programs.tocha)) .. " 2>&1")
    local said = pipe:read "a":gsub("stack traceback:\n.*", "")
    pipe:close()
    assert.equal(expected:gsub("\n+$", ""), (said:gsub("\n+$", ""):gsub(programs.tocha:gsub("%p", "%%%0"), "build/tocha")))
  end
  return count
end

-- --- the pages ---------------------------------------------------------------------------------------------------

-- What the blocks of a page take for granted.
local before = dofile "docs/make/before.lua"

local pages = {"README.md", "REPL.md"}
for name in lfs.dir "docs" do
  if name:find "%.md$" then pages[#pages + 1] = "docs/" .. name end
end
table.sort(pages)

local readers = {"spec/docs/files_spec.lua", "spec/docs/autograd_spec.lua", "spec/docs/examples_spec.lua", "spec/docs/blocks_spec.lua",
  "spec/docs/adding_spec.lua", "spec/docs/embedding_spec.lua", "spec/distributed/page_spec.lua"}

local kinds = {session = 0, shell = 0, c = 0, shown = 0, lua = 0}

local function test(page, block, line)
  local title = ("%s:%d"):format(page, line)
  if is_shown(block) then
    kinds.shown = kinds.shown + 1
  elseif is_c(block) then
    kinds.c = kinds.c + 1
    if page == "README.md" then it(title .. " is a program", function() run_c(block) end) end
  elseif is_session(block) then
    kinds.session = kinds.session + 1
    it(title .. " answers as it says", function() run_session(block) end)
  elseif is_shell(block) then
    kinds.shell = kinds.shell + 1
    if block:find "^%$ TOCHA_CUDA=off" then it(title .. " prints what it says", function() assert.is_true(run_commands(block) > 0) end) end
  elseif page == "docs/cuda.md" and os.getenv "TOCHA_CUDA" ~= "simulate" then
    pending(title .. " (needs TOCHA_CUDA=simulate)")
  else
    kinds.lua = kinds.lua + 1
    it(title .. " runs", function() run_lua(block, before[page]) end)
  end
end

for _, page in ipairs(pages) do
  describe(page, function()
    each_block(page, page == "docs/modules.md", function(block, line) test(page, block, line) end)
    if read(page):find "\n```%l" then
      it("has fenced blocks, which a spec reads", function()
        local found = false
        for _, spec in ipairs(readers) do found = found or read(spec):find(page, 1, true) ~= nil end
        assert.is_true(found)
      end)
    end
  end)
end

it("docs/testing.md has a spec that passes", function()
  programs.write(folder .. "/model_spec.lua", read "docs/testing.md":match "```lua\n(.-)```")
  local pipe = io.popen(("cd %s && env LUA_CPATH=%s busted --lua=%s model_spec.lua 2>&1"):format(folder,
    quote(tocha:match "^(.*)/" .. "/?.so;;"), quote(programs.lua)))
  local said = pipe:read "a"
  pipe:close()
  assert.truthy(said:find "3 successes / 0 failures / 0 errors", said)
end)

it("has blocks of every kind", function()
  for kind, count in pairs(kinds) do assert.is_true(count > (kind == "c" and 1 or 2), kind) end
end)
