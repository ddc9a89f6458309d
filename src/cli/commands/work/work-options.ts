import { Decimal } from "decimal.js";
import type { BotConfig, MarketConfig } from "../../../bot/config/config.js";
import { WORK_STRATEGY } from "../../../bot/strategy/load-strategy.js";
import { ConfigError } from "../../../core/errors.js";
import type { MarketId, Ms } from "../../../core/units.js";
import { parseInstant } from "../../../history/day.js";
import { parseDuration } from "../../duration.js";

/** The options of a work that describe it, as they are typed. */
export interface WorkOptions {
  readonly target: string;
  readonly by: string;
  readonly style?: string;
  readonly limitPrice?: string;
  readonly maxSlippageBps?: string;
  readonly taker?: string;
  readonly slices?: string;
  readonly participation?: string;
  readonly riskAversion?: string;
  readonly volatilityBps?: string;
}

/** Options of the command, as they are typed. */
export interface WorkCommandOptions extends WorkOptions {
  readonly market?: string;
  readonly json?: boolean;
  readonly dryRun?: boolean;
  readonly journal?: string;
  readonly record?: string;
  readonly screen: boolean;
  readonly out?: string;
  readonly replace?: boolean;
}

/** Parameters of the strategy `work`, without those that take their default. */
export interface WorkParameters extends Readonly<Record<string, unknown>> {
  readonly targetBase: number;
  readonly style: string;
  /** One of both. */
  readonly byMs?: Ms;
  readonly withinMs?: Ms;
}

const STYLES = ["twap", "pov", "almgren-chriss"] as const;
const TAKERS = ["behind", "never"] as const;
/** Shortest work: less is no schedule. */
const LEAST_MS: Ms = 1000;

/** An option of a number: its name, its range in words, and the check of it. */
interface NumberOption {
  readonly field: string;
  readonly expected: string;
  readonly isValid: (value: number) => boolean;
}

const NUMBERS = {
  limitPriceQuote: {
    field: "--limit-price",
    expected: "a price above 0, in quote",
    isValid: (value) => value > 0,
  },
  maxSlippageBps: {
    field: "--max-slippage-bps",
    expected: "a number of basis points above 0, at most 5000",
    isValid: (value) => value > 0 && value <= 5000,
  },
  slices: {
    field: "--slices",
    expected: "a whole number from 1 to 1000",
    isValid: (value) => Number.isSafeInteger(value) && value >= 1 && value <= 1000,
  },
  participation: {
    field: "--participation",
    expected: "a share above 0, at most 1 (0.1 is 10 %)",
    isValid: (value) => value > 0 && value <= 1,
  },
  riskAversion: {
    field: "--risk-aversion",
    expected: "a number from 0 to 1000000, per quote unit",
    isValid: (value) => value >= 0 && value <= 1e6,
  },
  volatilityBps: {
    field: "--volatility-bps",
    expected: "a number above 0, at most 1000, in basis points per square root of a second",
    isValid: (value) => value > 0 && value <= 1000,
  },
} as const satisfies Readonly<Record<string, NumberOption>>;

/** Parses the options of a work. @throws ConfigError naming the option */
export function parseWorkOptions(options: WorkOptions): WorkParameters {
  const { target, by, style = "twap", taker = "behind", limitPrice, ...rest } = options;
  const written = { ...rest, limitPriceQuote: limitPrice };
  const numbers = Object.entries(NUMBERS).flatMap(([name, option]) => {
    const text = written[name as keyof typeof NUMBERS];
    return text === undefined ? [] : [[name, parseNumber(text, option)] as const];
  });
  return {
    // Plus zero: -0 is 0, and would be printed with its sign.
    targetBase:
      0 +
      parseNumber(target, {
        field: "--target",
        expected: "a signed number of base units, such as 0.5 or -0.5, or 0",
        isValid: Number.isFinite,
      }),
    style: oneOf(STYLES, style, "--style"),
    taker: oneOf(TAKERS, taker, "--taker"),
    ...parseEnd(by),
    ...Object.fromEntries(numbers),
  };
}

/**
 * The market that is worked. @throws ConfigError for one that the file does not have, whose limits
 * do not allow the target, or that is hedged
 */
export function workedMarket(
  markets: BotConfig["markets"],
  named: string | undefined,
  { targetBase }: Pick<WorkParameters, "targetBase">,
): MarketId {
  const ids = Object.keys(markets);
  const marketId = named ?? (ids.length === 1 ? ids[0] : undefined);
  if (marketId === undefined || !Object.hasOwn(markets, marketId))
    throw new ConfigError(
      marketId === undefined ? "is missing" : "is not a market of the bot's file",
      { field: "--market", value: marketId, expected: `one of ${ids.join(", ")}` },
    );
  const { limits, hedge } = markets[marketId];
  if (
    limits.maxPositionBase !== undefined &&
    new Decimal(limits.maxPositionBase).lt(Math.abs(targetBase))
  )
    throw new ConfigError("is beyond the market's position limit", {
      field: "--target",
      value: String(targetBase),
      expected: `from -${limits.maxPositionBase} to ${limits.maxPositionBase}, or a larger markets.${marketId}.limits.maxPositionBase`,
    });
  if (hedge !== undefined)
    throw new ConfigError("is hedged, so that its position cannot be worked alone", {
      field: "--market",
      value: marketId,
      expected: `a market without hedge: remove markets.${marketId}.hedge first`,
    });
  return marketId;
}

/**
 * The bot's configuration while it works a position: no market is quoted, and nothing is
 * liquidated. Limits, risk and everything else are the file's.
 */
export function workedConfig(
  config: BotConfig,
  marketId: MarketId,
  params: WorkParameters,
): BotConfig {
  const { liquidator: _unused, ...kept } = config;
  const markets = Object.fromEntries(
    Object.entries(config.markets).map(([id, market]): [MarketId, MarketConfig] => {
      const { strategy: _quoting, ...rest } = market;
      return id === marketId
        ? [id, { ...rest, strategy: WORK_STRATEGY, params }]
        : [id, { ...rest, params: {} }];
    }),
  );
  return { ...kept, markets };
}

/** @throws ConfigError */
function parseEnd(text: string): { readonly byMs: Ms } | { readonly withinMs: Ms } {
  if (!/^[\d.]+[a-z]+$/.test(text)) return { byMs: parseInstant(text, "--by") };
  const withinMs = parseDuration(text, "--by");
  if (withinMs >= LEAST_MS) return { withinMs };
  throw new ConfigError("is too soon", { field: "--by", value: text, expected: "1s or more" });
}

function parseNumber(text: string, { field, expected, isValid }: NumberOption): number {
  const value = Number(text);
  if (text.trim() !== "" && /^[-+\d.e]+$/i.test(text) && isValid(value)) return value;
  throw new ConfigError("is not valid", { field, value: text, expected });
}

function oneOf<Name extends string>(names: readonly Name[], text: string, field: string): Name {
  const found = names.find((name) => name === text);
  if (found !== undefined) return found;
  throw new ConfigError("is unknown", {
    field,
    value: text,
    expected: `one of ${names.join(", ")}`,
  });
}
