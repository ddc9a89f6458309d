import { readPathKind } from "../../../core/files/path-kind.js";
import { instantText } from "../../../history/day.js";
import type { Span } from "../../../history/spans.js";
import { HistoryStore } from "../../../history/store/history-store.js";
import { listHistory, type SeriesListing } from "../../../history/store/list-history.js";
import { type StagedWork, stagedWork } from "../../../history/store/staged-work.js";
import type { CliContext } from "../../cli-context.js";
import { describeDayFindings } from "../../day-findings.js";
import { ReportedFailure } from "../../process/exit.js";
import { jsonText, table } from "../../process/output.js";

/** Largest number of gaps to list per series. */
const MOST_GAPS = 20;

export interface ListCommandOptions {
  readonly store: string;
  readonly market?: string;
  readonly kind?: string;
  readonly days?: boolean;
  readonly verify?: boolean;
  readonly json?: boolean;
}

/** Lists the content of the store. @throws ReportedFailure for a broken file, or an empty result */
export async function dataListCommand(
  context: CliContext,
  { store, market, kind, days, verify, json }: ListCommandOptions,
): Promise<void> {
  const history = new HistoryStore(store);
  const listings = await listHistory(history, {
    market,
    kind,
    verify: verify === true,
  });
  const staged = stagedWork(history);
  const isThere = listings.length > 0;
  // A market whose first recording or download is in progress is not unknown.
  const work = staged.find((one) => market === undefined || one.market === market);
  const isStaged = market !== undefined && work !== undefined;
  const isMissing =
    !isThere &&
    !isStaged &&
    ((market ?? kind) !== undefined || readPathKind(history.root) === undefined);
  const absent =
    work === undefined || (isMissing && history.series().length > 0)
      ? absence(history, { market, kind })
      : stagedAbsence(history, { market, kind }, work);
  const listed = isThere ? listText(listings, days === true) : isMissing ? "" : `${absent}\n`;
  context.stdout.write(
    json === true ? jsonText({ store, series: listings, staged }, 2) : listed + stagedText(staged),
  );
  const problems = isMissing ? [absent] : listings.flatMap((series) => series.problems);
  for (const problem of problems) context.stderr.write(`marketwright: ${problem}\n`);
  if (problems.length > 0) throw new ReportedFailure();
}

/** Describes unfinished history, one paragraph each. */
function stagedText(staged: readonly StagedWork[]): string {
  return staged
    .map(({ what, market, path, bytes, process, advice }) => {
      const whose = `${what === "day" ? "a day" : `${what === "import" ? "an" : "a"} ${what}`}${market === undefined ? "" : ` of ${market}`}`;
      const state =
        process === undefined ? `was killed; ${advice}` : `is still running in process ${process}`;
      return `\nnot in the store yet: ${whose}, ${bytes} bytes in ${path}, ${state}\n`;
    })
    .join("");
}

/** Text for a result that is empty while a first recording, download or import is unfinished. */
function stagedAbsence(
  store: HistoryStore,
  { market, kind }: Partial<Pick<ListCommandOptions, "market" | "kind">>,
  { what, process }: StagedWork,
): string {
  const selection = [market, kind].filter((name) => name !== undefined).join(" ");
  const work = what === "day" ? "a write of a day" : `${what === "import" ? "an" : "a"} ${what}`;
  return `${store.root}: has no ${selection || "history"} yet: ${work} ${process === undefined ? "was killed" : "is in progress"}`;
}

/** Text for an empty result. For an unknown market or kind, it lists the known ones. */
function absence(
  store: HistoryStore,
  { market, kind }: Partial<Pick<ListCommandOptions, "market" | "kind">>,
): string {
  const none = store.emptyReason();
  if (none !== undefined) return `${store.root}: ${none}`;
  const series = [...store.series()];
  const selection = [market, kind].filter((name) => name !== undefined).join(" ");
  const there =
    market !== undefined && series.some((one) => one.market === market)
      ? series.filter((one) => one.market === market)
      : series;
  return `${store.root}: has no ${selection}; it has ${there.map((one) => `${one.market} ${one.kind}`).join(", ")}`;
}

function listText(listings: readonly SeriesListing[], withDays: boolean): string {
  if (withDays) {
    const lines = listings.flatMap(({ market, kind, days }) =>
      days.map((day) => [
        market,
        kind,
        day.day,
        day.complete ? "complete" : "open",
        String(day.rows),
        `${day.bytes}`,
        day.sha256,
        ...day.findings,
      ]),
    );
    return table([["market", "kind", "day", "state", "rows", "bytes", "sha256"], ...lines]);
  }
  const rows = listings.map(
    ({ market, kind, days, rows: count, bytes, covered, gaps, complete }) => [
      market,
      kind,
      covered[0] === undefined ? "-" : instantText(covered[0][0]),
      covered.length === 0 ? "-" : instantText((covered.at(-1) as readonly [number, number])[1]),
      `${days.length}${complete ? "" : " (not all complete)"}`,
      String(count),
      String(bytes),
      gapsText(gaps),
    ],
  );
  return `${table([["market", "kind", "from", "to", "days", "rows", "bytes", "gaps"], ...rows])}${listings.flatMap((series) => [...series.notes, ...describeDayFindings(series, series.days)].map((line) => `${line}\n`)).join("")}`;
}

/** Lists the first gaps, and the number of further ones. */
function gapsText(gaps: readonly Span[]): string {
  if (gaps.length === 0) return "none";
  const named = gaps
    .slice(0, MOST_GAPS)
    .map(([from, to]) => `${instantText(from)}..${instantText(to)}`);
  const more = gaps.length - named.length;
  return [...named, ...(more > 0 ? [`and ${more} more (--json)`] : [])].join(" ");
}
