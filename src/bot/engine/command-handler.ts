import type { MarketId } from "../../core/units.js";
import { flattenTarget } from "../execution/flatten.js";
import type { MarketTrader } from "../market/market-trader.js";
import type { TradingGuards } from "../safety/trading-guards.js";
import type { LiquidatedInventory } from "../unwind/liquidated-inventory.js";
import type { AccountEventHandler } from "./account-event-handler.js";
import type { Configuration } from "./configuration.js";
import type { BotContext } from "./context.js";
import type { BotCommand } from "./input.js";
import type { ShutdownSequence } from "./shutdown-sequence.js";
import type { StrategySignals } from "./strategy-signals.js";
import type { TickScheduler } from "./tick-scheduler.js";

/** The parts of the bot that commands reach. */
export interface CommandHandlerDeps {
  readonly tradingGuards: TradingGuards;
  readonly liquidatedInventory: LiquidatedInventory;
  readonly shutdownSequence: ShutdownSequence;
  readonly ticks: TickScheduler;
  readonly accountEvents: AccountEventHandler;
  readonly signals: StrategySignals;
  readonly configuration: Configuration;
}

/** Executes operator commands. */
export class CommandHandler {
  readonly #context: BotContext;
  readonly #deps: CommandHandlerDeps;

  constructor(context: BotContext, deps: CommandHandlerDeps) {
    this.#context = context;
    this.#deps = deps;
  }

  handle(command: BotCommand): void {
    const { account, exchangeTime } = this.#context;
    switch (command.command) {
      case "start":
        this.#deps.tradingGuards.begin();
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
        this.#deps.shutdownSequence.begin(command.reason);
        return;
      case "halt":
        return this.#deps.tradingGuards.haltManually(command.marketId, command.reason);
      case "resume":
        this.#deps.tradingGuards.resume(command.marketId);
        for (const trader of this.#tradersOf(command.marketId)) {
          trader.abandonTarget();
          if (!trader.running && this.#context.phase === "running")
            trader.connect(this.#deps.signals);
        }
        return;
      case "release":
        return this.#deps.tradingGuards.release(command.reason);
      case "flatten":
        for (const trader of this.#tradersOf(command.marketId)) {
          this.#deps.tradingGuards.haltManually(
            trader.marketId,
            "flattened by an operator: resume to quote again",
          );
          const target = flattenTarget(this.#context, trader, command);
          if (target === undefined) trader.abandonTarget();
          else trader.pursue(target);
        }
        return;
      case "configure":
        // A bot that stops has disconnected its strategies: nothing would come of it.
        if (this.#context.phase === "stopping" || this.#context.phase === "stopped") return;
        return this.#deps.configuration.apply(command.values);
      case "inherit":
        if (this.#deps.liquidatedInventory.acquire(command.takeover))
          this.#deps.accountEvents.handleStep(
            account.acquireTakeover(command.takeover, exchangeTime.nowMs()),
          );
        return;
      case "disinherit":
        this.#deps.accountEvents.handleStep(
          account.revertTakeover(command.takeoverId, exchangeTime.nowMs()),
        );
        return this.#deps.liquidatedInventory.revert(command.takeoverId);
      case "reserve":
        return this.#deps.liquidatedInventory.reserve(command.takeovers);
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
