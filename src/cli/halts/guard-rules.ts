import type { CancelBudget } from "../../bot/cancelling/cancel-budget.js";
import type { BotOrdersConfig } from "../../bot/config/config.js";
import { type ExchangeWait, StartupRetrier } from "../../bot/run/check/startup-retrier.js";
import { HEARTBEAT_FILE, parseHeartbeat } from "../../bot/state/heartbeat.js";
import { stateDirFor } from "../../bot/state/state-dir.js";
import type { Clock } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import type { VenueRules } from "../../exchange/records.js";
import { pause } from "../../exchange/rest/pause.js";
import { classifyTransientFailure } from "../../exchange/rest/transient-failure.js";
import type { OpenLog } from "../../monitoring/log.js";
import type { BotAccess } from "../exchange-access.js";
import { openExistingState } from "./existing-state.js";

/** Least time between two tries at an unreachable exchange. */
const AGAIN_MS: Ms = 2_000;

/** The exchange that a guard queries, and the account whose state it reads. */
type GuardAccess = Pick<BotAccess<BotOrdersConfig>, "config" | "signer" | "client" | "syncClock">;

/** Parts for a guard's start. */
interface GuardStart {
  /** Its share of the exchange's limits. */
  readonly budget: CancelBudget;
  readonly clock: Clock;
  readonly log: OpenLog;
  /** Returns true once the guard must stop. */
  readonly isOver: () => boolean;
  /** Wait for an exchange that is not up yet; absent to not wait. */
  readonly exchangeWait?: Omit<ExchangeWait, "rest" | "withinMs">;
}

/**
 * Reads the exchange's clock and rules for a guard. After a crash of the bot, its orders may rest.
 * The guard then retries for as long as the exchange is unreachable
 * ({@link classifyTransientFailure}), because nothing else cancels them once it is back.
 * @returns undefined when the guard must stop before there is a response
 * @throws VenueError, VenueRequestError as a bot's start does, if no orders depend on the guard or
 * a retry cannot help.
 */
export async function fetchGuardRules(
  access: GuardAccess,
  { clock, log, budget, isOver, exchangeWait }: GuardStart,
): Promise<VenueRules | undefined> {
  const { rest, connectWithinMs: withinMs } = access.config.exchange;
  const reads = new StartupRetrier(
    clock,
    log,
    exchangeWait === undefined ? undefined : { ...exchangeWait, rest, withinMs },
  );
  const syncClock = () => budget.call("time", { kept: 0, isOver }, access.syncClock);
  const exchangeInfo = () =>
    budget.call("exchangeInfo", { kept: 0, isOver }, () => access.client.exchangeInfo());
  for (let isFirst = true; !isOver(); isFirst = false) {
    try {
      await (isFirst ? reads.untilAnswered(syncClock) : syncClock());
      const rules = await (isFirst ? reads.untilAnswered(exchangeInfo) : exchangeInfo());
      if (rules === undefined) return undefined;
      budget.rulesRead(rules.answer);
      return rules.answer;
    } catch (error) {
      const passing = classifyTransientFailure(error);
      if (!(error instanceof Error) || passing === undefined || !mayHaveLeftOrders(access))
        throw error;
      const againInMs = Math.max(AGAIN_MS, passing.retryAfterMs);
      log.warn(
        { error: error.message, againInMs },
        "a bot may have left orders, and the exchange does not answer: the guard tries again",
      );
      const againMs = clock.monotonicMs() + againInMs;
      while (!isOver() && clock.monotonicMs() < againMs)
        await pause(clock, Math.min(AGAIN_MS, againMs - clock.monotonicMs()));
    }
  }
  return undefined;
}

function mayHaveLeftOrders({ config, signer }: GuardAccess): boolean {
  const text = openExistingState(stateDirFor(config, signer.address))?.read(HEARTBEAT_FILE);
  if (text === undefined) return false;
  try {
    return parseHeartbeat(text).state === "running";
  } catch {
    // The guard reports a broken one when it checks it.
    return true;
  }
}
