-- hints/init.lua: hints for errors of the Lua language itself: the meaning that a user of Python may have had in mind. The
-- interpreter calls hint(message, text) for an uncaught error. `text` is the chunk, if there is no file to read.
local torch = ...
local hints = {}

-- Returns the session of the prompt or the notebook, or nil.
local function session_now()
  return debug.getregistry and debug.getregistry()["tocha.parts"]["prompt.session"]   -- a sandbox has no registry
end

local no_gradient = "only a leaf that backward has reached has a gradient; w = w - lr * w.grad makes a new tensor, which is no leaf: " ..
  "torch.no_grad(function() w:sub_(lr * w.grad) end)"
local written = "tostring(x) is its text, x:item() its number, torch.format(\"%.3f\", x) a formatted one"

-- Returns the source that a message names: the text, or that of the entry or file.
local function source_of(file, text)
  local session = session_now()
  text = text or session and session.entry(file)
  if text then return text end
  local handle = io.open(file)
  text = handle and handle:read "a" or ""
  if handle then handle:close() end
  return text
end

-- Returns the line of the source that a message names.
local function line_of(message, text)
  local file, number = message:match "^(.-):(%d+):"
  number = tonumber(number)
  if not number then return nil end
  text = source_of(file, text)
  local last
  for line in (text .. "\n"):gmatch "(.-)\n" do
    if line:find "%S" then last = line end -- a statement that ends too early is noticed only at the end
    number = number - 1
    if number <= 0 then return last end
  end
end

-- Returns the statement of Python that a message names, over all lines that its brackets span; nil if it is a single line.
local function statement_of(message, text)
  local file, number = message:match "^(.-):(%d+):"
  if not number then return nil end
  local depth_of = torch._part "hints.python_line".depth
  local at, first, depth, parts = 0, 1, 0, {}
  for line in (source_of(file, text) .. "\n"):gmatch "(.-)\n" do
    at = at + 1
    local more, code = depth_of(line)
    parts[#parts + 1] = code
    depth = depth + more
    if depth <= 0 then
      if at >= tonumber(number) then return at > first and table.concat(parts, " ") or nil end
      first, depth, parts = at + 1, 0, {}
    end
    if #parts > 40 then return nil end
  end
end

-- Returns true if a name of the session has an object with methods as its value.
local function is_object(name)
  local session = session_now()
  local value = session and session.locals[name]
  if value == nil then value = rawget(_G, name) end
  return type(value) == "userdata"
end

-- Returns a line of Python as the Lua that it means, or nil if that is not clear. below: the lines after it.
local function in_lua(line, below)
  local context, block = {is_object = is_object}, torch._part "hints.python_block"
  return block.lua(line, context, below) or block.comprehension(line, context) or torch._part "hints.python_line".lua(line, is_object)
end

-- Returns a general hint whose example is the translation of the line itself, or of the statement around it.
local function with_line(hint, line, below, statement)
  local lua = in_lua(line, below) or statement and in_lua(statement)
  if not lua then return hint end
  local words = hint and hint:match "^([%a ]+): "
  return (words or "in Lua") .. ": " .. lua
end

local with_colon = "a method is called with a colon: object:method(...)"

-- Python's methods of lists, dicts and strings.
local methods = {
  append = "table.insert(list, value)", format = "(\"%.2f\"):format(x): the string in parentheses", items = "for name, value in pairs(t) do ... end",
  keys = "for name in pairs(t) do ... end", values = "for _, value in pairs(t) do ... end", join = "table.concat(list, \", \")",
  split = "text:gmatch \"%S+\" goes through words, text:gmatch \"[^,]+\" through what commas part",
  extend = "table.move(more, 1, #more, #list + 1, list)", clone = "torch.deepcopy(module)", new = "a class is called: Net(), nn.Linear(3, 2)",
  pop = "table.remove(list)", get = "t[name] or default",
  update = "for name, value in pairs(more) do t[name] = value end", index = "for i, value in ipairs(list) do ... end", strip = "text:match \"^%s*(.-)%s*$\"",
  replace = "text:gsub(\"old\", \"new\")", startswith = "text:find \"^word\"", endswith = "text:find \"word$\"", getcwd = "os.getenv \"PWD\"",
  listdir = "io.popen \"ls\":lines()", makedirs = "os.execute \"mkdir -p name\"",
}

local NO_NUMBER = "tonumber is nil for what is no number and no string of one; the number of a tensor is x:item()"

-- Returns the hint for a name that is nil because tonumber made it, if the source says so.
local function from_tonumber(name, message, text)
  local file = message:match "^(.-):%d+:"
  local source = file and source_of(file, text) or ""
  return source:find("%f[%w_]" .. name .. "%s*=%s*tonumber%s*%(") and NO_NUMBER or nil
end

-- Returns the hint for a field that is nil in the line of a getitem, which counts from 0.
local function in_getitem(message, text)
  local file, number = message:match "^(.-):(%d+):"
  local at, inside = 0, false
  for line in (file and source_of(file, text) or ""):gmatch "([^\n]*)\n?" do
    at = at + 1
    if line:find "%f[%w]function%f[%W]" then inside = line:find "getitem" ~= nil end
    if at >= tonumber(number) then break end
  end
  return inside and "getitem counts from 0, and a table from 1: self.items[i + 1]" or nil
end

-- Returns the hint for a part of an object that its class, not its parent's init, should have made; nil unless the source has both.
local function without_parent(name, message, text)
  local file, line = message:match "^(.-):%d+:", line_of(message, text) or ""
  local source = file and source_of(file, text) or ""
  return line:find("self[.:]" .. name) and source:find("self%." .. name .. "%s*=") and select(2, source:gsub(":extend", "")) > 1 and
    "an init of a class stands in place of its parent's: call that first, Base.init(self, ...)" or nil
end

-- Messages at run time. An entry is a pattern, and the hint, a table of hints by the pattern's capture, or a function of the
-- capture, the message and the text.
local at_run_time = {
  {"attempt to call a nil value %(global '(%w+)'%)$", {
    len = "the length is #x", range = "count with: for i = 0, n - 1 do ... end", enumerate = "for i, value in ipairs(list) do ... end",
    exit = "os.exit(), or Ctrl-D", quit = "os.exit(), or Ctrl-D", int = "math.tointeger(x), x // 1", float = "tonumber(x), x + 0.0",
    str = "tostring(x)", list = "a list is a table: {...}", dict = "a dict is a table: {name = value}",
    dir = "for name in pairs(x) do ... end; at the prompt TAB after `x.` lists names, and ?name helps", sorted = "table.sort(list)",
    repr = "tostring(x)", tuple = "a tuple is a table: {...}", set = "a set is a table with its values as keys: {[value] = true}",
    hasattr = "x.name ~= nil", getattr = "x[name]", setattr = "x[name] = value", map = "for i, value in ipairs(list) do ... end",
    bool = "not not x", any = "torch.any, x:any()", all = "torch.all, x:all()", eval = "load(\"return \" .. text)()", exec = "load(text)()",
    isinstance = "module:isinstance(class), torch.is_tensor(x), type(x)", sum = "torch.sum, x:sum()", max = "math.max, torch.max",
    min = "math.min, torch.min", abs = "math.abs, torch.abs", zip = "for i = 1, #a do ... a[i], b[i] ... end", round = "x:round(), or %.2f in string.format",
    open = "io.open(name)", input = "io.read()", super = "nn.Module.init(self)", next = "loader() is the next batch",
  }},
  {"attempt to call a nil value %(global 'f'%)$", function(_, message, text)
    local line = line_of(message, text)
    if not line then return "write \"x = \" .. x" end
    return line:find "%f[%a]f[\"']" and with_line("write \"x = \" .. x", line) or nil
  end},
  {"attempt to index a nil value %(local 'self'%) %(in torch", with_colon}, {"%(torch%.Size expected, got no value%)$", with_colon},
  {"%(a state dict expected%)$", with_colon},
  {"attempt to (%l+) a 'string' with a '%l+'$", {
    add = "strings are joined by two dots: \"a\" .. \"b\"", mul = "(\"ab\"):rep(3)", mod = "(\"%d\"):format(x)",
  }},
  {"attempt to index a nil value %(global '(%w+)'%)$", {
    nn = "local nn = torch.nn", F = "local F = torch.nn.functional", optim = "local optim = torch.optim", np = "local np = torch.numpy",
    plt = "local plt = torch.plot", data = "local data = torch.utils.data",
    self = "define the method with a colon: function Net:forward(x)",
    torch = "local torch = require \"torch\"", time = "os.clock(), os.time(); at the prompt :time expression, :timeit expression",
    random = "math.random(), torch.rand(), torch.randperm(n)", sys = "arg has the arguments, os.exit() leaves", re = "text:find, text:match, text:gmatch",
    copy = "torch.deepcopy(x), x:clone()", json = "torch.save(x, name) and torch.load(name) keep tensors and tables",
    pd = "torch.numpy.genfromtxt(name, {delimiter = \",\"}) reads CSV", itertools = "loops: for ... do ... end",
  }},
  {"attempt to index a nil value %(field '(%w+)'%)$", {environ = "os.getenv \"HOME\"",
    path = "io.open(name) is nil where there is no such file; paths are joined by two dots: folder .. \"/\" .. name"}},
  {"bad argument #%d+ to '(%w+)' %(number expected, got torch%.Tensor%)", function(name)
    return name ~= "format" and ("torch.%s takes tensors; x:item() is the number of one"):format(name) or nil -- string.format has a hint of its own
  end},
  {"attempt to call a nil value %(%l+ '(%w+)'%)$", methods},
  {"attempt to [%l ]+ a nil value %(%l+ '([%w_]+)'%)$", without_parent},
  {"attempt to call a torch%.Size value", "x.shape is a field: x.shape[0]; the method is x:size(0)"},
  {"attempt to call a torch%.%l+ value %(%l+ '(%w+)'%)", function(name) return ("x.%s is a field, and no method"):format(name) end},
  {"attempt to call a table value", "a table is no function; of a class made by nn.Module:extend \"Net\", Net() makes an object, and Net:init() fills it"},
  {"module '(%w+)' not found:", {nn = "local nn = torch.nn", optim = "local optim = torch.optim", numpy = "local np = torch.numpy",
    torchvision = "require \"torch.vision\""}},
  {"attempt to index a boolean value", function(_, message, text)
    local line = line_of(message, text)
    local method = line and torch._part "hints.compared".method_in(line, true)
    return "a comparison is true or false in Lua; elements are compared by " .. (method or "a:eq(b), a:gt(2), and so on")
  end},
  {"attempt to index a nil value %(field 'grad'%)", no_gradient},
  {"attempt to perform arithmetic on a nil value %(field 'grad'%)", no_gradient},

  {"bad argument #%d+ to 'write' %(string expected, got torch%.Tensor%)", written},
  {"invalid value %(userdata%) at index %d+ in table for 'concat'", "of a tensor: table.concat(x:tolist(), \", \"); of several: tostring(x) of each"},
  {"'for' limit %(number expected, got torch%.Tensor%)", "#x is its length, x:item() the number of a tensor with one element"},
  {"'for' initial value %(number expected, got torch%.Tensor%)", "x:item() is the number of a tensor with one element"},
  {"'for iterator' %(table expected, got torch%.Tensor%)", "for i, row in pairs(x) do goes through a tensor, from 0"},
  {"attempt to index a function value$", "an iterator goes into the loop as it is: for p in model:parameters() do"},
  {"attempt to index a function value %(%l+ 'size'%)", "x.shape[0], or x:size(0)"},
  {"attempt to index a function value %(%l+ '(%w+)'%)", function(name) return ("%s is a method: object:%s(...)"):format(name, name) end},
  {"type 'userdata' is not supported by JSON", "JSON holds tables and numbers: x:tolist() of a tensor, x:item() of one with one element"},
  {"Cannot serialise userdata", "JSON holds tables and numbers: x:tolist() of a tensor, x:item() of one with one element"},
  {"attempt to [%l ]+ a nil value %(%l+ '([%w_]+)'%)", from_tonumber},
  {"attempt to perform arithmetic on a nil value$", function(_, message, text)
    return (line_of(message, text) or ""):find "tonumber%s*%(" and NO_NUMBER or nil
  end},
  {"attempt to index a nil value %(field '%?'%)", function(_, message, text) return in_getitem(message, text) end},
  {"'for iterator' %(table expected, got function%)", "an iterator goes into the loop as it is: for p in model:parameters() do"},
  {"attempt to compare number with string", "tonumber(x) is the number that a string holds"},
  {"attempt to compare string with number", "tonumber(x) is the number that a string holds"},
  {"bad argument #1 to '(%l+)' %(string expected, got no value%)$", function(name) return ("a method is called with a colon: text:%s()"):format(name) end},
  {"attempt to load a binary chunk", "a cursor key? The editor of the prompt knows them; here lines are read plainly (a pipe, TERM=dumb, --no-editor)"},
  {"near '<\\27>'$", "a cursor key? The editor of the prompt knows them; here lines are read plainly (a pipe, TERM=dumb, --no-editor)"},
  {"attempt to get length of a nil value", function(_, message, text)
    local line = line_of(message, text)
    return line and line:find "^%s*#" and "the length of x is #x; a comment begins with --" or nil
  end},
  {"got a non%-closable value$", "a mode is closed: torch.no_grad(), torch.autocast(...); that of a device is torch.set_default_device(device)"},
  {"attempt to compare number with nil", "a field that does not exist is nil: is its name right?"},
  {"attempt to perform arithmetic on a table value", "a table is no tensor: torch.tensor{...}"},
  {"attempt to concatenate a table value", "a table is not a string: table.concat(list, \", \")"},
  {"attempt to concatenate a nil value %(field '%?'%)", "a table has nothing there; a tensor is no key of it: names[k:item() + 1], as tables count from 1"},
  {"attempt to concatenate a nil value", "print(a, b) takes values of any kind"},
}

-- The counterparts of Python's packages. Other packages get the general text.
local packages = {
  random = "math.random(), torch.rand(2, 3), torch.randperm(n)", time = "os.clock(), os.time(); at the prompt :time and :timeit",
  os = "Lua's os, io and string are there without import: os.getenv, io.open, io.lines", sys = "arg has the arguments, os.exit() leaves",
  pandas = "torch.numpy.genfromtxt(name, {delimiter = \",\"}) reads CSV", re = "text:find, text:match, text:gmatch, text:gsub",
  copy = "torch.deepcopy(x), x:clone()", pathlib = "paths are strings: folder .. \"/\" .. name", glob = "io.popen \"ls *.png\":lines()",
  json = "torch.save(x, name) and torch.load(name) keep tensors and tables", pickle = "torch.save(x, name), torch.load(name)",
  sklearn = "torch.datasets and torch.metrics have makers, splits and scores: ??blobs, ??accuracy", PIL = "torch.vision.io.read_image(name)",
  collections = "a table counts: counts[x] = (counts[x] or 0) + 1", itertools = "loops: for ... do ... end", typing = "Lua has no annotations",
  dataclasses = "a table: {name = value}", functools = "function(x) return f(x, 1) end", warnings = "warn \"@off\" silences warnings",
  argparse = "arg[1], arg[2], ... are the arguments of a script", logging = "print(...), io.stderr:write(...)", seaborn = "torch.plot draws",
  scipy = "torch.linalg, torch.special, torch.signal", datetime = "os.date(\"%Y-%m-%d\"), os.time()", gc = "collectgarbage()",
}

local function other_import(line)
  local name = line:match "^%s*import%s+([%w_]+)" or line:match "^%s*from%s+([%w_]+)"
  return packages[name] or "Lua's libraries (math, string, table, os, io) are there; files: local name = require \"name\""
end

-- Returns the name before a call in Lua's form: a method of an object of the session takes a colon.
local function lua_name(head)
  local object, method = head:match "^([%a_][%w_]*)%.([%w_]+)$"
  local session = session_now()
  return object and session and type(session.locals[object]) == "userdata" and object .. ":" .. method or head
end

-- Returns the innermost call of a line with keywords in Lua's form: `f(x, dim=1)` is f(x, {dim = 1}). Returns nil if the line
-- has no keywords.
local function with_keywords(line)
  for head, list in line:gmatch "([%w_.:]*)(%b())" do
    list = list:sub(2, -2)
    local inner = with_keywords(list)
    if inner then return inner end
    local given, keywords = {}, {}
    for _, item in ipairs(torch._part "hints.python_block".items_of(list)) do
      local name, value = item:match "^([%a_][%w_]*)%s*=%s*([^=].*)$"
      if name then
        keywords[#keywords + 1] = torch._part "hints.python_line".key(name) .. " = " .. value:gsub("^True$", "true"):gsub("^False$", "false")
      else
        given[#given + 1] = item
      end
    end
    local t = "{" .. table.concat(keywords, ", ") .. "}"
    head = lua_name(head)
    if #keywords > 0 and #given == 0 then return head .. t end
    if #keywords > 0 then return ("%s(%s, %s)"):format(head, table.concat(given, ", "), t) end
  end
end

local function keywords(line)
  return "keywords stand in a table: " .. (with_keywords(line) or "torch.zeros(2, 3, {dtype = torch.float64})")
end

local function ternary(line) return not line:find "%f[%w]then%f[%W]" and "condition and a or b" or nil end

-- Errors of syntax: a pattern of the line, and of the message (nil: any).
local at_compile_time = {
  {"^%s*import%s+torch", nil, "local torch = require \"torch\"; local nn = torch.nn"},
  {"^%s*from%s+torch[%w_.]*%s+import", nil, "local F = torch.nn.functional, and so on: names are fields of torch"},
  {"^%s*import%s+[%w_.]+", nil, other_import}, {"^%s*from%s+[%w_.]+%s+import", nil, other_import},
  {"^%s*def%s", nil, "function name(x) ... end"},
  {"^%s*class%s", nil, "local Net = nn.Module:extend \"Net\"; function Net:init() ... end; function Net:forward(x) ... end"},
  {"^%s*with%s+open", nil, "for line in io.lines(name) do ... end; io.open(name):read \"a\" is all of it"},
  {"^%s*with%s", nil, "torch.no_grad(function() ... end), or local _ <close> = torch.no_grad()"},
  {"^%s*for%s.-:%f[%s%z]", nil, "for i = 0, n - 1 do ... end; for x, y in loader do ... end"},
  {"^%s*if%s+__name__", nil, "a script begins with its first line; nothing like it is needed"},
  {"^%s*else%s+if%f[%W]", nil, "elseif condition then"},
  {"^%s*if%s.-:%f[%s%z]", nil, "if condition then ... end"},
  {"^%s*while%s.-:%f[%s%z]", nil, "while condition do ... end"},
  {"^%s*elif%s", nil, "elseif condition then"},
  {"^%s*else%s*:", nil, "else, without a colon"},
  {"^%s*try%s*:", nil, "local ok, err = pcall(function() ... end)"},
  {"^%s*except%f[%W]", nil, "local ok, err = pcall(function() ... end); if not ok then ... end"},
  {"^%s*del%s", nil, "x = nil"}, {"^%s*global%s", nil, "a name without local is global"},
  {"^%s*nonlocal%s", nil, "functions see the locals around them"},
  {"^%s*[lcvi][eoan][tnr]s?t?%s+[%a_][%w_]*%s*=", "syntax error", function(line) return line:gsub("^%s*%a+%s+", "local ") end},
  {"^%s*%l+%s+[%w./%-]+", "syntax error", function(line)
    local shell = " git pip pip3 ls cd cat vim nano python python3 nvidia cp mv rm mkdir grep head tail less make sudo apt conda man ssh "
    return shell:find(" " .. line:match "^%s*(%l+)" .. " ", 1, true) and "a command of the shell: !" .. line:match "^%s*(.-)%s*$" or nil
  end},
  {":=", nil, "x = 3 is a statement of its own"}, {"&&", nil, "a and b"}, {"||", nil, "a or b"},
  {"^%s*%%", "near '%%'", "at the prompt: :timeit expression, :time expression; :help lists all"},
  {"^%s*raise%s", nil, "error(\"message\")"},
  {"^%s*assert%s+[^(]", nil, "assert(condition, \"message\")"},
  {"^%s*print%s+[^(\"'{%[]", nil, "print(x)"},
  {"lambda", nil, "function(x) return ... end"},
  {"print%s*%(.*%send%s*=", "near 'end'", "io.write(x) writes no end of line"},
  {"%f[%w]end%s*=", "near 'end'", "end is a word of Lua: {start = 1, [\"end\"] = 11}"},
  {"^%s*@", "near '@'", "a decorator is a call: f = decorator(f); torch.no_grad(function() ... end)"},
  {"[.:]repeat%f[%W]", "near 'repeat'", "repeat is a word of Lua: x:rep(2, 3)"},
  {"[\"']%.format%(", nil, "(\"%.2f\"):format(x)"},
  {"%sif%s.+%selse%s", nil, ternary},
  {"[%[%(].*%sfor%s.+%sin%s", nil, "a loop fills a list: local list = {}; for x in ... do list[#list + 1] = x end"},
  {"{[^{}]-:[^{}]-%sfor%s", nil, "a loop fills a dict: local t = {}; for name, value in ... do t[name] = value end"},
  {"%[{[^}\"']*:", "near ':'", "a slice is a string: x[{1, \"0:2\"}], x[\"1, 0:2\"]"},
  {"{%s*[\"'%d][^:]-:", nil, "a dict is a table: {name = value}, {[\"any string\"] = value}"},
  {"^[%sloca]-[%a_][%w_]*%s*=%s*[%a_][%w_]*%s*=[^=]", nil, "a, b = value, value"},
  {"[\"']%.%a+", "near ['\"%.]+[^']*", function(line) return methods[line:match "[\"']%.(%a+)"] or "a method of a string: (\"abc\"):upper()" end},
  {"[\"']%s*[\"']", "near ['\"]", "strings are joined by two dots: \"a\" .. \"b\""},
  {"^%s*[%a_][%w_]*%s*:%s*[%a_][%w_.%[%]]*%s*=[^=]", nil, function(line)
    return "Lua has no annotations: " .. line:gsub("%s*:[^=]*=", " =", 1):match "^%s*(.-)%s*$"
  end},
  {"%f[*]%*[%a_][%w_]*%s*[,=]", "near '%*'", "the rest of a list: local first, rest = list[1], {table.unpack(list, 2)}"},
  {"%d[jJ]%f[%W]", "malformed number", "a complex number is a tensor: torch.complex(torch.tensor(2.), torch.tensor(3.))"},
  {"%[[^%]]*,", "'%]' expected near ','", "several indices: x[{0, 1}], or as a string: x[\"0, 1\"], x[\"..., 0\"]"},
  {"%([^()]*,[^()]*%)", "'%)' expected near ','", "a tuple is a table: torch.zeros({2, 3})"},
  {"//%s*%a.*$", "near '//'", "a comment begins with --"},
  {"#", "near '#'", "a comment begins with --, and #x is a length"},
  {"[%+%-%*/]=", "near '[%+%-%*/=]", "Lua has no +=; write x = x + 1"},
  {"%+%+", "near '%+'", "write x = x + 1"},
  {"!=", "near '!'", "not equal is ~="},
  {"%*%*", "near '%*'", "a power is x ^ 2"},
  {"@", "near '@'", "a product of matrices is a:matmul(b)"},
  {"%[[^%]]*:", "near ':'", "a slice is a string: x[\":, 0\"], x[\"0:2\"], or a table: x[{\":\", 0}]"},
  {"print%(.*,%s*sep%s*=", "near '='", "io.write(a, \",\", b, \"\\n\"), or print(table.concat({a, b}, \",\"))"},
  {"%(.*[%w_]+%s*=", "near '='", keywords},
  {"[\"']%s*%[", "near '%['", "a part of a string, counted from 1: (\"abc\"):sub(1, 1)"},
  {"%[", "near '%['", "a list is a table: {1, 2, 3}"},
  {"%sis%s", "near 'is'", "x == nil, x == y"},
  {"%?", "near '%?'", "condition and a or b"},
  {"%sin%s", "near 'in'", "look for it in a loop, or use a table with the values as keys; in a string: text:find(word, 1, true)"},
  {"not%s+in%s", "near", "look for it in a loop, or use a table with the values as keys"},
  {"[\"']", "unfinished string", "a string ends with the quote that it began with; one of several lines stands between [[ and ]]"},
  {"", "function arguments expected near", "a method is called with parentheses: x:relu()"},
  {"", "'do' expected near", "a loop: for i = 1, 3 do ... end; while condition do ... end"}, {"", "'then' expected near", "if condition then ... end"},
  {"", "near '[%)%]}]'$", function(line)
    local _, opened = line:gsub("[%(%[{]", "")
    local _, closed = line:gsub("[%)%]}]", "")
    return closed > opened and "there is one closing bracket too many" or nil
  end},
}

local function answer(hint, ...)
  if type(hint) == "table" then return hint[...] end
  if type(hint) == "function" then return hint(...) end
  return hint
end

-- Returns true if two words differ in one letter, or in two that changed places.
local function is_slip(a, b)
  local first, last = 0, 0
  while first < #a and a:byte(first + 1) == b:byte(first + 1) do first = first + 1 end
  while last < math.min(#a, #b) - first and a:byte(-last - 1) == b:byte(-last - 1) do last = last + 1 end
  local left, right = a:sub(first + 1, #a - last), b:sub(first + 1, #b - last)
  return math.max(#left, #right) <= 1 or #left == 2 and left == right:reverse()
end

-- Returns the global, or the name of the session, that differs least from an unknown name.
local function nearest_global(unknown)
  local names, session = {}, session_now()
  for name in next, _G do names[#names + 1] = tostring(name) end
  for name in next, session and session.locals or {} do names[#names + 1] = name end
  local near = torch._nearest(unknown, names)
  return near and (#unknown > 4 or is_slip(unknown, near)) and near or nil   -- many names are near a short one
end

-- Returns the hint for an error of syntax, by the line.
local function of_line(message, line, below, statement)
  for _, entry in ipairs(at_compile_time) do
    local hint = line:find(entry[1]) and (not entry[2] or message:find(entry[2])) and answer(entry[3], line)
    if hint then return with_line(hint, line, below, statement) end
  end
  return with_line(nil, line, below, statement)
end

local block_words = {["for"] = true, ["while"] = true, ["if"] = true, ["elif"] = true, ["else"] = true, try = true, except = true, finally = true,
  def = true, class = true, with = true}

-- Returns the first line of a Python block, if there is one just above the line that a message names, and the lines below it.
local function block_above(message, text)
  local file, number = message:match "^(.-):(%d+):"
  local at, found, below = 0, nil, {}
  for line in ((file and source_of(file, text) or "") .. "\n"):gmatch "(.-)\n" do
    at = at + 1
    if found then
      below[#below + 1] = line
    elseif at > tonumber(number) then
      return nil
    elseif at >= tonumber(number) - 2 and block_words[line:match "^%s*(%l+)"] and line:find ":%s*$" then
      found = line
    end
    if #below > 100 then break end
  end
  return found, table.concat(below, "\n")
end

-- Returns the name that has no value in an error, or nil.
local function undefined(message, text)
  local name = message:match "a nil value %(global '([%w_]+)'%)$"
  if name and name ~= "f" then return name end
  local line = message:find "a nil value %(for iterator" and line_of(message, text)
  name = line and line:match "%sin%s+([%a_][%w_]*)%s+do%f[%W]"
  local session = session_now()
  return name and rawget(_G, name) == nil and not (session and session.locals[name]) and name or nil
end

local function hint_for(message, text)
  for _, entry in ipairs(at_run_time) do
    local capture = message:match(entry[1])
    local hint = capture and answer(entry[2], capture, message, text)
    if hint then return hint end
  end
  local unknown = message:match "a nil value %(global '([%w_]+)'%)$"
  local meant = unknown and #unknown > 2 and nearest_global(unknown)
  if meant then return ("did you mean '%s'?"):format(meant) end
  local nameless = undefined(message, text)
  if not nameless and message:find "a nil value %(for iterator" then return "what stands after `in` is nil" end
  local line = nameless and line_of(message, text)
  if line and line:find "^%s*%(" then return "a line that begins with ( goes on with the line above: put a ; before it" end
  if nameless then return ("'%s' is not defined (a name without a value is nil)"):format(nameless) end
  if not message:find "near " and not message:find "unfinished " then return nil end
  local below
  line, below = block_above(message, text)
  if line then return of_line(message, line, below) end
  line = line_of(message, text)
  return line and of_line(message, line, nil, statement_of(message, text)) or nil
end

local LONGEST = 10000 -- bytes of a message that is searched for the words of an error; the language's own are shorter

--- Returns the hint for a message that needs no source line, or nil.
function hints.known(message)
  if #message > LONGEST then return nil end
  for _, entry in ipairs(at_run_time) do
    local capture = type(entry[2]) ~= "function" and message:match(entry[1])
    local hint = capture and answer(entry[2], capture)
    if hint then return hint end
  end
end

--- Returns a hint for an error of the language, or nil.
function hints.hint(message, text) return #message <= LONGEST and hint_for(message, text) or nil end

return hints
