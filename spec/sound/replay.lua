-- replay.lua FILE [brief]: runs the random programs of spec/golden/random_programs/programs.txt (how it is written: ask.py there)
-- and prints the statements that are answered otherwise than by PyTorch: "SEED N KIND" and, if not brief, what was asked, wanted
-- and got.
-- What hangs on a variable that differed already is not compared again, nor random numbers once a draw went another way.
package.path = "spec/support/?.lua;" .. package.path
warn "@off"
local torch = require "torch"
local rounding = require "rounding"
local answer = require("statements").answer

local function fresh()
  collectgarbage()
  torch.set_grad_enabled(true)
  torch.set_default_dtype(torch.float32)
  torch.set_printoptions {profile = "default"}
  torch.manual_seed(0)
  local environment = setmetatable({}, {__index = _G})
  environment._G = environment
  return environment
end

local function variables(source)
  local found = {}
  for word in source:gmatch "[%a_][%w_]*" do
    if word:find "^[tm]%d+$" or word == "opt" or word == "ds" or word == "h" then found[word] = true end
  end
  return found
end

local drawing = {"rand", "normal", "bernoulli", "uniform", "exponential", "geometric", "cauchy", "dropout", "Dropout", "Linear",
  "PReLU", "Bilinear", "shuffle", "manual_seed", "multinomial", "init%.", "module", "nn%."}
local function draws(source)
  for _, word in ipairs(drawing) do
    if source:find(word) then return true end
  end
  return false
end

local function judge(seed, statements)
  local environment, tainted, drawn = fresh(), {}, false
  local function taint(names) for name in pairs(names) do tainted[name] = true end end
  for _, s in ipairs(statements) do
    local names, is_draw = variables(s.source), draws(s.source)
    local got = answer(s.source, environment)
    local known = drawn and is_draw
    for name in pairs(names) do known = known or tainted[name] end
    local kind = rounding.difference(s.want, got)
    if kind and not known then
      print(("%s %d %s"):format(seed, s.number, kind))
      if not arg[2] then print(("  %s\n  wanted: %s\n  got:    %s"):format(s.source, s.want, got)) end
    end
    if kind then drawn = drawn or is_draw or kind == "failure" or kind == "message" end
    if kind or known then taint(names) end
  end
end

local seed, statements, statement
local function finish()
  if statement then statement.source, statement.want = table.concat(statement, "\n"), table.concat(statement.want, "\n") end
  statement = nil
end

local count = 0
for line in io.lines(arg[1]) do
  local program, number, want = line:match "^%%%% (.*)", line:match "^%% (%d+)$", line:match "^= ?(.*)"
  if program then
    finish()
    if seed then judge(seed, statements) end
    seed, statements, count = program, {}, count + 1
  elseif number then
    finish()
    statement = {number = tonumber(number), want = {}}
    statements[#statements + 1] = statement
  elseif statement then
    table.insert(want and statement.want or statement, want or line)
  end
end
finish()
judge(seed, statements)
print(count .. " programs")
