import type { MarketId } from "../../core/units.js";
import { flattenTarget } from "../execution/flatten.js";
import type { MarketTrader } from "../market/market-trader.js";
import type { Safety } from "../safety/safety.js";
import type { Unwinding } from "../unwind/unwinding.js";
import type { BotContext } from "./context.js";
import type { BotCommand } from "./input.js";
import type { Stopping } from "./stopping.js";
import type { TickScheduler } from "./tick-scheduler.js";

/** Does what a bot is told to do from outside. */
export class Commands {
  readonly #context: BotContext;
  readonly #safety: Safety;
  readonly #unwinding: Unwinding;
  readonly #stopping: Stopping;
  readonly #ticks: TickScheduler;

  constructor(
    context: BotContext,
    safety: Safety,
    unwinding: Unwinding,
    stopping: Stopping,
    ticks: TickScheduler,
  ) {
    this.#context = context;
    this.#safety = safety;
    this.#unwinding = unwinding;
    this.#stopping = stopping;
    this.#ticks = ticks;
  }

  take(command: BotCommand): void {
    switch (command.command) {
      case "start":
        this.#safety.begin();
        for (const trader of this.#context.traders.values()) trader.connect();
        this.#ticks.start();
        return;
      case "stop":
        if (this.#context.phase === "stopping" || this.#context.phase === "stopped") return;
        this.#context.phase = "stopping";
        for (const trader of this.#context.traders.values()) {
          trader.abandonTarget();
          trader.disconnect();
        }
        this.#stopping.begin(command.reason);
        return;
      case "halt":
        return this.#safety.haltByHand(command.marketId, command.reason);
      case "resume":
        this.#safety.resume(command.marketId);
        for (const trader of this.#tradersOf(command.marketId)) {
          trader.abandonTarget();
          if (!trader.running && this.#context.phase === "running") trader.connect();
        }
        return;
      case "release":
        return this.#safety.release(command.reason);
      case "flatten":
        for (const trader of this.#tradersOf(command.marketId)) {
          this.#safety.haltByHand(trader.marketId, "flattened by hand: resume to quote again");
          const target = flattenTarget(this.#context, trader, command);
          if (target === undefined) trader.abandonTarget();
          else trader.pursue(target);
        }
        return;
      case "inherit":
        return this.#unwinding.inherit(command.takeover);
      case "disinherit":
        return this.#unwinding.disinherit(command.takeoverId);
      case "reserve":
        return this.#unwinding.reserve(command.takeovers);
      case "asked":
        return this.#context.budget.charge("question");
    }
  }

  #tradersOf(marketId: MarketId | undefined): readonly MarketTrader[] {
    return [...this.#context.traders.values()].filter(
      (trader) => marketId === undefined || trader.marketId === marketId,
    );
  }
}
