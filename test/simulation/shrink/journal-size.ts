import { listActiveHalts } from "#bot/active-halt.js";
import type { Bot } from "#bot/bot.js";
import type { FileLine } from "#bot/journal-lines.js";
import { buildMarketStatus } from "#bot/market-status.js";
import { openReplay, type ReplayParts } from "#bot/open-replay.js";
import { shrinkJournal } from "#bot/shrink-journal.js";
import type { MarketId } from "#core/units.js";
import { ProcessJournal } from "../process-journal.js";
import type { PlanBase, StoryMode } from "./story-mode.js";

/** Turns of a journal and their characters, with line feeds. */
export interface LinesSize {
  readonly turns: number;
  readonly characters: number;
}

/** The journal of the bot's last process in a failing run, and how small it gets. */
export interface JournalSize {
  readonly whole: LinesSize;
  /** Up to the last turn at the instant of the violation. */
  readonly prefix: LinesSize;
  /** Absent if there is none: {@link problem} says why. */
  readonly slice?: LinesSize & {
    /** The condition that it shows, and the turn of the journal after which that first held. */
    readonly when: string;
    readonly foundTurn: number;
    readonly runs: number;
  };
  readonly problem?: string;
}

/** The failing run whose journal is shrunk. */
export interface JournalSizeOptions {
  readonly breakName: string;
  /** Name of the journal in the head of the slice. */
  readonly journal: string;
  readonly maxRuns: number;
}

/**
 * Records the journal of a failing run and shrinks it to the state of the bot at the violation: the
 * condition over positions, quotes and halts of that turn which first holds nearest to it.
 * @returns undefined if the run has no violation, or its mode has no bot
 */
export async function measureJournal(
  mode: StoryMode<PlanBase>,
  plan: PlanBase,
  { breakName, journal: name, maxRuns }: JournalSizeOptions,
): Promise<JournalSize | undefined> {
  const parts = mode.replayParts?.(plan, breakName);
  if (parts === undefined) return undefined;
  const journal = new ProcessJournal();
  const { violations } = await mode.run(plan, breakName, { stopsAtViolation: true, journal });
  const violation = violations[0];
  if (violation === undefined) return undefined;
  const prefix = journal.until(violation.atMs - mode.shape.startMs);
  const sizes = { whole: sizeOf(journal.lines), prefix: sizeOf(prefix) };
  try {
    const when = await conditionAtEnd(prefix, parts);
    const options = { when, journal: name, maxRuns, parts };
    const { slice } = await shrinkJournal(() => asFile(prefix), options);
    if (slice === undefined) return { ...sizes, problem: `a second replay does not show ${when}` };
    const { foundTurn, runs } = slice;
    return { ...sizes, slice: { ...sizeOf(slice.lines), when, foundTurn, runs } };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { ...sizes, problem: error.message };
  }
}

/**
 * The condition that describes the bot after the last turn, and first holds nearest to it: of one
 * market's position and orders and of the halts, without what it can do without.
 */
async function conditionAtEnd(prefix: readonly string[], parts: ReplayParts): Promise<string> {
  if (prefix.length < 2) throw new Error("the last process has no turn before the violation");
  const replay = await openReplay(asFile(prefix), { parts });
  const markets = Object.keys(replay.header.config.markets);
  const turns: ReadonlyMap<MarketId, ReadonlySet<string>>[] = [];
  for await (const _ of replay.turns)
    turns.push(new Map(markets.map((marketId) => [marketId, factsOf(replay.bot, marketId)])));
  const { divergence } = replay;
  if (divergence !== undefined)
    throw new Error(`its replay differs in turn ${divergence.turn}: ${divergence.why}`);
  const firstTurn = (marketId: MarketId, facts: readonly string[]): number =>
    turns.findIndex((turn) => facts.every((fact) => turn.get(marketId)?.has(fact)));
  const found = markets.map((marketId) => {
    let facts = [...(turns.at(-1)?.get(marketId) ?? [])];
    const at = firstTurn(marketId, facts);
    for (const fact of facts) {
      const fewer = facts.filter((one) => one !== fact);
      if (fewer.length > 0 && firstTurn(marketId, fewer) === at) facts = fewer;
    }
    return { at, facts };
  });
  const nearest = found.reduce((best, one) => (one.at > best.at ? one : best));
  return nearest.facts.join(" and ");
}

/** Comparisons that hold in a bot now. */
function factsOf(bot: Bot, marketId: MarketId): ReadonlySet<string> {
  const { quotes, positionBase, openBids, openAsks, unknownOrders } = buildMarketStatus(
    bot,
    marketId,
  );
  return new Set([
    ...quotes.map(({ price }) => `quotes.${marketId}.price == ${price}`),
    ...listActiveHalts(bot).map(({ name }) => `activeHalts.name == "${name}"`),
    ...(unknownOrders === 0 ? [] : [`unknownOrders.${marketId} == ${unknownOrders}`]),
    `openBids.${marketId} == ${openBids}`,
    `openAsks.${marketId} == ${openAsks}`,
    ...(positionBase === null ? [] : [`position.${marketId} == ${positionBase}`]),
  ]);
}

function asFile(lines: readonly string[]): FileLine[] {
  return lines.map((text, at) => ({ number: at + 1, text, whole: true }));
}

function sizeOf([, ...turns]: readonly string[]): LinesSize {
  return {
    turns: turns.length,
    characters: turns.reduce((sum, line) => sum + line.length + 1, 0),
  };
}
