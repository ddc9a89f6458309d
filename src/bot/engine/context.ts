import type { TradingAccount } from "../../account/trading-account.js";
import type { Clock, Random } from "../../core/runtime/runtime.js";
import type { Hex, MarketId, Ms } from "../../core/units.js";
import type { ExchangeTime } from "../../exchange/exchange-time.js";
import type { VenueRules } from "../../exchange/records.js";
import type { ActionId, Venue } from "../../exchange/venue.js";
import type { AccountLimits, MarketLimits } from "../../risk/limits.js";
import type { BotConfig } from "../config/config.js";
import type { ActionBudget } from "../execution/action-budget.js";
import type { Backoff } from "../execution/backoff.js";
import type { Dispatcher } from "../execution/dispatcher.js";
import type { MarketHedges } from "../hedge/market-hedges.js";
import type { MarketTrader } from "../market/market-trader.js";
import type { StateStore } from "../state/state-dir.js";
import type { RunStatistics } from "../statistics/run-statistics.js";
import type { TakeoverReservations } from "../unwind/takeover-reservations.js";
import type { BotListener } from "./bot-event.js";
import type { LoopLag } from "./loop-lag.js";
import type { StreamActivity } from "./stream-activity.js";

/**
 * `starting` until the account is confirmed for the first time; `stopped` when the fate of every
 * order is known, or given up on.
 */
export type BotPhase = "starting" | "running" | "stopping" | "stopped";

/** State and values that the parts of one bot share. `clock` and `random` belong to the turn. */
export interface BotContext {
  /** The configuration in force: an operator may change a part of it while the bot runs. */
  config: BotConfig;
  readonly accountAddress: Hex;
  readonly nonceTag: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly venue: Venue;
  readonly store: StateStore;
  readonly account: TradingAccount;
  readonly traders: ReadonlyMap<MarketId, MarketTrader>;
  /** The same traders in order, for what every turn iterates over. */
  readonly traderList: readonly MarketTrader[];
  marketLimits: ReadonlyMap<MarketId, MarketLimits>;
  accountLimits: AccountLimits;
  /** Pending takeovers, which take room in the limits. */
  readonly reservations: TakeoverReservations;
  readonly exchangeTime: ExchangeTime;
  readonly budget: ActionBudget;
  readonly dispatcher: Dispatcher;
  readonly backoff: Backoff;
  readonly loopLag: LoopLag;
  readonly streams: StreamActivity;
  /** Statistics since the start. They change nothing. */
  readonly statistics: RunStatistics;
  readonly notify: BotListener;
  /** The hedges of markets that have one. */
  readonly hedges: MarketHedges;
  readonly nextActionId: () => ActionId;
  /** Interval of the ticks, in which the bot does what is due by time alone. */
  readonly tickMs: Ms;
  /** Live streams, but only queries are sent. */
  readonly dryRun: boolean;
  /** The venue fills orders on paper: the bot sends them there, and none reaches the exchange. */
  readonly isPaper: boolean;
  /** The rules in force, re-read at an interval. */
  rules: VenueRules;
  phase: BotPhase;
}
