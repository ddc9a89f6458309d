import { RunError } from "../core/errors.js";
import type { Instrument } from "../core/instrument.js";
import type { CreditUnits, Hex, Lots, MarketId, Ms } from "../core/units.js";
import type { VenueBalances, VenuePosition } from "../exchange/records.js";
import type { Action, ActionId, Outcome, VenueEvent } from "../exchange/venue.js";
import type { AccountStep, ReconcileCause } from "./changes.js";
import { type NewOrder, OwnOrders } from "./own-orders.js";
import type { ProfitParts } from "./profit.js";

/** What the account needs to know at birth. */
export interface AccountOptions {
  /** The bot's markets. */
  readonly instruments: ReadonlyMap<MarketId, Instrument>;
  /** The top 16 bits of every nonce that this bot makes. */
  readonly nonceTag: number;
  /** Hashes of server-built orders of earlier runs, from the state directory. */
  readonly builtHashes?: readonly Hex[];
  /** Makes the ids of the questions that the account asks; shared with the bot's own actions. */
  readonly nextActionId: () => ActionId;
  /** How long the exchange takes a signed request: 5000. */
  readonly signatureWindowMs?: Ms;
  /** Between two reconciliations: 30000. */
  readonly reconcileIntervalMs?: Ms;
  /** How long the stream may lag behind REST before a difference is called one: 5000. */
  readonly streamLagMs?: Ms;
  /** How long final orders are remembered, so that late updates are recognised: 600000. */
  readonly rememberMs?: Ms;
}

/** The position in the worst case, both ends signed: long is positive. */
export interface WorstPosition {
  /** If everything that may still buy fills, and nothing sells. */
  readonly maxLongLots: Lots;
  /** If everything that may still sell fills, and nothing buys: negative when that ends short. */
  readonly maxShortLots: Lots;
}

/** Counts since the start, for the summary and the metrics. */
export interface AccountCounts {
  readonly placed: number;
  readonly cancelled: number;
  readonly rejected: number;
  readonly unknown: number;
  readonly unknownResolved: number;
  readonly revived: number;
  readonly fills: number;
  readonly failedTrades: number;
  readonly differences: number;
}

/**
 * The account as the bot knows it: own orders, position, balances, profit, and whether all that is confirmed.
 * Deterministic: no timers, no clock; every input carries `nowMs`, exchange time as the bot estimates it.
 * Every input returns what changed and which questions the bot has to submit.
 */
export class Account {
  readonly orders: OwnOrders;
  constructor(options: AccountOptions) {
    void options;
    this.orders = new OwnOrders();
  }
  /** The start reconciliation is done: base position, open orders and trades are known. Never false again. */
  get confirmed(): boolean {
    throw new RunError("not built");
  }
  /** Confirmed, and no account stream outage since the last reconciliation. Quotes need this (design, rule 12). */
  get current(): boolean {
    throw new RunError("not built");
  }
  /** Takes an order into the table before it may be sent. @throws RunError when its hash is already there. */
  intend(order: NewOrder, nowMs: Ms): AccountStep {
    throw new RunError("not built", { value: [order, nowMs] });
  }
  /** Call when an action (place, cancel, cancel-all) is handed to the transport. Questions need no call. */
  onDispatched(action: Action, nowMs: Ms): AccountStep {
    throw new RunError("not built", { value: [action, nowMs] });
  }
  /** An intended order leaves the queue unsent. */
  withdraw(hash: Hex, nowMs: Ms, why: string): AccountStep {
    throw new RunError("not built", { value: [hash, nowMs, why] });
  }
  /** Any answer event: of the bot's own actions and of the account's questions. */
  onOutcome(action: Action, outcome: Outcome, nowMs: Ms): AccountStep {
    throw new RunError("not built", { value: [action, outcome, nowMs] });
  }
  /** Any venue event; those that do not concern the account change nothing. */
  onEvent(event: VenueEvent, nowMs: Ms): AccountStep {
    throw new RunError("not built", { value: [event, nowMs] });
  }
  /** Call a few times a second: retries, interval reconciliations, dead-time checks, pruning. */
  onTick(nowMs: Ms): AccountStep {
    throw new RunError("not built", { value: nowMs });
  }
  /** Begins a reconciliation now (the stream coming up, the interval and unknown orders begin one by themselves). */
  reconcile(nowMs: Ms, cause: ReconcileCause): AccountStep {
    throw new RunError("not built", { value: [nowMs, cause] });
  }
  /** The book's mid in half ticks (best bid plus best ask), for the profit's spread and inventory parts. */
  onMid(marketId: MarketId, midHalfTicks: number): void {
    throw new RunError("not built", { value: [marketId, midHalfTicks] });
  }
  /** Signed: base position and every trade that did not fail. */
  positionLots(marketId: MarketId): Lots {
    throw new RunError("not built", { value: marketId });
  }
  /** `exceptHash`: an order to leave out, for asking about its own dispatch or replacement. */
  worstPosition(marketId: MarketId, exceptHash?: Hex): WorstPosition {
    throw new RunError("not built", { value: [marketId, exceptHash] });
  }
  /** The latest balances that the exchange told; undefined before the first. */
  get balances(): { readonly balances: VenueBalances; readonly atMs: Ms } | undefined {
    throw new RunError("not built");
  }
  /** The exchange's own positions, as last told. */
  get venuePositions(): ReadonlyMap<MarketId, VenuePosition> {
    throw new RunError("not built");
  }
  /** The net value last told, moved by the marks since; undefined before the first. */
  get equity(): CreditUnits | undefined {
    throw new RunError("not built");
  }
  /** Net value at the end of the start reconciliation; undefined before. */
  get startEquity(): CreditUnits | undefined {
    throw new RunError("not built");
  }
  get counts(): AccountCounts {
    throw new RunError("not built");
  }
  /** Profit by its parts since the start: of one market, or of all. */
  profit(marketId?: MarketId): ProfitParts {
    throw new RunError("not built", { value: marketId });
  }
}
