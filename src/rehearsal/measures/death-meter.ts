import type { CreditUnits, Ms } from "../../core/units.js";
import type { RehearsedDeath } from "../rehearsal-result.js";
import type { AccountFill } from "./exchange-truth.js";
import type { RunSample } from "./run-sample.js";

interface Death {
  readonly atMs: Ms;
  readonly openOrders: number;
  readonly openGtcOrders: number;
  readonly equity: CreditUnits;
  newest: CreditUnits;
  backMs: Ms | undefined;
  guardActedMs: Ms | undefined;
  ordersGoneMs: Ms | undefined;
}

/** Measures what the account's orders did while no bot watched them. */
export class DeathMeter {
  readonly #deaths: Death[] = [];

  /** The process of the bot has died. */
  died({ atMs, openOrders, equity }: RunSample): void {
    this.#deaths.push({
      atMs,
      openOrders: openOrders.length,
      openGtcOrders: openOrders.filter(({ terms }) => terms.timeInForce === "GTC").length,
      equity,
      newest: equity,
      backMs: undefined,
      guardActedMs: undefined,
      ordersGoneMs: openOrders.length === 0 ? 0 : undefined,
    });
  }

  /** A cancel of the guard has arrived. */
  guardCancelled(atMs: Ms): void {
    const death = this.#current();
    if (death !== undefined) death.guardActedMs ??= atMs - death.atMs;
  }

  /** The bot runs again. */
  isBack(sample: RunSample): void {
    const death = this.#current();
    if (death === undefined) return;
    this.sample(sample);
    death.backMs = sample.atMs;
  }

  sample({ atMs, equity, openOrders }: RunSample): void {
    const death = this.#current();
    if (death === undefined) return;
    death.newest = equity;
    if (openOrders.length === 0) death.ordersGoneMs ??= atMs - death.atMs;
  }

  /** @param fills of the whole run, with times since its start */
  deaths(fills: readonly AccountFill[], endMs: Ms): readonly RehearsedDeath[] {
    return this.#deaths.map(({ atMs, backMs, equity, newest, ...death }) => ({
      atMs,
      downMs: backMs === undefined ? undefined : backMs - atMs,
      openOrders: death.openOrders,
      openGtcOrders: death.openGtcOrders,
      guardActedMs: death.guardActedMs,
      ordersGoneMs: death.ordersGoneMs,
      filledWhileDeadLots: fills
        .filter((fill) => fill.atMs >= atMs && fill.atMs < (backMs ?? endMs))
        .reduce((sum, { lots }) => sum + lots, 0),
      lossWhileDeadScaled: equity - newest,
    }));
  }

  #current(): Death | undefined {
    const last = this.#deaths.at(-1);
    return last?.backMs === undefined ? last : undefined;
  }
}
