-- hints.lua: what a user of Python may have meant, for errors of the Lua language itself. The interpreter asks when nobody
-- caught the error: hint(message, text), text being the chunk where there is no file to read.
local hints = {}

local values = "x:item() is its number; torch.format(\"%.3f\", x) writes it"

-- Messages at run time: a pattern, and the hint or a table of hints by what the pattern captures.
local at_run_time = {
  {"attempt to call a nil value %(global '(%w+)'%)$", {
    len = "the length is #x", range = "count with: for i = 0, n - 1 do ... end", enumerate = "for i, value in ipairs(list) do ... end",
    exit = "os.exit(), or Ctrl-D", quit = "os.exit(), or Ctrl-D", int = "math.tointeger(x), x // 1", float = "tonumber(x), x + 0.0",
    str = "tostring(x)", list = "a list is a table: {...}", dict = "a dict is a table: {name = value}", f = "write \"x = \" .. x",
    isinstance = "module:isinstance(class), torch.is_tensor(x), type(x)", sum = "torch.sum, x:sum()", max = "math.max, torch.max",
    min = "math.min, torch.min", abs = "math.abs, torch.abs", zip = "for i = 1, #a do ... a[i], b[i] ... end", round = "x:round(), or %.2f in string.format",
    open = "io.open(name)", input = "io.read()", super = "nn.Module.init(self)", next = "loader() is the next batch",
  }},
  {"attempt to index a nil value %(global '(%w+)'%)$", {
    nn = "local nn = torch.nn", F = "local F = torch.nn.functional", optim = "local optim = torch.optim", np = "local np = torch.numpy",
    plt = "local plt = torch.plot", data = "local data = torch.utils.data",
    self = "define the method with a colon: function Net:forward(x)",
    torch = "local torch = require \"torch\"",
  }},
  {"bad argument #%d+ to 'format' %(number expected, got torch%.Tensor%)", values},
  {"bad argument #%d+ to '(%w+)' %(number expected, got torch%.Tensor%)", function(name)
    return ("torch.%s takes tensors; x:item() is the number of one"):format(name)
  end},
  {"attempt to call a nil value %(method '(%w+)'%)$", {
    append = "table.insert(list, value)", format = "(\"%.2f\"):format(x): the text in parentheses", items = "for name, value in pairs(t) do ... end",
    keys = "for name in pairs(t) do ... end", join = "table.concat(list, \", \")", split = "text:gmatch \"%S+\"",
  }},
  {"attempt to load a binary chunk", "a cursor key? The editor of the prompt knows them; here lines are read plainly (a pipe, TERM=dumb, --no-editor)"},
  {"near '<\\27>'$", "a cursor key? The editor of the prompt knows them; here lines are read plainly (a pipe, TERM=dumb, --no-editor)"},
  {"attempt to get length of a nil value", "the length of x is #x; a comment begins with --"},
  {"got a non%-closable value$", "a mode is closed: torch.no_grad(), torch.autocast(...); that of a device is torch.set_default_device(device)"},
  {"attempt to compare number with nil", "a field that does not exist is nil: is its name right?"},
  {"attempt to perform arithmetic on a table value", "a table is no tensor: torch.tensor{...}"},
  {"attempt to concatenate a table value", "a table has no text of its own: table.concat(list, \", \")"},
  {"attempt to concatenate a nil value", "print(a, b) takes values of any kind"},
}

-- Syntax: a pattern of the line, and of the message (nil: any).
local at_compile_time = {
  {"^%s*import%s+([%w_.]+)", nil, "local torch = require \"torch\"; local nn = torch.nn"},
  {"^%s*from%s+[%w_.]+%s+import", nil, "local F = torch.nn.functional, and so on: names are fields of torch"},
  {"^%s*def%s", nil, "function name(x) ... end"},
  {"^%s*class%s", nil, "local Net = nn.Module:extend \"Net\"; function Net:init() ... end; function Net:forward(x) ... end"},
  {"^%s*with%s", nil, "torch.no_grad(function() ... end), or local _ <close> = torch.no_grad()"},
  {"^%s*for%s.-:%s*$", nil, "for i = 0, n - 1 do ... end; for x, y in loader do ... end"},
  {"^%s*if%s.-:%s*$", nil, "if condition then ... end"},
  {"^%s*while%s.-:%s*$", nil, "while condition do ... end"},
  {"^%s*elif%s", nil, "elseif condition then"},
  {"^%s*else%s*:", nil, "else, without a colon"},
  {"^%s*try%s*:", nil, "local ok, err = pcall(function() ... end)"},
  {"^%s*raise%s", nil, "error(\"message\")"},
  {"^%s*assert%s+[^(]", nil, "assert(condition, \"message\")"},
  {"^%s*print%s+[^(\"'{%[]", nil, "print(x)"},
  {"lambda", nil, "function(x) return ... end"},
  {"//%s*%a.*$", "near '//'", "a comment begins with --"},
  {"#", "near '#'", "a comment begins with --, and #x is a length"},
  {"[%+%-%*/]=", "near '[%+%-%*/]", "Lua has no +=; write x = x + 1"},
  {"%+%+", "near '%+'", "write x = x + 1"},
  {"!=", "near '!'", "not equal is ~="},
  {"%*%*", "near '%*'", "a power is x ^ 2"},
  {"@", "near '@'", "a product of matrices is a:matmul(b)"},
  {"%[[^%]]*:", "near ':'", "a slice is a text: x[\":, 0\"], x[\"0:2\"], or a table: x[{\":\", 0}]"},
  {"%(.*[%w_]+%s*=", "near '='", "keywords stand in a table: torch.zeros(2, 3, {dtype = torch.float64})"},
  {"%[", "near '%['", "a list is a table: {1, 2, 3}"},
  {"%sis%s", "near 'is'", "x == nil, x == y"},
  {"%?", "near '%?'", "condition and a or b"},
  {"not%s+in%s", "near", "look for it in a loop, or use a table with the values as keys"},
}

local function line_of(message, text)
  local file, number = message:match "^(.-):(%d+):"
  number = tonumber(number)
  if not number then return nil end
  if not text then
    local handle = io.open(file)
    text = handle and handle:read "a" or ""
    if handle then handle:close() end
  end
  local last
  for line in (text .. "\n"):gmatch "(.-)\n" do
    if line:find "%S" then last = line end -- what ends too early is seen only where it ends
    number = number - 1
    if number <= 0 then return last end
  end
end

local function answer(hint, capture)
  if type(hint) == "table" then return hint[capture] end
  if type(hint) == "function" then return hint(capture) end
  return hint
end

--- A hint for an error of the language, or nil.
function hints.hint(message, text)
  for _, entry in ipairs(at_run_time) do
    local capture = message:match(entry[1])
    if capture then return answer(entry[2], capture) end
  end
  local near = message:match "near (.+)$" or message:match "unfinished (.+)$"
  local line = near and line_of(message, text)
  if not line then return nil end
  for _, entry in ipairs(at_compile_time) do
    if line:find(entry[1]) and (not entry[2] or message:find(entry[2])) then return entry[3] end
  end
end

return hints
