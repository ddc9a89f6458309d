import { botName, negative } from "./format.js";
import type { BotEntry, Frame, MarketStatus, Side } from "./frame.js";
import { SampledHistory } from "./sampled-history.js";

/** Age from which the page says that a bot has sent nothing. */
export const OLD_AFTER_MS = 3_000;

/** One bot as the page knows it. */
export class BotRecord {
  entry: BotEntry;
  /** By its file; with the folder where files have the same name. */
  name: string;
  frame: Frame | undefined;
  /** On the page's own clock, `performance.now()`. */
  receivedAtMs: number | undefined;
  /** When the bot vanished, in milliseconds since 1970; undefined while it runs. */
  goneAtMs: number | undefined;
  readonly account = new SampledHistory();
  readonly markets = new Map<string, SampledHistory>();

  constructor(entry: BotEntry) {
    this.entry = entry;
    this.name = botName(entry.config);
  }

  /** Takes the newest frame. */
  receive(frame: Frame, nowMs: number): void {
    this.frame = frame;
    this.receivedAtMs = nowMs;
    this.goneAtMs = undefined;
    const { status } = frame;
    this.entry = {
      ...this.entry,
      config: status.config,
      account: status.account,
      phase: status.phase,
      control: frame.control,
    };
    this.account.add(status.atMs, {
      equity: status.equityQuote,
      drawdown: status.drawdownQuote == null ? null : negative(status.drawdownQuote),
      delay: status.eventLoopDelayMs.last,
    });
    for (const [marketId, market] of Object.entries(status.markets)) {
      this.history(marketId).add(status.atMs, {
        mid: midText(market.bestBid, market.bestAsk),
        bestBid: market.bestBid,
        bestAsk: market.bestAsk,
        ownBid: market.quotes.find(({ side }) => side === "BUY")?.price,
        ownAsk: market.quotes.find(({ side }) => side === "SELL")?.price,
        position: market.positionBase,
        total: market.pnlTotalQuote,
        bidDistance: distanceBps(market, "BUY"),
        askDistance: distanceBps(market, "SELL"),
        ...market.pnlQuote,
      });
    }
  }

  /** How long ago the last frame came; undefined before the first. */
  ageMs(nowMs: number): number | undefined {
    return this.receivedAtMs === undefined ? undefined : Math.max(0, nowMs - this.receivedAtMs);
  }

  /** True when the figures may differ from the bot's: it is gone, or has sent nothing lately. */
  isOld(nowMs: number): boolean {
    return this.goneAtMs !== undefined || (this.ageMs(nowMs) ?? 0) > OLD_AFTER_MS;
  }

  /** The history of a market, made when it is first needed. */
  history(marketId: string): SampledHistory {
    let found = this.markets.get(marketId);
    if (found === undefined) {
      found = new SampledHistory();
      this.markets.set(marketId, found);
    }
    return found;
  }
}

/** Of the best quote of a side, behind its touch. */
function distanceBps({ quotes }: MarketStatus, side: Side): number | undefined {
  return quotes.find((quote) => quote.side === side)?.distanceBps;
}

/** The mean of two prices, exact: half a step needs one more decimal. */
function midText(bid: string | undefined, ask: string | undefined): string | null {
  if (bid === undefined || ask === undefined) return null;
  const decimals = Math.max(...[bid, ask].map((price) => price.split(".")[1]?.length ?? 0));
  const scaled = (price: string): bigint => {
    const [whole = "0", fraction = ""] = price.split(".");
    return BigInt(whole + fraction.padEnd(decimals, "0"));
  };
  const doubled = String((scaled(bid) + scaled(ask)) * 5n).padStart(decimals + 2, "0");
  const [whole, fraction] = [
    doubled.slice(0, doubled.length - decimals - 1),
    doubled.slice(doubled.length - decimals - 1).replace(/0+$/, ""),
  ];
  return fraction === "" ? whole : `${whole}.${fraction}`;
}
