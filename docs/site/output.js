// output.js: what the requests answer, as blocks: text, errors, pictures, tables. Markup that a program makes is shown only in a
// frame without rights, and SVG only as a picture.
import { element } from "./dom.js";
import { Terminal } from "./terminal.js";

const KEPT = 1 << 20; // characters of text
const KEPT_BLOCKS = 500, KEPT_FRAMES = 30; // a frame is a document of its own
const LARGEST = 1 << 24, KEPT_DATA = 1 << 26; // characters of a picture or a frame, and of all
const LONGEST_PLAIN = 10000; // characters of markup that is shown as text
const DROPPED = "Older output was dropped.";
const PERIOD = 50; // milliseconds between two displays of text

// Returns a picture; data: SVG's text, or base64.
function picture(kind, data) {
  const source = kind === "image/svg+xml" ? `data:${kind};charset=utf-8,${encodeURIComponent(data)}` : `data:${kind};base64,${data}`;
  return element("img", { className: "picture", src: source, alt: "picture" });
}

const FRAME_STYLE = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<style>:root { color-scheme: light dark; font: 13px/1.5 ui-monospace, monospace; } body { margin: 4px; }
table { border-collapse: collapse; } td, th { padding: 1px 9px; } th { font-weight: 400; opacity: .6; } small { opacity: .6; }</style>`;

// Returns a frame in which nothing runs and nothing is loaded. It cannot tell its height, which is guessed from the rows.
function frame(html) {
  const rows = html.match(/<(tr|p|br|li|h\d|small)\b/gi)?.length ?? 5;
  const made = element("iframe", { className: "markup", srcdoc: FRAME_STYLE + html, title: "result" });
  made.setAttribute("sandbox", "");
  made.style.height = `${Math.min(480, 22 * rows + 14)}px`;
  return made;
}

// Returns the text of an error with its hint and its trace set apart.
function failure(lines) {
  const made = element("pre", { className: "error" });
  let kind = "message";
  for (const line of lines) {
    if (line.startsWith("hint: ")) kind = "hint";
    else if (line.startsWith("stack traceback:")) kind = "trace";
    else if (kind === "message" && line.startsWith("at ")) kind = "place";
    made.append(element("span", { className: kind }, line), "\n");
  }
  return made;
}

export class Output {
  constructor(box) {
    this.box = box;
    this.clear();
  }

  clear() {
    this.box.replaceChildren();
    this.terminal = null;
    this.shown = new Map(); // by display_id
    this.frames = [];       // blocks of markup: the last ones are shown in frames, others as text
    this.weight = 0;        // characters of pictures and frames
    this.text = "";         // the answer as text, as far as it is kept
    this.size = 0;
  }

  // Shows an answer of a request.
  answer(kind, content) {
    if (kind === "dropped") this.forget();
    else if (kind === "stream") this.write(content.text, content.name === "stderr");
    else if (kind === "error") this.add(failure(content.traceback), content.evalue);
    else if (content.data) this.data(content.data, kind === "execute_result", content.transient?.display_id);
  }

  // Shows a value in its best form. answers: its text belongs to the answer.
  data(data, answers, id) {
    const kind = ["image/svg+xml", "image/png", "image/jpeg", "text/html"].find(k => data[k]), plain = data["text/plain"] ?? "";
    if (!kind) return this.write(plain + "\n");
    if (data[kind].length > LARGEST) return this.note(`A result of ${Math.round(data[kind].length / 1e6)} MB is not shown.`);
    const block = kind === "text/html" ? this.markup(data[kind], plain) : picture(kind, data[kind]);
    this.weight += block.weight = data[kind].length;
    const old = id && this.shown.get(id);
    if (old?.isConnected) {
      this.weight -= old.weight;
      old.replaceWith(block);
    } else this.add(block, answers ? plain : "");
    if (id) this.shown.set(id, block);
  }

  // Returns a block of markup, which is text until the next display.
  markup(html, plain) {
    const text = () => element("pre", { className: "text" }, plain.slice(0, LONGEST_PLAIN)), block = element("div", {}, text());
    block.showFrame = () => block.replaceChildren(frame(html));
    block.showText = () => block.replaceChildren(text());
    this.frames.push(block);
    this.waiting ??= setTimeout(() => this.flush(), PERIOD);
    return block;
  }

  showFrames() {
    this.frames = this.frames.filter(block => block.isConnected);
    const hasFrame = block => block.firstChild.tagName === "IFRAME";
    for (const block of this.frames.splice(0, Math.max(0, this.frames.length - KEPT_FRAMES))) if (hasFrame(block)) block.showText();
    for (const block of this.frames) if (!hasFrame(block)) block.showFrame();
  }

  // Adds a block; text: what stands for it in `text`.
  add(block, text = "") {
    if (this.terminal) this.size += this.terminal.show();
    this.terminal = null;
    this.text += text && text + "\n";
    this.box.append(block);
    while (this.box.children.length > KEPT_BLOCKS || this.weight > KEPT_DATA) this.drop(this.box.querySelector(":scope > :not(.dropped)"));
    this.follow();
  }

  // Adds a line of the page's own.
  note(text, className = "note") { this.add(element("p", { className }, text)); }

  // aside: the text is no answer (`text`).
  write(text, aside) {
    if (text.length > 2 * KEPT) {
      this.forget();
      text = text.slice(-KEPT);
    }
    if (!this.terminal) {
      const pre = element("pre", { className: "text" });
      this.add(pre);
      this.terminal = new Terminal(pre);
    }
    if (!aside) this.text += text;
    if (this.text.length > 2 * KEPT) this.text = this.text.slice(-KEPT);
    this.terminal.write(text);
    this.waiting ??= setTimeout(() => this.flush(), PERIOD);
  }

  flush() {
    clearTimeout(this.waiting);
    this.waiting = undefined;
    this.showFrames();
    this.size += this.terminal?.show() ?? 0;
    while (this.size > KEPT) {
      const chunk = this.box.querySelector("pre.text > span:not(:last-child)");
      if (!chunk) break;
      this.drop(chunk);
    }
    this.follow();
  }

  drop(old) {
    this.weight -= old.weight ?? 0;
    for (const chunk of old.className === "past" ? [old] : old.querySelectorAll(".past")) this.size -= chunk.cost;
    old.remove();
    if (this.box.firstElementChild?.className !== "dropped") this.box.prepend(element("p", { className: "dropped" }, DROPPED));
  }

  // Drops all output.
  forget() {
    this.clear();
    this.box.append(element("p", { className: "dropped" }, DROPPED));
  }

  // Scrolls to the end, in the next frame: asking for the height now would lay out the page for each answer.
  follow() {
    this.following ??= requestAnimationFrame(() => {
      this.following = undefined;
      this.box.scrollTop = this.box.scrollHeight;
    });
  }
}
