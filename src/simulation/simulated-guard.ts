import { CancelBudget } from "../bot/cancelling/cancel-budget.js";
import { Guard, type GuardEvent } from "../bot/cancelling/guard.js";
import type { BotConfig } from "../bot/config/config.js";
import type { StateStore } from "../bot/state/state-dir.js";
import type { Signer } from "../core/crypto/signing.js";
import type { Clock } from "../core/runtime/runtime.js";
import { RestClient } from "../exchange/rest/rest-client.js";
import { rulesOf } from "./bot-rig.js";
import type { ExchangeDoor } from "./exchange-door.js";
import type { FaultyNetwork } from "./faulty-network.js";

/** The parts from which the guard of a simulation is built. */
export interface SimulatedGuardOptions {
  readonly bot: BotConfig;
  readonly door: ExchangeDoor;
  readonly network: FaultyNetwork;
  readonly clock: Clock;
  readonly signer: Signer;
  /** Of the bot: the guard reads its heartbeat. */
  readonly store: StateStore;
  /** Called before each cancel is sent. */
  readonly onCancel?: () => void;
  readonly onNotice?: (notice: GuardEvent) => void;
}

/** Starts the guard of the bot's account on its own network. Faults do not kill it. */
export function startSimulatedGuard({
  bot,
  door,
  network,
  clock,
  signer,
  store,
  onCancel,
  onNotice,
}: SimulatedGuardOptions): void {
  const markets = Object.keys(bot.markets);
  const transport = {
    request: (...args: Parameters<FaultyNetwork["request"]>): void => {
      if (args[0].method === "DELETE") onCancel?.();
      network.request(...args);
    },
  };
  const budget = new CancelBudget({ clock, fraction: bot.guard.orderTokensFraction });
  budget.rulesRead(rulesOf(door, markets));
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
    notify: (notice) => onNotice?.(notice),
  }).start();
}
