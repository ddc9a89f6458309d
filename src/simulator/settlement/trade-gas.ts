/**
 * Gas of a trade's transaction that no order of it adds: its base cost, its checks, the order
 * sender's fees.
 */
const GAS_OF_TRANSACTION = 150_000;
/**
 * Of one order: its signature and words, what is filled of it, its trader's balance, its events;
 * the first of a market the most.
 */
const GAS_OF_ORDER = 170_000;
/** Of looking at one position of a trader for its safety. */
const GAS_OF_POSITION = 32_000;
/**
 * Beyond it a transaction has no more orders, whatever a block holds: one that reverts takes all of
 * them with it.
 */
const MOST_MAKERS = 50;

/** What bounds the gas of a trade. */
export interface TradeGasTerms {
  readonly blockGasLimit: number;
  /** The most positions that a trader can have. */
  readonly maxPositions: number;
}

/**
 * The gas that a trade of so many makers is sent with: more than it can come to, so that it never
 * fails for gas.
 */
export function tradeGas(makers: number, { maxPositions }: TradeGasTerms): number {
  return GAS_OF_TRANSACTION + (makers + 1) * (GAS_OF_ORDER + maxPositions * GAS_OF_POSITION);
}

/** How many makers fit one transaction, at least one: a block must have room for it. */
export function makersInTransaction(terms: TradeGasTerms): number {
  let makers = 1;
  while (makers < MOST_MAKERS && tradeGas(makers + 1, terms) <= terms.blockGasLimit) makers += 1;
  return makers;
}
