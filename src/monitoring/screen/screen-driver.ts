import type { Clock, Timer } from "../../core/runtime/runtime.js";
import type { MarketId, Ms } from "../../core/units.js";
import { isColorWanted } from "../color-wanted.js";
import { renderScreen } from "./screen.js";
import { type ScreenActions, ScreenControls } from "./screen-controls.js";
import type { ScreenModel } from "./screen-model.js";
import { type FrameStream, TerminalFrames } from "./terminal-frames.js";

/** A terminal, such as `process.stdout`. */
interface Terminal extends FrameStream {
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  on(event: "resize", listener: () => void): unknown;
  off(event: "resize", listener: () => void): unknown;
}

/** The keyboard of a terminal, such as `process.stdin`. */
export interface KeyInput {
  setRawMode(on: boolean): unknown;
  setEncoding(encoding: "utf8"): unknown;
  resume(): unknown;
  pause(): unknown;
  on(event: "data", listener: (text: string) => void): unknown;
  on(event: "error", listener: () => void): unknown;
  off(event: "data", listener: (text: string) => void): unknown;
}

/** Keys of a screen: where they come from, and what they do. */
export interface ScreenKeys {
  readonly input: KeyInput;
  /**
   * True if this process may change and read the terminal. A process in the background that does
   * is stopped by the system, with its orders in the market.
   */
  readonly isForeground: () => boolean;
  /** True while the bot stops: it takes no commands then. */
  readonly isStopping: () => boolean;
  /** True once Ctrl-C or a signal has stopped the bot. */
  readonly isInterrupted: () => boolean;
  readonly markets: readonly MarketId[];
  readonly actions: ScreenActions;
}

/** Content, terminal and refresh rate of a live screen. */
interface LiveScreenOptions {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly model: () => ScreenModel;
  readonly everyMs?: Ms;
  readonly color: boolean;
  /** No keys are read without it. */
  readonly keys?: ScreenKeys | undefined;
}

/** A running live screen. */
export interface LiveScreen {
  /** Restores the terminal. A second call does nothing. */
  stop(): void;
  /** Restores the terminal for a while: the process is being suspended, or its event loop hangs. */
  suspend(): void;
  /** Draws and reads keys again after {@link suspend}. */
  resume(): void;
}

const CLEAR = "\x1b[2J";
const ENTER = `\x1b[?1049h\x1b[?25l${CLEAR}`;
const LEAVE = "\x1b[?25h\x1b[?1049l";

/**
 * Draws the screen on the terminal's alternate page until it is stopped, again on each resize and
 * each key. A stalled terminal skips frames.
 */
export function startScreen({
  terminal,
  clock,
  model,
  everyMs = 250,
  color,
  keys,
}: LiveScreenOptions): LiveScreen {
  const frames = new TerminalFrames(terminal);
  let timer: Timer | undefined;
  let running = true;
  let drawn = false;
  let isRaw = false;
  /** Control sequence to send before the next screen, or with it. */
  let owed = ENTER;
  const controls =
    keys === undefined
      ? undefined
      : new ScreenControls({
          clock,
          actions: keys.actions,
          markets: keys.markets,
          isStopping: keys.isStopping,
          isInterrupted: keys.isInterrupted,
          onChange: () => redraw(),
        });
  const redraw = (): void => {
    if (!drawn) return;
    const options = { color, ...(isRaw && controls !== undefined ? { view: controls.view } : {}) };
    const shown = model();
    const text = renderScreen(shown, terminal.columns ?? 80, terminal.rows ?? 24, options);
    const frame = `${owed}\x1b[H${text.replaceAll("\n", "\r\n")}`;
    if (frames.show(frame, shown.cockpitLink)) owed = "";
  };
  const resized = (): void => {
    if (owed === "") owed = CLEAR;
    redraw();
  };
  const pressed = (text: string): void => controls?.press(text);
  const readKeys = (): void => {
    if (keys === undefined || isRaw || !keys.isForeground()) return;
    keys.input.setRawMode(true);
    keys.input.on("data", pressed);
    keys.input.resume();
    isRaw = true;
  };
  const leaveKeys = (): void => {
    if (keys === undefined || !isRaw) return;
    isRaw = false;
    keys.input.off("data", pressed);
    keys.input.pause();
    if (keys.isForeground()) keys.input.setRawMode(false);
  };
  const tick = (): void => {
    if (!running) return;
    redraw();
    timer = clock.setTimer(everyMs, tick);
  };
  const suspend = (): void => {
    if (!drawn) return;
    drawn = false;
    leaveKeys();
    frames.flush(LEAVE);
  };
  const resume = (): void => {
    if (!running || drawn) return;
    drawn = true;
    owed = ENTER;
    readKeys();
    redraw();
  };
  const stop = (): void => {
    if (!running) return;
    suspend();
    running = false;
    timer?.cancel();
    terminal.off("resize", resized);
    process.off("exit", stop);
    frames.close();
  };
  // A terminal that is gone reports an error, which must not end the bot before its orders.
  keys?.input.on("error", () => {});
  keys?.input.setEncoding("utf8");
  terminal.on("resize", resized);
  // First, so that what others write at the end is not lost with the alternate page.
  process.prependListener("exit", stop);
  drawn = true;
  readKeys();
  tick();
  return { stop, suspend, resume };
}

/**
 * Detects if a stream is a terminal that suits a live screen, and if it supports colours
 * (https://no-color.org).
 */
export function detectScreenSupport(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): { readonly screen: boolean; readonly color: boolean } {
  const screen = stream.isTTY === true && env.TERM !== "dumb" && env.CI === undefined;
  return { screen, color: screen && isColorWanted(env) };
}
