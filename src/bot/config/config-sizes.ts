import { Decimal } from "decimal.js";
import { ConfigError } from "../../core/errors.js";

type Locate = (path: readonly string[]) => string;

/** What a market's file says of sizes. */
interface SizedMarket {
  readonly params: Readonly<Record<string, unknown>>;
  readonly limits: {
    readonly maxOrderBase?: string | undefined;
    readonly maxPositionBase?: string | undefined;
  };
}

/**
 * Checks that a market's largest order is not below the size that its strategy is told to quote:
 * every quote would be cut down. A strategy's `sizeBase` is the size of its innermost quote. (A
 * position limit below it may be meant: it lets a position only shrink.)
 * @param at path of the market, for errors: `markets.btcusdc`.
 * @throws ConfigError naming both paths and both values.
 */
export function checkSizes(
  { params: { sizeBase }, limits: { maxOrderBase } }: SizedMarket,
  at: string,
  locate: Locate,
): void {
  if (
    typeof sizeBase !== "number" ||
    !Number.isFinite(sizeBase) ||
    maxOrderBase === undefined ||
    new Decimal(maxOrderBase).gte(sizeBase)
  )
    return;
  const field = `${at}.limits.maxOrderBase`;
  throw new ConfigError(
    `is below the size that the strategy quotes, in ${locate(field.split("."))}`,
    {
      field,
      value: maxOrderBase,
      expected: `at least ${at}.params.sizeBase, ${sizeBase}, or a smaller sizeBase`,
    },
  );
}

/**
 * Checks that a built-in strategy's target position is one that the position limit lets it hold:
 * beyond the limit it would trade up to there, and then quote nothing, with all of that position
 * standing.
 * @param at path of the market, for errors: `markets.btcusdc`.
 * @throws ConfigError naming both paths and both values.
 */
export function checkTarget(
  { params: { targetPositionBase: target }, limits: { maxPositionBase } }: SizedMarket,
  at: string,
  locate: Locate,
): void {
  if (
    typeof target !== "number" ||
    !Number.isFinite(target) ||
    maxPositionBase === undefined ||
    new Decimal(maxPositionBase).gte(Math.abs(target))
  )
    return;
  const field = `${at}.params.targetPositionBase`;
  throw new ConfigError(
    `is beyond the position that the market may have, in ${locate(field.split("."))}`,
    {
      field,
      value: target,
      expected: `at most ${at}.limits.maxPositionBase, ${maxPositionBase}, either way, or a larger limit`,
    },
  );
}
