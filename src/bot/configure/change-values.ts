import type { MarketId } from "../../core/units.js";
import type { DifferentValue } from "../config/config-change.js";
import { formatConfigPath } from "../config/config-path.js";
import type { Bot } from "../engine/bot.js";
import type { BotCommand } from "../engine/input.js";
import type { MarketTrader } from "../market/market-trader.js";
import type {
  ChangedValue,
  ConfigDifference,
  MarketDifference,
  StrategyEffect,
} from "./config-difference.js";
import type { PreparedChange } from "./prepare-change.js";
import { previewMarkets, type QuotedMarkets, quotedMarkets } from "./quoted-markets.js";

/** A difference before it is known what becomes of the file. */
export type RunningDifference = Omit<ConfigDifference, "notes" | "saved"> & {
  /** Sentences about what the strategies lose, and what a preview cannot show. */
  readonly notes: readonly string[];
};

/** Shows what a change would do; it does nothing. */
export function previewChange(bot: Bot, change: PreparedChange): RunningDifference {
  const effects = effectsOf(bot, change);
  return differenceOf("preview", change, effects, {
    before: quotedMarkets(bot),
    after: previewMarkets(bot, change),
  });
}

/** Applies a change in one turn, and shows what the quotes were before and are after it. */
export function applyChange(
  bot: Bot,
  change: PreparedChange,
  command: (command: BotCommand) => void,
): RunningDifference {
  const effects = effectsOf(bot, change);
  const before = quotedMarkets(bot);
  if (change.differences.length === 0)
    return differenceOf("same", change, effects, { before, after: before });
  command({ command: "configure", values: change.values });
  return differenceOf("applied", change, effects, { before, after: quotedMarkets(bot) });
}

type Effects = ReadonlyMap<MarketId, StrategyEffect>;

function effectsOf({ context: { traderList } }: Bot, { strategies }: PreparedChange): Effects {
  const effectOn = (trader: MarketTrader): StrategyEffect => {
    if (!strategies.has(trader.marketId)) return "unchanged";
    if (!trader.running) return "idle";
    return trader.isStrategyFollowing ? "kept" : "restarted";
  };
  return new Map(traderList.map((trader) => [trader.marketId, effectOn(trader)]));
}

function differenceOf(
  state: ConfigDifference["state"],
  { differences }: PreparedChange,
  effects: Effects,
  quoted: { readonly before: QuotedMarkets; readonly after: QuotedMarkets },
): RunningDifference {
  const named = new Set(differences.map(({ path }) => namedMarket(path)));
  const isForAll = named.has(undefined) && state !== "same";
  const markets: Record<MarketId, MarketDifference> = {};
  for (const [marketId, strategy] of effects) {
    if (!isForAll && !named.has(marketId)) continue;
    markets[marketId] = {
      strategy,
      before: quoted.before[marketId],
      after: quoted.after[marketId],
    };
  }
  return {
    state,
    changes: differences.map(toChangedValue),
    markets,
    notes: [...strategyNotes(effects, state), ...previewNotes(differences, state)],
  };
}

function namedMarket([section, marketId]: DifferentValue["path"]): string | undefined {
  return section === "markets" ? String(marketId) : undefined;
}

function strategyNotes(effects: Effects, state: ConfigDifference["state"]): readonly string[] {
  const restarted = [...effects].flatMap(([id, effect]) => (effect === "restarted" ? [id] : []));
  if (restarted.length === 0) return [];
  const verb = state === "preview" ? "would be" : "was";
  return [
    `The strategy of ${restarted.join(", ")} ${verb} created again, since it does not follow its parameters: its estimates begin anew.`,
  ];
}

/** Losses are measured on the next check, and a rung may then act: no preview foresees it. */
function previewNotes(
  differences: readonly DifferentValue[],
  state: ConfigDifference["state"],
): readonly string[] {
  const isOfLoss = differences.some(
    ({ path: [section, key] }) =>
      section === "risk" && /^(ladder|max(Drawdown|DailyLoss)Quote)$/.test(String(key)),
  );
  return state === "preview" && isOfLoss
    ? ["The quotes shown are those without the effect of changed loss limits and rungs."]
    : [];
}

/** A difference as text. */
export function toChangedValue({ path, before, after }: DifferentValue): ChangedValue {
  return {
    path: formatConfigPath(path),
    before: before === undefined ? null : valueText(before),
    after: after === undefined ? null : valueText(after),
  };
}

/** A value as text on one line. */
export function valueText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
