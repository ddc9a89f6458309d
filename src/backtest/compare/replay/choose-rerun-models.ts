import type { MarketId } from "../../../core/units.js";
import type { RecordedOrder } from "../../session/recorded-orders.js";
import type { Session } from "../../session/session-file.js";
import { AMBIGUOUS_FILL_RULES, type AmbiguousFillRule } from "../../venue/ambiguous-fill-rule.js";
import type { Comparison } from "../comparison-schema.js";
import type { Fit } from "../fit-model.js";
import type { OpenedSessionMarket } from "../open-session.js";
import { medianDelays } from "./arrival-estimator.js";

/** The latency and fill model of a market in the rerun. */
export type RerunModel = Comparison["markets"][number]["again"]["model"];

/** Requested models. Anything left out is taken from the recording. */
export interface RerunModelOptions {
  readonly queue?: string;
  readonly doubtful?: AmbiguousFillRule;
  readonly orderLatencyMs?: number;
  readonly responseLatencyMs?: number;
}

/** The models of a rerun. */
export interface RerunModels {
  readonly defaultModel: RerunModel;
  /**
   * By market that was fitted. The fit of one market says nothing about another: their other
   * participants differ.
   */
  readonly fitted: ReadonlyMap<MarketId, RerunModel>;
}

/**
 * @param markets of the session, each with the result of its fit; undefined where nothing was
 * fitted. A fit replaces the requested model.
 */
export function chooseRerunModels(
  options: RerunModelOptions,
  { paper }: Session,
  markets: readonly {
    readonly market: OpenedSessionMarket;
    readonly fit: Pick<Fit, "best"> | undefined;
  }[],
): RerunModels {
  const isFitted = markets.some(({ fit }) => fit !== undefined);
  const { queue, orderLatencyMs, responseLatencyMs } = isFitted ? {} : options;
  const recorded =
    paper ?? recordedLatencies(markets.flatMap(({ market }) => market.account.orders));
  const plain = {
    queue: queue ?? paper?.queue ?? "risk-averse",
    doubtful: options.doubtful ?? AMBIGUOUS_FILL_RULES[0],
    orderLatencyMs: orderLatencyMs ?? recorded.orderLatencyMs,
    responseLatencyMs: responseLatencyMs ?? recorded.responseLatencyMs,
  };
  const fitted = markets.flatMap(({ market, fit }): [MarketId, RerunModel][] => {
    if (fit === undefined) return [];
    const { queue, shiftMs } = fit.best.model;
    return [
      [
        market.marketId,
        { ...plain, queue, orderLatencyMs: Math.max(0, recorded.orderLatencyMs + shiftMs) },
      ],
    ];
  });
  return { defaultModel: plain, fitted: new Map(fitted) };
}

/** As the exchange's own stamps show. Two clocks that disagree show none. */
function recordedLatencies(
  orders: readonly RecordedOrder[],
): Required<Pick<RerunModelOptions, "orderLatencyMs" | "responseLatencyMs">> {
  const delays = medianDelays(orders);
  const ms = (us: number | undefined): number => Math.max(0, (us ?? 0) / 1000);
  return { orderLatencyMs: ms(delays?.entryUs), responseLatencyMs: ms(delays?.responseUs) };
}
