import type { CancelBudget } from "../../bot/cancelling/cancel-budget.js";
import type { BotOrdersConfig } from "../../bot/config/config.js";
import { type ExchangeWait, StartupRetrier } from "../../bot/run/check/startup-retrier.js";
import { HEARTBEAT_FILE, parseHeartbeat } from "../../bot/state/heartbeat.js";
import { stateDirFor } from "../../bot/state/state-dir.js";
import type { Clock } from "../../core/runtime/seam.js";
import type { Ms } from "../../core/units.js";
import type { VenueRules } from "../../exchange/records.js";
import { pause } from "../../exchange/rest/pause.js";
import { classifyTransientFailure } from "../../exchange/rest/transient-failure.js";
import type { OpenLog } from "../../monitoring/log.js";
import type { BotAccess } from "../exchange-access.js";
import { openExistingState } from "./existing-state.js";

/** Between two tries at an exchange that is away, at least. */
const AGAIN_MS: Ms = 2_000;

/** The exchange that a guard asks, and the account whose state it reads. */
type GuardAccess = Pick<BotAccess<BotOrdersConfig>, "config" | "signer" | "client" | "syncClock">;

/** What a guard's start is done with. */
interface GuardStart {
  /** Its share of the exchange's limits. */
  readonly budget: CancelBudget;
  readonly clock: Clock;
  readonly log: OpenLog;
  /** Whether the guard is to leave. */
  readonly isOver: () => boolean;
  /** How an exchange that is not there yet is waited for; it is not where this is absent. */
  readonly exchangeWait?: Omit<ExchangeWait, "rest" | "withinMs">;
}

/**
 * The exchange's clock and rules for a guard. Where a bot has not left in order, its orders may rest: the guard then asks on however long the
 * exchange is away ({@link classifyTransientFailure}), since nobody else takes them down once it is back.
 * @returns undefined when the guard is to leave before there is an answer
 * @throws VenueError, VenueRequestError as a bot's start does, where nothing waits for the guard or to ask again will not help.
 */
export async function fetchGuardRules(
  access: GuardAccess,
  { clock, log, budget, isOver, exchangeWait: awaited }: GuardStart,
): Promise<VenueRules | undefined> {
  const { rest, connectWithinMs: withinMs } = access.config.exchange;
  const reads = new StartupRetrier(
    clock,
    log,
    awaited === undefined ? undefined : { ...awaited, rest, withinMs },
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
        "a bot may have left orders, and the exchange is away: the guard asks on",
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
    // A broken one is told of once the guard looks at it.
    return true;
  }
}
