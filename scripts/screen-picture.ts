import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { drawTerminal } from "./pictures/terminal-svg.js";
import { TmuxTerminal } from "./pictures/tmux-terminal.js";

/**
 * `npm run screen-picture`: runs `marketwright start` in a terminal of tmux, waits, and draws what
 * the terminal shows into docs/screen.svg.
 *
 * `npm run screen-picture -- [SECONDS] [COLUMNSxROWS] [FILE] [ARGUMENT...]`
 * needs tmux, and the ports of config/bot.yaml and config/exchange.yaml. Arguments replace `start`.
 */
const ROOT = fileURLToPath(new URL("..", import.meta.url));
const [, , secondsText = "40", size = "120x40", file, ...args] = process.argv;
const [columns = 0, rows = 0] = size.split("x").map(Number);
const seconds = Number(secondsText);

if (!(seconds > 0) || !(columns > 0) || !(rows > 0)) {
  process.stderr.write(
    `screen-picture: expected seconds and a size such as 120x40, got ${secondsText} and ${size}\n`,
  );
  process.exitCode = 2;
} else {
  // The path of the project is private; its replacement is never longer.
  const shown = (await captured())
    .replaceAll(ROOT, "./")
    .replaceAll(/#token=[\w-]+/g, "#token=...");
  const title = "The live screen of a bot that makes two markets";
  writeFileSync(file ?? `${ROOT}docs/screen.svg`, drawTerminal(shown, { columns, title }));
}

async function captured(): Promise<string> {
  const words = args.length === 0 ? "start" : args.join(" ");
  const command = `exec '${process.execPath}' bin/marketwright.js ${words}`;
  const terminal = new TmuxTerminal({ command, folder: ROOT, columns, rows });
  try {
    await sleep(seconds * 1000);
    const text = terminal.capture();
    terminal.type("C-c");
    // The bot cancels its orders and exits.
    await terminal.ended();
    return text;
  } finally {
    terminal.close();
  }
}
