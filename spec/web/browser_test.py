"""Tests of the site in Chromium: the playground, and every Run button of the reference.

    python3 spec/web/browser_test.py FOLDER [NAME...]      FOLDER: what docs/make/site.lua has written; NAME: only these tests

Times are upper bounds that a busy machine keeps; what was measured is printed. Screenshots are left in FOLDER/screenshots."""
import base64
import gzip
import os
import re
import sys
import time
import zlib

from browser import Browser

sys.path.insert(0, "install")
from serve import serve  # noqa: E402

folder = os.path.abspath(sys.argv[1])
tests = []


def test(function):
    tests.append(function)
    return function


def said(text):
    print("         " + text, flush=True)


class Page:
    """The playground, from a server whose pages are isolated or not."""

    def __init__(self, browser, isolated=True):
        self.browser, self.server = browser, serve(folder, isolated)
        self.address = f"http://127.0.0.1:{self.server.server_port}/"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()

    def open(self, name="play.html"):
        self.browser.go("about:blank")
        self.browser.go(self.address + name)
        self.ready()

    def ready(self, seconds=20):
        self.browser.wait("/^ready/.test(document.getElementById('status')?.textContent)", seconds, "ready")

    def write(self, text):
        self.browser.run("const f = document.querySelector('#editor textarea'); f.value = arguments[0]; f.dispatchEvent(new Event('input'))", text)

    def run(self, text=None, seconds=60):
        """Runs a program; returns the text of the output and the seconds."""
        if text is not None:
            self.write(text)
        start = time.time()
        self.browser.run("document.getElementById('run').click()")
        self.browser.wait("!document.body.classList.contains('running')", seconds, "the end of the program")
        return self.output(), time.time() - start

    def output(self):
        return self.browser.run("return document.getElementById('output').textContent")

    def has(self, selector):
        return self.browser.run("return document.querySelectorAll(arguments[0]).length", selector)


def contains(text, part):
    assert part in text, f"{part!r} is not in {text[-600:]!r}"


# ---- the playground ----


@test
def ready_soon(browser):
    with Page(browser) as page:
        page.open()
        page.open()
        seconds = float(re.search(r"[\d.]+", browser.run("return document.getElementById('status').textContent"))[0])
        said(f"ready {seconds} s after the address was entered")
        assert seconds < 2
        assert browser.run("return crossOriginIsolated")


@test
def digits_train(browser):
    with Page(browser) as page:
        page.open()
        browser.run("const s = document.getElementById('examples'); s.value = 'examples/digits.lua'; s.dispatchEvent(new Event('change'))")
        text, seconds = page.run()
        said(f"digits: {seconds:.2f} s")
        contains(text, "epoch 20  loss")
        contains(text, "% of the digits it had never seen are read correctly")
        assert "it/s" not in text, "the bars of tqdm leave nothing"
        assert page.has("#output span[style*='color']") > 0


@test
def pictures_are_shown(browser):
    with Page(browser) as page:
        page.open()
        page.run("torch.plot.plot{1, 3, 2}")
        browser.wait("document.querySelector('#output img')?.naturalWidth > 100", 5)
        page.run("for i = 1, 5 do torch.plot.live {loss = 1 / i} end torch.plot.live();")
        assert page.has("#output img") == 1
        page.run("local x = torch.arange(6):reshape(2, 3)\nx")
        browser.wait("document.querySelectorAll('#output iframe[sandbox=\"\"]').length === 1", 5)


@test
def errors_have_hint_and_trace(browser):
    with Page(browser) as page:
        page.open()
        page.run("local x = torch.ones(2, 3)\nlocal function f() return torch.mm(x, x) end\nprint(f())")
        text = browser.run("return [...document.querySelectorAll('#output span')].map(s => s.style.color + ': ' + s.textContent).join('')")
        contains(text, "var(--ansi-1): mm: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)")
        contains(text, "var(--ansi-3): hint: the last size of the first")
        contains(text, "var(--ansi-8): stack traceback:")
        contains(text, "torch.mm(x, x)")


STOP = """
const wait = async condition => { while (!condition()) await new Promise(r => setTimeout(r, 2)); };
const running = () => document.body.classList.contains("running"), field = document.querySelector("#editor textarea");
const run = text => { field.value = text; field.dispatchEvent(new Event("input")); document.getElementById("run").click(); };
run(arguments[0]);
await new Promise(r => setTimeout(r, 400));
const start = performance.now();
document.getElementById("stop").click();
await wait(() => !running());
run("print('x is', x)");
await wait(() => /x is/.test(document.getElementById("output").textContent));
return [performance.now() - start, document.getElementById("output").textContent];
"""


def stop(page, what, program):
    page.open()
    page.run("x = 5")
    milliseconds, text = page.browser.run(STOP, program)
    said(f"stop, {what}: {milliseconds:.0f} ms to the next answer")
    return milliseconds, text


@test
def stop_keeps_the_session(browser):
    with Page(browser, isolated=True) as page:
        for what, program in (("loop", "while true do end"), ("operators", "local a = torch.rand(300, 300)\nwhile true do a:matmul(a) end"),
                              ("printing", "while true do print(1) end")):
            milliseconds, text = stop(page, what, program)
            contains(text, "x is\t5")
            assert milliseconds < 600
        for what, program in (("os.exit", "while true do pcall(os.exit) end"),
                              ("a finalizer", "setmetatable({}, {__gc = function() while true do end end}) collectgarbage()")):
            contains(stop(page, what, program)[1], "x is\tnil")  # a new session: Lua's hooks do not run in finalizers


@test
def stop_without_isolation(browser):
    with Page(browser, isolated=False) as page:
        browser.go(page.address + "index.html")
        browser.run("return navigator.serviceWorker.getRegistrations().then(list => Promise.all(list.map(r => r.unregister())))")
        milliseconds, text = stop(page, "not isolated", "while true do end")
        contains(text, "x is\tnil")
        assert milliseconds < 1000


@test
def out_of_memory(browser):
    with Page(browser) as page:
        page.open()
        text, seconds = page.run("y = 7\nkeep = {}\nfor i = 1, 1000 do keep[i] = torch.empty(16 * 1024 * 1024) end")
        said(f"out of memory after {seconds:.2f} s")
        contains(text, "memory")
        contains(text, "hint")
        text, _ = page.run("keep = nil\ncollectgarbage()\nprint(y, torch.ones(1024, 1024):sum())")
        contains(text, "7\ttensor(1048576.)")


@test
def small_machines_have_less_memory(browser):
    script = browser.devtools("Page.addScriptToEvaluateOnNewDocument", source="Object.defineProperty(Navigator.prototype, 'deviceMemory', { value: 4 })")
    with Page(browser) as page:
        try:
            page.open()
            text, _ = page.run("y, keep = 7, {}\nfor i = 1, 1000 do keep[i] = torch.empty(4 * 1024 * 1024) end")
            contains(text, "can't allocate memory")
            contains(text, "hint")
            blocks = int(page.run("print(#keep)\nkeep = nil")[0])
            assert 20 < blocks < 30, f"{blocks} of 16 MiB"
            contains(page.run("print(y, torch.ones(1024, 1024):sum())")[0], "7\ttensor(1048576.)")
            contains(page.run("kept = {}\nfor i = 1, 1e9 do kept[i] = {} end")[0], "not enough memory")
            contains(page.run("kept = nil\ncollectgarbage()\nprint(y)")[0], "7\n")
        finally:
            browser.devtools("Page.removeScriptToEvaluateOnNewDocument", **script)


@test
def exit_begins_anew(browser):
    with Page(browser) as page:
        page.open()
        text, _ = page.run("z = 1\nprint 'before'\nos.exit()\nprint 'after'")
        contains(text, "before")
        contains(text, "os.exit")
        assert "after" not in text
        contains(page.run("print('z is', z)")[0], "z is\tnil")


HOSTILE = """
evil = setmetatable({}, {__index = {
  _repr_html_ = function() return [[<img src="stolen.png" onerror="parent.hacked = 1"><script>parent.hacked = 2; fetch("stolen")</script>
    <form action="stolen"><button>x</button></form><meta http-equiv="refresh" content="0; url=stolen">
    <link rel="stylesheet" href="stolen.css"><style>@import "stolen2.css";</style>]] end,
}})
vector = setmetatable({}, {__index = {
  _repr_svg_ = function() return [[<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="parent.hacked = 3">
    <script>parent.hacked = 4</script><image href="stolen.svg"/></svg>]] end,
}})
print "<b id=bold>it ran</b>"
display(evil)
display(vector)
error "<b id=bold>an error</b>"
"""


def link_to(text):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return "play.html#c=" + base64.urlsafe_b64encode(packer.compress(text.encode()) + packer.flush()).decode().rstrip("=") + "&v=0.0.1"


@test
def hostile_link(browser):
    with Page(browser) as page:
        page.open()
        page.write("my own")
        page.open(link_to(HOSTILE))
        time.sleep(0.5)
        assert page.output() == "The link is of Tocha 0.0.1; this is 0.2.0.", page.output()
        assert browser.run("return document.getElementById('notice').offsetHeight") > 10
        assert browser.run("return document.querySelector('#editor textarea').value") == HOSTILE
        text, _ = page.run()
        contains(text, "<b id=bold>it ran</b>")
        contains(text, "<b id=bold>an error</b>")
        time.sleep(1)
        assert page.has("#bold") == 0
        assert browser.run("return [...document.querySelectorAll('#output iframe')].map(f => f.getAttribute('sandbox'))") == [""]
        assert page.has("#output svg, #output script") == 0 and page.has("#output img") == 1
        assert browser.run("return typeof hacked") == "undefined"
        assert not [path for path in page.server.asked if "stolen" in path], page.server.asked
        browser.log()
        page.open()
        assert browser.run("return document.querySelector('#editor textarea').value") == "my own"


@test
def worker_has_no_network(browser):
    with Page(browser) as page:
        page.open()
        kinds = browser.run("""
            const source = await (await fetch("worker.js")).text() + `
              ;isolate(self);
              let evaluates = true;
              try { eval("1"); } catch { evaluates = false; }
              postMessage([evaluates, ...["fetch", "XMLHttpRequest", "WebSocket", "WebTransport", "EventSource", "importScripts", "indexedDB", "caches",
                "BroadcastChannel", "Worker", "navigator", "Notification"].map(name => typeof self[name])]);`;
            const worker = new Worker(URL.createObjectURL(new Blob([source])));
            return new Promise(resolve => { worker.onmessage = event => resolve(event.data); });""")
        assert kinds == [False] + ["undefined"] * 12, kinds


@test
def share_makes_a_link(browser):
    with Page(browser) as page:
        page.open()
        page.write("print 'héllo 😀'")
        browser.click("#share")
        link, _ = browser.wait("document.querySelector('#notice input')?.value")
        page.open("play.html" + link[link.index("#"):])
        contains(page.run()[0], "héllo 😀")


@test
def reload_keeps_text_and_files(browser):
    with Page(browser) as page:
        page.open()
        page.run("local f = io.open('kept.txt', 'w')\nf:write 'some words'\nf:close()")
        time.sleep(0.3)
        browser.command("POST", "/refresh", {})
        page.ready()
        contains(browser.run("return document.querySelector('#editor textarea').value"), "some words")
        contains(browser.run("return document.querySelector('dialog ul').textContent"), "kept.txt, 10 B")
        contains(page.run("print(io.open('kept.txt'):read 'a', #{})")[0], "some words")
        page.run("os.remove 'kept.txt'")
        assert browser.run("return document.querySelector('dialog ul').textContent") == ""
        page.run("io.open('other.txt', 'w'):write('x'):close()")
        browser.click("#files")
        browser.click("#forget")
        page.browser.call("POST", browser.session + "/alert/accept", {})
        browser.click("dialog form > button:last-child")
        time.sleep(0.3)
        page.open()
        assert browser.run("return document.querySelector('dialog ul').textContent") == ""


@test
def one_file_from_disk(browser):
    browser.go("about:blank")
    browser.go("file://" + folder + "/tocha.html")
    page = Page(browser)
    page.ready()
    said("from disk: " + browser.run("return document.getElementById('status').textContent"))
    contains(page.run("print(torch.arange(3))")[0], "tensor([0, 1, 2])")
    page.server.shutdown()
    browser.go("file://" + folder + "/torch.html")
    browser.run("document.querySelector('button.run').click()")
    browser.wait("document.querySelector('[data-state]')", 20)
    assert browser.run("return document.querySelector('[data-state]').dataset.state") == "same"


@test
def works_offline(browser):
    with Page(browser, isolated=False) as page:
        page.open()
        browser.wait("navigator.serviceWorker.ready.then(r => r.active?.state === 'activated')", 20)
    page.server.server_close()
    page.open()
    contains(page.run("print(torch.arange(3))")[0], "tensor([0, 1, 2])")
    assert browser.run("return crossOriginIsolated"), "the service worker sends the headers that isolate a page"


@test
def telephone(browser):
    with Page(browser) as page:
        os.makedirs(folder + "/screenshots", exist_ok=True)
        try:
            for dark in (False, True):
                for name, width, height in (("wide", 1280, 800), ("narrow", 390, 844)):
                    browser.screen(width, height, mobile=width < 500)
                    browser.dark(dark)
                    page.open()
                    browser.run("const s = document.getElementById('examples'); s.value = 'examples/small/first_look.lua'; s.dispatchEvent(new Event('change'))")
                    page.run()
                    time.sleep(0.3)
                    browser.picture(f"{folder}/screenshots/play-{name}-{'dark' if dark else 'light'}.png")
                    assert browser.run("return document.documentElement.scrollWidth") <= width
            for name in ("index.html", "tutorial.html", "torch.nn.html", "differences.html"):
                browser.go(page.address + name)
                assert browser.run("return document.documentElement.scrollWidth") <= 390, name
        finally:
            browser.screen(1280, 800)
            browser.dark(False)


# ---- the two fields ----


@test
def editor_colours_indents_completes_explains(browser):
    with Page(browser) as page:
        page.open()
        page.write("")
        browser.keys("#editor textarea", "for i = 1, 3 do\uE007")
        browser.wait("document.querySelector('#editor textarea').value === 'for i = 1, 3 do\\n  '", 3)
        browser.wait("document.querySelector('.colours .keyword')?.textContent === 'for'", 3)
        browser.keys("#editor textarea", "print(i)\uE007")
        time.sleep(0.3)
        browser.keys("#editor textarea", "end\uE007")
        browser.wait("document.querySelector('#editor textarea').value === 'for i = 1, 3 do\\n  print(i)\\nend\\n'", 3)
        browser.keys("#editor textarea", "torch.lins\uE004")
        browser.wait("/torch.linspace/.test(document.querySelector('#editor textarea').value)", 3)
        browser.keys("#editor textarea", "\uE031")
        browser.wait("/linspace\\(/.test(document.querySelector('.help')?.textContent)", 3)
        page.write("print(torch.eye(2))")
        left, top = browser.run("const r = document.querySelector('#editor textarea').getBoundingClientRect(); return [r.left, r.top]")
        move = {"type": "pointerMove", "x": int(left) + 115, "y": int(top) + 10}
        browser.command("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [move]}]})
        browser.wait("/^eye\\(/.test(document.querySelector('.help')?.textContent)", 3)


@test
def prompt_has_a_history(browser):
    with Page(browser) as page:
        page.open()
        browser.keys("#prompt textarea", "q = 21\uE007")
        browser.wait("/> q = 21/.test(document.getElementById('output').textContent)", 3)
        browser.wait("!document.body.classList.contains('running')", 3)
        browser.keys("#prompt textarea", "2 * q\uE007")
        browser.wait("/42/.test(document.getElementById('output').textContent)", 3)
        browser.keys("#prompt textarea", "torch.s\uE004")
        browser.wait("document.querySelectorAll('#prompt .item').length > 10", 3)
        list_ends, field = browser.run("return ['.popup', '.field'].map(s => document.querySelector('#prompt ' + s).getBoundingClientRect().bottom)")
        assert field - 100 < list_ends < field, "the list is above the prompt"
        assert browser.run("""const { left, top } = document.querySelector('#prompt .popup').getBoundingClientRect();
            return document.elementFromPoint(left + 9, top + 9).className.startsWith('item')"""), "the list is seen"
        browser.keys("#prompt textarea", "\uE00C\uE013\uE013")
        browser.wait("document.querySelector('#prompt textarea').value === 'q = 21'", 3)


@test
def output_is_bounded(browser):
    with Page(browser) as page:
        page.open()
        text, seconds = page.run("for i = 1, 300000 do print(i, 'a line') end")
        said(f"300,000 lines: {seconds:.2f} s")
        contains(text, "300000\ta line")
        contains(text, "Older output was dropped")
        assert len(text) < 1.3e6
        contains(page.run("io.write('10%\\r100%\\nabc\\27[2Dx\\n\\27[31mred\\27[0m\\n')")[0], "100%\naxc\nred")


FLOODS = {
    "a line of 30 MB": "io.write(string.rep('x', 3e7))",
    "an error of 30 MB": "error(string.rep('x', 3e7))",
    "coloured letters": "for i = 1, 200000 do io.write('\\27[3', i % 8, 'mx') end",
    "700 pictures": "s = setmetatable({}, {__index = {_repr_svg_ = function() return '<svg xmlns=\"http://www.w3.org/2000/svg\"/>' end}})\n"
                    "for i = 1, 700 do display(s) end",
    "700 frames": "h = setmetatable({}, {__index = {_repr_html_ = function() return '<p>markup</p>' end}})\nfor i = 1, 700 do display(h) end",
    "markup of 20 MB": "h = setmetatable({}, {__index = {_repr_html_ = function() return string.rep('<p>', 7e6) end}})\ndisplay(h)",
}


@test
def floods_are_survived(browser):
    with Page(browser) as page:
        page.open()
        page.run("x = 5")
        for name, program in FLOODS.items():
            text, seconds = page.run(program)
            said(f"{name}: {seconds:.2f} s")
            time.sleep(0.2)  # then markup is in frames
            frames = page.has("#output iframe")
            assert len(text) < 2.3e6 and page.has("#output *") < 70000 and frames <= 40, name
            assert frames > 0 or name != "700 frames"
            contains(page.run("print('x is', x)")[0], "x is\t5")


@test
def examples_of_the_menu(browser):
    with Page(browser) as page:
        page.open()
        names = browser.run("return [...document.querySelectorAll('#examples option')].map(o => o.value).filter(Boolean)")
        assert len(names) >= 10
        for name in names:
            browser.run("const s = document.getElementById('examples'); s.value = arguments[0]; s.dispatchEvent(new Event('change'))", name)
            text, seconds = page.run()
            said(f"{name}: {seconds:.1f} s")
            assert "stack traceback:" not in text, text[-600:]


# ---- the reference ----


@test
def pages_load_nothing_before_a_click(browser):
    with Page(browser) as page:
        browser.go(page.address + "torch.nn.html")
        time.sleep(0.5)
        loaded = {path.split("?")[0] for path in page.server.asked}
        assert loaded <= {"/torch.nn.html", "/style.css", "/names.js", "/search.js", "/run.js"}, loaded
        start = time.time()
        browser.run("document.querySelector('button.run').click()")
        browser.wait("document.querySelector('[data-state]')", 20)
        said(f"first click to answer: {time.time() - start:.2f} s")


@test
def search_ranks_and_moves(browser):
    with Page(browser) as page:
        browser.go(page.address + "torch.nn.html")
        browser.keys("#search", "add")
        assert browser.run("return found.firstElementChild.firstChild.textContent") == "torch.add"
        browser.keys("#search", "\uE015\uE015")
        assert browser.run("return document.activeElement === found.children[1] && found.offsetHeight > 0")
        browser.run("document.activeElement.blur()")
        assert browser.run("return found.offsetHeight") == 0
        browser.keys("#search", "\uE007")
        browser.wait("location.hash === '#torch.add'", 5)


ALL = """
const out = [];
for (const button of document.querySelectorAll("button.run")) {
  await new Promise(resolve => {
    new MutationObserver((_, observer) => { if (button.textContent === "Run") { observer.disconnect(); resolve(); } }).observe(button, { childList: true });
    button.click();
  });
  const answer = button.parentNode.nextElementSibling, name = button.closest("section")?.id ?? button.previousElementSibling.textContent.slice(0, 90);
  if (answer.dataset.state !== "same") out.push([name, answer.textContent.slice(0, 200)]);
}
return [document.querySelectorAll("button.run").length, out];
"""


# Examples whose answer in a page is not what is printed, and why.
UNLIKE_THE_PROMPT = (
    "torch.from_file(path, {shared = true",  # a mapping of a file in memory is a copy
    "torch.testing.assert_close",            # its message names the entry, which the prompt calls stdin
    "torch.vision.datasets.ImageFolder", "torch.vision.datasets.DatasetFolder", "torch.vision.datasets.default_loader",  # make folders by a shell
    "torch.vision.io.decode_jpeg", "torch.vision.io.encode_jpeg", "torch.vision.io.write_jpeg",  # libjpeg is not there
)


@test
def every_run_button(browser):
    count, differs, start = 0, 0, time.time()
    with Page(browser) as page:
        for name in sorted(os.listdir(folder)):
            if name.endswith(".html") and name not in ("play.html", "tocha.html"):
                browser.go(page.address + name)
                buttons, others = browser.run(ALL)
                count += buttons
                others = [other for other in others if not any(word in other[0] for word in UNLIKE_THE_PROMPT)]
                differs += len(others)
                for other in others:
                    said(" | ".join([name, *other]).replace("\n", " / "))
    said(f"{count} examples, {differs} differ, {time.time() - start:.0f} s")
    assert count > 2000 and differs == 0


# ---- sizes ----


@test
def sizes(_):
    def zipped(*names):
        total = 0
        for name in names:
            with open(folder + "/" + name, "rb") as file:
                total += len(gzip.compress(file.read(), 9))
        return total

    module, page = zipped("tocha.wasm", "worker.js"), zipped("play.html", "play.js", "style.css", "play.css", "editor.js", "output.js",
                                                            "session.js", "store.js", "packing.js", "dom.js", "version.js", "examples.js")
    one = os.path.getsize(folder + "/tocha.html")
    run = zipped("run.js")
    said(f"module {module / 1e6:.2f} MB, playground {page / 1e3:.0f} kB, Run buttons {run} bytes (gzip); one file {one / 1e6:.2f} MB")
    assert module < 1.75e6 and page < 40e3 and run < 2e3 and one < 2.6e6


def main():
    passed = failed = 0
    wanted = sys.argv[2:]
    browser = Browser()
    browser.screen(1280, 800)
    try:
        for function in tests:
            if wanted and function.__name__ not in wanted:
                continue
            try:
                function(browser)
                passed += 1
                print("ok       " + function.__name__.replace("_", " "), flush=True)
            except Exception as error:  # any: the other tests still count
                failed += 1
                print(f"FAILED   {function.__name__}: {type(error).__name__}: {error}", flush=True)
                for message in browser.log():
                    said(message)
    finally:
        browser.close()
    print(f"{passed} passed, {failed} failed")
    return failed > 0 or passed == 0


sys.exit(main())
