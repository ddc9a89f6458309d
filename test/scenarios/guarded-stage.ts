import { CancelBudget } from "#bot/cancel-budget.js";
import { Guard, type GuardEvent } from "#bot/guard.js";
import { ecdsaScheme } from "#core/signing.js";
import { RestClient } from "#exchange/rest-client.js";
import { ScriptedNetwork } from "./scripted-network.js";
import { BOT_KEY, MARKET, type Stage } from "./stage.js";

/** A guard beside the bot: its own process and network, the same state directory. */
export interface GuardRig {
  readonly guard: Guard;
  readonly network: ScriptedNetwork;
  readonly notices: GuardEvent[];
}

/** Starts the guard of a stage's bot. @param markets those of its file, in their order. */
export function guardStarts(stage: Stage, markets: readonly string[] = [MARKET]): GuardRig {
  const { bot, exchange } = { bot: stage.config, exchange: stage.exchange };
  const network = new ScriptedNetwork(exchange, stage.clock, "10.0.0.2");
  const notices: GuardEvent[] = [];
  const guard = new Guard({
    client: new RestClient({
      transport: network,
      nowMs: () => stage.clock.nowMs(),
      signer: ecdsaScheme.signer(BOT_KEY),
      timeoutMs: bot.exchange.requestTimeoutMs,
    }),
    clock: stage.clock,
    syncClock: () => {},
    budget: new CancelBudget({ clock: stage.clock, fraction: bot.guard.orderTokensFraction }),
    store: stage.store,
    account: stage.address,
    markets,
    deadAfterMs: bot.guard.deadAfterMs,
    heartbeatMs: bot.guard.heartbeatMs,
    signatureWindowMs: bot.exchange.signatureWindowMs,
    notify: (notice) => notices.push(notice),
  });
  guard.start();
  return { guard, network, notices };
}
