-- The program `tocha`: its options, exit codes, messages and prompt, run from outside.
-- TOCHA names the program to test; what needs a terminal goes through util-linux's `script`.

local programs = require "programs"
local TOCHA, quote, read_file, write_file = programs.tocha, programs.quote, programs.read, programs.write

local temporary = {} -- names to remove after each test

local function temporary_file(text)
  local name = os.tmpname()
  temporary[#temporary + 1] = name
  write_file(name, text or "")
  return name
end

-- Runs a shell command; returns what it printed, its messages and its exit code.
local function shell(command)
  local out, err = temporary_file(), temporary_file()
  local _, _, code = os.execute(("{ %s\n} >%s 2>%s"):format(command, out, err))
  return read_file(out), read_file(err), code
end

-- Runs tocha with `arguments` (a list), `input` on its standard input and `environment` (a string).
local function tocha(arguments, input, environment)
  local words = {}
  for i, word in ipairs(arguments) do words[i] = quote(word) end
  local command = ("env -u LUA_INIT -u LUA_INIT_5_4 TOCHA_HISTORY= %s %s %s <%s"):format(environment or "",
    quote(TOCHA), table.concat(words, " "), temporary_file(input))
  return shell(command)
end

-- Types at a prompt on a terminal. `keys` holds text to type, seconds to wait, and tables {text}: wait until a line
-- of the screen holds it (ten seconds at most). Returns the screen.
local function type_keys(keys, arguments)
  local screen = temporary_file()
  local parts = {("shows() { n=0; until grep -qF -- \"$1\" %s || [ $n -ge 100 ]; do sleep 0.1; n=$((n + 1)); done; }")
    :format(quote(screen))}
  for _, key in ipairs(keys) do
    parts[#parts + 1] = type(key) == "number" and "sleep " .. key
      or type(key) == "table" and "shows " .. quote(key[1])
      or "printf %s " .. quote((key:gsub("\n", "\r")))
  end
  local _, _, code = shell(("{ %s; } | env -u LUA_INIT TOCHA_HISTORY= TERM=xterm script -qec %s /dev/null >%s"):format(
    table.concat(parts, "; "), quote("exec " .. quote(TOCHA) .. " " .. (arguments or "")), quote(screen)))
  return (read_file(screen):gsub("\r", "")), code
end

local have_terminal = os.execute "script -qec true /dev/null >/dev/null 2>&1 </dev/null"
local on_terminal = have_terminal and it
  or function(name) pending(name .. " (needs util-linux's script)") end

local USAGE = "usage: " .. TOCHA .. " [options] [script [args]]\nAvailable options are:\n"

local function assert_starts(expected, text)
  assert.equal(expected, text:sub(1, #expected))
end

describe("tocha", function()
  after_each(function()
    for _, name in ipairs(temporary) do os.remove(name) end
    temporary = {}
  end)

  it("has help on what the lists hold", function()
    local out, err, code = tocha({"-e", "help(torch.nn.utils.clip_grad_value_) help(torch.dot) help(torch.nn.Identity) help(3)"})
    assert.equal("", err)
    assert.equal(0, code)
    assert.truthy(out:find("clip_grad_value_(parameters, float clip_value, bool? foreach) -> nil\n    Clamps the gradients", 1, true))
    assert.truthy(out:find("dot(Tensor self, Tensor tensor) -> Tensor\n    The inner product", 1, true))
    assert.truthy(out:find("Identity(", 1, true))
    assert.truthy(out:find("no help on 3", 1, true))
  end)

  describe("a script", function()
    it("gets its arguments and the global `arg`", function()
      local name = temporary_file [[
        print(...)
        print(arg[0], arg[1], arg[2], arg[-1], arg[-2], #arg)]]
      local out, err, code = tocha({"-W", name, "a", "-v"})
      assert.equal(("a\t-v\n%s\ta\t-v\t-W\t%s\t2\n"):format(name, TOCHA), out)
      assert.equal("", err)
      assert.equal(0, code)
    end)

    it("finds torch as a global and as a module", function()
      local out, err, code = tocha({"-e", "print(torch == require 'torch', torch ~= nil)"})
      assert.equal("true\ttrue\n", out)
      assert.equal("", err)
      assert.equal(0, code)
    end)

    it("may begin with a line for the shell, and be executed by it", function()
      local name = temporary_file("#!/usr/bin/env tocha\nprint('line', 2, ...)\n")
      local link = os.tmpname()
      temporary[#temporary + 1] = link
      assert.equal("line\t2\tx\n", (tocha({name, "x"})))
      write_file(link, ("#!%s\nprint('ran', ...)\n"):format(read_file(temporary_file(
        (shell("realpath " .. quote(TOCHA)))))))
      local out, err, code = shell(("chmod +x %s; %s x"):format(link, link))
      assert.equal("", err)
      assert.equal("ran\tx\n", out)
      assert.equal(0, code)
    end)

    it("that fails shows message and traceback on stderr and exits with 1", function()
      local name = temporary_file "print 'before'\nerror 'oops'\n"
      local out, err, code = tocha({name})
      assert.equal("before\n", out)
      assert.equal(TOCHA .. ": " .. name .. ":2: oops\nstack traceback:\n\t[C]: in function 'error'\n\t"
        .. name .. ":2: in main chunk\n\t[C]: in ?\n", err)
      assert.equal(1, code)
    end)

    it("that does not compile exits with 1", function()
      local name = temporary_file "local x ="
      local out, err, code = tocha({name})
      assert.equal("", out)
      assert.equal(TOCHA .. ": " .. name .. ":1: unexpected symbol near <eof>\n", err)
      assert.equal(1, code)
    end)

    it("that is not there is named", function()
      local _, err, code = tocha({"/nowhere/x.lua"})
      assert.equal(TOCHA .. ": cannot open /nowhere/x.lua: No such file or directory\n", err)
      assert.equal(1, code)
    end)

    it("is ended by os.exit", function()
      assert.equal(7, select(3, tocha({"-e", "os.exit(7)"})))
      assert.equal(1, select(3, tocha({"-e", "os.exit(false)"})))
      assert.equal(0, select(3, tocha({"-e", "os.exit(true, true)"})))
    end)

    it("has its finalizers called at the end", function()
      local out = tocha({"-e", "x = setmetatable({}, {__gc = function() print 'gc' end})"})
      assert.equal("gc\n", out)
    end)
  end)

  describe("an error object", function()
    local function message(code)
      local _, err, status = tocha({"-e", code})
      assert.equal(1, status)
      return err
    end

    it("with __tostring is shown as it says, without a traceback", function()
      assert.equal(TOCHA .. ": hey\n",
        message "error(setmetatable({}, {__tostring = function() return 'hey' end}))")
    end)

    it("of another kind is named by its type", function()
      assert_starts(TOCHA .. ": (error object is a table value)\nstack traceback:\n", message "error {}")
      assert_starts(TOCHA .. ": (error object is a nil value)\n", message "error()")
      assert_starts(TOCHA .. ": (error object is a boolean value)\n", message "error(true)")
    end)

    it("of a stack of 80,000 levels within torch has its place soon", function()
      local code = "local t = {} for _ = 1, 1e5 do t = {t} end\nrequire 'torch'.deepcopy(t)"
      local _, err = shell(("ulimit -t 5; %s -e %s"):format(quote(TOCHA), quote(code)))
      assert_starts(TOCHA .. ": (command line):2: stack overflow (in torch, deepcopy:", err)
      assert.truthy(err:find("levels)", 1, true), err)
    end)

    it("that is a number is a message", function()
      assert_starts(TOCHA .. ": 3\nstack traceback:\n", message "error(3)")
    end)
  end)

  describe("option", function()
    it("-e runs its argument, joined or apart, in order", function()
      local out, _, code = tocha({"-e", "x = 1", "-eprint(x)", "-e", "print(x + 1)"})
      assert.equal("1\n2\n", out)
      assert.equal(0, code)
    end)

    it("-e names the command line in messages", function()
      local _, err, code = tocha({"-e", "local x ="})
      assert.equal(TOCHA .. ": (command line):1: unexpected symbol near <eof>\n", err)
      assert.equal(1, code)
    end)

    it("-e before a script runs first", function()
      local name = temporary_file "print(x, ...)"
      assert.equal("1\ta\n", (tocha({"-e", "x = 1", name, "a"})))
    end)

    it("-l requires a library, under its name or another", function()
      local path = temporary_file "return {name = ...}"
      local environment = "LUA_PATH=" .. quote(path)
      local out = tocha({"-l", "some", "-l", "g=some", "-lother-v2", "-e",
        "print(some.name, g == some, other.name)"}, "", environment)
      assert.equal("some\ttrue\tother-v2\n", out)
    end)

    it("-l fails on a library that is not there", function()
      local out, err, code = tocha({"-l", "no_such_library", "-e", "print 'not reached'"})
      assert.equal("", out)
      assert_starts(TOCHA .. ": module 'no_such_library' not found:\n", err)
      assert.equal(1, code)
    end)

    it("-v and --version show the versions", function()
      for _, option in ipairs {"-v", "--version"} do
        local out, err, code = tocha({option})
        assert.truthy(out:match "^Tocha %d+%.%d+%.%d+  %(Lua 5%.4")
        assert.equal("", err)
        assert.equal(0, code)
      end
      assert.truthy(tocha({"-v", "-e", "print 'after'"}):match "^Tocha [^\n]*\nafter\n$")
    end)

    it("--help shows the options and leaves", function()
      local out, err, code = tocha({"--help"})
      assert.truthy(out:find("usage: " .. TOCHA, 1, true))
      for _, option in ipairs {"-e stat", "-i ", "-l mod", "-v ", "-E ", "-W ", "--doctor"} do
        assert.truthy(out:find("  " .. option, 1, true), option)
      end
      assert.equal("", err)
      assert.equal(0, code)
    end)

    it("fails where the disk is full", function()
      local full = io.open("/dev/full", "w")
      if not full then return end
      full:close()
      for _, arguments in ipairs {"--version", "--help", "--doctor", "-e 'print(torch.ones(2))'"} do
        local _, err, code = shell(("env -u LUA_INIT %s %s >/dev/full"):format(quote(TOCHA), arguments))
        assert.are.equal(1, code, arguments)
        assert.matches("cannot write to the standard output", err)
      end
    end)

    it("--doctor says what it knows", function()
      local out, err, code = tocha({"--doctor"})
      assert.truthy(out:match "^Tocha %d")
      assert.equal("", err)
      assert.equal(0, code)
    end)

    it("OpenBLAS takes kernels with this processor's instructions, or those that the user names", function()
      local out = tocha({"--doctor"})
      local core = out:match "OpenBLAS [%d.]+, kernels for (%w+)"
      if not core then return pending "OpenBLAS is not there" end
      local set = out:match "\nkernels +(%w+)"
      if set ~= "baseline" then assert.is_nil(("Prescott Core2 Penryn Nehalem Barcelona"):find(core, 1, true), out) end
      local other = tocha({"--doctor"}, "", "OPENBLAS_CORETYPE=Prescott")
      assert.equal("Prescott", other:match "OpenBLAS [%d.]+, kernels for (%w+)")
    end)

    it("-W turns warnings on, as they are, -w off", function()
      for _, on in ipairs {{"-W"}, {}, {"-w", "-W"}} do
        local arguments = table.move({"-e", "warn 'careful'"}, 1, 2, #on + 1, on)
        assert.equal("Lua warning: careful\n", (select(2, tocha(arguments))))
      end
      assert.equal("", (select(2, tocha({"-w", "-e", "warn 'careful'"}))))
      assert.equal("", (select(2, tocha({"-e", "warn '@off' warn 'careful'"}))))
    end)

    it("-E ignores the environment", function()
      local environment = "LUA_INIT='print(1)' LUA_PATH='/nowhere/?.lua;;'"
      local code = "print(package.path:find 'nowhere')"
      assert.equal("nil\n", (tocha({"-E", "-e", code}, "", environment)))
      assert.equal("1\n2\t8\n", (tocha({"-e", code}, "", environment)))
    end)

    it("-- ends the options", function()
      local name = temporary_file "print(...)"
      assert.equal("-v\n", (tocha({"--", name, "-v"})))
      local _, err, code = tocha({"--", "-"})
      assert.equal(TOCHA .. ": cannot open -: No such file or directory\n", err)
      assert.equal(1, code)
    end)

    it("- runs standard input", function()
      local out, err, code = tocha({"-", "a"}, "print(arg[0], ...) error 'oops'")
      assert.equal("-\ta\n", out)
      assert_starts(TOCHA .. ": stdin:1: oops\nstack traceback:\n", err)
      assert.equal(1, code)
    end)

    it("that is unknown shows the usage and exits with 1", function()
      for _, option in ipairs {"-x", "-vx", "-Ev", "-i-", "--nothing", "-W1"} do
        local out, err, code = tocha({option})
        assert.equal("", out)
        assert_starts(TOCHA .. ": unrecognized option '" .. option .. "'\n" .. USAGE, err)
        assert.equal(1, code)
      end
    end)

    it("that lacks its argument shows the usage and exits with 1", function()
      for _, arguments in ipairs {{"-e"}, {"-l"}, {"-e", "-v"}} do
        local _, err, code = tocha(arguments)
        assert_starts(TOCHA .. ": '" .. arguments[1] .. "' needs argument\n" .. USAGE, err)
        assert.equal(1, code)
      end
    end)
  end)

  describe("standard input", function()
    it("that is no terminal is a script", function()
      local out, err, code = tocha({}, "#!/usr/bin/env tocha\nprint(arg[0], 1 + 1)\n")
      assert.equal(TOCHA .. "\t2\n", out)
      assert.equal("", err)
      assert.equal(0, code)
    end)

    it("that fails exits with 1", function()
      local _, err, code = tocha({}, "print(1\n")
      assert.equal(TOCHA .. ": stdin:2: ')' expected (to close '(' at line 1) near <eof>\n", err)
      assert.equal(1, code)
    end)
  end)

  describe("LUA_INIT", function()
    it("is code, or a file after @", function()
      assert.equal("1\n2\n", (tocha({"-e", "print(2)"}, "", "LUA_INIT='print(1)'")))
      local name = temporary_file "print 'file'"
      assert.equal("file\n2\n", (tocha({"-e", "print(2)"}, "", "LUA_INIT=@" .. name)))
    end)

    it("gives way to LUA_INIT_5_4", function()
      assert.equal("54\n", (tocha({"-e", ""}, "", "LUA_INIT='print(1)' LUA_INIT_5_4='print(54)'")))
    end)

    it("that fails ends the program", function()
      local out, err, code = tocha({"-e", "print(2)"}, "", "LUA_INIT='error [[i]]'")
      assert.equal("", out)
      assert_starts(TOCHA .. ": LUA_INIT:1: i\n", err)
      assert.equal(1, code)
    end)

    it("may change the arguments", function()
      local name = temporary_file "print(...)"
      assert.equal("a\tb\n", (tocha({name, "a"}, "", "LUA_INIT='arg[2] = [[b]]'")))
      local _, err, code = tocha({name}, "", "LUA_INIT='arg = 1'")
      assert.equal(TOCHA .. ": 'arg' is not a table\n", err)
      assert.equal(1, code)
    end)
  end)

  describe("the prompt", function()
    -- What it answers to piped lines, without banner and prompts.
    local function answers(lines, arguments)
      local out, err, code = tocha(arguments or {"-i"}, lines)
      assert.equal(0, code)
      out = out:gsub("^Tocha [^\n]*\n", ""):gsub("^[> ]+", ""):gsub("\n[> ]+", "\n")
      return out:sub(1, -2), err -- the last line is the end of input
    end

    it("greets, prompts and leaves at the end of input", function()
      local out, err, code = tocha({"-i"}, "")
      assert.truthy(out:match "^Tocha %d+%.%d+%.%d+  %(Lua 5%.4[^\n]*\n> \n$", out)
      assert.equal("", err)
      assert.equal(0, code)
    end)

    it("prints the values of an expression, and nothing for a statement", function()
      assert.equal("3\t4\n6\n7\nnil\n", (answers "1 + 2, 4\nx = 6\nx\n=x + 1\nnil\n-- nothing\n\n"))
    end)

    it("continues what is incomplete, statement or expression", function()
      assert.equal("1\n2\n", (answers "for i = 1, 2 do\nprint(i)\nend\n"))
      assert.equal("9\n3\n", (answers "math.max(1,\n9)\n1 +\n2\n"))
      local out = tocha({"-i"}, "x = 1 +\n2\nx\n")
      assert.truthy(out:match "\n> >> > 3\n> \n$", out)
    end)

    it("says what is missing when the input ends too early", function()
      local _, err = answers "f(1,\n"
      assert.truthy(err:match "^stdin:1: unexpected symbol near <eof>\n$", err)
    end)

    it("survives errors and shows them without the program's name", function()
      local out, err = answers "error 'b'\nlocal y = )\nerror {}\nprint 'alive'\n"
      assert.equal("alive\n", out)
      assert_starts("stdin:1: b\nstack traceback:\n\t[C]: in function 'error'\n\tstdin:1: in main chunk\n\t    error 'b'\n",
        err)
      assert.truthy(err:find("\nstdin:1: unexpected symbol near ')'\n", 1, true))
      assert.truthy(err:find("\n(error object is a table value)\n", 1, true))
      assert.falsy(err:find "%.c:")
    end)

    it("prints through the global print", function()
      assert.equal("<1>\n", (answers "p = print print = function(x) p('<' .. x .. '>') end\n1\n"))
      assert.equal("1\nalive\n", (answers "p = print\nprint = nil\n1\np 'alive'\n"))
    end)

    it("survives a global table that refuses unknown names", function()
      local out, err = answers(
        "local m = {__index = function(_, name) error('undefined ' .. name, 2) end} setmetatable(_G, m)\n"
        .. "z\n1\n")
      assert.equal("1\n", out)
      assert_starts("stdin:1: undefined z\n", err)
    end)

    it("takes its prompts from _PROMPT and _PROMPT2", function()
      local out = tocha({"-e", "_PROMPT, _PROMPT2 = 'a ', 'b '", "-i"}, "f(\n")
      assert.truthy(out:match "\na b a \n$", out)
    end)

    it("comes after a script with -i, with its locals", function()
      local name = temporary_file "#!/usr/bin/tocha\nlocal x = ... y = 2 local function f(z) return x .. z end print 'ran'"
      assert.equal('ran\n"5"\n2\n"51"\n', (answers("x\ny\nf(1)\n", {"-i", name, "5"})))
    end)

    it("comes after a script with -i that fails, with its stack, but not without a script", function()
      local out, err, code = tocha({"-i", temporary_file "local x = 41\nlocal function f(a) error('a' .. a) end\nf(x)"}, "x + 1\n:trace\n")
      assert.truthy(err:find("a41", 1, true), err)
      assert.truthy(out:find("\n> 42\n", 1, true), out)
      assert.truthy(out:find("a = 41", 1, true), out)
      assert.equal(0, code)
      for _, bad in ipairs {temporary_file "x = = 1", "/no/such/file"} do
        out, _, code = tocha({"-i", bad}, "print 'not reached'\n")
        assert.falsy(out:find "reached")
        assert.equal(1, code)
      end
    end)

    it("keeps the locals of a script that :load runs", function()
      assert.equal("42\n", (answers(":load " .. temporary_file "local x = 41" .. "\nx + 1\n", {"-i"})))
    end)

    on_terminal("opens on a terminal without arguments, and Ctrl-D leaves", function()
      local screen, code = type_keys {{"> "}, "40 + 2\n", {"42"}, "\4", 0.1}
      assert.truthy(screen:match "Tocha %d+%.%d+%.%d+  %(Lua 5%.4", screen)
      assert.truthy(screen:find("\n42\n", 1, true), screen)
      assert.equal(0, code)
    end)

    on_terminal("discards a line on Ctrl-C", function()
      local screen, code = type_keys {{"> "}, "abc", 0.1, "\3", 0.1, "f(\n", {">> "}, "\3", 0.1, "\3\3", 0.1,
        "40 + 2\n", {"42"}, "\4", 0.1}
      assert.truthy(screen:find("\n42\n", 1, true), screen)
      assert.falsy(screen:find("stdin:1:", 1, true), screen)
      assert.equal(0, code)
    end)

    on_terminal("interrupts running code on Ctrl-C and goes on", function()
      local screen, code = type_keys {{"> "}, "print(6 * 7 - 1) while true do end\n", {"41"}, "\3", {"interrupted!"}, "40 + 2\n", {"42"}, "\4", 0.1}
      assert.truthy(screen:find("stdin:1: interrupted!\n", 1, true), screen)
      assert.truthy(screen:find("\n42\n", 1, true), screen)
      assert.equal(0, code)
    end)

    on_terminal("interrupts a loop that catches errors, by a second Ctrl-C", function()
      local screen, code = type_keys {{"> "},
        "print(6 * 7 - 1) while true do pcall(function() while true do end end) end\n", {"41"}, "\3", 0.1, "\3", 0.1, "\3", 0.1, "40 + 2\n", {"42"}, "\4", 0.1}
      assert.truthy(screen:find("interrupted!\n", 1, true), screen)
      assert.truthy(screen:find("\n42\n", 1, true), screen)
      assert.equal(0, code)
    end)

    on_terminal("interrupts coroutines, and leaves no hook behind", function()
      local screen, code = type_keys {{"> "}, "coroutine.wrap(function() print(6 * 7 - 1) while true do end end)()\n",
        {"41"}, "\3", {"interrupted!"}, "for i = 1, 1e6 do x = i end print(x)\n", {"1000000"},
        "c = coroutine.create(function() print(6 * 7 + 1) while true do end end) coroutine.resume(c)\n", {"43"},
        "\3", 0.2, "coroutine.status(c), 6 * 7 + 2\n", {"44"}, "\4", 0.1}
      assert.truthy(screen:find("\n1000000\n", 1, true), screen)
      assert.truthy(screen:find('\n"dead"\t44\n', 1, true) or screen:find('\n"dead" +44\n'), screen)
      assert.equal(0, code)
    end)
  end)

  describe("SIGINT", function()
    -- Starts tocha in the background with the signal unblocked (a shell's `&` ignores it), and sends the signals once
    -- the script runs.
    local function interrupted(code, signals)
      local ready = temporary_file()
      local name = temporary_file(("do local f = io.open(%q, 'w') f:write 'ready' f:close() end %s"):format(ready, code))
      local script = temporary_file(([[
        set -m
        %s %s & pid=$!
        until [ -s %s ] || ! kill -0 $pid 2>/dev/null; do sleep 0.02; done
        for _ in %s; do sleep 0.3; kill -INT $pid 2>/dev/null; done
        wait $pid
        echo "status $?"]]):format(quote(TOCHA), name, ready, signals))
      return shell("bash " .. script)
    end
    local have_bash = os.execute "bash -c true 2>/dev/null"
    local with_bash = have_bash and it or function(name) pending(name .. " (needs bash)") end

    with_bash("ends a script with a message and exit code 1", function()
      local out, err = interrupted("while true do end", "1")
      assert.truthy(err:match ":1: interrupted!\nstack traceback:\n", err)
      assert.equal("status 1\n", out)
    end)

    with_bash("ends a script that catches the first by the second", function()
      local out = interrupted("while true do pcall(function() while true do end end) end", "1 2")
      assert.truthy(out:match "status 130\n", out)
    end)

    -- Whoever sees the signal first raises, the other one does not raise again.
    with_bash("raises once, in an operator or between two", function()
      local program = [[
        local x = torch.ones(1000, 1000)
        %s
        for i = 1, 1e6 do i = i + 1 end
        print(torch.ones(2), coroutine.wrap(function() return torch.ones(3):sum():item() end)(), "saved")]]
      for _, work in ipairs {
        "print(pcall(function() while true do x:matmul(x) end end))",
        "print(pcall(function() while true do end end))",
        "print(pcall(coroutine.wrap(function() while true do x:matmul(x) end end)))",
        "print(coroutine.resume(coroutine.create(function() while true do end end)))",
        "print(pcall(function() while true do x:sort() end end))",
        "local y, k = torch.ones(4, 30, 64, 64), torch.ones(30, 10, 3, 3)\n" ..
          "print(pcall(function() while true do torch.nn.functional.conv2d(y, k, nil, 1, 2, 2, 3) end end))",
      } do
        local out = interrupted(program:format(work), "1")
        assert.truthy(out:match "^false\t.*interrupted!.*tensor%(%[1., 1.%]%)\t3.0\tsaved\nstatus 0\n$", work .. "\n" .. out)
      end
    end)

    -- Distances by a matrix product take 1.3 s, in parts of some milliseconds.
    with_bash("ends distances between many rows at once", function()
      local out = interrupted("torch.set_num_threads(1) local x = torch.ones(20000, 3) print(pcall(torch.cdist, x, x)) print(os.clock() < 0.8)", "1")
      assert.truthy(out:match "^false\t.*interrupted!.*\ntrue\nstatus 0\n$", out)
    end)

    with_bash("may be caught by a script", function()
      local out = interrupted("print(pcall(function() while true do end end)) print 'on'", "1")
      assert.truthy(out:match "^false\t[^\n]*interrupted!\non\nstatus 0\n$", out)
    end)
  end)
end)
