import type { MarketId, Ms } from "../core/units.js";
import type { GuardLimits } from "./limits.js";
import { countEvents, type MinuteWindow } from "./minute-window.js";

/**
 * State of one of the bot's markets for the guards. Instants are on the clock that `nowMs` of
 * {@link evaluateGuards} is read from.
 */
export interface MarketHealth {
  readonly marketId: MarketId;
  /** True if the book follows an unbroken sequence. */
  readonly isBookSynchronised: boolean;
  /** True once the book has been in sync in this run. */
  readonly hasHadBook: boolean;
  /**
   * When the book was last known to be right: by an update, or by a sequence that REST confirmed.
   * -Infinity before.
   */
  readonly bookAtMs: Ms;
  /**
   * True if our position equals the exchange's as far as reported. False while a liquidation has
   * moved it by an unknown amount.
   */
  readonly isPositionKnown: boolean;
  /** Reason for an unknown position. */
  readonly positionUnknownReason?: string | undefined;
  /**
   * `status` and `stage` of exchangeInfo. Undefined if the exchange no longer lists the market, or
   * lists it in an unreadable form.
   */
  readonly status: string | undefined;
  readonly stage: string | undefined;
  /** The fault in the market's rules, if the exchange lists the market but not as specified. */
  readonly unread: string | undefined;
  readonly rejects: MinuteWindow;
  /**
   * Differences between this market's rules and those at the start (perp address, grid, filters);
   * undefined if there are none.
   */
  readonly rulesChanged: string | undefined;
  /** The fault of its reference price that halts the market; undefined if there is none. */
  readonly reference?: ReferenceFault | undefined;
  /** The fault of its hedge that halts the market; undefined if there is none. */
  readonly hedge?: HedgeFault | undefined;
}

/** A fault of a market's hedge that halts the market. */
export interface HedgeFault {
  readonly name: "hedge-away" | "unhedged";
  readonly why: string;
}

/** A fault of a market's reference price that halts the market. */
export interface ReferenceFault {
  readonly name: "stale-reference" | "reference-disagrees";
  readonly why: string;
}

/** State of the account and the exchange for the guards. */
export interface AccountHealth {
  /** True if the start's reconciliation is done and nothing of ours has been contradicted since. */
  readonly isConfirmed: boolean;
  /** When the exchange last confirmed the account; undefined before the first time. */
  readonly accountAtMs: Ms | undefined;
  /** Our own time less the exchange's; undefined before the first measurement. */
  readonly clockOffsetMs: Ms | undefined;
  /** Time of that measurement; -Infinity before the first. */
  readonly clockAtMs: Ms;
  /**
   * Differences between the exchange's EIP-712 domain or type hashes and our own; undefined if they
   * agree.
   */
  readonly domainMismatch: string | undefined;
  /**
   * Reason why the account cannot be queried, as far as known: a stream that is down, or a rejected
   * query.
   */
  readonly trouble: string | undefined;
  /** When exchangeInfo was last read; undefined before the first time. */
  readonly rulesAtMs: Ms | undefined;
  /** Reason why it could not be read since; undefined if it can. */
  readonly rulesTrouble: string | undefined;
  /** Event-loop lag of the bot while it exceeds its limit; undefined otherwise. */
  readonly loopLagMs: Ms | undefined;
  /**
   * End of the ban after a 418; undefined without one. The exchange publishes no ban time, so this
   * is the bot's own wait, or Retry-After.
   */
  readonly bannedUntilMs: Ms | undefined;
}

/** The input of the guards. */
export interface HealthState {
  readonly account: AccountHealth;
  readonly markets: readonly MarketHealth[];
}

/** The guards by name: the `reason` label of `marketwright_halted`. */
export type GuardName =
  | "stale-book"
  | "book-unsynchronised"
  | "stale-reference"
  | "reference-disagrees"
  | "hedge-away"
  | "unhedged"
  | "stale-account"
  | "unconfirmed-account"
  | "clock-offset"
  | "clock-unknown"
  | "position-unknown"
  | "market-not-trading"
  | "exchange-info-changed"
  | "exchange-info-unread"
  | "domain-mismatch"
  | "reject-storm"
  | "loop-lag"
  | "banned";

/** A guard that forbids trading. */
type GuardTrip = {
  readonly name: GuardName;
  readonly why: string;
  /**
   * True if trading may resume automatically when the condition is over. Otherwise a person
   * resumes.
   */
  readonly resumesByItself: boolean;
} & ({ readonly scope: "account" } | { readonly scope: "market"; readonly marketId: MarketId });

/**
 * All guards that forbid trading at `nowMs` (docs/ideas/design.md#fail-closed). Anything unknown
 * counts as wrong. A pure function.
 */
export function evaluateGuards(
  state: HealthState,
  limits: GuardLimits,
  nowMs: Ms,
): readonly GuardTrip[] {
  // Runs at every input and hardly ever finds anything, so nothing is allocated until it does.
  const trips: GuardTrip[] = [];
  accountTrips(trips, state.account, limits, nowMs);
  for (const market of state.markets) marketTrips(trips, market, limits, nowMs);
  return trips;
}

function accountTrips(
  trips: GuardTrip[],
  account: AccountHealth,
  limits: GuardLimits,
  nowMs: Ms,
): void {
  const {
    isConfirmed,
    accountAtMs,
    clockOffsetMs,
    clockAtMs,
    domainMismatch,
    bannedUntilMs,
    rulesAtMs,
  } = account;
  const trouble = account.trouble === undefined ? "" : `: ${account.trouble}`;
  if (domainMismatch !== undefined) {
    trips.push(
      accountTrip(
        "domain-mismatch",
        `the bot's signing domain differs from the exchange's: ${domainMismatch}`,
        false,
      ),
    );
  }
  if (bannedUntilMs !== undefined && nowMs < bannedUntilMs) {
    trips.push(
      accountTrip(
        "banned",
        `the exchange has banned this address (418) for ${Math.ceil(bannedUntilMs - nowMs)} ms more`,
      ),
    );
  }
  if (account.loopLagMs !== undefined) {
    const why = `this bot reacts ${Math.round(account.loopLagMs)} ms late, allowed ${limits.maxLoopLagMs} ms: it needs fewer markets, fewer decisions or a faster machine`;
    trips.push(accountTrip("loop-lag", why));
  }
  if (!isConfirmed) {
    trips.push(
      accountTrip(
        "unconfirmed-account",
        `the exchange has not confirmed the bot's orders and positions${trouble}`,
      ),
    );
  } else if (accountAtMs === undefined || nowMs - accountAtMs > limits.maxAccountAgeMs) {
    const why = `${ageText("the account", "confirmed", accountAtMs, limits.maxAccountAgeMs, nowMs)}${trouble}`;
    trips.push(accountTrip("stale-account", why));
  }
  if (rulesAtMs === undefined || nowMs - rulesAtMs > limits.maxRulesAgeMs) {
    const why = account.rulesTrouble === undefined ? "" : `: ${account.rulesTrouble}`;
    trips.push(
      accountTrip(
        "exchange-info-unread",
        `${ageText("exchangeInfo", "read", rulesAtMs, limits.maxRulesAgeMs, nowMs)}${why}`,
      ),
    );
  }
  if (clockOffsetMs === undefined || nowMs - clockAtMs > limits.maxClockAgeMs) {
    const readAtMs = clockOffsetMs === undefined ? undefined : clockAtMs;
    const why = ageText("the exchange's time", "read", readAtMs, limits.maxClockAgeMs, nowMs);
    trips.push(accountTrip("clock-unknown", why));
  } else if (!(Math.abs(clockOffsetMs) <= limits.maxClockOffsetMs)) {
    const where = clockOffsetMs < 0 ? "behind" : "ahead of";
    const why = `this clock is ${Math.abs(clockOffsetMs)} ms ${where} the exchange's, allowed ${limits.maxClockOffsetMs} ms either way`;
    trips.push(accountTrip("clock-offset", why));
  }
}

function marketTrips(
  trips: GuardTrip[],
  market: MarketHealth,
  limits: GuardLimits,
  nowMs: Ms,
): void {
  const { marketId, bookAtMs, status, stage, rulesChanged } = market;
  if (status !== "TRADING") {
    const missing =
      market.unread === undefined
        ? "the exchange no longer lists the market"
        : `its rules cannot be read: ${market.unread}`;
    trips.push(
      marketTrip(
        marketId,
        "market-not-trading",
        status === undefined ? missing : `status ${status}, stage ${stage}`,
      ),
    );
  }
  if (rulesChanged !== undefined) {
    const why = `exchangeInfo has changed since the bot started: ${rulesChanged}`;
    trips.push(marketTrip(marketId, "exchange-info-changed", why, false));
  }
  if (!market.isBookSynchronised) {
    trips.push(
      marketTrip(
        marketId,
        "book-unsynchronised",
        market.hasHadBook
          ? "the book is not in sync with the exchange's sequence"
          : "the book has no snapshot yet",
      ),
    );
  } else if (nowMs - bookAtMs > limits.maxBookAgeMs) {
    const why = ageText("the book", "last in sync", bookAtMs, limits.maxBookAgeMs, nowMs);
    trips.push(marketTrip(marketId, "stale-book", why));
  }
  if (market.reference !== undefined)
    trips.push(marketTrip(marketId, market.reference.name, market.reference.why));
  if (market.hedge !== undefined)
    trips.push(marketTrip(marketId, market.hedge.name, market.hedge.why));
  if (!market.isPositionKnown) {
    trips.push(
      marketTrip(
        marketId,
        "position-unknown",
        market.positionUnknownReason ?? "the exchange has not reported the position",
      ),
    );
  }
  const rejects = countEvents(market.rejects, nowMs);
  if (rejects > limits.maxRejectsPerMinute) {
    const why = `the exchange refused ${rejects} orders within a minute, allowed ${limits.maxRejectsPerMinute}`;
    trips.push(marketTrip(marketId, "reject-storm", why));
  }
}

function accountTrip(name: GuardName, why: string, resumesByItself = true): GuardTrip {
  return { scope: "account", name, why, resumesByItself };
}

function marketTrip(
  marketId: MarketId,
  name: GuardName,
  why: string,
  resumesByItself = true,
): GuardTrip {
  return { scope: "market", marketId, name, why, resumesByItself };
}

/** @param done what must have happened lately: "read", "confirmed", "last in sync". */
function ageText(
  subject: string,
  done: string,
  atMs: Ms | undefined,
  allowedMs: Ms,
  nowMs: Ms,
): string {
  return atMs === undefined || atMs === Number.NEGATIVE_INFINITY
    ? `${subject} has not been ${done.replace("last ", "")} yet`
    : `${subject} was ${done} ${Math.round(nowMs - atMs)} ms ago, allowed ${allowedMs} ms`;
}
