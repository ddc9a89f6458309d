import type { BotConfig } from "../../bot/config/config.js";
import type { Instrument } from "../../core/instrument.js";
import { sideSign } from "../../core/units.js";
import { totalLengthMs } from "../../history/spans.js";
import { matchedShare, matchFills } from "../compare/match-fills.js";
import type { OpenedSessionMarket } from "../compare/open-session.js";
import type { RerunMarket, RerunOrder, RerunResult } from "../compare/replay/rerun-session.js";
import { listOpenedOrders, type RecordedOrder } from "../session/recorded-orders.js";
import type { Session } from "../session/session-file.js";
import type { RecordedMids } from "./recorded-mids.js";

/** A reason why a recording cannot answer, or can only with reservations. */
export interface WhatIfDoubt {
  /** `refuse`: there is no answer. `warn`: the answer is less certain than its interval says. */
  readonly weight: "refuse" | "warn";
  readonly why: string;
  /** The kind of question or session that is answered. */
  readonly expected: string;
}

/** One market of the session and of both reruns. */
export interface DoubtedMarket {
  readonly opened: Pick<
    OpenedSessionMarket,
    "marketId" | "instrument" | "account" | "isInBook" | "history"
  >;
  readonly mids: RecordedMids;
  readonly before: RerunMarket;
  readonly after: RerunMarket;
}

/** With fewer fills neither a fit nor an interval means anything. */
const LEAST_FILLS = 20;
const LEAST_ALIKE = 0.8;
const LEAST_SECONDS = 60;
const LEAST_MID_CHANGES = 12;
/** Above the first share of the quoted size an answer is refused, above the second it is warned. */
const REFUSED_SHARE = 0.2;
const WARNED_SHARE = 0.02;
/** Shares of the old distance below which, and above which, innermost quotes are outside. */
const NEAREST = { refused: 0.5, warned: 0.7 } as const;
const FARTHEST = { refused: 3, warned: 2 } as const;
/** Orders so many times larger than the session's met takers that it does not show. */
const LARGEST = 3;

/** Finds what is wrong with a session before anything is played again. */
export function findSessionDoubts(
  { mode, config, startedUs, endedUs }: Session,
  markets: readonly { readonly opened: DoubtedMarket["opened"]; readonly mids: RecordedMids }[],
  alike: ReadonlyMap<string, number>,
): readonly WhatIfDoubt[] {
  if (mode === "no-fills")
    return [
      refusal("the session filled nothing: it ran with --no-fills", "a live or paper session"),
    ];
  const seconds = (endedUs - startedUs) / 1e6;
  const short =
    seconds < LEAST_SECONDS
      ? [
          refusal(
            `the session took ${seconds.toFixed(0)} s`,
            `at least ${LEAST_SECONDS} s, since the interval comes from its blocks of time`,
          ),
        ]
      : [];
  const hedged = Object.keys(config.markets).filter(
    (id) => config.markets[id]?.hedge !== undefined,
  );
  return [
    ...short,
    ...hedged.map((id) =>
      refusal(
        `${id} is hedged, and the market of its hedge was not recorded`,
        "a session without a hedge",
      ),
    ),
    ...markets.flatMap(({ opened: { marketId, account, isInBook }, mids }) => {
      const { length } = account.fills;
      if (length < LEAST_FILLS)
        return [
          refusal(
            `${marketId} has ${length} fills`,
            `at least ${LEAST_FILLS}, to which a model can be fitted: record for longer`,
          ),
        ];
      const takers = account.fills.filter(({ isMaker }) => !isMaker);
      const share = alike.get(marketId) ?? 1;
      return [
        ...(share < LEAST_ALIKE
          ? [
              refusal(
                `no model fills the orders of ${marketId} as the session did: ${percent(share)} of the size is alike`,
                `at least ${percent(LEAST_ALIKE)}; marketwright compare shows each difference`,
              ),
            ]
          : []),
        ...(mids.changes < LEAST_MID_CHANGES
          ? [
              refusal(
                `the mid of ${marketId} changed ${mids.changes} times`,
                `a market that moves: at least ${LEAST_MID_CHANGES} changes`,
              ),
            ]
          : []),
        ...(isInBook && takers.length > REFUSED_SHARE * length
          ? [
              refusal(
                `${percent(takers.length / length)} of the fills in ${marketId} took liquidity on arrival`,
                `at most ${percent(REFUSED_SHARE)}: no recorded book shows what takers found`,
              ),
            ]
          : []),
      ];
    }),
  ];
}

/**
 * Finds where the quotes of the new values leave what the session shows.
 * @param after config with the new values
 */
export function findRerunDoubts(
  session: Pick<Session, "start" | "startedUs" | "endedUs">,
  after: BotConfig,
  markets: readonly DoubtedMarket[],
  reruns: { readonly before: RerunResult; readonly after: RerunResult },
): readonly WhatIfDoubt[] {
  const isSame = markets.every(({ before, after: other }) => isSameTrading(before, other));
  return [
    ...reruns.before.worthless.map((why) =>
      refusal(`with the old values, ${why}`, "a bot that quotes"),
    ),
    ...reruns.after.worthless.map((why) =>
      refusal(`with the new values, ${why}`, "a bot that quotes"),
    ),
    ...(isSame
      ? [
          refusal(
            "the change moved no fill: what it would do elsewhere, this session does not show",
            "a session in which the changed value matters",
          ),
        ]
      : []),
    ...openingDoubts(session, reruns.after),
    ...liquidationDoubts(reruns.after),
    ...haltDoubts(session, reruns),
    ...markets.flatMap((market) => [
      ...quoteDoubts(market),
      ...takerDoubts(market),
      ...limitDoubts(session, after, market),
    ]),
  ];
}

/** An interval from blocks that do not differ would have no width. */
function isSameTrading(before: RerunMarket, after: RerunMarket): boolean {
  return matchedShare(matchFills(before.fills, after.fills, 0)) === 1;
}

/** A position without a mark price cannot be valued, so the rerun begins without it. */
function openingDoubts(
  { start }: Pick<Session, "start">,
  { marketsWithOpeningPosition }: RerunResult,
): WhatIfDoubt[] {
  return Object.entries(start?.positionsBase ?? {})
    .filter(([id, amount]) => Number(amount) !== 0 && !marketsWithOpeningPosition.has(id))
    .map(([id, amount]) =>
      refusal(
        `the session began with a position of ${amount} in ${id}, and no mark price was recorded`,
        "a recording with mark prices",
      ),
    );
}

function liquidationDoubts({ profit }: RerunResult): WhatIfDoubt[] {
  return profit.liquidation === 0n
    ? []
    : [refusal("with the new values the account is liquidated", "values that it survives")];
}

/** A market that is halted for longer by the new values was stopped by a guard, not by them. */
function haltDoubts(
  { startedUs, endedUs }: Pick<Session, "startedUs" | "endedUs">,
  { before, after }: { readonly before: RerunResult; readonly after: RerunResult },
): WhatIfDoubt[] {
  const haltedMs = ({ halts }: RerunResult): number =>
    totalLengthMs(halts.filter(({ isRung }) => isRung !== true).flatMap(({ spans }) => spans));
  const share = (1000 * Math.abs(haltedMs(after) - haltedMs(before))) / (endedUs - startedUs);
  return share <= WARNED_SHARE
    ? []
    : [
        {
          weight: share > REFUSED_SHARE ? "refuse" : "warn",
          why: `guards halt one of the two reruns for ${percent(share)} of the session longer than the other`,
          expected: "values under which no guard halts a market",
        },
      ];
}

function quoteDoubts({ opened, mids, before, after }: DoubtedMarket): WhatIfDoubt[] {
  const { marketId, instrument, account } = opened;
  const [old, now] = [before, after].map(({ orders }) => innermostDistance(orders, mids));
  return [
    ...distanceDoubts(marketId, old ?? Number.NaN, now ?? Number.NaN),
    ...sizeDoubts(marketId, instrument, listOpenedOrders(account), after.orders),
  ];
}

function sizeDoubts(
  marketId: string,
  instrument: Instrument,
  live: readonly RecordedOrder[],
  orders: readonly RerunOrder[],
): WhatIfDoubt[] {
  const largest = live.reduce((most, { lots }) => Math.max(most, lots), 0);
  const larger = orders.filter(({ lots }) => lots > LARGEST * largest);
  const lots = (of: readonly RerunOrder[]): number => of.reduce((sum, one) => sum + one.lots, 0);
  const share = lots(larger) / Math.max(1, lots(orders));
  if (share <= WARNED_SHARE) return [];
  return [
    {
      weight: share > REFUSED_SHARE ? "refuse" : "warn",
      why: `${percent(share)} of the size quoted in ${marketId} is in orders much larger than the session's`,
      expected: `orders of at most ${instrument.formatAmount(LARGEST * largest)}: the takers of larger ones were not recorded`,
    },
  ];
}

/** Median distance of the innermost quotes from the mid when they were sent, in ticks. */
function innermostDistance(orders: readonly RerunOrder[], mids: RecordedMids): number {
  const distances = orders
    .filter(({ level, ticks }) => level === 0 && !Number.isNaN(ticks))
    .map(({ side, ticks, atUs }) => sideSign(side) * (mids.before(atUs) - ticks))
    .filter((ticks) => !Number.isNaN(ticks))
    .sort((one, other) => one - other);
  return distances[distances.length >> 1] ?? Number.NaN;
}

function distanceDoubts(marketId: string, old: number, now: number): WhatIfDoubt[] {
  if (!(old > 0)) return [];
  const ratio = now / old;
  const text = `the innermost quotes in ${marketId} are ${now.toFixed(1)} ticks from the mid, and the session's ${old.toFixed(1)}`;
  if (ratio < NEAREST.warned)
    return [
      {
        weight: ratio < NEAREST.refused ? "refuse" : "warn",
        why: text,
        expected: `at least ${(NEAREST.refused * old).toFixed(1)} ticks: others would react to nearer quotes`,
      },
    ];
  if (ratio > FARTHEST.warned)
    return [
      {
        weight: ratio > FARTHEST.refused ? "refuse" : "warn",
        why: text,
        expected: `at most ${(FARTHEST.refused * old).toFixed(1)} ticks: farther out the session had no fills`,
      },
    ];
  return [];
}

function takerDoubts({ opened: { marketId, isInBook }, after }: DoubtedMarket): WhatIfDoubt[] {
  const takers = after.fills.filter(({ isMaker }) => !isMaker).length;
  const share = after.fills.length === 0 ? 0 : takers / after.fills.length;
  if (!isInBook || share <= REFUSED_SHARE) return [];
  return [
    refusal(
      `with the new values, ${percent(share)} of the fills in ${marketId} take liquidity`,
      `at most ${percent(REFUSED_SHARE)}: on paper such quotes can be judged`,
    ),
  ];
}

/** At a limit that the session never neared, its trades say nothing of what the bot does there. */
function limitDoubts(
  { start }: Pick<Session, "start">,
  { markets }: BotConfig,
  { opened: { marketId, instrument, account }, after }: DoubtedMarket,
): WhatIfDoubt[] {
  const limit = markets[marketId]?.limits?.maxPositionBase;
  if (limit === undefined) return [];
  const limitLots = Number(limit) / instrument.lotBase;
  let lots = Number(start?.positionsBase[marketId] ?? "0") / instrument.lotBase;
  let livePeak = Math.abs(lots);
  for (const fill of account.fills) {
    lots += sideSign(fill.side) * fill.lots;
    livePeak = Math.max(livePeak, Math.abs(lots));
  }
  const peak = after.fills.reduce(
    (most, { positionLots }) => Math.max(most, Math.abs(positionLots)),
    0,
  );
  if (peak < 0.95 * limitLots || livePeak >= 0.8 * limitLots) return [];
  return [
    refusal(
      `with the new values the position in ${marketId} reaches its limit of ${limit}, and the session's stayed within ${instrument.formatAmount(Math.round(livePeak))}`,
      "a session whose position came near the limit, or a limit that is not reached",
    ),
  ];
}

function refusal(why: string, expected: string): WhatIfDoubt {
  return { weight: "refuse", why, expected };
}

function percent(share: number): string {
  return `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
}
