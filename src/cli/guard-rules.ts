import { THROTTLED_MS } from "../bot/answers.js";
import { StartReads } from "../bot/run/start-reads.js";
import { HEARTBEAT_FILE, parseHeartbeat } from "../bot/state/heartbeat.js";
import { stateDirOf } from "../bot/state/state-dir.js";
import type { Clock } from "../core/seam.js";
import type { Ms } from "../core/units.js";
import { pause } from "../exchange/pause.js";
import type { VenueRules } from "../exchange/records.js";
import { VenueError, VenueRequestError } from "../exchange/venue-errors.js";
import type { OpenLog } from "../monitoring/log.js";
import type { BotAccess } from "./exchange-access.js";
import { existingState } from "./existing-state.js";

/** Between two tries at an exchange that is away. */
const AGAIN_MS: Ms = 2_000;

/** What a guard's start is done with. */
export interface GuardStart {
  readonly clock: Clock;
  readonly log: OpenLog;
  /** Whether the guard is to leave. */
  readonly isOver: () => boolean;
}

/**
 * The exchange's clock and rules for a guard. Where a bot has not left in order, its orders may rest: the guard then asks on however long the
 * exchange is away, since nobody else takes them down once it is back.
 * @returns undefined when the guard is to leave before there is an answer
 * @throws VenueError, VenueRequestError as a bot's start does, where nothing waits for the guard or to ask again will not help.
 */
export async function guardRules(access: BotAccess, { clock, log, isOver }: GuardStart): Promise<VenueRules | undefined> {
  const reads = new StartReads(clock, log);
  for (let isFirst = true; !isOver(); isFirst = false) {
    try {
      await (isFirst ? reads.answerOf(access.syncClock) : access.syncClock());
      return await (isFirst ? reads.answerOf(() => access.client.exchangeInfo()) : access.client.exchangeInfo());
    } catch (error) {
      const againInMs = againAfterMs(error);
      if (!(error instanceof Error) || againInMs === undefined || !mayHaveLeftOrders(access)) throw error;
      log.warn({ error: error.message, againInMs }, "a bot may have left orders, and the exchange is away: the guard asks on");
      const againMs = clock.monotonicMs() + againInMs;
      while (!isOver() && clock.monotonicMs() < againMs) await pause(clock, Math.min(AGAIN_MS, againMs - clock.monotonicMs()));
    }
  }
  return undefined;
}

/** When to ask again after an error; undefined where that will not help. Who asks on before the end of a ban may make it longer. */
function againAfterMs(error: unknown): Ms | undefined {
  if (error instanceof VenueError) return error.mayHaveHappened ? AGAIN_MS : undefined;
  if (!(error instanceof VenueRequestError)) return undefined;
  const { httpStatus, retryAfterMs } = error;
  if (httpStatus === 429 || httpStatus === 418) return Math.max(AGAIN_MS, retryAfterMs ?? THROTTLED_MS[httpStatus]);
  return httpStatus === undefined || httpStatus >= 500 ? AGAIN_MS : undefined;
}

function mayHaveLeftOrders({ config, signer }: BotAccess): boolean {
  const text = existingState(stateDirOf(config, signer.address))?.read(HEARTBEAT_FILE);
  if (text === undefined) return false;
  try {
    return parseHeartbeat(text).state === "running";
  } catch {
    // A broken one is told of once the guard looks at it.
    return true;
  }
}
