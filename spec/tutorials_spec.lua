-- The programs of examples/ print what spec/expected holds, to the character: PyTorch's own answers for
-- the tutorials. Each runs from stock Lua (require "torch") and in `tocha`, with one thread and two.
-- TOCHA names the program to test; torch.so is looked for beside it.
local lfs = require "lfs"
local torch = require "torch"

local root = debug.getinfo(1, "S").source:match "^@(.*)spec/[^/]*$" or ""
local TOCHA = os.getenv "TOCHA" or root .. "build/tocha"
local LUA = os.getenv "LUA" or "lua5.4"
local folder = TOCHA:match "^(.*)/[^/]*$" or "."

local function quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local function read(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local text = file:read "a"
  file:close()
  return text
end

-- What a program prints, what it says on stderr, and its exit code.
local function run(interpreter, threads, script)
  local out, err = os.tmpname(), os.tmpname()
  local command = "env -u LUA_INIT -u LUA_INIT_5_4 OMP_NUM_THREADS=%d LUA_CPATH=%s %s %s >%s 2>%s </dev/null"
  local _, _, code = os.execute(command
    :format(threads, quote(folder .. "/?.so;;"), quote(interpreter), quote(script), out, err))
  local printed, messages = read(out), read(err)
  os.remove(out)
  os.remove(err)
  return printed, messages, code
end

local ways = {
  {title = "from stock Lua, one thread", interpreter = LUA, threads = 1},
  {title = "from stock Lua, two threads", interpreter = LUA, threads = 2},
  {title = "in tocha, one thread", interpreter = TOCHA, threads = 1},
  {title = "in tocha, two threads", interpreter = TOCHA, threads = 2},
}

local device = torch.cuda.is_available() and "cuda" or "cpu"
local names = {}
for file in lfs.dir(root .. "examples") do names[#names + 1] = file:match "^(.*)%.lua$" end
table.sort(names)

local told = 0
for _, name in ipairs(names) do
  local path = root .. "spec/expected/" .. name
  local expected = read(path .. ".expected") or read(path .. "." .. device .. ".expected")
  if expected then
    told = told + 1
    describe("examples/" .. name .. ".lua", function()
      for _, way in ipairs(ways) do
        it("prints what PyTorch prints, " .. way.title, function()
          local printed, messages, code = run(way.interpreter, way.threads, root .. "examples/" .. name .. ".lua")
          assert.are.equal(expected, printed)
          assert.are.equal("", messages)
          assert.are.equal(0, code)
        end)
      end
    end)
  end
end

describe("examples/", function()
  it("has the tutorials", function() assert.is_true(told >= 5) end)

  it("never calls collectgarbage", function()
    for _, name in ipairs(names) do
      assert.is_nil(read(root .. "examples/" .. name .. ".lua"):find("collectgarbage", 1, true), name)
    end
  end)

  it("reads at least 96% of the new digits in the demo", function()
    local printed, messages, code = run(TOCHA, 2, root .. "examples/digits.lua")
    assert.are.equal(0, code)
    assert.are.equal("", messages) -- no progress bar where stderr is no terminal
    local epochs = 0
    for loss, accuracy in printed:gmatch "epoch +%d+  loss (%d+%.%d+)  accuracy +(%d+%.%d)%%" do
      epochs = epochs + 1
      assert.is_true(tonumber(loss) > 0 and tonumber(accuracy) <= 100)
    end
    assert.is_true(epochs >= 10)
    local percent = tonumber(printed:match "(%d+%.%d)%% of the digits")
    assert.is_true(percent >= 96 and percent < 100, tostring(percent))
    assert.is_truthy(printed:find("██", 1, true))
  end)
end)
