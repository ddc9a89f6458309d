import { z } from "zod";
import { absolute } from "../../core/bigints.js";
import { FormatError } from "../../core/errors.js";
import type { Clock } from "../../core/runtime/runtime.js";
import type { CreditUnits, Hex, Lots, MarketId, Ms, PaperUnits, Side } from "../../core/units.js";
import { parseWire, toCreditUnits } from "../../exchange/protocol/wire-parse.js";
import type { RestClient } from "../../exchange/rest/rest-client.js";
import { VenueRequestError } from "../../exchange/venue-errors.js";
import type {
  LiquidatorVenue,
  ListedRiskyAccount,
  TakeoverPause,
} from "../../liquidator/liquidator-venue.js";
import type { LayOffTerms } from "../../liquidator/plan/lay-off-terms.js";
import { pickWorseValue, type UnsoldValue } from "../../liquidator/unsold-value.js";
import { TooManyRequests } from "../../liquidator/watch/poll-pace.js";
import type { VenueMarket } from "../../liquidator/watch/victims.js";
import { netLevels } from "../../market/book/net-book.js";
import { mulFixed } from "../../perpetual/fixed-point.js";
import type { MarketExposure } from "../../risk/exposure.js";
import type { AccountLimits } from "../../risk/limits.js";
import type { Bot } from "../engine/bot.js";
import { computeAccountExposure } from "../execution/account-exposure.js";
import { signedRates } from "../execution/signed-rates.js";
import type { MarketTrader } from "../market/market-trader.js";

/** Levels per side that a plan uses. */
const DEPTH = 200;
/** Age after which the price of ether is read again. */
const PRICE_AGE_MS = 60_000;
/** The window of a limit if the exchange does not name one. */
const WINDOW_MS: Ms = 60_000;

const riskySchema = z.array(
  z.object({
    account: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
    isSafe: z.boolean(),
    positions: z.array(z.object({ marketId: z.string().optional() })),
  }),
);
const gasFeeSchema = z.object({
  gasFeeInfo: z.object({ lastEthIndexPrice: z.string().regex(/^\d{1,12}(\.\d{1,18})?$/) }),
});

/**
 * Credit units of one ether, by the exchange. @throws FormatError if it does not report it; as
 * {@link RestClient} does.
 */
export async function readCreditPerEth(
  client: RestClient,
  creditDecimals: number,
): Promise<CreditUnits> {
  const { gasFeeInfo } = parseWire(gasFeeSchema, await client.call("exchangeInfo"), "exchangeInfo");
  const field = "exchangeInfo.gasFeeInfo.lastEthIndexPrice";
  const credit = toCreditUnits(gasFeeInfo.lastEthIndexPrice, creditDecimals, field);
  if (credit > 0n) return credit;
  throw new FormatError("is not a price of ether", {
    field,
    value: gasFeeInfo.lastEthIndexPrice,
    expected: "above zero",
  });
}

/**
 * The accounts of the exchange's list of risky ones.
 * @param windowMs pause after a 429 or 418 that does not name one.
 * @throws TooManyRequests for a 429 or 418; FormatError for an answer of another shape.
 */
export async function readRiskyAccounts(
  client: Pick<RestClient, "call">,
  windowMs = WINDOW_MS,
): Promise<readonly ListedRiskyAccount[]> {
  const answer = await client.call("riskyAccounts").catch((error: unknown) => {
    if (
      !(
        error instanceof VenueRequestError &&
        (error.httpStatus === 429 || error.httpStatus === 418)
      )
    )
      throw error;
    throw new TooManyRequests(
      `the exchange's rate limit was exceeded (HTTP ${error.httpStatus})`,
      error.retryAfterMs ?? windowMs,
    );
  });
  const list = parseWire(riskySchema, answer, "riskyAccounts");
  return list.map(({ account, isSafe, positions }) => ({
    account: account.toLowerCase(),
    isSafe,
    marketIds: positions.flatMap(({ marketId }) => marketId ?? []),
  }));
}

/**
 * A liquidator's view of a running bot and its exchange. It reads the bot between turns, and
 * changes nothing in it.
 */
export class BotLiquidatorVenue implements LiquidatorVenue {
  readonly #bot: Bot;
  readonly #client: RestClient;
  readonly #clock: Clock;
  readonly #onRequest: () => void;
  readonly #chainMarkOf: (perp: Hex) => bigint | undefined;
  readonly #byPerp: ReadonlyMap<Hex, MarketTrader>;
  #ethPrice: { readonly credit: CreditUnits; readonly atMs: number } | undefined;

  /**
   * @param onAsking called before each query is sent: it counts against the bot's own limits.
   * @param chainMarkOf the newest mark that the chain has reported, credit units per 1e18 paper.
   */
  constructor(
    bot: Bot,
    client: RestClient,
    clock: Clock,
    onAsking: () => void,
    chainMarkOf: (perp: Hex) => bigint | undefined,
  ) {
    this.#bot = bot;
    this.#client = client;
    this.#clock = clock;
    this.#onRequest = onAsking;
    this.#chainMarkOf = chainMarkOf;
    this.#byPerp = new Map(
      [...bot.context.traders.values()].map((trader) => [trader.rules.perp.toLowerCase(), trader]),
    );
  }

  get accountLimits(): AccountLimits {
    return this.#bot.context.accountLimits;
  }

  /** As reported last; undefined before. */
  get lastCreditPerEth(): CreditUnits | undefined {
    return this.#ethPrice?.credit;
  }

  pause(): TakeoverPause | undefined {
    const { phase, tradingGuards } = this.#bot;
    if (phase !== "running")
      return { why: `the bot is ${phase}`, isTemporary: phase === "starting" };
    const halts = tradingGuards.halts.filter(({ scope }) => scope === "account");
    const gravest = halts.find(({ resumesByItself }) => !resumesByItself) ?? halts[0];
    if (gravest !== undefined)
      return { why: `${gravest.name}: ${gravest.why}`, isTemporary: gravest.resumesByItself };
    // An account that may only reduce positions does not take any over.
    const reduces = tradingGuards.ladder.acting.find(
      ({ action, marketId }) => action === "reduce" && marketId === undefined,
    );
    return reduces === undefined
      ? undefined
      : { why: `${reduces.measure}: ${reduces.why}`, isTemporary: false };
  }

  async riskyAccounts(): Promise<readonly ListedRiskyAccount[]> {
    this.#requireTokens();
    const windows = this.#bot.context.rules.rateLimits
      .filter(({ name }) => name === "COMMON")
      .map(({ intervalMs }) => intervalMs);
    this.#onRequest();
    return readRiskyAccounts(this.#client, windows.length === 0 ? WINDOW_MS : Math.max(...windows));
  }

  markets(): ReadonlyMap<Hex, VenueMarket> {
    const { context } = this.#bot;
    const exposure = computeAccountExposure(context, context.marketLimits);
    return new Map(
      [...this.#byPerp].map(([perp, trader]) => [
        perp,
        this.#market(trader, exposure.markets.get(trader.marketId)),
      ]),
    );
  }

  marketIdFor(perp: Hex): MarketId | undefined {
    return this.#byPerp.get(perp)?.marketId;
  }

  perpFor(marketId: MarketId): Hex | undefined {
    return this.#bot.context.traders.get(marketId)?.rules.perp.toLowerCase();
  }

  async creditPerEth(): Promise<CreditUnits> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#ethPrice !== undefined && nowMs - this.#ethPrice.atMs < PRICE_AGE_MS)
      return this.#ethPrice.credit;
    this.#onRequest();
    const credit = await readCreditPerEth(this.#client, this.#bot.context.rules.creditDecimals);
    this.#ethPrice = { credit, atMs: nowMs };
    return credit;
  }

  markValue(perp: Hex, paper: PaperUnits): CreditUnits | undefined {
    const trader = this.#byPerp.get(perp);
    return trader === undefined ? undefined : this.#worth(trader, paper)?.credit;
  }

  /**
   * Value of unsold lots of a market at the worse of both marks, and whose mark that is; undefined
   * before the first one.
   */
  unsoldValue(marketId: MarketId, lots: Lots): UnsoldValue | undefined {
    const trader = this.#bot.context.traders.get(marketId);
    return trader === undefined
      ? undefined
      : this.#worth(trader, trader.instrument.lotsToPaper(lots));
  }

  #worth(
    { rules, instrument, state: { mark } }: MarketTrader,
    paper: PaperUnits,
  ): UnsoldValue | undefined {
    const onChain = this.#chainMarkOf(rules.perp.toLowerCase());
    return pickWorseValue(
      mark === undefined ? undefined : instrument.markValue(paper, mark),
      onChain === undefined ? undefined : mulFixed(paper, onChain),
    );
  }

  unwindingCredit(): CreditUnits {
    return this.#open().reduce((sum, { markCredit = 0n }) => sum + absolute(markCredit), 0n);
  }

  /** The list can wait: cancels and the bot's own queries go first. @throws TooManyRequests */
  #requireTokens(): void {
    const { budget, traders, account } = this.#bot.context;
    const ordersThatMayFill = [...traders.keys()].reduce(
      (sum, marketId) => sum + account.orders.mayStillFill(marketId).length,
      0,
    );
    const verdict = budget.check("question", {
      ordersThatMayFill,
      markets: traders.size,
      queryReserve: 0,
    });
    if (verdict.isAllowed) return;
    const waitMs = Math.min(
      WINDOW_MS,
      Math.max(1, Math.ceil(verdict.retryAtMs - this.#clock.monotonicMs())),
    );
    throw new TooManyRequests(
      `${verdict.available} ${verdict.bucket} tokens are left, which the bot itself may need`,
      waitMs,
    );
  }

  #market(trader: MarketTrader, exposure: MarketExposure | undefined): VenueMarket {
    const { context, tradingGuards } = this.#bot;
    const { marketId, instrument, book, rules } = trader;
    const own = context.account.orders.resting(marketId);
    // A closed market has no buyer for the position.
    const isOpen =
      book.isSynchronised &&
      rules.status === "TRADING" &&
      tradingGuards.haltsFor(marketId).length === 0 &&
      !tradingGuards.ladder.effectOn(marketId).isReduceOnly;
    const mayFill = [...(exposure?.orders ?? []), ...(exposure?.foreignOrders ?? [])];
    const lotsOf = (side: Side): Lots =>
      mayFill.reduce(
        (sum, order) =>
          sum + (order.side === side ? order.mayFillLots + (order.unreportedLots ?? 0) : 0),
        0,
      );
    return {
      marketId,
      instrument,
      bids: isOpen ? netLevels(book.bids, own, DEPTH) : [],
      asks: isOpen ? netLevels(book.asks, own, DEPTH) : [],
      ...signedRates(context.config, rules),
      pendingUnwindLots: this.#open().reduce(
        (sum, report) => sum + (report.marketId === marketId ? report.remainingLots : 0),
        0,
      ),
      workingLots: { buy: lotsOf("BUY"), sell: lotsOf("SELL") },
      // The planner itself knows best which takeovers are pending.
      reservedLots: { buy: 0, sell: 0 },
      unsettledLots: context.account.unsettledLots(marketId),
      positionLots: context.account.positionLots(marketId),
      limits: context.marketLimits.get(marketId) ?? {},
      layOff: this.#layOffTerms(marketId),
    };
  }

  /** A plan may count on laying off only where the bot would do so. */
  #layOffTerms(marketId: MarketId): LayOffTerms | undefined {
    const { hedges, config } = this.#bot.context;
    const wanted = config.liquidator?.unwind.layOff;
    const terms = hedges.layOffTerms(marketId);
    if (wanted === "here" || terms === undefined || typeof terms === "string") return undefined;
    return { ...terms, isAlways: wanted === "hedge" };
  }

  #open() {
    return this.#bot.liquidatedInventory.reports().filter(({ state }) => state === "open");
  }
}
