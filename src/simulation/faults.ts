import type { Random } from "../core/runtime/runtime.js";
import type { Ms } from "../core/units.js";

/** The faults of the network, the exchange or the machine that can hit a bot. */
export const FAULT_KINDS = [
  "request-lost",
  "answer-lost",
  "request-delayed",
  "request-duplicated",
  "answer-delayed",
  "storm-429",
  "storm-418",
  "storm-5xx",
  "connection-lost",
  "stream-dropped",
  "stream-stalled",
  "frame-lost",
  "frames-swapped",
  "frame-repeated",
  "snapshot-late",
  "clock-step",
  "settlement-failed",
  "bot-killed",
  "exchange-stopped",
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

/**
 * A stretch of time in which a kind of fault strikes with a probability for each request or frame.
 */
export interface FaultWindow {
  readonly kind: FaultKind;
  readonly fromMs: Ms;
  readonly untilMs: Ms;
  readonly probability: number;
  /** Of a `clock-step`: the signed change of the machine's clock; drawn if absent. */
  readonly stepMs?: Ms;
}

/** Kinds that strike single requests or frames, and are drawn for each of them. */
const STRIKING: readonly FaultKind[] = FAULT_KINDS.filter(
  (kind) =>
    kind !== "clock-step" &&
    kind !== "settlement-failed" &&
    kind !== "bot-killed" &&
    kind !== "exchange-stopped",
);

/** Draws all faults of a run before it begins, so that the seed alone determines the run. */
export function drawFaults(random: Random, startMs: Ms, endMs: Ms): readonly FaultWindow[] {
  const windows: FaultWindow[] = [];
  const span = endMs - startMs;
  for (const kind of STRIKING) {
    const count = Math.floor(random.uniform() * 4);
    for (let index = 0; index < count; index++) {
      const fromMs = startMs + Math.floor(random.uniform() * span);
      const lengthMs = 500 + Math.floor(random.uniform() ** 2 * 40_000);
      windows.push({
        kind,
        fromMs,
        untilMs: Math.min(endMs, fromMs + lengthMs),
        probability: 0.05 + random.uniform() * 0.6,
      });
    }
  }
  for (const [kind, most, longestMs] of [
    ["clock-step", 3, 1],
    ["bot-killed", 3, 25_000],
    ["exchange-stopped", 2, 45_000],
  ] as const) {
    const count = Math.floor(random.uniform() * (most + 1));
    for (let index = 0; index < count; index++) {
      const fromMs = startMs + Math.floor(random.uniform() * span);
      windows.push({
        kind,
        fromMs,
        untilMs: Math.min(endMs, fromMs + 200 + Math.floor(random.uniform() * longestMs)),
        probability: 1,
      });
    }
  }
  return windows.sort((a, b) => a.fromMs - b.fromMs);
}

/**
 * A fault that struck one request or frame, or that is to strike one: in a script it strikes the
 * first of its subject at its time or later, once.
 */
export interface FaultStrike {
  readonly kind: FaultKind;
  /** The request by method and path, or the stream of the frame. */
  readonly subject: string;
  /** Place of the request or frame among those of its subject, from 1; a script does not use it. */
  readonly nth: number;
  readonly atMs: Ms;
  /** How late what it struck arrives; absent of a kind that delays nothing. */
  readonly lateMs?: Ms;
  /** Which of two ways it goes, if its kind has two: a lost connection may lose the answer only. */
  readonly coin?: boolean;
}

/** The faults of a run without randomness. */
export interface FaultScript {
  /** Of machines and exchanges. */
  readonly windows: readonly FaultWindow[];
  /** Of single requests and frames. */
  readonly strikes: readonly FaultStrike[];
}

/** A fault that strikes now: how late, and which of two ways it goes. */
export class StrikingFault {
  readonly #given: Pick<FaultStrike, "lateMs" | "coin">;
  readonly #draw: () => number;
  #lateMs: Ms | undefined;
  #coin: boolean | undefined;

  /** @param draw the next draw in [0, 1), for what is not given */
  constructor(given: Pick<FaultStrike, "lateMs" | "coin">, draw: () => number) {
    this.#given = given;
    this.#draw = draw;
  }

  /** How late what it strikes arrives, between two bounds. */
  delayMs(least: Ms, most: Ms): Ms {
    this.#lateMs = this.#given.lateMs ?? least + Math.floor(this.#draw() * (most - least));
    return this.#lateMs;
  }

  /** One of two ways. */
  half(): boolean {
    this.#coin = this.#given.coin ?? this.#draw() < 0.5;
    return this.#coin;
  }

  /** The decisions so far. */
  get decided(): Pick<FaultStrike, "lateMs" | "coin"> {
    return {
      ...(this.#lateMs === undefined ? {} : { lateMs: this.#lateMs }),
      ...(this.#coin === undefined ? {} : { coin: this.#coin }),
    };
  }
}

/**
 * Decides for each request or frame if a fault strikes it, and records those that did. With a
 * script, exactly its strikes happen, and every other message takes the same time.
 */
export class FaultSource {
  readonly struck = new Map<FaultKind, number>();
  readonly #windows: readonly FaultWindow[];
  readonly #random: Random;
  readonly #onStrike: (nowMs: Ms) => void;
  /** Those of the script that have not struck yet. */
  readonly #script: FaultStrike[] | undefined;
  /** Kinds that strike each time, and until when. */
  readonly #certainUntilMs = new Map<FaultKind, Ms>();
  readonly #passed = new Map<string, number>();
  readonly #strikes: { readonly strike: FaultStrike; readonly fault: StrikingFault }[] = [];
  readonly #clockSteps = new Map<FaultWindow, Ms>();

  /** @param script the strikes in place of those that windows and randomness would give */
  constructor(
    windows: readonly FaultWindow[],
    random: Random,
    onStrike: (nowMs: Ms) => void = () => {},
    script?: readonly FaultStrike[],
  ) {
    this.#windows = windows;
    this.#random = random;
    this.#onStrike = onStrike;
    this.#script = script === undefined ? undefined : [...script];
  }

  /** Makes a kind strike every time until an instant; without effect on a script. */
  strikeUntil(kind: FaultKind, untilMs: Ms): void {
    this.#certainUntilMs.set(kind, Math.max(untilMs, this.#certainUntilMs.get(kind) ?? 0));
  }

  /** A request or frame passes: returns its place among those of its subject, from 1. */
  pass(subject: string): number {
    const nth = (this.#passed.get(subject) ?? 0) + 1;
    this.#passed.set(subject, nth);
    return nth;
  }

  /** The fault that strikes a request or frame now; undefined if none of the kind does. */
  strike(kind: FaultKind, nowMs: Ms, subject: string, nth: number): StrikingFault | undefined {
    const fault =
      this.#script === undefined
        ? this.#drawn(kind, nowMs)
        : this.#scripted(this.#script, kind, nowMs, subject);
    if (fault === undefined) return undefined;
    this.count(kind);
    this.#strikes.push({ strike: { kind, subject, nth, atMs: nowMs }, fault });
    this.#onStrike(nowMs);
    return fault;
  }

  /** The signed change of the machine's clock in a window: its own, or a drawn one. */
  clockStepMs(window: FaultWindow): Ms {
    const { kind, stepMs } = window;
    this.count(kind);
    const changeMs = stepMs ?? (this.#half() ? 1 : -1) * this.delayMs(100, 8_000);
    this.#clockSteps.set(window, changeMs);
    return changeMs;
  }

  /** The same faults without randomness, as far as they have struck. */
  script(): FaultScript {
    return {
      windows: this.#windows
        .filter(({ kind }) => !STRIKING.includes(kind))
        .map((window) => {
          const stepMs = this.#clockSteps.get(window);
          return stepMs === undefined ? window : { ...window, stepMs };
        }),
      strikes: this.#strikes.map(({ strike, fault }) => ({ ...strike, ...fault.decided })),
    };
  }

  count(kind: FaultKind): void {
    this.struck.set(kind, (this.struck.get(kind) ?? 0) + 1);
  }

  /** The time of a message that no fault delays. */
  delayMs(least: Ms, most: Ms): Ms {
    const draw = this.#script === undefined ? this.#random.uniform() : 0.5;
    return least + Math.floor(draw * (most - least));
  }

  #drawn(kind: FaultKind, nowMs: Ms): StrikingFault | undefined {
    const strikes =
      nowMs < (this.#certainUntilMs.get(kind) ?? 0) ||
      this.#windows.some(
        (window) =>
          window.kind === kind &&
          nowMs >= window.fromMs &&
          nowMs < window.untilMs &&
          this.#random.uniform() < window.probability,
      );
    return strikes ? new StrikingFault({}, () => this.#random.uniform()) : undefined;
  }

  #scripted(
    script: FaultStrike[],
    kind: FaultKind,
    nowMs: Ms,
    subject: string,
  ): StrikingFault | undefined {
    const at = script.findIndex(
      (one) => one.kind === kind && one.atMs <= nowMs && one.subject === subject,
    );
    const [strike] = at < 0 ? [] : script.splice(at, 1);
    return strike && new StrikingFault(strike, () => 0.5);
  }

  #half(): boolean {
    return this.#random.uniform() < 0.5;
  }
}
