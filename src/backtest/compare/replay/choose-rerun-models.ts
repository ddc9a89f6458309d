import type { MarketId } from "../../../core/units.js";
import type { RecordedOrder } from "../../session/recorded-orders.js";
import type { Session } from "../../session/session-file.js";
import { DOUBT_RULES, type DoubtRule } from "../../venue/ambiguous-fill-rule.js";
import type { Comparison } from "../comparison-schema.js";
import type { Fit } from "../fit-model.js";
import type { OpenedSessionMarket } from "../open-session.js";
import { medianDelays } from "./arrival-estimator.js";

/** How a market's orders travel and are filled as the bot is run again. */
export type AgainModel = Comparison["markets"][number]["again"]["model"];

/** What was asked for of it. What is left out is taken from the recording. */
export interface AgainWish {
  readonly queue?: string;
  readonly doubtful?: DoubtRule;
  readonly orderLatencyMs?: number;
  readonly responseLatencyMs?: number;
}

/** The models of a run again. */
export interface AgainModels {
  readonly plain: AgainModel;
  /** Of each market that was fitted: two markets are two crowds, and what one's fit found says nothing of the other. */
  readonly fitted: ReadonlyMap<MarketId, AgainModel>;
}

/** @param markets of the session, each with what its fit came to; undefined where nothing was fitted: a fit stands in for what was asked for. */
export function againModels(
  wish: AgainWish,
  { paper }: Session,
  markets: readonly {
    readonly market: OpenedSessionMarket;
    readonly fit: Pick<Fit, "best"> | undefined;
  }[],
): AgainModels {
  const isFitted = markets.some(({ fit }) => fit !== undefined);
  const { queue, orderLatencyMs, responseLatencyMs } = isFitted ? {} : wish;
  const recorded =
    paper ?? recordedLatencies(markets.flatMap(({ market }) => market.account.orders));
  const plain = {
    queue: queue ?? paper?.queue ?? "risk-averse",
    doubtful: wish.doubtful ?? DOUBT_RULES[0],
    orderLatencyMs: orderLatencyMs ?? recorded.orderLatencyMs,
    responseLatencyMs: responseLatencyMs ?? recorded.responseLatencyMs,
  };
  const fitted = markets.flatMap(({ market, fit }): [MarketId, AgainModel][] => {
    if (fit === undefined) return [];
    const { queue, shiftMs } = fit.best.model;
    return [
      [
        market.marketId,
        { ...plain, queue, orderLatencyMs: Math.max(0, recorded.orderLatencyMs + shiftMs) },
      ],
    ];
  });
  return { plain, fitted: new Map(fitted) };
}

/** As the exchange's own stamps tell; two clocks that disagree show none. */
function recordedLatencies(
  orders: readonly RecordedOrder[],
): Required<Pick<AgainWish, "orderLatencyMs" | "responseLatencyMs">> {
  const delays = medianDelays(orders);
  const ms = (us: number | undefined): number => Math.max(0, (us ?? 0) / 1000);
  return { orderLatencyMs: ms(delays?.entryUs), responseLatencyMs: ms(delays?.responseUs) };
}
