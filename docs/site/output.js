// output.js: what the requests answer, as blocks: text, pictures, tables. Markup of a program is shown only in a frame
// without rights, and SVG only as a picture.
import { element } from "./dom.js";
import { frameHead } from "./version.js"; // the policy and the style of such a frame

// The page keeps the newest output: so many blocks, runs or characters of text, frames, or characters of pictures
// and frames.
const BLOCKS = 500, RUNS = 20000, TEXT = 1 << 20, FRAMES = 40, DATA = 1 << 26;

// Returns a frame that runs and loads nothing. It cannot tell its height, which is guessed from the rows.
function frame(html) {
  const rows = html.match(/<(tr|p|br|li|h\d|small)\b/gi)?.length ?? 5;
  const made = element("iframe", { className: "markup", srcdoc: frameHead + html, title: "result" });
  made.setAttribute("sandbox", "");
  made.style.height = `${Math.min(480, 22 * rows + 14)}px`;
  return made;
}

// Returns a block with a frame, which is made only if the block is still there soon after.
function markup(html) {
  const block = element("div", { share: 1 / FRAMES + html.length / DATA });
  setTimeout(() => block.isConnected && block.append(frame(html)), 100);
  return block;
}

const image = src => element("img",
  { className: "picture", src, alt: "picture", share: 1 / BLOCKS + src.length / DATA });
const spans = runs => runs.map(([text, style]) => element("span", { style }, text));

// Returns a block of text that no longer changes.
function settled(runs) {
  const size = runs.reduce((sum, [text]) => sum + text.length, 0);
  return element("pre", { className: "past", share: 1 / BLOCKS + runs.length / RUNS + size / TEXT }, ...spans(runs));
}

export class Output {
  constructor(box) {
    this.box = box;
    this.clear();
  }

  clear() {
    this.box.replaceChildren();
    this.shown = new Map(); // blocks by display_id
  }

  // Shows an answer of a request.
  answer(kind, { terminal, picture, data, transient }) {
    if (terminal) this.write(terminal);
    else if (picture) this.show(image(picture), transient);
    else if (data) this.show(markup(data["text/html"]), transient);
  }

  // Shows what the terminal shows now (web_show of web.c): the block at the end, which a program may still change,
  // and before it blocks of what it no longer can, which the browser lays out when they are seen.
  write({ past, open, restarts }) {
    if (restarts || this.box.lastElementChild?.className !== "open") this.add(element("pre", { className: "open" }));
    const last = this.box.lastElementChild;
    last.before(...past.map(settled));
    last.replaceChildren(...spans(open));
    this.limit();
  }

  // Shows a block, in place of the one that was shown with the same display_id.
  show(block, transient) {
    const id = transient?.display_id, old = this.shown.get(id);
    if (old?.isConnected) old.replaceWith(block); else this.add(block);
    if (id) this.shown.set(id, block);
  }

  add(block) {
    this.box.append(block);
    this.limit();
  }

  // Adds a line of the page's own.
  note(text, className = "note") { this.add(element("p", { className }, text)); }

  // Drops the oldest blocks. Scrolls to the end, in the next frame: asking now would lay out the page for each answer.
  limit() {
    const blocks = [...this.box.children];
    let kept = 0; // the share of what a page keeps that the last blocks take
    const dropped = blocks.findLastIndex(block => (kept += block.share ?? 1 / BLOCKS) > 1);
    for (const block of blocks.slice(0, dropped + 1)) block.remove();
    if (dropped >= 0) this.box.prepend(element("p", { className: "note", share: 0 }, "Older output was dropped."));
    requestAnimationFrame(() => { this.box.scrollTop = this.box.scrollHeight; });
  }
}
