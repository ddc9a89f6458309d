import type { TradingAccount } from "../../account/trading-account.js";
import { RunError } from "../../core/errors.js";
import { decimalToScaled, type Instrument, scaledToDecimal } from "../../core/instrument.js";
import type { Clock, Random } from "../../core/runtime/runtime.js";
import {
  type CreditUnits,
  type Lots,
  type MarketId,
  type Ms,
  type Side,
  sideSign,
} from "../../core/units.js";
import type { HedgeSettings } from "../../hedge/decide-hedge.js";
import { createHedgeOrderKey } from "../../hedge/hedge-order-key.js";
import { encodeHedgeRecord } from "../../hedge/hedge-record.js";
import {
  HEDGE_DECIMALS,
  type HedgeAction,
  type HedgeContract,
  type HedgeEvent,
  type HedgeFill,
  type HedgeVenue,
} from "../../hedge/hedge-venue.js";
import { MarketHedger } from "../../hedge/market-hedger.js";
import { type StoredHedge, storedHedgeSchema } from "../../hedge/stored-hedge.js";
import type { LayOffTerms } from "../../liquidator/plan/lay-off-terms.js";
import type { HedgeView } from "../../market/view.js";
import type { ReferenceUpdate } from "../../reference/reference-update.js";
import type { BotConfig, MarketHedgeConfig } from "../config/config.js";
import type { BotListener, HedgeAtEnd, UnsettledHedge } from "../engine/bot-event.js";
import { readJsonState, type StateStore } from "../state/state-dir.js";
import { createHedgeView } from "./create-hedge-view.js";
import { type HedgedMarket, toMarketLots, toVenueLots } from "./hedged-market.js";
import { layOffTermsAt } from "./lay-off-terms-at.js";
import { takerFeeDifference } from "./taker-fee-difference.js";

/** A venue as a bot uses it: where it sends actions, and what it knows of the contracts there. */
export type UsedHedgeVenue = Pick<HedgeVenue, "contracts" | "acceptanceWindowMs" | "submit">;

/** Dependencies of {@link MarketHedges}. */
export interface MarketHedgesDeps {
  readonly config: BotConfig;
  readonly instruments: ReadonlyMap<MarketId, Instrument>;
  /** By their names in the config; empty if nothing is hedged, as in a dry run. */
  readonly venues: ReadonlyMap<string, UsedHedgeVenue>;
  readonly account: TradingAccount;
  /** The mark of a market in its ticks, which may be fractional; NaN before the first. */
  readonly markTicks: (marketId: MarketId) => number;
  readonly clock: Clock;
  readonly random: Random;
  readonly tag: number;
  readonly nextActionId: () => number;
  readonly store: StateStore;
  readonly notify: BotListener;
  /** An action was handed to a venue: the journal records it. */
  readonly onAction: (venue: string, action: HedgeAction) => void;
}

/** The phase of a bot, as far as its hedges depend on it. */
export interface HedgingPhase {
  /** The account is not confirmed yet: no position is known. */
  readonly isStarting: boolean;
  /** False while the bot stops: no order is left resting. */
  readonly mayRest: boolean;
  /** Signed lots of a market's position that are not laid off, since they are being sold here. */
  readonly soldHereLots: (marketId: MarketId) => Lots;
}

/** The limit of a market's quotes while its hedge does not keep up. */
export interface HedgeRestriction {
  readonly name: "hedge-away" | "unhedged";
  readonly why: string;
  /** Quotes may only reduce what is unhedged; or the market halts. */
  readonly effect: MarketHedgeConfig["whenAway"];
}

/** Units of the exchange's quote asset for one of a hedge venue's. */
export interface QuoteRate {
  /** Its source in `references`; undefined for a fixed rate. */
  readonly source: string | undefined;
  readonly rate: number;
  /** When it arrived, by this machine's clock; undefined for a fixed rate. */
  readonly atMs: Ms | undefined;
}

/** File of a market's hedge in the state directory. */
const hedgeFile = (marketId: MarketId): string => `hedge-${marketId}.json`;

/** The record of a market's hedge in the state directory: each fill and payment, one line each. */
export const hedgeRecordFile = (marketId: MarketId): string => `hedge-${marketId}.jsonl`;

/** True for the name of a file of a market's hedge. */
export const isHedgeFile = (name: string): boolean => /^hedge-.+\.json$/.test(name);

const NO_MARKETS: readonly MarketId[] = [];

/** A rate of quote assets as a fraction of this. */
const RATE_UNIT = 10n ** 12n;
const RATIO_UNIT = 1_000_000n;

/** The hedges of a bot's markets: their inputs, their demands, and what the limits know of them. */
export class MarketHedges {
  readonly #deps: MarketHedgesDeps;
  readonly #hedged = new Map<MarketId, HedgedMarket>();
  /** Of each market, what its quotes depend on. */
  readonly #states = new Map<MarketId, string>();
  /** Of each market, the mid there for one tick of the mark here, at the newest touch. */
  readonly #midPerMark = new Map<MarketId, number>();
  /** Markets whose fills have paid another fee than the file has. */
  readonly #otherFees = new Set<MarketId>();
  /** The newest rates of sources, by name. */
  readonly #rates = new Map<string, QuoteRate>();

  /**
   * @throws FormatError or CorruptStateError for a stored hedge that cannot be read; RunError for
   * one at another venue or in another contract, whose position would be forgotten
   */
  constructor(deps: MarketHedgesDeps) {
    this.#deps = deps;
    for (const [marketId, { hedge }] of Object.entries(deps.config.markets)) {
      const venue = hedge === undefined ? undefined : deps.venues.get(hedge.venue);
      if (hedge !== undefined && venue !== undefined)
        this.#hedged.set(marketId, this.#create(marketId, hedge, venue));
    }
  }

  /** The markets that are hedged. */
  get all(): Iterable<HedgedMarket> {
    return this.#hedged.values();
  }

  /** The hedge of a market; undefined without one. */
  get(marketId: MarketId): HedgedMarket | undefined {
    return this.#hedged.get(marketId);
  }

  /** Applies an event of a venue. */
  onEvent(venue: string, event: HedgeEvent): void {
    if (event.type === "malformed")
      this.#deps.notify({
        kind: "malformed",
        where: `${venue} ${event.where}`,
        reason: event.reason,
      });
    for (const hedged of this.#hedged.values())
      if (hedged.venue === venue) hedged.hedger.onEvent(event);
  }

  /**
   * Brings every hedge up to date with its market's position. Runs at the end of every turn.
   * @returns the markets whose net position, or whose restriction, has changed
   */
  settle({ isStarting, mayRest, soldHereLots }: HedgingPhase): readonly MarketId[] {
    if (this.#hedged.size === 0) return NO_MARKETS;
    const changed: MarketId[] = [];
    for (const hedged of this.#hedged.values()) {
      const { marketId, hedger } = hedged;
      this.#noteBasis(hedged);
      hedger.settle({
        targetLots: isStarting ? undefined : this.#targetLots(hedged, soldHereLots(marketId)),
        mayRest,
      });
      const state = `${hedger.positionLots} ${this.restrictionOn(marketId)?.name ?? ""}`;
      if (this.#states.get(marketId) === state) continue;
      this.#states.set(marketId, state);
      changed.push(marketId);
    }
    return changed;
  }

  /**
   * The position of a market and its hedge together, in the market's lots; undefined for a market
   * without a hedge.
   */
  netLots(marketId: MarketId): Lots | undefined {
    const hedged = this.#hedged.get(marketId);
    if (hedged === undefined) return undefined;
    return (
      this.#deps.account.positionLots(marketId) + toMarketLots(hedged, hedged.hedger.positionLots)
    );
  }

  /** The hedge of a market as its strategy sees it; undefined without one. */
  viewOf(marketId: MarketId): HedgeView | undefined {
    const hedged = this.#hedged.get(marketId);
    if (hedged === undefined) return undefined;
    const { account, config } = this.#deps;
    return createHedgeView(hedged, {
      ownPositionLots: account.positionLots(marketId),
      rate: this.rateOf(hedged.config)?.rate,
      takerFeeBps: config.hedgeVenues?.[hedged.venue]?.takerFeeBps,
    });
  }

  /** The hedge's part of a market's exposure, in the market's lots; undefined without a hedge. */
  exposureOf(
    marketId: MarketId,
  ): { positionLots: Lots; mayBuyLots: Lots; maySellLots: Lots } | undefined {
    const hedged = this.#hedged.get(marketId);
    if (hedged === undefined) return undefined;
    const { hedger } = hedged;
    return {
      positionLots: toMarketLots(hedged, hedger.positionLots),
      mayBuyLots: toMarketLots(hedged, hedger.mayFill("BUY"), "away from zero"),
      maySellLots: toMarketLots(hedged, hedger.mayFill("SELL"), "away from zero"),
    };
  }

  /** Why a market may not quote freely; undefined if its hedge keeps up, or it has none. */
  restrictionOn(marketId: MarketId): HedgeRestriction | undefined {
    const hedged = this.#hedged.get(marketId);
    if (hedged === undefined) return undefined;
    const { hedger, config, venue } = hedged;
    const effect = config.whenAway;
    const away = hedger.awayReason;
    if (away !== undefined) return { name: "hedge-away", why: `${venue}: ${away}`, effect };
    if (this.rateOf(config) === undefined)
      return { name: "hedge-away", why: `${config.quoteRate?.reference} has sent no rate`, effect };
    const { overBoundForMs = 0, neededLots = 0 } = hedger;
    if (overBoundForMs <= config.maxUnhedgedMs) return undefined;
    const amount = hedger.contract.instrument.formatAmount(Math.abs(neededLots));
    const why = `${amount} ${hedger.contract.baseAsset} have been unhedged for ${Math.floor(overBoundForMs / 1000)} s`;
    return { name: "unhedged", why, effect };
  }

  /**
   * Why the hedge of what orders may open could not be margined at its venue; undefined if it can,
   * or if the venue has not reported its margin yet.
   * @param lots of the market that a side may fill, an order that is proposed included
   */
  marginShortage(marketId: MarketId, side: Side, lots: Lots): string | undefined {
    const hedged = this.#hedged.get(marketId);
    const { account, midTicks, positionLots, contract } = hedged?.hedger ?? {};
    if (hedged === undefined || account === undefined || contract === undefined) return undefined;
    if (midTicks === undefined || positionLots === undefined) return undefined;
    const there = toVenueLots(hedged, lots);
    const after = positionLots - sideSign(side) * there;
    const addedLots = Math.max(0, Math.abs(after) - Math.abs(positionLots));
    const fraction = account.initialMarginFraction[contract.symbol] ?? 1;
    const value = contract.instrument.creditFloor(Math.ceil(midTicks), addedLots);
    const needed = (value * BigInt(Math.ceil(fraction * 1_000_000))) / 1_000_000n;
    if (needed <= account.availableMargin) return undefined;
    const text = (amount: bigint): string => scaledToDecimal(amount, HEDGE_DECIMALS);
    return `its hedge would need ${text(needed)} ${contract.quoteAsset} of margin at ${hedged.venue}, which has ${text(account.availableMargin)}`;
  }

  /**
   * The profit of all hedges in credit units of the exchange; undefined while one of them cannot
   * be valued, as at a restart before its first price: taken for nothing, it would look like a
   * loss.
   */
  get profitCredit(): CreditUnits | undefined {
    let sum = 0n;
    for (const hedged of this.#hedged.values()) {
      if (!hedged.hedger.hasBegun) continue;
      const profit = this.profitOf(hedged);
      if (profit === undefined) return undefined;
      sum += profit;
    }
    return sum;
  }

  /** The profit of one hedge in credit units; undefined before its first mid and rate. */
  profitOf(hedged: HedgedMarket): CreditUnits | undefined {
    const { hedger, config, instrument } = hedged;
    const midTicks = this.#midTicks(hedged);
    const rate = this.rateOf(config);
    if (!hedger.hasBegun || midTicks === undefined || rate === undefined) return undefined;
    const profit = hedger.profitAt(midTicks);
    const scaled = BigInt(Math.round(rate.rate * Number(RATE_UNIT)));
    const unit = RATE_UNIT * 10n ** BigInt(HEDGE_DECIMALS);
    return (profit.total * scaled * 10n ** BigInt(instrument.creditDecimals)) / unit;
  }

  /**
   * The rate at which a hedge's profit is converted; undefined before its source has sent one. The
   * last rate of a source that is down stays in force, so that the profit does not jump.
   */
  rateOf({ quoteRate }: MarketHedgeConfig): QuoteRate | undefined {
    if (quoteRate?.reference !== undefined) return this.#rates.get(quoteRate.reference);
    return { source: undefined, rate: quoteRate?.fixed ?? 1, atMs: undefined };
  }

  /** Applies a message of a source of rates. */
  onReference(update: ReferenceUpdate): void {
    if (update.type !== "price") return;
    const { source, bid, ask } = update;
    const multiplier = this.#deps.config.references?.[source]?.multiplier ?? 1;
    const rate = ((bid + ask) / 2) * multiplier;
    if (rate > 0) this.#rates.set(source, { source, rate, atMs: this.#deps.clock.nowMs() });
  }

  /**
   * The terms on which a market's position can be laid off now, or why it cannot be; undefined for
   * a market without a hedge.
   */
  layOffTerms(marketId: MarketId): LayOffTerms | string | undefined {
    const hedged = this.#hedged.get(marketId);
    if (hedged === undefined) return undefined;
    const { config } = hedged;
    if (hedged.hedger.awayReason === undefined && this.rateOf(config) === undefined)
      return `${config.quoteRate?.reference} has sent no rate`;
    return layOffTermsAt(hedged, this.#deps.config.hedgeVenues?.[hedged.venue]?.takerFeeBps);
  }

  /**
   * Signed lots of a market that wait for their hedge: positive ones are to be sold at the venue. 0
   * without a hedge, or while a position is not known.
   * @param notHedgedLots of the market's position, signed
   */
  pendingLots(marketId: MarketId, notHedgedLots: Lots): Lots {
    const hedged = this.#hedged.get(marketId);
    if (hedged === undefined || !hedged.hedger.hasBegun) return 0;
    const targetLots = this.#targetLots(hedged, notHedgedLots);
    return targetLots === undefined
      ? 0
      : toMarketLots(hedged, hedged.hedger.positionLots - targetLots);
  }

  /** True if no order of the bot is open at any venue, and nothing is left to hedge. */
  get isClear(): boolean {
    for (const { hedger } of this.#hedged.values()) {
      if (hedger.ordersLeft.length > 0) return false;
      if (Math.abs(hedger.neededLots ?? 0) > hedger.boundLots) return false;
    }
    return true;
  }

  /** The hedges that are not done, for the end of a run. */
  get hedgesLeft(): readonly HedgeAtEnd[] {
    return [...this.#hedged.values()]
      .filter(
        ({ hedger: { ordersLeft, neededLots, boundLots } }) =>
          ordersLeft.length > 0 || neededLots === undefined || Math.abs(neededLots) > boundLots,
      )
      .map(({ marketId, venue, hedger: { contract, ordersLeft, neededLots } }) => ({
        marketId,
        venue,
        neededBase:
          neededLots === undefined ? undefined : contract.instrument.formatAmount(neededLots),
        ordersLeft: ordersLeft.map(({ key }) => key),
      }));
  }

  /** Hedged fills whose settlement may still fail, by market. */
  get unsettled(): readonly UnsettledHedge[] {
    const { account } = this.#deps;
    const found: UnsettledHedge[] = [];
    for (const { marketId, venue, instrument } of this.#hedged.values()) {
      const { buy, sell } = account.unsettledLots(marketId);
      if (buy === 0 && sell === 0) continue;
      const [buyBase, sellBase] = [instrument.formatAmount(buy), instrument.formatAmount(sell)];
      found.push({ marketId, venue, buyBase, sellBase });
    }
    return found;
  }

  #noteBasis({ marketId, hedger }: HedgedMarket): void {
    const { midTicks } = hedger;
    const markTicks = this.#deps.markTicks(marketId);
    if (midTicks !== undefined && markTicks > 0)
      this.#midPerMark.set(marketId, midTicks / markTicks);
  }

  /**
   * The mid there. While its book is away it moves with the mark here: otherwise a market that
   * moves would show the profit of one leg alone.
   */
  #midTicks({ marketId, hedger }: HedgedMarket): number | undefined {
    if (hedger.midTicks !== undefined) return hedger.midTicks;
    const midPerMark = this.#midPerMark.get(marketId);
    return midPerMark === undefined ? undefined : midPerMark * this.#deps.markTicks(marketId);
  }

  #create(marketId: MarketId, hedge: MarketHedgeConfig, venue: UsedHedgeVenue): HedgedMarket {
    const { config, instruments, store, clock, random, tag, nextActionId } = this.#deps;
    const instrument = instruments.get(marketId);
    const contract = venue.contracts.get(hedge.symbol);
    if (contract === undefined || instrument === undefined)
      throw new RunError("was not read from the hedge venue", {
        field: `markets.${marketId}.hedge.symbol`,
        value: hedge.symbol,
        expected: "a contract of the venue",
      });
    const file = hedgeFile(marketId);
    const hedger = new MarketHedger({
      venue: hedge.venue,
      contract,
      settings: toHedgeSettings(hedge, contract),
      reconcileMs: config.hedgeVenues?.[hedge.venue]?.reconcileMs ?? 10_000,
      acceptanceWindowMs: venue.acceptanceWindowMs,
      clock,
      tag,
      createKey: () => createHedgeOrderKey(tag, random),
      nextActionId,
      submit: (action) => {
        this.#deps.onAction(hedge.venue, action);
        venue.submit(action);
      },
      stored: readStoredHedge(store, marketId, hedge),
      persist: (text) => store.writeBehind(file, text),
      record: (record) => store.append(hedgeRecordFile(marketId), encodeHedgeRecord(record)),
      notify: (hedgeNotice) => {
        this.#deps.notify({ kind: "hedge", marketId, venue: hedge.venue, notice: hedgeNotice });
        if (hedgeNotice.kind === "fill")
          this.#checkFee(marketId, hedge.venue, contract, hedgeNotice.fill);
      },
    });
    return { marketId, venue: hedge.venue, config: hedge, hedger, instrument };
  }

  /** Compares the fee of a fill with the file's, until one differs. */
  #checkFee(marketId: MarketId, venue: string, contract: HedgeContract, fill: HedgeFill): void {
    if (this.#otherFees.has(marketId)) return;
    const { config, notify } = this.#deps;
    const { takerFeeBps } = config.hedgeVenues?.[venue] ?? {};
    const message = takerFeeDifference(fill, contract, venue, takerFeeBps);
    if (message === undefined) return;
    this.#otherFees.add(marketId);
    notify({ kind: "hedge", marketId, venue, notice: { kind: "warning", message } });
  }

  /** The position at the venue that hedges the market; undefined while its own is not known. */
  #targetLots(
    { marketId, config, hedger, instrument }: HedgedMarket,
    soldHereLots: Lots,
  ): Lots | undefined {
    const { account } = this.#deps;
    if (!account.confirmed || !account.isPositionKnown(marketId)) return undefined;
    const ratio = BigInt(Math.round(config.ratio * Number(RATIO_UNIT)));
    const paper = instrument.lotsToPaper(account.positionLots(marketId) - soldHereLots);
    const scaled = paper * ratio * 10n ** BigInt(hedger.contract.instrument.paperDecimals);
    const unit =
      hedger.contract.instrument.paperPerLot * RATIO_UNIT * 10n ** BigInt(instrument.paperDecimals);
    // Truncated: what is less than a lot stays unhedged.
    return Number(-(scaled / unit));
  }
}

/** The settings of a hedge in the venue's lots. */
function toHedgeSettings(
  { style, minClipBase, maxUnhedgedBase, maxUnhedgedMs, maxSlippageBps }: MarketHedgeConfig,
  { instrument, minLots }: HedgeContract,
): HedgeSettings {
  const lotsIn = (base: string): bigint =>
    decimalToScaled(base, instrument.paperDecimals) / instrument.paperPerLot;
  return {
    style,
    minClipLots: minClipBase === undefined ? minLots : Number(lotsIn(minClipBase)),
    maxUnhedgedLots: Number(lotsIn(maxUnhedgedBase)),
    maxUnhedgedMs,
    maxSlippageBps,
  };
}

function readStoredHedge(
  store: StateStore,
  marketId: MarketId,
  { venue, symbol }: MarketHedgeConfig,
): StoredHedge | undefined {
  const file = hedgeFile(marketId);
  const stored = readJsonState(store, file, (value) => storedHedgeSchema.parse(value));
  if (stored === undefined || (stored.venue === venue && stored.symbol === symbol)) return stored;
  if (stored.positionLots === 0 && stored.orders.length === 0) return undefined;
  throw new RunError(
    `the market was hedged at ${stored.venue} in ${stored.symbol}, and a position is open there`,
    {
      field: `markets.${marketId}.hedge`,
      value: `${venue} ${symbol}`,
      expected: `the same venue and symbol until that position is closed, or no file ${file} in the state directory`,
    },
  );
}
