import { createConnection, type Socket } from "node:net";
import { z } from "zod";
import { type ControlRequest, LineReader } from "../bot/control/control-protocol.js";
import type { RunningBotEntry } from "../bot/state/running-bots.js";
import { maskSecrets } from "../core/crypto/secrets.js";
import type { Clock, Timer } from "../core/runtime/runtime.js";
import type { Ms } from "../core/units.js";

/** Interval of a bot's frames. */
const FRAME_MS: Ms = 500;
/** Pause before the next connection to a bot that closed the last one. */
const RECONNECT_MS: Ms = 1_000;
/** Pause before a bot is asked again that sends no frames: others may watch it, or it starts. */
const ASK_AGAIN_MS: Ms = 3_000;
/** Longest frame: that of a bot of hundreds of markets. */
const MOST_FRAME_BYTES = 8_000_000;
const FRAME_PREFIX = '{"ok":true,"data":';

const lineSchema = z.discriminatedUnion("ok", [
  z.object({
    ok: z.literal(true),
    data: z.object({ control: z.boolean(), status: z.object({ phase: z.string() }) }),
  }),
  z.object({ ok: z.literal(false), error: z.object({ message: z.string() }) }),
]);

/** The newest frame of a bot. */
export interface ReceivedFrame {
  /** The frame as JSON. */
  readonly text: string;
  /** On the monotonic clock. */
  readonly atMs: Ms;
}

/** State of a bot, as far as its connection tells. */
export interface FeedState {
  readonly phase: string;
  readonly control: boolean;
  /** Why there is no frame; absent while frames come. */
  readonly trouble?: string;
}

/** The one connection to a bot that receives its frames for all pages. */
export class BotFeed {
  readonly id: string;
  readonly entry: RunningBotEntry;
  readonly #clock: Clock;
  readonly #onChange: (feed: BotFeed) => void;
  readonly #onFrame: (feed: BotFeed) => void;
  #socket: Socket | undefined;
  #timer: Timer | undefined;
  #askAgain: Timer | undefined;
  #isOver = false;
  #latest: ReceivedFrame | undefined;
  #state: FeedState = { phase: "unknown", control: false, trouble: "it has not answered yet" };

  /**
   * @param onChange called when the state has changed
   * @param onFrame called with each frame
   */
  constructor(
    id: string,
    entry: RunningBotEntry,
    clock: Clock,
    onChange: (feed: BotFeed) => void,
    onFrame: (feed: BotFeed) => void,
  ) {
    this.id = id;
    this.entry = entry;
    this.#clock = clock;
    this.#onChange = onChange;
    this.#onFrame = onFrame;
    this.#connect();
  }

  get state(): FeedState {
    return this.#state;
  }

  get latest(): ReceivedFrame | undefined {
    return this.#latest;
  }

  /** True while the bot's process holds the connection, even if it does not answer. */
  get isConnected(): boolean {
    return this.#socket?.readyState === "open";
  }

  stop(): void {
    this.#isOver = true;
    this.#timer?.cancel();
    this.#askAgain?.cancel();
    this.#socket?.destroy();
  }

  #connect(): void {
    const socket = createConnection(this.entry.socketPath);
    const reader = new LineReader(MOST_FRAME_BYTES);
    this.#socket = socket;
    socket.setEncoding("utf8");
    socket.once("connect", () => this.#ask());
    socket.on("error", () => socket.destroy());
    socket.on("data", (chunk: string) => {
      const lines = reader.push(chunk);
      if (lines === undefined) return void socket.destroy();
      // An earlier frame is out of date once a later one is there.
      const newest = lines.at(-1);
      if (newest !== undefined) this.#take(newest);
    });
    socket.once("close", () => {
      if (this.#isOver) return;
      this.#change({ ...this.#state, trouble: "the bot has closed the connection" });
      this.#timer = this.#clock.setTimer(RECONNECT_MS, () => this.#connect());
    });
  }

  #ask(): void {
    const watch: ControlRequest = { command: "watch", everyMs: FRAME_MS };
    if (this.#socket?.writable === true) this.#socket.write(`${JSON.stringify(watch)}\n`);
  }

  #take(line: string): void {
    const read = parseLine(line);
    if (read === undefined)
      return this.#change({ ...this.#state, trouble: "its version is another one: no frame" });
    if (!read.ok) {
      this.#askAgain ??= this.#clock.setTimer(ASK_AGAIN_MS, () => {
        this.#askAgain = undefined;
        this.#ask();
      });
      const { message } = read.error;
      const phase = /^the bot is (starting|ending)/.exec(message)?.[1] ?? this.#state.phase;
      return this.#change({ ...this.#state, phase, trouble: maskSecrets(message) });
    }
    this.#askAgain?.cancel();
    this.#askAgain = undefined;
    const { control, status } = read.data;
    const text = line.startsWith(FRAME_PREFIX)
      ? line.slice(FRAME_PREFIX.length, -1)
      : JSON.stringify(JSON.parse(line).data);
    this.#latest = { text: maskSecrets(text), atMs: this.#clock.monotonicMs() };
    this.#change({ phase: status.phase, control });
    this.#onFrame(this);
  }

  #change(state: FeedState): void {
    const { phase, control, trouble } = this.#state;
    if (state.phase === phase && state.control === control && state.trouble === trouble) return;
    this.#state = state;
    this.#onChange(this);
  }
}

function parseLine(line: string): z.output<typeof lineSchema> | undefined {
  try {
    return lineSchema.parse(JSON.parse(line));
  } catch {
    // The state of the feed says so.
    return undefined;
  }
}
