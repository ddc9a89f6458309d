import { ConfigError } from "../../../core/errors.js";
import { loadOptional } from "../../../core/optional-part.js";
import type { Day } from "../../../history/day.js";
import {
  checkMapping,
  loadMappings,
  type Mapping,
} from "../../../history/import/formats/mapping.js";
import { type Imported, importFiles } from "../../../history/import/import-files.js";
import { intervalFor } from "../../../history/kinds.js";
import type { RepairOptions } from "../../../history/staging/repair-rows.js";
import { HistoryStore } from "../../../history/store/history-store.js";
import type { CliContext } from "../../cli-context.js";
import { describeDayFindings } from "../../day-findings.js";
import { jsonText } from "../../process/output.js";
import { untilInterrupted } from "../../process/until-interrupted.js";

export interface ImportCommandOptions {
  readonly store: string;
  readonly market: string;
  readonly symbol?: string;
  readonly shape?: string;
  readonly interval?: string;
  readonly mapping?: string;
  readonly mappedFiles?: string;
  readonly kind?: string;
  readonly columns?: string;
  readonly timeUnit?: string;
  readonly recvTimeUnit?: string;
  readonly amountUnit?: string;
  readonly clockParts?: string;
  readonly clockOffsetNs?: string;
  readonly baseLatencyNs?: string;
  readonly replace?: boolean;
  readonly round?: boolean;
  readonly dropBadRows?: string;
  readonly json?: boolean;
}

/** Imports files into the store. */
export async function dataImportCommand(
  context: CliContext,
  files: readonly string[],
  options: ImportCommandOptions,
): Promise<void> {
  const { store, market, symbol, shape, interval, replace, json } = options;
  const mappings = mappingsOf(options);
  if (mappings.length > 0 && shape !== undefined) {
    throw new ConfigError("cannot be combined with a mapping", {
      field: "--shape",
      value: shape,
      expected: "a shape or a mapping, not both",
    });
  }
  await loadOptional("@duckdb/node-api");
  const imported = await untilInterrupted(context, "nothing was written to the store", (signal) =>
    importFiles(new HistoryStore(store), {
      cancellation: { signal, clock: context.runtime.clock },
      market,
      files,
      symbol,
      shape,
      interval,
      mappings,
      clock: clockOf(options),
      replace: replace === true,
      repairs: repairsOf(options),
      onFile: (file) => {
        if (context.stderr.isTTY === true) context.stderr.write(`${file}\n`);
      },
    }),
  );
  context.stdout.write(json === true ? jsonText(imported, 2) : importText(imported, market));
}

function mappingsOf({ mapping, mappedFiles, ...flags }: ImportCommandOptions): readonly Mapping[] {
  const { kind, columns } = flags;
  if (mappedFiles !== undefined && kind === undefined)
    throw new ConfigError("needs a mapping in flags", {
      field: "--mapped-files",
      value: mappedFiles,
      expected: "--kind and --columns with it; a file of a mapping has `files`",
    });
  if (mapping !== undefined) {
    if (kind === undefined && columns === undefined) return loadMappings(mapping);
    throw new ConfigError("cannot be combined with --kind or --columns", {
      field: "--mapping",
      value: mapping,
      expected: "the mapping in a file or in flags, not both",
    });
  }
  const inFlags = mappingInFlags(flags, mappedFiles?.split(","));
  return inFlags === undefined ? [] : [inFlags];
}

function mappingInFlags(
  {
    kind,
    columns,
    timeUnit,
    recvTimeUnit,
    amountUnit,
  }: Pick<ImportCommandOptions, "kind" | "columns" | "timeUnit" | "recvTimeUnit" | "amountUnit">,
  files: readonly string[] | undefined,
): Mapping | undefined {
  if (kind === undefined && columns === undefined) {
    const units = {
      "--time-unit": timeUnit,
      "--recv-time-unit": recvTimeUnit,
      "--amount-unit": amountUnit,
    };
    for (const [field, value] of Object.entries(units)) {
      if (value !== undefined)
        throw new ConfigError("needs a mapping in flags", {
          field,
          value,
          expected: "--kind and --columns with it",
        });
    }
    return undefined;
  }
  if (kind === undefined) {
    throw new ConfigError("is missing", {
      field: "--kind",
      expected: "the kind of the file that --columns describes, such as trades",
    });
  }
  if (columns === undefined) {
    const interval = intervalFor(kind);
    const shaped =
      interval === ""
        ? "no --kind, since the file's shape gives it"
        : `--interval ${interval} for candles of a known shape`;
    throw new ConfigError("needs --columns", {
      field: "--kind",
      value: kind,
      expected: `${shaped}, or --columns with it`,
    });
  }
  const pairs = columns.split(",").map((pair) => {
    const at = pair.indexOf("=");
    if (at < 1 || at === pair.length - 1)
      throw new ConfigError("must assign one of our columns to one of the file's", {
        field: "--columns",
        value: pair,
        expected: "ours=theirs, such as price=px",
      });
    return [pair.slice(0, at), pair.slice(at + 1)] as const;
  });
  return checkMapping({
    kind,
    columns: Object.fromEntries(pairs),
    timeUnit,
    recvTimeUnit,
    amountUnit,
    files,
  });
}

function repairsOf({ round, dropBadRows }: ImportCommandOptions): RepairOptions {
  return {
    round,
    ...(dropBadRows === undefined
      ? {}
      : { maxDropped: Number(whole(dropBadRows, "--drop-bad-rows")) }),
  };
}

function clockOf({ clockParts, clockOffsetNs, baseLatencyNs = "0" }: ImportCommandOptions) {
  return {
    partsAt:
      clockParts === undefined
        ? []
        : clockParts.split(",").map((place) => whole(place, "--clock-parts")),
    baseLatencyNs: whole(baseLatencyNs, "--base-latency-ns"),
    ...(clockOffsetNs === undefined
      ? {}
      : { offsetNs: whole(clockOffsetNs, "--clock-offset-ns", true) }),
  };
}

function whole(text: string, field: string, signed = false): bigint {
  if ((signed ? /^-?\d{1,18}$/ : /^\d{1,18}$/).test(text)) return BigInt(text);
  throw new ConfigError("is not a whole number", {
    field,
    value: text,
    expected: signed ? "a whole number" : "a whole number of zero or more",
  });
}

function importText({ files, clock }: Imported, market: string): string {
  const lines = files.flatMap(({ file, kind, rows, days, findings, stayed }) => [
    `${file}: ${rows} ${kind}, ${days.length === 0 ? "already in the store (--replace reads it again)" : `${days.length === 1 ? "day" : "days"} ${spanText(days.map(({ day }) => day))}`}`,
    ...[
      ...findings,
      ...describeDayFindings({ market, kind }, days, findings),
      ...stayedText(kind, stayed),
    ].map((finding) => `  ${finding}`),
  ]);
  for (const { fromSeq, addedNs, smallestNs } of clock) {
    const part = clock.length === 1 ? "" : ` from sequence number ${fromSeq} on`;
    lines.push(
      addedNs === 0n
        ? `clock${part}: not corrected, the smallest feed latency is ${smallestNs} ns`
        : `clock${part}: ${addedNs} ns added to local stamps, the smallest feed latency was ${smallestNs} ns`,
    );
  }
  return `${lines.join("\n")}\n`;
}

/** Lists days that keep the data that a corrected mapping was meant to change. */
function stayedText(kind: string, days: readonly Day[]): string[] {
  if (days.length === 0) return [];
  const more = days.length > MOST_DAYS ? `, and ${days.length - MOST_DAYS} more (--json)` : "";
  const named = `${days.slice(0, MOST_DAYS).join(", ")}${more}`;
  return [
    `${kind}: an earlier import wrote these days with another mapping, clock or repair, and they did not change: ${named}. --replace imports again the days that this file contains. For other days, delete their two files and import them again`,
  ];
}

/** Largest number of days to list. */
const MOST_DAYS = 20;

function spanText(days: readonly string[]): string {
  return days.length === 1 ? String(days[0]) : `${days[0]} to ${days.at(-1)}`;
}
