import type { Lots, Ticks } from "../core/units.js";
import type { MarketView } from "../market/view.js";
import type { Quote } from "./intent.js";

/** One wanted level, before the market's grid, its touch and the position limit have their say. */
export interface WantedLevel {
  /** Fractional ticks. */
  readonly bidTicks: number;
  readonly askTicks: number;
  /** 0 or less wants no quote on that side. */
  readonly bidLots: Lots;
  readonly askLots: Lots;
}

/** Quotes that may rest, and what held them back. */
export interface ShapedQuotes {
  readonly quotes: readonly Quote[];
  /** In words, for an intent's reason: `bid 0: post-only`. */
  readonly clamps: readonly string[];
}

/**
 * Makes quotes of wanted levels, innermost first. Prices are rounded outward (bids down, asks up), kept from crossing the
 * view's touch (which is net of our own orders), and at least one tick apart from level to level. Sizes are cut, innermost
 * served first, so that the position stays within the view's `maxPositionLots` should every quote of a side fill.
 */
export function shapeQuotes(view: MarketView, wanted: readonly WantedLevel[]): ShapedQuotes {
  const clamps: string[] = [];
  const bids = shapeSide(
    wanted.map(({ bidTicks, bidLots }) => ({ ticks: bidTicks, lots: bidLots })),
    bidRules(view),
    clamps,
  );
  const asks = shapeSide(
    wanted.map(({ askTicks, askLots }) => ({ ticks: askTicks, lots: askLots })),
    askRules(view),
    clamps,
  );
  return { quotes: [...bids, ...asks], clamps };
}

interface SideRules {
  readonly name: "bid" | "ask";
  readonly side: Quote["side"];
  /** To the grid, away from the other side. */
  readonly outward: (ticks: number) => Ticks;
  /** The more cautious of two prices. */
  readonly further: (a: Ticks, b: Ticks) => Ticks;
  /** One tick further from the touch. */
  readonly step: -1 | 1;
  /** The best price that still does not cross. */
  readonly passiveTicks: Ticks;
  /** What may be added before the position limit. */
  readonly roomLots: Lots;
}

function bidRules(view: MarketView): SideRules {
  return {
    name: "bid",
    side: "BUY",
    outward: Math.floor,
    further: Math.min,
    step: -1,
    passiveTicks: view.asks[0].ticks - 1,
    roomLots: view.maxPositionLots - view.positionLots,
  };
}

function askRules(view: MarketView): SideRules {
  return {
    name: "ask",
    side: "SELL",
    outward: Math.ceil,
    further: Math.max,
    step: 1,
    passiveTicks: view.bids[0].ticks + 1,
    roomLots: view.maxPositionLots + view.positionLots,
  };
}

function shapeSide(wanted: readonly { ticks: number; lots: Lots }[], rules: SideRules, clamps: string[]): Quote[] {
  const quotes: Quote[] = [];
  let room = rules.roomLots;
  let inner: Ticks | undefined;
  wanted.forEach(({ ticks: price, lots: size }, level) => {
    if (!(size >= 1)) return;
    const say = (what: string) => clamps.push(`${rules.name} ${level}: ${what}`);
    if (!Number.isFinite(price)) {
      say("no price");
      return;
    }
    let ticks = rules.outward(price);
    if (rules.further(ticks, rules.passiveTicks) !== ticks) {
      ticks = rules.passiveTicks;
      say("post-only");
    }
    if (inner !== undefined && rules.further(ticks, inner + rules.step) !== ticks) {
      ticks = inner + rules.step;
      say("one tick behind the level before it");
    }
    if (ticks < 1) {
      say("below one tick");
      return;
    }
    inner = ticks;
    const lots = Math.min(Math.floor(size), room);
    if (lots < Math.floor(size)) say(lots > 0 ? "cut to the position limit" : "position limit");
    if (!(lots >= 1)) return;
    room -= lots;
    quotes.push({ side: rules.side, level, ticks, lots });
  });
  return quotes;
}
