import { shellWord } from "../../core/files/shell-word.js";
import type { Bot } from "../engine/bot.js";
import { readGuard } from "../state/guard-heartbeat.js";

/** The guard of a bot, in `status`: it cancels the bot's orders if the bot dies. */
export interface GuardStatus {
  /**
   * `missing`: no guard of this account has written a heartbeat, or it has ended. `stale`: its
   * heartbeat is too old. `not-needed`: no order would outlive the bot.
   */
  readonly state: "alive" | "missing" | "stale" | "not-needed";
  /** Age of the guard's newest heartbeat; absent if there is none. */
  readonly ageMs?: number;
  readonly text: string;
}

/** The guard of a bot, by the heartbeat in its state directory. */
export function readGuardStatus({ context }: Bot): GuardStatus {
  const { config, store, accountAddress: account, clock, dryRun, isPaper } = context;
  if (dryRun || isPaper)
    return { state: "not-needed", text: "a dry run leaves no orders at the exchange" };
  const { timeInForce } = config.quotes;
  if (timeInForce === "GTT")
    return { state: "not-needed", text: "GTT orders expire by themselves" };
  const { deadAfterMs } = config.guard;
  const { state, ageMs } = readGuard({ store, account, nowMs: clock.nowMs(), deadAfterMs });
  const danger = `${timeInForce} orders would outlive this bot`;
  const remedy = `run it beside with: marketwright guard ${shellWord(config.path)}`;
  const age = ageMs === undefined ? {} : { ageMs: Math.round(ageMs) };
  const seconds = ((ageMs ?? 0) / 1000).toFixed(1);
  switch (state) {
    case "alive":
      return { state, ...age, text: `a guard watches this bot, heartbeat ${seconds} s ago` };
    case "stale":
      return {
        state,
        ...age,
        text: `the guard's last heartbeat is ${seconds} s old: ${danger}; ${remedy}`,
      };
    case "missing":
      return { state, ...age, text: `no guard runs: ${danger}; ${remedy}` };
  }
}
