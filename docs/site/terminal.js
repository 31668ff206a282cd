// terminal.js: text as a terminal shows it: colours, \r, and the few cursor movements that Tocha writes (tqdm, plot.live).
import { element } from "./dom.js";

const OPEN_LINES = 100, OPEN_TEXT = 1 << 15; // lines at the end, and their characters, that a program may still move back to and change
const LONGEST = 20000; // characters of a line
const PIECE = 50; // characters that take as much memory as a change of style
const SEQUENCE = /\x1b\[([\d;?]*)([A-Za-z])|\x1b[_P\]][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.?|[\n\r\b]|[^\x1b\n\r\b]+/g;

// Returns the colour of xterm's table of 256; the first 16 are the style sheet's.
function indexed(n) {
  if (n < 16) return `var(--ansi-${n})`;
  if (n >= 232) return `rgb(${Array(3).fill(8 + 10 * (n - 232))})`;
  const level = i => i && 55 + 40 * i;
  return `rgb(${[Math.floor((n - 16) / 36), Math.floor((n - 16) / 6) % 6, (n - 16) % 6].map(level)})`;
}

// Applies the numbers of ESC[...m to a style, {color, background, bold}.
function restyled(style, numbers) {
  let next = { ...style };
  for (let i = 0; i < numbers.length; i++) {
    const n = numbers[i], base = n % 10, bright = n >= 90 ? 8 : 0;
    const side = n >= 40 && n < 50 || n >= 100 ? "background" : "color";
    if (n === 0) next = {};
    else if (n === 1 || n === 22) next.bold = n === 1;
    else if (n < 30 || n > 107) continue;
    else if (base === 9) delete next[side];
    else if (base < 8) next[side] = indexed(base + bright);
    else if (numbers[i + 1] === 5) next[side] = indexed(numbers[i += 2]);
    else next[side] = `rgb(${numbers.slice(i + 2, (i += 4) + 1)})`;
  }
  return Object.values(next).some(Boolean) ? next : null;
}

function piece(text, style) {
  if (!style) return text;
  const span = element("span", {}, text);
  Object.assign(span.style, { color: style.color ?? "", background: style.background ?? "", fontWeight: style.bold ? "600" : "" });
  return span;
}

// Returns the memory that a line takes when it is shown, in characters.
function cost({ text, styles }) {
  let pieces = 0;
  for (let i = 1; styles && i < text.length; i++) if (styles[i] !== styles[i - 1]) pieces++;
  return text.length + 1 + PIECE * pieces;
}

// Returns lines as texts and nodes.
function nodes(lines) {
  return lines.flatMap(({ text, styles }, index) => {
    const out = index > 0 ? ["\n"] : [];
    for (let i = 0, j; i < text.length; i = j) {
      for (j = styles ? i + 1 : text.length; j < text.length && styles[j] === styles[i];) j++;
      out.push(piece(text.slice(i, j), styles?.[i]));
    }
    return out;
  });
}

export class Terminal {
  // Shows text in `pre`.
  constructor(pre) {
    this.open = pre.appendChild(element("span")); // shows the lines that may change
    this.lines = [{ text: "", styles: null }];
    this.row = this.column = 0;
    this.style = null;
  }

  write(text) {
    for (const [token, numbers, command] of text.matchAll(SEQUENCE)) {
      if (command) this.command(command, numbers.split(";").map(Number));
      else if (token === "\n") this.down();
      else if (token === "\r") this.column = 0;
      else if (token === "\b") this.column = Math.max(0, this.column - 1);
      else if (token[0] !== "\x1b") this.put(token);
    }
  }

  put(all) {
    for (let at = 0; at < all.length; at += LONGEST) this.putPart(all.slice(at, at + LONGEST));
  }

  putPart(text) {
    const line = this.lines[this.row], end = this.column + text.length;
    if (this.style || line.styles) {
      line.styles ??= [];
      for (let i = this.column; i < end; i++) line.styles[i] = this.style;
    }
    line.text = line.text.slice(0, this.column).padEnd(this.column) + text + line.text.slice(end);
    this.column = end;
    if (end > LONGEST) this.down();
  }

  down() {
    this.column = 0;
    if (++this.row === this.lines.length) this.lines.push({ text: "", styles: null });
  }

  command(letter, numbers) {
    const line = this.lines[this.row], n = numbers[0] || 1;
    if (letter === "m") this.style = restyled(this.style, numbers);
    else if (letter === "A") this.row = Math.max(0, this.row - n);
    else if (letter === "C") this.column = Math.min(LONGEST, this.column + n);
    else if (letter === "D") this.column = Math.max(0, this.column - n);
    else if (letter === "K") line.text = numbers[0] === 2 ? "" : line.text.slice(0, this.column);
    else if (letter === "J") {
      line.text = line.text.slice(0, this.column);
      this.lines.length = this.row + 1;
    }
  }

  // Returns the number of lines that can no longer change. Only if there are many, so that blocks of them are large.
  closed() {
    let first = this.row, text = 0;
    while (first > 0 && this.row - first < OPEN_LINES && text < OPEN_TEXT) text += cost(this.lines[--first]);
    const more = this.lines.slice(0, first).reduce((sum, line) => sum + cost(line), 0);
    return first >= OPEN_LINES || more > OPEN_TEXT ? first : 0;
  }

  // Shows what was written since the last call. Returns the memory of what can no longer change, in characters. That is in blocks
  // of few lines, which the browser lays out when they are seen.
  show() {
    const done = this.lines.splice(0, this.closed()), costs = done.map(cost);
    this.row -= done.length;
    for (let i = 0, j; i < done.length; i = j) {
      let size = costs[i];
      for (j = i + 1; j < done.length && j - i < OPEN_LINES && size < OPEN_TEXT; j++) size += costs[j];
      const block = element("span", { className: "past" }, ...nodes(done.slice(i, j)), "\n");
      block.cost = size;
      this.open.before(block);
    }
    this.open.replaceChildren(...nodes(this.lines));
    return costs.reduce((sum, size) => sum + size, 0);
  }
}
