import { Worker } from "node:worker_threads";
import { describeThrown } from "../core/describe-thrown.js";
import { RunError } from "../core/errors.js";
import type { Clock, Timer } from "../core/runtime/runtime.js";
import type { Ms } from "../core/units.js";
import type { CockpitLink, CockpitMessage, CockpitStart, LinkRequest } from "./cockpit-messages.js";

const THREAD = new URL("./cockpit-thread.js", import.meta.url);
/** Pause before the first restart; each further one is twice as long. */
const FIRST_PAUSE_MS: Ms = 1_000;
const LONGEST_PAUSE_MS: Ms = 60_000;
/** A thread that was open for this long has not failed at its start. */
const HEALTHY_MS: Ms = 60_000;
/** How long a link is waited for. */
const LINK_WITHIN_MS: Ms = 5_000;
/** The thread's memory is its own: it ends there, and not the bot. */
const MEMORY = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 } as const;
/** The only variables that the thread receives: it has no use for a key. */
const VARIABLES = ["XDG_RUNTIME_DIR", "HOME", "TMPDIR"] as const;

/** Log of a {@link CockpitHost}. */
interface HostLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** Options of a {@link CockpitHost}. */
interface CockpitHostOptions {
  readonly port: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log: HostLog;
  /** The thread's script; the cockpit's own if absent. */
  readonly thread?: URL;
  /** Called when it listens for the first time. */
  readonly onFirstOpen: () => void;
  /** Called when a browser has used a link. */
  readonly onSession?: () => void;
}

/** A link that is waited for. */
interface WaitingLink {
  readonly request: number;
  readonly resolve: (link: CockpitLink) => void;
  readonly reject: (error: unknown) => void;
  readonly timer: Timer;
}

/**
 * The cockpit of a bot's process, in a thread of its own that has the bot neither wait nor fail: a
 * thread that ends is logged and started again, after a pause that grows.
 */
export class CockpitHost {
  readonly #options: CockpitHostOptions;
  readonly #waiting = new Set<WaitingLink>();
  #worker: Worker | undefined;
  #timer: Timer | undefined;
  /** The port that it listens on; undefined while it does not. */
  #port: number | undefined;
  /** The port of an earlier thread: open pages find the next one there. */
  #lastPort: number | undefined;
  #openedAtMs: Ms | undefined;
  #pauseMs: Ms = FIRST_PAUSE_MS;
  #failure: string | undefined;
  #requests = 0;
  #hasOpened = false;
  #isOver = false;

  constructor(options: CockpitHostOptions) {
    this.#options = options;
    this.#start();
  }

  /** A fresh link. @throws RunError while the cockpit is not open. */
  link(): Promise<CockpitLink> {
    return new Promise((resolve, reject) => {
      const request = ++this.#requests;
      const timer = this.#options.clock.setTimer(LINK_WITHIN_MS, () => {
        this.#waiting.delete(waiting);
        reject(this.#notOpen());
      });
      const waiting: WaitingLink = { request, resolve, reject, timer };
      this.#waiting.add(waiting);
      this.#ask(waiting);
    });
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    this.#timer?.cancel();
    for (const { timer, reject } of this.#waiting) {
      timer.cancel();
      reject(this.#notOpen());
    }
    this.#waiting.clear();
    await this.#worker?.terminate();
  }

  #start(): void {
    const { port, env, thread = THREAD } = this.#options;
    const workerData: CockpitStart = { port: this.#lastPort ?? port };
    const worker = new Worker(thread, {
      workerData,
      env: Object.fromEntries(
        VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
      ),
      resourceLimits: MEMORY,
    });
    worker.unref();
    this.#worker = worker;
    worker.on("message", (message: CockpitMessage) => this.#onMessage(message));
    worker.on("error", (error) => {
      this.#failure = describeThrown(error);
    });
    worker.once("exit", () => this.#onExit());
  }

  #onMessage(message: CockpitMessage): void {
    const { clock, log, onFirstOpen, onSession } = this.#options;
    switch (message.kind) {
      case "open":
        this.#port = message.port;
        this.#lastPort = message.port;
        this.#openedAtMs = clock.monotonicMs();
        this.#failure = undefined;
        log.info({ port: message.port }, "the cockpit is open");
        for (const waiting of this.#waiting) this.#ask(waiting);
        if (!this.#hasOpened) onFirstOpen();
        this.#hasOpened = true;
        return;
      case "failed":
        this.#failure = message.message;
        return void this.#worker?.terminate();
      case "link":
        for (const waiting of this.#waiting) {
          if (waiting.request !== message.request || this.#port === undefined) continue;
          this.#waiting.delete(waiting);
          waiting.timer.cancel();
          waiting.resolve({ port: this.#port, token: message.token });
        }
        return;
      case "session":
        return onSession?.();
      case "log":
        return log[message.level]({}, `cockpit: ${message.message}`);
    }
  }

  #onExit(): void {
    const { clock, log } = this.#options;
    const wasHealthy =
      this.#openedAtMs !== undefined && clock.monotonicMs() - this.#openedAtMs > HEALTHY_MS;
    this.#worker = undefined;
    this.#port = undefined;
    this.#openedAtMs = undefined;
    if (this.#isOver) return;
    if (wasHealthy) this.#pauseMs = FIRST_PAUSE_MS;
    const pauseMs = this.#pauseMs;
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs);
    this.#failure ??= "its thread has ended";
    log.error(
      { error: this.#failure, againInMs: pauseMs },
      "the cockpit is not open: the bot trades without it, and it is started again",
    );
    this.#timer = clock.setTimer(pauseMs, () => this.#start());
  }

  #ask({ request }: WaitingLink): void {
    // Otherwise it is asked when it is open.
    if (this.#port !== undefined)
      this.#worker?.postMessage({ kind: "link", request } satisfies LinkRequest);
  }

  #notOpen(): RunError {
    return new RunError(`the cockpit is not open: ${this.#failure ?? "it is starting"}`, {
      field: "cockpit",
      expected: "a cockpit that listens: the bot's log says when it does",
    });
  }
}
