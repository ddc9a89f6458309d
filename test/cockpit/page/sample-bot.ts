import { readFileSync } from "node:fs";
import type {
  BotStatus,
  Frame,
  FrameFill,
  FrameLevel,
  FrameMarket,
  FrameNotice,
  LadderRungStatus,
  MarketStatus,
  MarkoutStatus,
  OwnQuote,
  Side,
} from "../../../assets/cockpit/frame.js";

/** The output of `status --json` of a real bot on the embedded exchange. */
const RECORDED = JSON.parse(
  readFileSync(new URL("./sample-status.json", import.meta.url), "utf8"),
) as BotStatus;

const START_MS = Date.UTC(2026, 10, 27, 9, 0, 0);
const FRAME_MS = 500;
const HORIZONS_MS = [100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000];

interface SampleMarket {
  readonly marketId: string;
  readonly tick: number;
  readonly priceDecimals: number;
  readonly amountDecimals: number;
  readonly sizeBase: number;
  readonly levels: number;
  readonly halfSpreadBps: number;
  mid: number;
  position: number;
  readonly fills: FrameFill[];
}

/** Options of a {@link SampleBot}. */
export interface SampleBotOptions {
  readonly seed?: number;
  readonly config?: string;
  readonly account?: string;
  readonly control?: boolean;
  /** Time of the first frame, in milliseconds since 1970. */
  readonly startMs?: number;
}

/** Frames as a bot sends them: the status of a real one, with moving prices and orders. */
export class SampleBot {
  readonly #options: SampleBotOptions;
  readonly #markets: readonly SampleMarket[] = [
    market("btcusdc", 0.1, 1, 3, 0.02, 1, 2.8, 60_004.25),
    market("ethusdc", 0.01, 2, 2, 0.5, 3, 2, 2_998.6),
  ];
  readonly notices: FrameNotice[] = [];
  #state: number;
  #turn = 0;
  #fills = 0;
  #equity = 101_843;
  #peak = 101_852;
  /** Markets that are halted, by the reason of the halt. */
  readonly halts = new Map<string, { readonly name: string; readonly why: string }>();
  /** Changes of a frame, for a scenario. */
  alter: (frame: Frame) => Frame = (frame) => frame;

  constructor(options: SampleBotOptions = {}) {
    this.#options = options;
    this.#state = options.seed ?? 7;
  }

  /** The time of the newest frame. */
  get atMs(): number {
    return (this.#options.startMs ?? START_MS) + this.#turn * FRAME_MS;
  }

  /** The next frame, half a second later. */
  next(): Frame {
    this.#turn += 1;
    for (const one of this.#markets) this.#move(one);
    this.#equity += 1.4 * (this.#random() - 0.48);
    this.#peak = Math.max(this.#peak, this.#equity);
    const { config = RECORDED.config, account = RECORDED.account, control = true } = this.#options;
    const drawdown = this.#peak - this.#equity;
    const status: BotStatus = {
      ...RECORDED,
      config,
      account,
      turn: 48_210 + 37 * this.#turn,
      atMs: this.atMs,
      startedAtMs: (this.#options.startMs ?? START_MS) - 3_723_000,
      equityQuote: this.#equity.toFixed(6),
      earnedQuote: (this.#equity - 100_000).toFixed(6),
      peakEquityQuote: this.#peak.toFixed(6),
      drawdownQuote: drawdown.toFixed(6),
      unrealisedQuote: (1.7 * this.#random() - 0.9).toFixed(6),
      realisedQuote: "1821.118203",
      guard: { state: "alive", ageMs: 400, text: "process 4711 read the heartbeat 0.4 s ago" },
      eventLoopDelayMs: { last: 1 + 3 * this.#random(), p99: 8.4 },
      streams: [
        { name: "market", state: "up", ageMs: Math.round(300 * this.#random()) },
        { name: "account", state: "up", ageMs: 1_900 },
      ],
      ladderRungs: [
        rung("drawdown", "500", "warn", drawdown),
        rung("drawdown", "1000", "widen", drawdown),
        rung("drawdown", "2000", "halt", drawdown),
        {
          measure: "inventory",
          marketId: "ethusdc",
          threshold: "0.8",
          unit: "share",
          action: "reduce",
          measured: (Math.abs(this.#markets[1]?.position ?? 0) / 10).toFixed(3),
          isActive: false,
        },
      ],
      differsFromFile: [],
      activeHalts: [...this.halts].map(([marketId, halt]) => ({
        ...halt,
        marketId,
        endsByItself: halt.name !== "manual",
      })),
      openPositions: this.#markets.map((one) => ({
        marketId: one.marketId,
        positionBase: one.position.toFixed(one.amountDecimals),
        entryPrice: one.mid.toFixed(one.priceDecimals),
        notionalQuote: Math.abs(one.position * one.mid).toFixed(6),
        baseAsset: RECORDED.markets[one.marketId]?.baseAsset ?? null,
        quoteAsset: "USDC",
      })),
      liquidator: liquidator(),
      markets: Object.fromEntries(
        this.#markets.map((one) => [one.marketId, this.#marketStatus(one)]),
      ),
    };
    return this.alter({
      status,
      control,
      markets: Object.fromEntries(this.#markets.map((one) => [one.marketId, this.#framed(one)])),
      notices: this.notices.slice(-50),
    });
  }

  /** A generator of Lehmer: the same frames in each run. */
  #random(): number {
    this.#state = (this.#state * 48_271) % 2_147_483_647;
    return this.#state / 2_147_483_647;
  }

  #move(one: SampleMarket): void {
    one.mid *= 1 + (this.#random() - 0.5) * 0.00012;
    if (this.halts.has(one.marketId) || this.#random() > 0.06) return;
    const side: Side = this.#random() + one.position / (20 * one.sizeBase) < 0.5 ? "BUY" : "SELL";
    const sign = side === "BUY" ? 1 : -1;
    const position = one.position + sign * one.sizeBase;
    // Sums of floats miss zero by a little, and would read as -0.
    one.position = Number(position.toFixed(one.amountDecimals)) || 0;
    this.#fills += 1;
    const price = one.mid * (1 - (sign * one.halfSpreadBps) / 10_000);
    one.fills.push({
      atMs: this.atMs,
      side,
      price: price.toFixed(one.priceDecimals),
      amountBase: one.sizeBase.toFixed(one.amountDecimals),
      feeQuote: (-0.0001 * price * one.sizeBase).toFixed(6),
      isMaker: true,
      level: 0,
    });
    if (one.fills.length > 200) one.fills.shift();
  }

  #touch(one: SampleMarket): { readonly bid: number; readonly ask: number } {
    const bid = Math.floor(one.mid / one.tick) * one.tick;
    return { bid, ask: bid + one.tick };
  }

  #quotes(one: SampleMarket): readonly OwnQuote[] {
    if (this.halts.has(one.marketId)) return [];
    const { bid, ask } = this.#touch(one);
    return (["BUY", "SELL"] as const).flatMap((side) =>
      Array.from({ length: one.levels }, (_, level) => {
        const away = (one.halfSpreadBps * (level + 1)) / 10_000;
        const centre = centreOf(one);
        const raw = side === "BUY" ? centre * (1 - away) : centre * (1 + away);
        const price = Math.round(raw / one.tick) * one.tick;
        const behind = side === "BUY" ? bid - price : price - ask;
        return {
          clientId: `${side}-${level}`,
          side,
          price: price.toFixed(one.priceDecimals),
          amountBase: one.sizeBase.toFixed(one.amountDecimals),
          distanceBps: (10_000 * behind) / one.mid,
          phase: "open",
          ageMs: 1_400 + 100 * level,
          level,
        };
      }),
    );
  }

  #marketStatus(one: SampleMarket): MarketStatus {
    const recorded = RECORDED.markets[one.marketId] as MarketStatus;
    const { bid, ask } = this.#touch(one);
    const halt = this.halts.get(one.marketId);
    const quotes = this.#quotes(one);
    return {
      ...recorded,
      state: halt === undefined ? "quoting" : "halted",
      reasons: halt === undefined ? [] : [`${halt.name}: ${halt.why}`],
      positionBase: one.position.toFixed(one.amountDecimals),
      bestBid: bid.toFixed(one.priceDecimals),
      bestAsk: ask.toFixed(one.priceDecimals),
      markQuote: (one.mid * 1.0001).toFixed(6),
      openBids: quotes.length / 2,
      openAsks: quotes.length / 2,
      ...this.#profit(one, recorded),
      quotes,
      entryPrice: one.position === 0 ? null : (one.mid * 0.9998).toFixed(8),
      notionalQuote: Math.abs(one.position * one.mid).toFixed(6),
      unrealisedQuote: (one.position * one.mid * 0.0002).toFixed(6),
      realisedQuote: "14.220181",
      bookAgeMs: 120,
      fills: one.fills.length,
      fillsPerMinute: (60_000 * one.fills.length) / (this.#turn * FRAME_MS),
      quoting: {
        bothSidesFraction: 0.972,
        bidFraction: 0.981,
        askFraction: 0.979,
        bidDistanceBps: one.halfSpreadBps,
        askDistanceBps: one.halfSpreadBps + 0.3,
      },
      markouts: markouts(one),
      lastReason: {
        ...(recorded.lastReason as NonNullable<typeof recorded.lastReason>),
        fairTicks: one.mid / one.tick,
        reservationTicks: centreOf(one) / one.tick,
        halfSpreadTicks: (one.mid * one.halfSpreadBps) / 10_000 / one.tick,
      },
    };
  }

  #profit(one: SampleMarket, { pnlQuote }: MarketStatus) {
    const parts = {
      ...pnlQuote,
      inventory: (40 * one.position * (this.#random() - 0.6)).toFixed(6),
      spread: (12 + 0.4 * one.fills.length).toFixed(6),
      basis: "0.402118",
      liquidation: "18.203551",
    };
    const total = Object.values(parts).reduce((sum, part) => sum + Number(part), 0);
    return { pnlQuote: parts, pnlTotalQuote: total.toFixed(6) };
  }

  #framed(one: SampleMarket): FrameMarket {
    const { bid, ask } = this.#touch(one);
    const quotes = this.#quotes(one);
    const levels = (side: Side): readonly FrameLevel[] => {
      // Levels are some ticks apart, so that the ladder reaches past the innermost quotes.
      const apart = (1 + Math.round((one.mid * 0.00002) / one.tick)) * one.tick;
      const own = quotes.filter((quote) => quote.side === side);
      const others = Array.from({ length: 20 }, (_, index) =>
        (side === "BUY" ? bid - index * apart : ask + index * apart).toFixed(one.priceDecimals),
      );
      const sign = side === "BUY" ? -1 : 1;
      return [...new Set([...others, ...own.map(({ price }) => price)])]
        .sort((a, b) => sign * (Number(a) - Number(b)))
        .slice(0, 20)
        .map((price) => {
          const ours = own.find((quote) => quote.price === price);
          const amount = one.sizeBase * (1 + 40 * this.#random());
          return {
            price,
            amountBase: amount.toFixed(one.amountDecimals),
            ...(ours === undefined ? {} : { ownBase: ours.amountBase }),
          };
        });
    };
    return {
      tickSize: String(one.tick),
      stepSize: (10 ** -one.amountDecimals).toFixed(one.amountDecimals),
      bids: levels("BUY"),
      asks: levels("SELL"),
      fills: [...one.fills],
      params: { riskAversion: 0.05, horizonMs: 60_000, sizeBase: one.sizeBase },
    };
  }
}

function market(
  marketId: string,
  tick: number,
  priceDecimals: number,
  amountDecimals: number,
  sizeBase: number,
  levels: number,
  halfSpreadBps: number,
  mid: number,
): SampleMarket {
  const fixed = { marketId, tick, priceDecimals, amountDecimals, sizeBase, levels, halfSpreadBps };
  return { ...fixed, mid, position: 0, fills: [] };
}

/** Where its quotes are centred, after inventory. */
function centreOf({ mid, position, sizeBase }: SampleMarket): number {
  return mid * (1 - (0.00002 * position) / sizeBase);
}

function rung(
  measure: "drawdown",
  threshold: string,
  action: LadderRungStatus["action"],
  measured: number,
): LadderRungStatus {
  const isActive = measured >= Number(threshold);
  return { measure, threshold, unit: "quote", action, measured: measured.toFixed(6), isActive };
}

function markouts({ fills }: SampleMarket): readonly MarkoutStatus[] {
  const count = (side: Side): number => fills.filter((fill) => fill.side === side).length;
  return HORIZONS_MS.flatMap((horizonMs, index) =>
    (["both", "BUY", "SELL"] as const).flatMap((side) =>
      (["all", 0] as const).map((level) => ({
        side,
        level,
        horizonMs,
        fills: side === "both" ? fills.length : count(side),
        quote: (3.1 - 0.42 * index).toFixed(6),
        bps: 2.1 - 0.34 * index + (side === "BUY" ? 0.4 : side === "SELL" ? -0.4 : 0),
      })),
    ),
  );
}

function liquidator(): NonNullable<BotStatus["liquidator"]> {
  const recorded = RECORDED.liquidator as NonNullable<BotStatus["liquidator"]>;
  const [first, second] = recorded.ended;
  if (first === undefined || second === undefined) return recorded;
  return {
    ...recorded,
    counts: { ...recorded.counts, lost: 1, unprofitable: 2 },
    suggestedTipGwei: "2.5",
    ended: [
      {
        ...first,
        outcome: "lost",
        profitQuote: undefined,
        expectedProfitQuote: "21.402117",
        lostTo: { winner: second.victim, blocksBefore: 1, tipGwei: "2.1" },
      },
      {
        ...second,
        outcome: "unprofitable",
        profitQuote: undefined,
        expectedProfitQuote: "0.112035",
        shortOfQuote: "0.387965",
        remainingBase: undefined,
      },
      ...recorded.ended.slice(2),
    ],
  };
}
