import type { MarketId } from "../../core/units.js";
import { flattenTarget } from "../execution/flatten.js";
import type { MarketTrader } from "../market/market-trader.js";
import type { TradingGuards } from "../safety/trading-guards.js";
import type { LiquidatedInventory } from "../unwind/liquidated-inventory.js";
import type { AccountEventHandler } from "./account-event-handler.js";
import type { BotContext } from "./context.js";
import type { BotCommand } from "./input.js";
import type { ShutdownSequence } from "./shutdown-sequence.js";
import type { StrategySignals } from "./strategy-signals.js";
import type { TickScheduler } from "./tick-scheduler.js";

/** The parts of the bot that commands reach. */
export interface CommandsDeps {
  readonly safety: TradingGuards;
  readonly unwinding: LiquidatedInventory;
  readonly stopping: ShutdownSequence;
  readonly ticks: TickScheduler;
  readonly news: AccountEventHandler;
  readonly signals: StrategySignals;
}

/** Executes operator commands. */
export class CommandHandler {
  readonly #context: BotContext;
  readonly #deps: CommandsDeps;

  constructor(context: BotContext, deps: CommandsDeps) {
    this.#context = context;
    this.#deps = deps;
  }

  handle(command: BotCommand): void {
    const { account, exchangeTime } = this.#context;
    switch (command.command) {
      case "start":
        this.#deps.safety.begin();
        for (const trader of this.#context.traders.values()) trader.connect(this.#deps.signals);
        this.#deps.ticks.start();
        return;
      case "stop":
        if (this.#context.phase === "stopping" || this.#context.phase === "stopped") return;
        this.#context.phase = "stopping";
        for (const trader of this.#context.traders.values()) {
          trader.abandonTarget();
          trader.disconnect();
        }
        this.#deps.stopping.begin(command.reason);
        return;
      case "halt":
        return this.#deps.safety.haltManually(command.marketId, command.reason);
      case "resume":
        this.#deps.safety.resume(command.marketId);
        for (const trader of this.#tradersOf(command.marketId)) {
          trader.abandonTarget();
          if (!trader.running && this.#context.phase === "running")
            trader.connect(this.#deps.signals);
        }
        return;
      case "release":
        return this.#deps.safety.release(command.reason);
      case "flatten":
        for (const trader of this.#tradersOf(command.marketId)) {
          this.#deps.safety.haltManually(
            trader.marketId,
            "flattened by hand: resume to quote again",
          );
          const target = flattenTarget(this.#context, trader, command);
          if (target === undefined) trader.abandonTarget();
          else trader.pursue(target);
        }
        return;
      case "inherit":
        if (this.#deps.unwinding.acquire(command.takeover))
          this.#deps.news.handleStep(
            account.acquireTakeover(command.takeover, exchangeTime.nowMs()),
          );
        return;
      case "disinherit":
        this.#deps.news.handleStep(
          account.revertTakeover(command.takeoverId, exchangeTime.nowMs()),
        );
        return this.#deps.unwinding.revert(command.takeoverId);
      case "reserve":
        return this.#deps.unwinding.reserve(command.takeovers);
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
