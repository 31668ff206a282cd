// editor.js: a text field with the prompt's colours, indentation, completion and help. The session answers its questions.
import { element } from "./dom.js";

const STYLES = ["", "keyword", "string", "number", "comment", "bracket"]; // of lua/prompt/layout.lua
const HOVER = 500; // milliseconds before the help of a name appears

// Returns a place of the text as the session counts: in characters, not in UTF-16 units.
const characters = (text, index) => [...text.slice(0, index)].length;

export class Editor {
  // ask(kind, content) returns the session's reply. onEnter(text): for a field of one entry, which Enter hands out.
  constructor(box, { ask, label, onEnter, onChange = () => {} }) {
    Object.assign(this, { ask, onEnter, onChange, styles: "", painted: "" });
    this.field = element("textarea", { className: "field", spellcheck: false, rows: 1, ariaLabel: label, autocapitalize: "off" });
    this.colours = element("pre", { className: "colours" });
    this.numbers = element("pre", { className: "numbers" });
    this.popup = element("div", { className: "popup", hidden: true });
    box.append(this.numbers, element("div", { className: "layers" }, this.colours, this.field, this.popup));
    this.field.addEventListener("input", () => { this.hide(); this.changed(); });
    this.field.addEventListener("keydown", event => this.key(event));
    this.field.addEventListener("selectionchange", () => this.colour());
    this.field.addEventListener("blur", () => this.hide());
    this.field.addEventListener("mousemove", event => this.hover(event));
    this.field.addEventListener("mouseleave", () => clearTimeout(this.hovering));
    this.paint("");
  }

  get text() { return this.field.value; }

  set text(text) {
    this.field.value = text;
    this.changed();
  }

  // Replaces a part of the text so that the browser can undo it.
  replace(start, end, text) {
    this.field.focus();
    this.field.setSelectionRange(start, end);
    document.execCommand(text ? "insertText" : "delete", false, text);
  }

  changed() {
    this.onChange(this.text);
    this.colour();
  }

  // --- colours ---

  // Shows the text; what did not change keeps its colours until the session has answered.
  async colour() {
    const text = this.text, old = this.painted, shorter = Math.min(text.length, old.length);
    let same = 0, tail = 0;
    while (same < shorter && text[same] === old[same]) same++;
    while (tail < shorter - same && text.at(-1 - tail) === old.at(-1 - tail)) tail++;
    this.paint(this.styles.slice(0, same) + "0".repeat(text.length - same - tail) + this.styles.slice(old.length - tail));
    if (this.asking) return;
    this.asking = true;
    const cursor = this.field.selectionStart;
    const { styles } = await this.ask("highlight_request", { code: text, cursor_pos: characters(text, cursor) });
    this.asking = false;
    if (this.text !== text || this.field.selectionStart !== cursor) return this.colour();
    if (styles !== undefined) this.paint([...text].map((character, i) => styles[i].repeat(character.length)).join(""));
  }

  // Shows the text; styles: a digit for each unit of it.
  paint(styles) {
    const text = this.painted = this.text;
    this.styles = styles;
    this.colours.replaceChildren(...Array.from(styles.matchAll(/(.)\1*/g), ({ 0: run, 1: style, index }) =>
      element("span", { className: STYLES[style] }, text.slice(index, index + run.length))), "\n");
    this.numbers.textContent = text.split("\n").map((_, i) => i + 1).join("\n");
  }

  // --- keys ---

  key(event) {
    const { key, shiftKey, ctrlKey, metaKey } = event;
    const act = f => { event.preventDefault(); f(); };
    const items = this.items;
    if (key === "Escape") { this.leaves = true; return this.hide(); }
    if (key === "F1" || key === "i" && (ctrlKey || metaKey)) return act(() => this.help());
    if (key === " " && ctrlKey) return act(() => this.complete());
    if (items && (key === "ArrowDown" || key === "ArrowUp")) return act(() => this.choose(key === "ArrowDown" ? 1 : -1));
    if (items && (key === "Enter" || key === "Tab")) return act(() => this.take(items[this.chosen]));
    if (key === "Tab" && !this.leaves) return act(() => this.tab(shiftKey));
    if (key === "Enter" && !ctrlKey && !metaKey) return act(() => this.enter(shiftKey));
    if (!["Shift", "Control", "Alt", "Meta"].includes(key)) this.leaves = false;
  }

  // Completes after a name, indents elsewhere; moves selected lines. After Escape, Tab leaves the field.
  tab(back) {
    const { selectionStart: start, selectionEnd: end } = this.field, first = this.text.lastIndexOf("\n", start - 1) + 1;
    if (start === end && !back) return /[\w.:"']/.test(this.text[start - 1] ?? "") ? this.complete() : this.replace(start, end, "  ");
    const lines = this.text.slice(first, end).split("\n").map(line => back ? line.replace(/^ {1,2}/, "") : "  " + line).join("\n");
    this.replace(first, end, lines);
    this.field.setSelectionRange(first, first + lines.length);
  }

  async enter(breaks) {
    const text = this.text, { selectionStart: start, selectionEnd: end } = this.field;
    if (this.onEnter && !breaks) {
      const { status } = await this.ask("is_complete_request", { code: text });
      if (status !== "incomplete") return this.onEnter(text);
    }
    const before = text.slice(0, start), first = before.lastIndexOf("\n") + 1;
    const own = /^ */.exec(before.slice(first))[0].length;
    this.replace(start, end, "\n" + " ".repeat(own));
    const expected = this.text;
    const { columns, line } = await this.ask("indent_request", { lines: before.split("\n") });
    if (this.text !== expected || columns === undefined) return;
    if (columns !== own) this.replace(start + 1, start + 1 + own, " ".repeat(columns));
    if (line < 0 || line === own) return;
    this.replace(first, first + own, " ".repeat(line));
    const cursor = start + 1 + columns + line - own;
    this.field.setSelectionRange(cursor, cursor);
  }

  // --- completion and help ---

  async complete() {
    const text = this.text, cursor = this.field.selectionStart;
    const reply = await this.ask("complete_request", { code: text, cursor_pos: characters(text, cursor) });
    const items = reply.metadata?._jupyter_types_experimental ?? [];
    if (this.text !== text || this.field.selectionStart !== cursor || items.length === 0) return;
    this.from = cursor - (reply.cursor_end - reply.cursor_start); // names are ASCII
    if (items.length === 1) return this.take(items[0]);
    this.items = items;
    this.show(this.from, ...items.slice(0, 200).map(item => {
      const row = element("div", { className: "item" }, item.text, element("small", {}, item.signature || item.type));
      row.onmousedown = event => { event.preventDefault(); this.take(item); };
      return row;
    }));
    this.chosen = 0;
    this.choose(0);
  }

  choose(step) {
    const rows = this.popup.children;
    rows[this.chosen].classList.remove("chosen");
    this.chosen = (this.chosen + step + rows.length) % rows.length;
    rows[this.chosen].classList.add("chosen");
    rows[this.chosen].scrollIntoView({ block: "nearest" });
  }

  take(item) {
    this.hide();
    this.replace(this.from, this.field.selectionStart, item.text);
  }

  async help(at = this.field.selectionStart) {
    const text = this.text;
    const { data } = await this.ask("inspect_request", { code: text, cursor_pos: characters(text, at) });
    if (data?.["text/plain"] && this.text === text && !this.items) this.show(at, element("pre", { className: "help" }, data["text/plain"]));
  }

  // Explains the name under the mouse when it rests there.
  hover({ offsetX, offsetY }) {
    clearTimeout(this.hovering);
    if (!this.items) this.hide();
    const { width, height } = this.cell(), lines = this.text.split("\n").slice(0, Math.floor(offsetY / height) + 1);
    const line = lines.pop(), name = /^\w+/.exec(line.slice(offsetX / width));
    const end = lines.join("\n").length + (lines.length > 0) + Math.floor(offsetX / width) + name?.[0].length;
    if (name) this.hovering = setTimeout(() => this.help(end), HOVER);
  }

  // Returns the size of a character.
  cell() {
    const style = getComputedStyle(this.field), context = document.createElement("canvas").getContext("2d");
    context.font = `${style.fontSize} ${style.fontFamily}`;
    return { width: context.measureText("0".repeat(100)).width / 100, height: parseFloat(style.lineHeight) };
  }

  // Shows rows below a place of the text, or above it if there is no room.
  show(at, ...rows) {
    const { width, height } = this.cell(), { left, top } = this.field.getBoundingClientRect(), lines = this.text.slice(0, at).split("\n");
    this.popup.replaceChildren(...rows);
    this.popup.hidden = false;
    const { offsetWidth, offsetHeight } = this.popup, below = top + lines.length * height + 2;
    Object.assign(this.popup.style, {
      top: `${below + offsetHeight < innerHeight ? below : Math.max(0, below - height - offsetHeight - 4)}px`,
      left: `${Math.max(0, Math.min(left + lines.at(-1).length * width, innerWidth - offsetWidth - 8))}px`,
    });
    this.popup.scrollTop = 0;
  }

  hide() {
    this.popup.hidden = true;
    this.items = null;
  }
}
