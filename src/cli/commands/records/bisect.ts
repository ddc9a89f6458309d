import { compareJournals } from "../../../bot/bisect/compare-journals.js";
import type { RunGrids } from "../../../bot/bisect/describe-input.js";
import { describeLink } from "../../../bot/bisect/describe-link.js";
import { type JournalSearch, searchJournal } from "../../../bot/bisect/search-journal.js";
import type { TurnRange } from "../../../bot/bisect/turn-range.js";
import { readFileLines } from "../../../bot/journal/journal-lines.js";
import type { ReplayResult } from "../../../bot/journal/journal-replay.js";
import { ConfigError } from "../../../core/errors.js";
import type { CliContext } from "../../cli-context.js";
import { formatComparison } from "../../journal/comparison-text.js";
import { parseRange, parseTurn } from "../../journal/parse-range.js";
import { readJournal } from "../../journal/read-journal.js";
import { formatSearch } from "../../journal/search-text.js";
import { ReportedFailure } from "../../process/exit.js";
import { jsonText } from "../../process/output.js";
import { shrinkJournalCommand } from "./shrink-journal-command.js";

/** Options of `marketwright bisect`. */
export interface BisectCommandOptions {
  readonly when?: string;
  readonly turn?: string;
  readonly from?: string;
  readonly to?: string;
  readonly against?: string;
  readonly turns?: string;
  readonly shrink?: string;
  readonly shrinkRuns?: string;
  readonly json?: boolean;
}

/** Turns of a comparison that are shown without `--turns`. */
const DEFAULT_TURNS = 3;
const MOST_TURNS = 10_000;

/**
 * Finds the first turn of a journal after which a condition holds, or in which another journal
 * differs.
 * @throws ReportedFailure if there is none; ConfigError for options that do not go together
 */
export async function bisectCommand(
  context: CliContext,
  journal: string,
  options: BisectCommandOptions,
): Promise<void> {
  checkOptions(options);
  if (options.against !== undefined) return compare(context, journal, options.against, options);
  const { when, shrink, shrinkRuns, json = false } = options;
  if (shrink !== undefined && when !== undefined)
    return shrinkJournalCommand(context, journal, { when, shrink, shrinkRuns, json });
  const range = requestedRange(options);
  const search = await readJournal("journal", journal, () =>
    searchJournal(readFileLines(journal), { when, ...range }),
  );
  const grids = gridsOf(search);
  context.stdout.write(
    json
      ? jsonText({ journal, ...searchDocument(search, when, grids) }, 2)
      : formatSearch(search, when, grids),
  );
  if (search.found === undefined) throw new ReportedFailure();
}

async function compare(
  context: CliContext,
  journal: string,
  against: string,
  { turns, json = false, ...options }: BisectCommandOptions,
): Promise<void> {
  const mostTurns = turns === undefined ? DEFAULT_TURNS : parseTurn(turns, "--turns", MOST_TURNS);
  const comparison = await readJournal("journal, --against", `${journal}, ${against}`, () =>
    compareJournals(readFileLines(journal), readFileLines(against), {
      mostTurns,
      ...requestedRange(options),
    }),
  );
  const { results, ...found } = comparison;
  const runs = results.map((result, index) => ({
    journal: index === 0 ? journal : against,
    ...resultDocument(result),
  }));
  context.stdout.write(
    json
      ? jsonText({ equal: found.differences.length === 0, ...found, runs }, 2)
      : formatComparison(comparison, [journal, against]),
  );
  if (found.differences.length === 0) throw new ReportedFailure();
}

function checkOptions(options: BisectCommandOptions): void {
  const { when, turn, from, to, against, turns, shrink, shrinkRuns } = options;
  const asked = Object.entries({ "--when": when, "--turn": turn, "--against": against }).filter(
    ([, value]) => value !== undefined,
  );
  if (asked.length !== 1)
    throw new ConfigError(asked.length === 0 ? "is missing" : "cannot be given together", {
      field: asked.length === 0 ? "--when" : asked.map(([name]) => name).join(", "),
      expected: `one of --when 'position.btcusdc > 0.4', --turn 1200 and --against OTHER.journal`,
    });
  if (turn !== undefined && (from ?? to) !== undefined)
    throw new ConfigError("cannot be given with --from or --to", {
      field: "--turn",
      value: turn,
      expected: "--turn alone, which is one turn",
    });
  const bound = from ?? to;
  if (shrink !== undefined && (when === undefined || bound !== undefined))
    throw new ConfigError(bound === undefined ? "needs --when" : "cannot be given with a range", {
      field: "--shrink",
      value: shrink,
      expected: "--when CONDITION, whose first turn in the whole journal is shrunk",
    });
  if (shrinkRuns !== undefined && shrink === undefined)
    throw new ConfigError("is of --shrink", {
      field: "--shrink-runs",
      value: shrinkRuns,
      expected: "--shrink OUT.journal, whose replays it limits",
    });
  if (turns !== undefined && against === undefined)
    throw new ConfigError("is of --against", {
      field: "--turns",
      value: turns,
      expected: "--against, whose differing turns it counts",
    });
}

function requestedRange({ turn, from, to }: BisectCommandOptions): TurnRange {
  if (turn === undefined) return parseRange(from, to);
  const bound = { turn: parseTurn(turn, "--turn") };
  return { from: bound, to: bound };
}

function gridsOf({ bot }: JournalSearch): RunGrids {
  const { traders, rules } = bot.context;
  return {
    instrument: (marketId) => traders.get(marketId)?.instrument,
    creditDecimals: rules.creditDecimals,
  };
}

function searchDocument(
  { found, searched, ranges, result }: JournalSearch,
  when: string | undefined,
  grids: RunGrids,
): object {
  return {
    ...(when === undefined ? {} : { when }),
    found: found !== undefined,
    ...(found === undefined
      ? {}
      : {
          turn: found.replayed.turn,
          line: found.replayed.line,
          atMs: found.replayed.stamp.atMs,
          heldBefore: found.heldBefore,
          fields: found.fields,
          chain: found.chain.map((link) => describeLink(link, grids)),
        }),
    searched,
    ranges,
    ...resultDocument(result),
  };
}

function resultDocument({
  header,
  turns,
  divergence,
  tornLine,
  changedStrategies,
}: ReplayResult): object {
  return {
    account: header.account,
    config: header.config.path,
    turns,
    changedStrategies,
    divergence,
    tornLine,
  };
}
