-- The kernel of notebooks, driven by jupyter_client (spec/support/notebook.py).
local torch = require "torch"
local json = torch._part "tools.json"
local programs = require "programs"
local TOCHA, quote, read, write = programs.tocha, programs.quote, programs.read, programs.write
local jupyter = require "jupyter"
local succeeds, folder = jupyter.succeeds, jupyter.folder()
local driven = jupyter.missing and function(name) it(name, function() pending(jupyter.missing) end) end or it

-- What the steps brought.
local function drive(steps)
  jupyter.install(folder)
  local questions, answers = folder .. "/steps.json", folder .. "/answers.json"
  write(questions, json.write(json.array(steps)))
  os.execute(("env -u LUA_INIT timeout 120 %s spec/support/notebook.py %s <%s >%s"):format(quote(jupyter.python), quote(folder), quote(questions),
    quote(answers)))
  return table.unpack(assert(json.read(read(answers))))
end

local function cell(code, more)
  local step = {execute = code}
  for key, value in pairs(more or {}) do step[key] = value end
  return step
end

-- What was published of a type.
local function published(result, kind)
  local out = {}
  for _, message in ipairs(result.output) do
    if message.type == kind then out[#out + 1] = message.content end
  end
  return table.unpack(out)
end

local function text_of(result) return published(result, "execute_result").data["text/plain"] end
local function stream_of(result, name)
  local parts = {}
  for _, content in ipairs {published(result, "stream")} do
    if content.name == name then parts[#parts + 1] = content.text end
  end
  return table.concat(parts)
end

describe("the kernel", function()
  teardown(function() os.execute("rm -r " .. quote(folder)) end)

  it("is installed where Jupyter looks", function()
    assert.is_true(jupyter.install(folder))
    local spec = json.read(read(folder .. "/kernels/tocha/kernel.json"))
    assert.equal("/", spec.argv[1]:sub(1, 1))
    assert.same({"--kernel", "{connection_file}"}, {spec.argv[2], spec.argv[3]})
    assert.is_true(succeeds(("%s --install-kernel %s/prefix"):format(quote(TOCHA), quote(folder))))
    assert.truthy(read(folder .. "/prefix/share/jupyter/kernels/tocha/kernel.json"))
  end)

  it("refuses a file that is no connection", function()
    local name, connection = folder .. "/connection.json", '{"shell_port": 1, "key": ""}'
    for _, text in ipairs {"", "[", "[]", connection} do
      write(name, text)
      local pipe = io.popen(("timeout 10 %s --kernel %s 2>&1"):format(quote(TOCHA), quote(name)))
      local said, _, _, code = pipe:read "a", pipe:close()
      assert.equal(1, code)
      assert.truthy(said:find("connection.json", 1, true), said)
    end
  end)

  driven("runs cells in the session of the prompt", function()
    local sum, matrix, local_, seen, last, silent, several, help = drive {cell "1 + 1", cell "torch.arange(6).reshape(torch.arange(6), 2, 3)",
      cell "local kept = 3\nprint(kept)", cell "kept", cell "_3", cell "kept;", cell "torch.ones(2):max(0)", cell "?torch.cat"}
    assert.equal("2", text_of(sum))
    assert.equal(1, sum.reply.execution_count)
    assert.equal("1 + 1", published(sum, "execute_input").code)
    assert.equal("tensor([[0, 1, 2],\n        [3, 4, 5]])", text_of(matrix))
    local html = published(matrix, "execute_result").data["text/html"]
    assert.truthy(html:find("<tr><th>1</th><td>3</td><td>4</td><td>5</td></tr>", 1, true), html)
    assert.equal("3\n", stream_of(local_, "stdout"))
    assert.equal("3", text_of(seen))
    assert.equal("2", text_of(last))
    assert.is_nil(published(silent, "execute_result"))
    assert.equal("tensor(1.)\ttensor(0)", text_of(several))
    assert.truthy(stream_of(help, "stdout"):find("The tensors one after the other", 1, true))
  end)

  driven("passes on what is printed, as it comes and in its order", function()
    local both, shell, bytes, big = drive {cell "print 'one' io.stderr:write 'two' io.stderr:flush() print 'three'", cell "!echo from a shell",
      cell "io.write('\\xc3') io.stdout:flush() os.execute 'sleep 0.1' io.write '\\xa4 \\xff\\n'", cell "for i = 1, 20000 do print(i) end"}
    assert.equal("one\nthree\n", stream_of(both, "stdout"))
    assert.equal("two", stream_of(both, "stderr"))
    assert.equal("from a shell\n", stream_of(shell, "stdout"))
    assert.equal("ä \u{FFFD}\n", stream_of(bytes, "stdout"))
    local lines = {}
    for i = 1, 20000 do lines[i] = i .. "\n" end
    assert.equal(table.concat(lines), stream_of(big, "stdout"))
  end)

  driven("shows errors with their lines", function()
    local shapes, syntax, raised, after = drive {cell "x = torch.ones(2, 3)\ntorch.mm(x, x)", cell "x = = 3", cell "function f() error 'no' end\nf()", cell "1"}
    local content = published(shapes, "error")
    assert.equal("RuntimeError", content.ename)
    assert.equal("mm: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)", content.evalue)
    local traceback = table.concat(content.traceback, "\n")
    assert.truthy(traceback:find("\tcell 1:2: in main chunk\n\t    torch.mm(x, x)", 1, true), traceback)
    assert.falsy(traceback:find("kernel.kernel", 1, true), traceback)
    assert.equal("error", shapes.reply.status)
    assert.equal("SyntaxError", published(syntax, "error").ename)
    assert.equal("cell 3:1: no", published(raised, "error").evalue)
    assert.equal("ok", after.reply.status)
  end)

  driven("shows pictures: those of show(), those left open, those of the last line", function()
    local shown, open, value, svg, live = drive {cell "torch.plot.plot{1, 2} torch.plot.show()", cell "torch.plot.plot{1, 2};",
      cell "fig = torch.plot.figure()\nfig", cell "torch.plot.set_display_formats 'svg'\ntorch.plot.plot{1, 2}\ntorch.plot.show()",
      cell "torch.plot.live{loss = 1} os.execute 'sleep 0.6' torch.plot.live{loss = 2} torch.plot.live();"}
    for _, result in ipairs {shown, open} do
      local picture, second = published(result, "display_data")
      assert.equal("iVBORw0KGgo", picture.data["image/png"]:sub(1, 11))
      assert.is_nil(second)
    end
    assert.equal("iVBORw0KGgo", published(value, "execute_result").data["image/png"]:sub(1, 11))
    assert.is_nil(published(value, "display_data"))
    assert.truthy(published(svg, "display_data").data["image/svg+xml"]:find("<svg", 1, true))
    local id = published(live, "display_data").transient.display_id
    assert.is_string(id)
    assert.equal(id, published(live, "update_display_data").transient.display_id)
  end)

  driven("shows what objects say of themselves, and display() in the middle of a cell", function()
    local own, shown = drive {cell "setmetatable({}, {__index = {_repr_html_ = function() return '<b>x</b>' end}})", cell "display(torch.eye(2)) display('x');"}
    assert.equal("<b>x</b>", published(own, "execute_result").data["text/html"])
    local matrix, text = published(shown, "display_data")
    assert.truthy(matrix.data["text/html"])
    assert.equal('"x"', text.data["text/plain"])
  end)

  driven("is interrupted, by the signal and by the message", function()
    local results = {drive {cell("while true do end", {interrupt = {{0.5, "signal"}}}), cell("while true do end", {interrupt = {{0.5, "message"}}}),
      cell("while true do pcall(function() while true do end end) end", {interrupt = {{0.5, "message"}, {1, "message"}}}),
      cell("local a = torch.rand(2000, 2000) while true do a:matmul(a) end", {interrupt = {{0.5, "message"}}}),
      cell("os.execute 'sleep 20'", {interrupt = {{0.5, "message"}}}), cell("6 * 7")}}
    for i = 1, 4 do assert.equal("KeyboardInterrupt", results[i].reply.ename) end
    for i = 1, 5 do assert.is_true(results[i].seconds < 5) end
    assert.equal("42", text_of(results[6]))
  end)

  driven("lets a program read what is typed", function()
    local line, number, none, stopped = drive {cell("io.write 'name? '\nio.read()", {input = {"Wörld"}}),
      cell("io.read 'n' + io.read 'n'", {input = {"40", "2"}}),
      cell("io.read()", {allow_stdin = false}), cell("io.read()", {interrupt = {{0.5, "message"}}})}
    assert.equal('"Wörld"', text_of(line))
    assert.equal("42", text_of(number))
    assert.is_nil(published(none, "execute_result"))
    assert.is_true(stopped.seconds < 5)
  end)

  driven("completes and explains", function()
    local name, method, keyword, after, page, call, nothing = drive {
      {ask = "complete_request", content = {code = "x = torch.logsume", cursor_pos = 17}},
      {ask = "complete_request", content = {code = "s = 'äöü torch.arang", cursor_pos = 20}},
      {ask = "complete_request", content = {code = "torch.zeros(2, {dty", cursor_pos = 19}},
      {ask = "complete_request", content = {code = "'äöü', torch.logsume", cursor_pos = 20}},
      {ask = "inspect_request", content = {code = "torch.cat", cursor_pos = 7, detail_level = 0}},
      {ask = "inspect_request", content = {code = "y = torch.zeros(3, ", cursor_pos = 19, detail_level = 0}},
      {ask = "inspect_request", content = {code = "no_such_thing", cursor_pos = 3, detail_level = 0}}}
    assert.same({"logsumexp"}, name.matches)
    assert.same({10, 17}, {name.cursor_start, name.cursor_end})
    assert.equal("ok", method.status)
    assert.same({"dtype = "}, keyword.matches)
    assert.same({}, method.matches)
    assert.same({13, 20}, {after.cursor_start, after.cursor_end})
    assert.is_true(page.found)
    assert.truthy(page.data["text/plain"]:find("^cat%("))
    assert.truthy(call.data["text/plain"]:find("^zeros%("))
    assert.is_false(nothing.found)
  end)

  driven("knows what is complete", function()
    local texts = {"1 + 1", "for i = 1, 3 do", "x = = 3", "x +", "?torch", ""}
    local steps = {}
    for i, text in ipairs(texts) do steps[i] = {ask = "is_complete_request", content = {code = text}} end
    local answers, states = {drive(steps)}, {}
    for i, answer in ipairs(answers) do states[i] = answer.status end
    assert.same({"complete", "incomplete", "invalid", "incomplete", "complete", "complete"}, states)
    assert.equal("  ", answers[2].indent)
  end)

  driven("keeps a history", function()
    local _, _, hidden, tail, range, search = drive {cell "a = 1", cell "b = 2", cell("c = 3", {store_history = false}),
      {ask = "history_request", content = {hist_access_type = "tail", n = 1, output = false, raw = true}},
      {ask = "history_request", content = {hist_access_type = "range", session = 0, start = 1, stop = 2, output = true, raw = true}},
      {ask = "history_request", content = {hist_access_type = "search", pattern = "a*", output = false, raw = true}}}
    assert.equal(2, hidden.reply.execution_count)
    assert.same({{1, 2, "b = 2"}}, tail.history)
    assert.same({{1, 1, {"a = 1"}}}, range.history)
    assert.same({{1, 1, "a = 1"}}, search.history)
  end)

  driven("answers the other requests", function()
    local info, comms, states, expressions, edit, beats = drive {{ask = "kernel_info_request"}, {ask = "comm_info_request"},
      {burst = {"os.execute 'sleep 0.5'", "error 'x'", "2", "3"}},
      cell("", {user_expressions = {two = "1 + 1", bad = "nil + 1"}}), cell ":edit\n", {heartbeat = true}}
    assert.equal("5.3", info.protocol_version)
    assert.equal("lua", info.language_info.name)
    assert.same({}, comms.comms)
    assert.same({"ok", "error", "aborted", "aborted"}, states)
    assert.equal("2", expressions.reply.user_expressions.two.data["text/plain"])
    assert.equal("error", expressions.reply.user_expressions.bad.status)
    assert.equal("set_next_input", edit.reply.payload[1].source)
    assert.is_true(beats)
  end)

  driven("takes only messages that are signed, each once", function()
    assert.equal(1, (drive {{tampered = true}}))
  end)

  driven("survives rubbish", function()
    local state, sum = drive {{malformed = 3000}, cell "1 + 1"}
    assert.equal("ok", state)
    assert.equal("2", text_of(sum))
  end)

  driven("ends when it is told to, also from within", function()
    local ended = drive {{shutdown = true}}
    assert.equal("ok", ended.reply.status)
    assert.equal(0, ended.exit)
    local left = drive {cell ":q"}
    assert.equal("ask_exit", left.reply.payload[1].source)
  end)
end)
