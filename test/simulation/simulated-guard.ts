import { CancelBudget } from "#bot/cancel-budget.js";
import { Guard } from "#bot/guard.js";
import type { StateStore } from "#bot/state-dir.js";
import type { Clock } from "#core/runtime.js";
import type { Signer } from "#core/signing.js";
import { RestClient } from "#exchange/rest-client.js";
import type { EmbeddedExchange } from "#simulator/exchange.js";
import { rulesOf } from "./bot-rig.js";
import type { FaultyNetwork } from "./faulty-network.js";
import type { SeedPlan } from "./seed-plan.js";
import type { Witness } from "./witness.js";

/** The parts from which the guard of a simulation is built. */
export interface SimulatedGuardOptions {
  readonly plan: SeedPlan;
  readonly exchange: EmbeddedExchange;
  readonly network: FaultyNetwork;
  readonly clock: Clock;
  readonly signer: Signer;
  readonly store: StateStore;
  readonly witness: Witness;
}

/**
 * Starts the guard of the bot's account on its own network. Faults do not kill it.
 */
export function startSimulatedGuard({
  plan,
  exchange,
  network,
  clock,
  signer,
  store,
  witness,
}: SimulatedGuardOptions): void {
  const { bot } = plan;
  const markets = Object.keys(bot.markets);
  const transport = {
    request: (...args: Parameters<FaultyNetwork["request"]>): void => {
      if (args[0].method === "DELETE") witness.budgets.guardSpends();
      network.request(...args);
    },
  };
  const budget = new CancelBudget({ clock, fraction: bot.guard.orderTokensFraction });
  budget.rulesRead(rulesOf(exchange, markets));
  new Guard({
    client: new RestClient({ transport, nowMs: () => clock.nowMs(), signer, timeoutMs: 2_000 }),
    clock,
    syncClock: () => {},
    budget,
    store,
    account: signer.address,
    markets,
    deadAfterMs: bot.guard.deadAfterMs,
    heartbeatMs: bot.guard.heartbeatMs,
    signatureWindowMs: bot.exchange.signatureWindowMs,
    notify: (notice) => {
      if (notice.kind === "safe") witness.onGuardSafe();
    },
  }).start();
}
