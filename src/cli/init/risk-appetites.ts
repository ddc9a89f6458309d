/** The settings that follow from a risk appetite. Shares are of the balance to plan with. */
export interface RiskAppetite {
  /** Share of the positions of all markets at their limits, in percent. */
  readonly positionsPercent: number;
  /** Number of orders that fill the position limit of a market. */
  readonly ordersToLimit: number;
  /** Largest half spread, as a multiple of the exchange's own, if fees do not need more. */
  readonly touchMultiple: number;
  /** Half spread in standard deviations of the mid over a second, within the bounds above. */
  readonly sigmas: number;
  /** Lean of the quotes at a full position, as a multiple of the half spread. */
  readonly skewMultiple: number;
  /** Share of the loss at which the bot acts, in percent. */
  readonly drawdownPercent: number;
  readonly onDrawdown: "halt" | "reduce" | "flatten";
  readonly onDrawdownReason: string;
  /** Share of the least profit of a takeover, in millionths. */
  readonly takeoverProfitMillionths: number;
}

/** The risk appetites, by name, from the least. */
export const RISK_APPETITES = {
  careful: {
    positionsPercent: 20,
    ordersToLimit: 20,
    touchMultiple: 16,
    sigmas: 2,
    skewMultiple: 2,
    drawdownPercent: 1,
    onDrawdown: "flatten",
    onDrawdownReason: "sells the position too, and halts; halt would keep it",
    takeoverProfitMillionths: 20,
  },
  balanced: {
    positionsPercent: 50,
    ordersToLimit: 10,
    touchMultiple: 8,
    sigmas: 1,
    skewMultiple: 1,
    drawdownPercent: 3,
    onDrawdown: "reduce",
    onDrawdownReason: "quotes only what reduces the position; flatten would sell it at once",
    takeoverProfitMillionths: 5,
  },
  bold: {
    positionsPercent: 150,
    ordersToLimit: 5,
    touchMultiple: 4,
    sigmas: 0.5,
    skewMultiple: 0.5,
    drawdownPercent: 10,
    onDrawdown: "halt",
    onDrawdownReason: "cancels the quotes and keeps the position, which can lose more",
    takeoverProfitMillionths: 2,
  },
} as const satisfies Readonly<Record<string, RiskAppetite>>;

/** The name of a risk appetite. */
export type RiskName = keyof typeof RISK_APPETITES;
