import { Decimal } from "decimal.js";
import { ConfigError } from "../../core/errors.js";

type Locate = (path: readonly string[]) => string;

/** The sizes in a market's section. */
interface SizedMarket {
  readonly params: Readonly<Record<string, unknown>>;
  readonly limits: {
    readonly maxOrderBase?: string | undefined;
    readonly maxPositionBase?: string | undefined;
  };
}

/**
 * Checks that a market's largest order is not below the size that its strategy has to quote: every
 * quote would be clipped. A strategy's `sizeBase` is the size of its innermost quote. A position
 * limit below it may be intended: it lets a position only shrink.
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
 * Checks that the position limit allows a built-in strategy's target position. Beyond the limit the
 * strategy would trade up to it and then quote nothing, with all of that position open.
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
