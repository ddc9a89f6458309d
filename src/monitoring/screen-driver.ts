import type { Clock, Timer } from "../core/runtime/runtime.js";
import type { Ms } from "../core/units.js";
import { isColorWanted } from "./color-wanted.js";
import { renderScreen } from "./screen.js";
import type { ScreenModel } from "./screen-model.js";
import { type FrameStream, TerminalFrames } from "./terminal-frames.js";

/** A terminal, such as `process.stdout`. */
interface Terminal extends FrameStream {
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  on(event: "resize", listener: () => void): unknown;
  off(event: "resize", listener: () => void): unknown;
}

/** Content, terminal and refresh rate of a live screen. */
interface LiveScreenOptions {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly model: () => ScreenModel;
  readonly everyMs?: Ms;
  readonly color: boolean;
}

/** A running live screen. */
export interface LiveScreen {
  /** Restores the terminal. A second call does nothing. */
  stop(): void;
}

const CLEAR = "\x1b[2J";
const ENTER = `\x1b[?1049h\x1b[?25l${CLEAR}`;
const LEAVE = "\x1b[?25h\x1b[?1049l";

/**
 * Draws the screen on the terminal's alternate page until it is stopped, and again on each resize.
 * A stalled terminal skips frames.
 */
export function startScreen({
  terminal,
  clock,
  model,
  everyMs = 250,
  color,
}: LiveScreenOptions): LiveScreen {
  const frames = new TerminalFrames(terminal);
  let timer: Timer | undefined;
  let running = true;
  /** Control sequence to send before the next screen, or with it. */
  let owed = ENTER;
  const redraw = (): void => {
    const text = renderScreen(model(), terminal.columns ?? 80, terminal.rows ?? 24, { color });
    if (frames.show(`${owed}\x1b[H${text.replaceAll("\n", "\r\n")}`)) owed = "";
  };
  const resized = (): void => {
    if (owed === "") owed = CLEAR;
    redraw();
  };
  const tick = (): void => {
    if (!running) return;
    redraw();
    timer = clock.setTimer(everyMs, tick);
  };
  const stop = (): void => {
    if (!running) return;
    running = false;
    timer?.cancel();
    terminal.off("resize", resized);
    process.off("exit", stop);
    frames.end(LEAVE);
  };
  terminal.on("resize", resized);
  process.on("exit", stop);
  tick();
  return { stop };
}

/**
 * Detects if a stream is a terminal that suits a live screen, and if it may show colours.
 */
export function detectScreenSupport(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): { readonly screen: boolean; readonly color: boolean } {
  const screen = stream.isTTY === true && env.TERM !== "dumb" && env.CI === undefined;
  return { screen, color: screen && isColorWanted(env) };
}
