// page_test.js FOLDER: the module of the page (FOLDER/tocha_web.js) in node: the requests and messages of web.c.
"use strict";
const assert = require("assert"), fs = require("fs");
const folder = process.argv[2];

// --- the worker ---

let messages = [], stops = () => false;

async function open(options) {
  globalThis.self = { location: { href: "" } };
  const createTocha = new Function(fs.readFileSync(`${folder}/tocha_web.js`, "utf8") + "\nreturn createTocha")();
  const tocha = await createTocha({
    wasmBinary: fs.readFileSync(`${folder}/tocha_web.wasm`),
    onAnswer: (kind, json) => messages.push([kind, JSON.parse(json)]),
    interrupted: () => stops(),
  });
  assert.equal(tocha.ccall("web_open", "boolean", ["string"], [JSON.stringify(options)]), true);
  return tocha;
}

let tocha;

// Returns the reply; the other messages stay in `messages`.
function ask(kind, content) {
  messages = [];
  tocha.ccall("web_request", null, ["string", "number"], [`${kind}_request`, tocha.allocateUTF8(JSON.stringify(content))]);
  const [last, reply] = messages.pop();
  assert.equal(last, `${kind}_reply`);
  assert.equal(messages.filter(([name]) => name.endsWith("_reply")).length, 0);
  return reply;
}

const run = (code, more = {}) => ask("execute", { code, allow_stdin: false, ...more });
const texts = (name) => messages.filter(m => m[0] === "stream" && m[1].name === name).map(m => m[1].text).join("");
const results = () => messages.filter(m => m[0] === "execute_result").map(m => m[1].data["text/plain"]);
const kinds = () => messages.map(m => m[0]).filter(kind => kind !== "execute_input");

// --- the tests ---

const tests = {
  "shows a value, and the last of several lines"() {
    run("1 + 1");
    assert.deepEqual(results(), ["2"]);
    run("x = torch.tensor{1., 2.}\nx:sum()");
    assert.deepEqual(results(), ["tensor(3.)"]);
  },
  "keeps locals, and hides what ends with a semicolon"() {
    run("local y = 7");
    run("y;");
    assert.deepEqual(results(), []);
    run("y");
    assert.deepEqual(results(), ["7"]);
  },
  "shows nil as the prompt does"() {
    run("nil");
    assert.deepEqual(results(), ["nil"]);
    run("print 'a'");
    assert.deepEqual(results(), []);
  },
  "sends what is printed, in its order, whole characters"() {
    run("io.write('a\\rb ünï ', '\\xe2', '\\x82', '\\xac\\n') io.stderr:write 'err' print(1)");
    assert.deepEqual(messages.filter(m => m[0] === "stream").map(m => [m[1].name, m[1].text]),
      [["stdout", "a\rb ünï €\n"], ["stderr", "err"], ["stdout", "1\n"]]);
  },
  "sends long output"() {
    run("for i = 1, 20000 do print(i) end");
    assert.equal(texts("stdout").split("\n").length, 20001);
  },
  "has the page's width, and colours"() {
    run("torch._terminal 'stdout'");
    assert.deepEqual(results(), ["72"]);
  },
  "sends a matrix as a table, too"() {
    run("torch.zeros(2, 2)");
    const data = messages.find(m => m[0] === "execute_result")[1].data;
    assert.match(data["text/html"], /^<table/);
    assert.equal(data["text/plain"], "tensor([[0., 0.],\n        [0., 0.]])");
  },
  "says where an error is, with its hint and the stack"() {
    const reply = run("torch.mm(torch.rand(2, 3), torch.rand(2, 3))");
    assert.equal(reply.status, "error");
    const error = messages.find(m => m[0] === "error")[1];
    assert.match(error.evalue, /^mm: mat1 and mat2 shapes cannot be multiplied \(2x3 and 2x3\)$/);
    assert.match(error.traceback.join("\n"), /\nat stdin:1\nhint: .*\nstack traceback:\n\tstdin:1: in main chunk/);
    assert.match(error.text, /^\x1b\[1;31mmm: [^\n]*\x1b\[0m\n\x1b\[31mat stdin:1\x1b\[0m\n\x1b\[33mhint: [^]*\n\x1b\[90mstack traceback:/);
    assert.equal(run("x = = 1").ename, "SyntaxError");
    run("'goes on'");
    assert.deepEqual(results(), ['"goes on"']);
  },
  "reads nothing from io.read"() {
    run("io.read()");
    assert.deepEqual(results(), ["nil"]);
  },
  "shows figures once, after the last of several requests"() {
    run("torch.plot.plot({1, 2, 3});", { figures: false });
    assert.deepEqual(kinds(), []);
    run("torch.plot.title 'a';");
    assert.deepEqual(kinds(), ["display_data"]);
    assert.match(messages.find(m => m[0] === "display_data")[1].picture, /^data:image\/svg\+xml;charset=utf-8,.*<svg.*<\/svg>/);
    run("1");
    assert.deepEqual(kinds(), ["execute_result"]);
  },
  "completes, and tells about a name"() {
    const code = "é = torch.lins";
    const reply = ask("complete", { code, cursor_pos: code.length });
    assert.deepEqual(reply.matches, ["linspace"].filter(name => reply.matches.includes(name)));
    assert.deepEqual([reply.cursor_start, reply.cursor_end], [10, 14]);
    const help = ask("inspect", { code: "torch.cat", cursor_pos: 9 });
    assert.equal(help.found, true);
    assert.match(help.data["text/plain"], /^cat\(/);
    assert.equal(ask("inspect", { code: "no.such", cursor_pos: 7 }).found, false);
  },
  "knows what is complete"() {
    assert.equal(ask("is_complete", { code: "for i = 1, 2 do" }).status, "incomplete");
    assert.equal(ask("is_complete", { code: "1 + 1" }).status, "complete");
    assert.equal(ask("is_complete", { code: "1 +* 1" }).status, "invalid");
  },
  "gives a style to each character"() {
    assert.equal(ask("highlight", { code: "x = 'é' -- 1" }).styles, "000022204444");
    assert.equal(ask("highlight", { code: "(x)", before: "" }).styles, "505");
    assert.equal(ask("highlight", { code: "'😀' 1" }).styles, "222203");
    assert.equal(ask("highlight", { code: "" }).styles, "");
  },
  "indents"() {
    assert.equal(ask("indent", { code: "x()\nfor i = 1, 2 do" }).lines, "for i = 1, 2 do\n  ");
    assert.equal(ask("indent", { code: "  if x then\n    y()\n    end" }).lines, "  end\n  ");
  },
  "stops a loop, and keeps the session"() {
    let calls = 0;
    stops = () => ++calls === 20;
    const reply = run("z = 5 while true do end");
    assert.equal(reply.ename, "KeyboardInterrupt");
    stops = () => ++calls % 20 === 0;
    assert.equal(run("while true do pcall(function() while true do end end) end").ename, "KeyboardInterrupt");
    stops = () => false;
    run("z");
    assert.deepEqual(results(), ["5"]);
  },
  "stops a loop of operators, and one in a coroutine"() {
    const began = Date.now();
    stops = () => Date.now() - began > 100;
    assert.equal(run("local a = torch.rand(200, 200) while true do a = a:mm(a):tanh() end").ename, "KeyboardInterrupt");
    assert.ok(Date.now() - began < 1500, `${Date.now() - began} ms`);
    let calls = 0;
    stops = () => ++calls === 20;
    assert.equal(run("coroutine.wrap(function() while true do end end)()").ename, "KeyboardInterrupt");
    stops = () => false;
  },
  "averages of a gradient that has vanished become 0"() {
    run("p = torch.nn.Parameter(torch.ones(6)) o = torch.optim.Adam{p} p.grad = torch.ones(6) o:step() p.grad:zero_()");
    run("for _ = 1, 1000 do o:step() end\no.state[p].exp_avg:eq(0):all()");
    assert.deepEqual(results(), ["tensor(True)"]);
  },
  "survives recursion without end"() {
    for (const code of ["local function f() return 1 + f() end f()", "local function f() return pcall(f) end print(f())",
      "local function f() return (('x'):gsub('x', f)) end f()", "local function f() table.sort({1, 2, 3}, f) end f()",
      "local function f() return coroutine.wrap(f)() end f()", "print(load('x = ' .. ('{'):rep(1e6)))",
      "local t = {} for _ = 1, 1e5 do t = {t} end torch.deepcopy(t)"]) {
      run(code);
      assert.match(JSON.stringify(messages), /stack overflow/);
    }
    run("1 + 1");
    assert.deepEqual(results(), ["2"]);
  },
  "survives a lack of memory"() {
    const reply = run("kept = {} while true do kept[#kept + 1] = torch.ones(1 << 24) end");
    assert.match(reply.evalue, /memory/);
    assert.match(reply.traceback.join("\n"), /\nhint: /);
    run("kept = nil\ntorch.ones(3):sum()");
    assert.deepEqual(results(), ["tensor(3.)"]);
  },
  "answers a request that is larger than the stack"() {
    run(`long = "${"é".repeat(3e6)}";`);
    run("#long");
    assert.deepEqual(results(), ["6000000"]);
    const reply = run(`error("${"x".repeat(1e6)}")`);
    assert.ok(reply.traceback.join("\n").length < 200000);
    assert.match(reply.traceback.join("\n"), /bytes are not shown\)\n[^]*stack traceback:/);
  },
  "survives a lack of memory for Lua's values"() {
    const reply = run("(function() local kept = {} for i = 1, 1e9 do kept[i] = ('x'):rep(1 << 22) .. i end end)()");
    assert.match(reply.evalue, /not enough memory/);
    run("1 + 1");
    assert.deepEqual(results(), ["2"]);
  },
  "runs an example as it is printed"() {
    const example = (kind, code, more) => ask("example", { kind, code, ...more });
    assert.equal(example("entries", "> x = 3\n> for i = 1, 2 do\n>> print(x)\n>> end\n3\n3").printed, "3\n3");
    assert.equal(texts("stdout"), "3\n3\n");
    example("lines", "for i = 1, 2 do\n  x = i\nend\n\nx");
    assert.deepEqual(results(), ["2"]);
    assert.equal(example("program", "print(1) --> 1").printed, "1");
    assert.equal(example("program", "error 'a'", { below: "stdin:1: a" }).printed, "stdin:1: a");
    assert.equal(messages.filter(m => m[0] === "error").length, 1);
    example("lines", "error 'a'\nprint 'no'", { before: "given = 1", reset: "given = 2" });
    assert.equal(texts("stdout"), "");
  },
  "shows text as a terminal does"() {
    const show = (text, restarts) => JSON.parse(tocha.ccall("web_show", "string", ["string", "boolean"], [text, restarts]));
    assert.deepEqual(show("10%\r100%\nab\x1b[31mré", true), { past: [], open: [["100%\nab", ""], ["ré", "color:var(--ansi-1);"]] });
    assert.deepEqual(show("d\x1b[2", false).open[1], ["réd", "color:var(--ansi-1);"]);
    assert.deepEqual(show("D!", false).open[1], ["r!d", "color:var(--ansi-1);"]);
    const { past, open } = show("a line\n".repeat(5000), true);
    assert.equal([...past.flat(), ...open].map(run => run[0]).join("").replace(/\n/g, "").length, 30000);
  },
  "has files in memory"() {
    run("torch.save(torch.ones(2), 'a.pt')\ntorch.load 'a.pt'");
    assert.deepEqual(results(), ["tensor([1., 1.])"]);
    assert.ok(tocha.FS.readFile("a.pt").length > 500);
  },
  "says that there is no GPU"() {
    run("torch.cuda.is_available()");
    assert.deepEqual(results(), ["false"]);
    assert.match(run("torch.ones(1):cuda()").traceback.join("\n"), /\nhint: /);
  },
  "tells of os.exit"() {
    assert.deepEqual(run("os.exit(3)").payload, [{ source: "ask_exit", keepkernel: false }]);
  },
};

(async () => {
  tocha = await open({ columns: 72, prompt: true });
  let passed = 0, failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    try {
      test();
      passed++;
    } catch (error) {
      failed++;
      console.log(`the page's module ${name}: FAILED\n${error.stack}`);
    }
  }
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed > 0 ? 1 : 0);
})();
