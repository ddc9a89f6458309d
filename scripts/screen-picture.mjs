// Makes docs/screen.svg: runs `marketwright start` in a terminal of tmux, waits, and draws the
// terminal's contents. The colours follow the reader's light or dark scheme. Every run of
// characters is fixed to the terminal's columns, so that no monospaced font shifts anything.
//
// node scripts/screen-picture.mjs [SECONDS] [COLUMNSxROWS] [FILE] [ARGUMENT...]
// needs tmux, and the ports of config/bot.yaml and config/exchange.yaml. Arguments replace `start`.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const [, , secondsText = "40", size = "120x40", file, ...args] = process.argv;
const [COLUMNS, ROWS] = size.split("x").map(Number);
const CELL_WIDTH = 8.4;
const LINE_HEIGHT = 18;
const FONT_SIZE = 14;
const MARGIN = 16;

/** The class of each SGR parameter of the screen; 0, 39 and 49 reset styles. */
const COLOURS = { 31: "red", 32: "green", 33: "yellow", 36: "cyan" };
const ESCAPE = String.fromCharCode(27);

/** Styles continue from line to line of a capture. */
const style = { bold: false, dim: false, inverse: false, colour: "" };

const seconds = Number(secondsText);
if (!(seconds > 0) || !(COLUMNS > 0) || !(ROWS > 0)) {
  process.stderr.write(
    `screen-picture: expected seconds and a size such as 120x40, got ${secondsText} and ${size}\n`,
  );
  process.exitCode = 2;
} else {
  const capture = await captured(seconds * 1000);
  writeFileSync(file ?? new URL("../docs/screen.svg", import.meta.url), svgOf(capture));
}

async function captured(delayMs) {
  const session = `marketwright-picture-${process.pid}`;
  const size = ["-x", String(COLUMNS), "-y", String(ROWS)];
  // With CI set no screen would be shown.
  const command = `env -u CI -u NO_COLOR '${process.execPath}' bin/marketwright.js ${args.length === 0 ? "start" : args.join(" ")}`;
  tmux("new-session", "-d", "-s", session, "-c", ROOT, ...size, command);
  try {
    await sleep(delayMs);
    const text = tmux("capture-pane", "-e", "-p", "-t", session);
    tmux("send-keys", "-t", session, "C-c");
    return text;
  } finally {
    // The bot cancels its orders, exits and ends the session.
    await sleep(5000);
    spawnSync("tmux", ["-L", "marketwright", "kill-session", "-t", session]);
  }
}

function tmux(...args) {
  const { status, stdout, stderr, error } = spawnSync("tmux", ["-L", "marketwright", ...args], {
    encoding: "utf8",
  });
  if (status === 0) return stdout;
  throw new Error(`tmux ${args[0]} failed: ${error?.message ?? stderr.trim()}`);
}

function svgOf(text) {
  // The path of the project is private; its replacement is never longer.
  const lines = text
    .replace(/\n+$/, "")
    .replaceAll(ROOT, "./")
    .replaceAll(/#token=[\w-]+/g, "#token=...")
    .split("\n");
  const width = Math.ceil(COLUMNS * CELL_WIDTH + 2 * MARGIN);
  const height = lines.length * LINE_HEIGHT + 2 * MARGIN;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>The live screen of a bot that makes two markets</title>
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
${lines.flatMap((line, row) => spansOf(line).map((span) => textOf(span, row))).join("\n")}
</svg>
`;
}

function textOf({ text, column, classes }, row) {
  const x = (MARGIN + column * CELL_WIDTH).toFixed(1);
  const y = MARGIN + row * LINE_HEIGHT + FONT_SIZE;
  const length = ([...text].length * CELL_WIDTH).toFixed(1);
  const style = classes.length === 0 ? "" : ` class="${classes.join(" ")}"`;
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const back = classes.includes("inverse")
    ? `<rect class="back" x="${x}" y="${y - FONT_SIZE}" width="${length}" height="${LINE_HEIGHT}"/>`
    : "";
  return `${back}<text x="${x}" y="${y}" textLength="${length}" xml:space="preserve"${style}>${escaped}</text>`;
}

/**
 * The pieces of a captured line, each of one style; blanks between pieces are left to the columns.
 */
function spansOf(line) {
  const spans = [];
  let column = 0;
  for (const [index, part] of line.split(`${ESCAPE}[`).entries()) {
    const end = index === 0 ? 0 : part.indexOf("m") + 1;
    if (index > 0) restyle(part.slice(0, end - 1));
    const run = part.slice(end);
    const text = run.trim();
    const classes = [
      ...(style.bold ? ["bold"] : []),
      ...(style.dim ? ["dim"] : []),
      ...(style.inverse ? ["inverse"] : []),
      ...(style.colour === "" ? [] : [style.colour]),
    ];
    if (text !== "")
      spans.push({
        text,
        column: column + [...run].findIndex((character) => character !== " "),
        classes,
      });
    column += [...run].length;
  }
  return spans;
}

function restyle(parameters) {
  for (const parameter of parameters.split(";")) {
    if (parameter === "0" || parameter === "")
      Object.assign(style, { bold: false, dim: false, inverse: false, colour: "" });
    else if (parameter === "1") style.bold = true;
    else if (parameter === "2") style.dim = true;
    else if (parameter === "7") style.inverse = true;
    else if (parameter === "22") Object.assign(style, { bold: false, dim: false });
    else if (parameter === "39") style.colour = "";
    else style.colour = COLOURS[parameter] ?? style.colour;
  }
}
