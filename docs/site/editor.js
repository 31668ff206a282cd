// editor.js: a text field with the prompt's colours, indentation, completion and help, for which it asks the session.
import { element } from "./dom.js";

const STYLES = ["", "keyword", "string", "number", "comment", "bracket"]; // of lua/prompt/layout.lua
const HOVER = 500; // milliseconds before the help of a name appears

export class Editor {
  // ask(kind, content) returns the session's reply. onEnter(text): for a field of one entry, which Enter hands out.
  constructor(box, { ask, label, onEnter, onChange = () => {} }) {
    const [numbers, colours, place] = ["numbers", "colours", "place"].map(className => element("pre", { className }));
    const field = element("textarea",
      { className: "field", rows: 1, ariaLabel: label, spellcheck: false, autocapitalize: "off" });
    const popup = element("div", { className: "popup", hidden: true });
    Object.assign(this, { ask, onEnter, numbers, colours, place, field, popup, styles: "" });
    box.append(numbers, element("div", { className: "layers" }, colours, place, field, popup));
    const on = (name, act) => field.addEventListener(name, act);
    on("input", () => { this.hide(); this.colour(); onChange(this.text); });
    on("keydown", event => this.key(event));
    on("selectionchange", () => this.colour());
    on("blur", () => this.hide());
    on("mousemove", event => this.hover(event));
    on("mouseleave", () => clearTimeout(this.hovering));
  }

  get text() { return this.field.value; }

  set text(text) {
    this.field.value = text;
    this.colour();
  }

  // Replaces a part of the text so that the browser can undo it.
  replace(start, end, text) {
    this.field.focus();
    this.field.setSelectionRange(start, end);
    document.execCommand(text ? "insertText" : "delete", false, text);
  }

  // Shows the text. What stands before and behind the cursor keeps its colours until the session has answered.
  async colour() {
    const { text, styles: old } = this, cursor = this.field.selectionStart, behind = text.length - cursor;
    const edge = Math.max(0, old.length - behind);
    this.paint(old.slice(0, Math.min(edge, cursor)).padEnd(cursor, "0") + old.slice(edge).padEnd(behind, "0"));
    if (this.asking) return;
    this.asking = true;
    const { styles } = await this.ask("highlight_request", { code: text, before: text.slice(0, cursor) });
    this.asking = false;
    if (this.text !== text || this.field.selectionStart !== cursor) return this.colour();
    if (styles !== undefined) this.paint(styles);
  }

  // styles: a digit for each unit of the text.
  paint(styles) {
    const { text } = this;
    this.styles = styles;
    this.colours.replaceChildren(...Array.from(styles.matchAll(/(.)\1*/g), ({ 0: run, 1: style, index }) =>
      element("span", { className: STYLES[style] }, text.slice(index, index + run.length))), "\n");
    this.numbers.textContent = text.split("\n").map((_, i) => i + 1).join("\n");
  }

  key(event) {
    const { key, shiftKey } = event, ctrl = event.ctrlKey || event.metaKey, { items } = this;
    const act = f => { event.preventDefault(); f(); };
    if (key === "F1" || key === "i" && ctrl) return act(() => this.help());
    if (key === " " && ctrl) return act(() => this.complete());
    if (items && key === "ArrowDown") return act(() => this.choose(1));
    if (items && key === "ArrowUp") return act(() => this.choose(-1));
    if (items && (key === "Enter" || key === "Tab")) return act(() => this.take(items[this.chosen]));
    if (key === "Tab" && !this.leaves) return act(() => this.tab(shiftKey));
    if (key === "Enter" && !ctrl) return act(() => this.enter(shiftKey));
    if (key === "Escape") this.hide();
    if (!["Shift", "Control", "Alt", "Meta"].includes(key)) this.leaves = key === "Escape";
  }

  // Completes after a name, indents elsewhere; moves selected lines. After Escape, Tab leaves the field.
  tab(back) {
    const { selectionStart: start, selectionEnd: end } = this.field, first = this.text.lastIndexOf("\n", start - 1) + 1;
    if (start === end && !back && /[\w.:"']/.test(this.text[start - 1] ?? "")) return this.complete();
    if (start === end && !back) return this.replace(start, end, "  ");
    const lines = this.text.slice(first, end).replace(/^ {0,2}/gm, blanks => (back ? "" : blanks + "  "));
    this.replace(first, end, lines);
    this.field.setSelectionRange(first, first + lines.length);
  }

  // Hands out an entry, or begins a line, which the session then indents, as well as the line before it.
  async enter(breaks) {
    const { text } = this, { selectionStart: start, selectionEnd: end } = this.field;
    const { status } = this.onEnter && !breaks ? await this.ask("is_complete_request", { code: text }) : {};
    if (status && status !== "incomplete") return this.onEnter(text);
    const before = text.slice(0, start), first = before.lastIndexOf("\n") + 1;
    this.replace(start, end, "\n" + /^ */.exec(before.slice(first))[0]);
    const cursor = this.field.selectionStart, broken = this.text;
    const { lines } = await this.ask("indent_request", { code: before });
    if (this.text === broken && lines && lines !== broken.slice(first, cursor)) this.replace(first, cursor, lines);
  }

  async complete() {
    const { text } = this, cursor = this.field.selectionStart;
    const reply = await this.ask("complete_request", { code: text.slice(0, cursor) });
    const items = reply.metadata?._jupyter_types_experimental ?? [];
    if (this.text !== text || this.field.selectionStart !== cursor || items.length === 0) return;
    this.from = cursor - (reply.cursor_end - reply.cursor_start); // names are ASCII
    if (items.length === 1) return this.take(items[0]);
    this.show(this.from, ...items.slice(0, 200).map(item => element("div",
      { className: "item", onmousedown: event => { event.preventDefault(); this.take(item); } },
      item.text, element("small", {}, item.signature || item.type))));
    Object.assign(this, { items, chosen: 0 });
    this.choose(0);
  }

  choose(step) {
    const rows = [...this.popup.children];
    this.chosen = (this.chosen + step + rows.length) % rows.length;
    rows.forEach((row, i) => row.classList.toggle("chosen", i === this.chosen));
    rows[this.chosen].scrollIntoView({ block: "nearest" });
  }

  take(item) { this.replace(this.from, this.field.selectionStart, item.text); } // input hides the list

  // Explains the name at a place of the text.
  async help(at = this.field.selectionStart) {
    const { text } = this, rest = /^\w*/.exec(text.slice(at))[0];
    const { data } = await this.ask("inspect_request", { code: text.slice(0, at) + rest });
    if (!data?.["text/plain"] || this.text !== text || this.items) return;
    this.show(at, element("pre", { className: "help" }, data["text/plain"]));
  }

  // Explains the name under the mouse when it rests there.
  hover({ clientX, clientY }) {
    const at = document.caretPositionFromPoint?.(clientX, clientY)?.offset;
    clearTimeout(this.hovering);
    if (!this.items) this.hide();
    if (/\w/.test(this.text[at] ?? "")) this.hovering = setTimeout(() => this.help(at), HOVER);
  }

  // Shows rows beside a place of the text: the style sheet puts them where there is room.
  show(at, ...rows) {
    this.place.textContent = this.text.slice(0, at);
    this.popup.replaceChildren(...rows);
    Object.assign(this.popup, { hidden: false, scrollTop: 0 });
  }

  hide() {
    this.popup.hidden = true;
    this.items = null;
  }
}
