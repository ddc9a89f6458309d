import type { Capture } from "./captures.js";

/** A strategy with the parameters that it is tried with. */
export interface StrategySetting {
  /** The built-in strategy. */
  readonly strategy: string;
  /** How the table names it, if its parameters matter beside its name. */
  readonly label?: string;
  /** True if it quotes around a reference price, so that the capture must have one. */
  readonly needsReference?: boolean;
  /** True if it predicts the mid, so that the report says what that was worth. */
  readonly predicts?: boolean;
  readonly params: (capture: Capture) => Readonly<Record<string, unknown>>;
}

/** Value of an order, in the quote asset. */
const ORDER_QUOTE = 2_000;
/** Orders that the position limit holds. */
const POSITION_ORDERS = 10;
/** Share of the half spread by which an order held moves the quotes of the models. */
const SHIFT_PER_ORDER = 0.2;
/** Horizon of `avellaneda-stoikov`, its default. */
const HORIZON_SECONDS = 60;
/** Holding time of `funding`, its default. */
const HOLDING_SECONDS = 28_800;

/** Every built-in strategy. A test fails if one is missing. */
export const SETTINGS: readonly StrategySetting[] = [
  { strategy: "ladder", params: ladderParams },
  {
    strategy: "pegged",
    needsReference: true,
    params: (capture) => ({
      edgeBps: capture.halfSpreadBps,
      sizeBase: orderBase(capture),
      priceSkewBps: capture.halfSpreadBps,
    }),
  },
  {
    strategy: "avellaneda-stoikov",
    params: (capture) => {
      const { halfSpreadBps, sigmaBps } = capture;
      const riskAversion = (SHIFT_PER_ORDER * halfSpreadBps) / (sigmaBps ** 2 * HORIZON_SECONDS);
      return { ...modelParams(capture), riskAversion };
    },
  },
  {
    strategy: "glft",
    params: (capture) => {
      const { halfSpreadBps, sigmaBps } = capture;
      const riskAversion = (SHIFT_PER_ORDER ** 2 * 2 * halfSpreadBps) / (sigmaBps ** 2 * Math.E);
      return { ...modelParams(capture), riskAversion, inventoryOrders: POSITION_ORDERS };
    },
  },
  {
    strategy: "imbalance",
    label: "imbalance, `stoikov`",
    predicts: true,
    params: (capture) => ({ ...ladderParams(capture), signal: "stoikov" }),
  },
  {
    strategy: "imbalance",
    label: "imbalance, `weighted-mid`",
    predicts: true,
    params: (capture) => ({ ...ladderParams(capture), signal: "weighted-mid" }),
  },
  {
    strategy: "funding",
    params: (capture) => ({
      ...ladderParams(capture),
      riskAversion: 1 / (capture.sigmaBps ** 2 * HOLDING_SECONDS),
    }),
  },
  {
    strategy: "grid",
    params: (capture) => {
      const reach = (1 + (2 * capture.halfSpreadBps) / 10_000) ** POSITION_ORDERS;
      return {
        lowerPrice: capture.firstPrice / reach,
        upperPrice: capture.firstPrice * reach,
        cells: 2 * POSITION_ORDERS,
        sizeBase: orderBase(capture),
      };
    },
  },
];

function ladderParams(capture: Capture): Readonly<Record<string, unknown>> {
  const { halfSpreadBps } = capture;
  return { halfSpreadBps, sizeBase: orderBase(capture), priceSkewBps: halfSpreadBps };
}

function modelParams(capture: Capture): Readonly<Record<string, unknown>> {
  return { sizeBase: orderBase(capture), kPerBps: 1 / capture.halfSpreadBps };
}

/** An order's size: whole steps of about {@link ORDER_QUOTE} at the capture's first price. */
export function orderBase({ firstPrice, stepSizeBase }: Capture): number {
  return wholeSteps(ORDER_QUOTE / firstPrice, stepSizeBase);
}

/** The position limit: {@link POSITION_ORDERS} orders. */
export function positionBase(capture: Capture): number {
  return wholeSteps(POSITION_ORDERS * orderBase(capture), capture.stepSizeBase);
}

function wholeSteps(base: number, stepSizeBase: string): number {
  const step = Number(stepSizeBase);
  const decimals = stepSizeBase.split(".")[1]?.length ?? 0;
  return Number((Math.max(1, Math.round(base / step)) * step).toFixed(decimals));
}
