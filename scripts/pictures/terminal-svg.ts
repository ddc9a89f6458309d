const CELL_WIDTH = 8.4;
const LINE_HEIGHT = 18;
const FONT_SIZE = 14;
const MARGIN = 16;

/** The class of each SGR parameter of a screen; 0, 39 and 49 reset styles. */
const COLOURS: Readonly<Record<string, string>> = {
  31: "red",
  32: "green",
  33: "yellow",
  36: "cyan",
};
const ESCAPE = String.fromCharCode(27);

/** The size and the title of a terminal's picture. */
export interface TerminalPictureOptions {
  readonly columns: number;
  /** For readers who do not see the picture. */
  readonly title: string;
}

/** A run of characters of one style. */
interface Span {
  readonly text: string;
  readonly column: number;
  readonly classes: readonly string[];
}

/**
 * An SVG of what a terminal shows. The colours follow the reader's light or dark scheme. Every run
 * of characters is fixed to the terminal's columns, so that no monospaced font shifts anything.
 *
 * @param capture lines with their escape sequences, as `tmux capture-pane -e` prints them
 */
export function drawTerminal(capture: string, { columns, title }: TerminalPictureOptions): string {
  const lines = capture.replace(/\n+$/, "").split("\n");
  const style = new CaptureStyle();
  const width = Math.ceil(columns * CELL_WIDTH + 2 * MARGIN);
  const height = lines.length * LINE_HEIGHT + 2 * MARGIN;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(title)}</title>
<style>
  rect { fill: #ffffff; stroke: #d0d7de; }
  .back { fill: #1f2328; stroke: none; }
  text { font: ${FONT_SIZE}px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1f2328; white-space: pre; }
  .dim { fill: #59636e; } .bold { font-weight: 600; } .inverse { fill: #ffffff; }
  .red { fill: #cf222e; } .green { fill: #116329; } .yellow { fill: #7d4e00; } .cyan { fill: #0550ae; }
  @media (prefers-color-scheme: dark) {
    rect { fill: #0d1117; stroke: #3d444d; }
    text { fill: #f0f6fc; }
    .back { fill: #f0f6fc; } .inverse { fill: #0d1117; }
    .dim { fill: #9198a1; }
    .red { fill: #ff7b72; } .green { fill: #56d364; } .yellow { fill: #e3b341; } .cyan { fill: #79c0ff; }
  }
</style>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${lines.flatMap((line, row) => spansOf(line, style).map((span) => drawSpan(span, row))).join("\n")}
</svg>
`;
}

function drawSpan({ text, column, classes }: Span, row: number): string {
  const x = (MARGIN + column * CELL_WIDTH).toFixed(1);
  const y = MARGIN + row * LINE_HEIGHT + FONT_SIZE;
  const length = ([...text].length * CELL_WIDTH).toFixed(1);
  const style = classes.length === 0 ? "" : ` class="${classes.join(" ")}"`;
  const back = classes.includes("inverse")
    ? `<rect class="back" x="${x}" y="${y - FONT_SIZE}" width="${length}" height="${LINE_HEIGHT}"/>`
    : "";
  return `${back}<text x="${x}" y="${y}" textLength="${length}" xml:space="preserve"${style}>${escaped(text)}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/**
 * The pieces of a captured line, each of one style; blanks between pieces are left to the columns.
 */
function spansOf(line: string, style: CaptureStyle): readonly Span[] {
  const spans: Span[] = [];
  let column = 0;
  for (const [index, part] of line.split(`${ESCAPE}[`).entries()) {
    const end = index === 0 ? 0 : part.indexOf("m") + 1;
    if (index > 0) style.apply(part.slice(0, end - 1));
    const run = part.slice(end);
    const text = run.trim();
    if (text !== "")
      spans.push({
        text,
        column: column + [...run].findIndex((character) => character !== " "),
        classes: style.classes,
      });
    column += [...run].length;
  }
  return spans;
}

/** The style of the next character; it continues from line to line of a capture. */
class CaptureStyle {
  #bold = false;
  #dim = false;
  #inverse = false;
  #colour = "";

  get classes(): readonly string[] {
    return [
      ...(this.#bold ? ["bold"] : []),
      ...(this.#dim ? ["dim"] : []),
      ...(this.#inverse ? ["inverse"] : []),
      ...(this.#colour === "" ? [] : [this.#colour]),
    ];
  }

  /** @param parameters those of an SGR sequence, joined by semicolons */
  apply(parameters: string): void {
    for (const parameter of parameters.split(";")) {
      if (parameter === "0" || parameter === "") {
        this.#bold = this.#dim = this.#inverse = false;
        this.#colour = "";
      } else if (parameter === "1") this.#bold = true;
      else if (parameter === "2") this.#dim = true;
      else if (parameter === "7") this.#inverse = true;
      else if (parameter === "22") this.#bold = this.#dim = false;
      else if (parameter === "27") this.#inverse = false;
      else if (parameter === "39") this.#colour = "";
      else this.#colour = COLOURS[parameter] ?? this.#colour;
    }
  }
}
