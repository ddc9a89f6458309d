import { z } from "zod";
import type { Random } from "../../../core/runtime/runtime.js";
import { DAY_MS, type Ms } from "../../../core/units.js";

/** The limit of all shocks together: half or twice the price. */
const FARTHEST_LOG = Math.LN2;

/** `shocks: { ... }` of a synthetic flow: jumps of the fundamental price. Every key is optional. */
export const shocksShape = z.strictObject({
  /** The time from the flow's start to the first shock. */
  firstMs: z.int().min(0).max(DAY_MS).default(30_000),
  /** Mean time between shocks; 0: only the first one. */
  everyMs: z
    .int()
    .min(0)
    .max(DAY_MS)
    .refine((everyMs) => everyMs === 0 || everyMs >= 1_000, {
      message: "is too short",
      params: { expected: "at least 1000, or 0 for only one shock" },
    })
    .default(120_000),
  /** Each interval is drawn evenly between `everyMs` less and plus this fraction of it. */
  spread: z.number().min(0).max(1).default(0.25),
  /** The size of one shock, drawn evenly, in basis points. */
  sizeBps: z
    .strictObject({ min: z.number().positive().max(5_000), max: z.number().positive().max(5_000) })
    .refine(({ min, max }) => min <= max, {
      path: ["min"],
      message: "is above max",
      params: { expected: "at most max of the same setting" },
    })
    .default({ min: 100, max: 200 }),
  direction: z.enum(["either", "alternate", "up", "down"]).default("either"),
  /** The half-life of a shock; 0: it stays. */
  decayHalfLifeMs: z
    .int()
    .min(0)
    .max(7 * DAY_MS)
    .default(0),
});

/** Jumps of the fundamental price, checked. */
export type ShockParams = z.output<typeof shocksShape>;

/** The sum of a market's price shocks, as an addition to the logarithm of the fundamental price. */
export class Shocks {
  readonly #params: ShockParams;
  readonly #random: Random;
  readonly #keep: number;
  readonly #stepMs: Ms;
  #elapsedMs: Ms = 0;
  #dueMs: number;
  /** +1 or -1: the direction of the last shock. */
  #last: 1 | -1;
  #log = 0;

  /** @param stepMs the time between two calls of {@link step}. */
  constructor(random: Random, params: ShockParams, stepMs: Ms) {
    this.#params = params;
    this.#random = random;
    this.#stepMs = stepMs;
    this.#keep = params.decayHalfLifeMs > 0 ? 2 ** (-stepMs / params.decayHalfLifeMs) : 1;
    this.#dueMs = params.firstMs;
    this.#last = this.#random.uniform() < 0.5 ? 1 : -1;
  }

  /**
   * Advances by one step.
   * @returns the logarithm of the price's factor.
   */
  step(): number {
    this.#elapsedMs += this.#stepMs;
    this.#log *= this.#keep;
    if (this.#elapsedMs >= this.#dueMs) {
      this.#strike();
    }
    return this.#log;
  }

  #strike(): void {
    const { everyMs, spread, sizeBps } = this.#params;
    // Always three draws, so that a change of one key does not shift the others' draws.
    const [turn, size, wait] = [
      this.#random.uniform(),
      this.#random.uniform(),
      this.#random.uniform(),
    ];
    this.#last = this.#directionOf(turn);
    const move = (sizeBps.min + size * (sizeBps.max - sizeBps.min)) / 10_000;
    const moved = this.#log + Math.log1p(this.#last * move);
    this.#log = Math.max(-FARTHEST_LOG, Math.min(FARTHEST_LOG, moved));
    this.#dueMs =
      everyMs === 0
        ? Number.POSITIVE_INFINITY
        : this.#dueMs + everyMs * (1 + spread * (2 * wait - 1));
  }

  #directionOf(turn: number): 1 | -1 {
    switch (this.#params.direction) {
      case "up":
        return 1;
      case "down":
        return -1;
      case "alternate":
        return this.#last === 1 ? -1 : 1;
      case "either":
        return turn < 0.5 ? 1 : -1;
    }
  }
}
