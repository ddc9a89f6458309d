import { loadBotConfig } from "../../../bot/config/config.js";
import { ConfigError } from "../../../core/errors.js";
import { loadOptional } from "../../../core/optional-part.js";
import { connect } from "../../../exchange/client/connect.js";
import { instantText, parseInstant } from "../../../history/day.js";
import {
  type Downloaded,
  download,
  requireDownloadable,
} from "../../../history/download/download.js";
import type { Span } from "../../../history/spans.js";
import { HistoryStore } from "../../../history/store/history-store.js";
import type { CliContext } from "../../cli-context.js";
import { nameExchangeInErrors } from "../../exchange-access.js";
import { ReportedFailure } from "../../process/exit.js";
import { jsonText } from "../../process/output.js";
import { rejectOnAbort, untilInterrupted } from "../../process/until-interrupted.js";

export interface DownloadCommandOptions {
  readonly exchange: string;
  readonly market: string;
  readonly from: string;
  readonly to: string;
  readonly kinds: string;
  readonly store: string;
  readonly json?: boolean;
}

/** Downloads an exchange's history into the store. @throws ReportedFailure for any finding */
export async function dataDownloadCommand(
  context: CliContext,
  { exchange, market, from, to, kinds: list, store, json }: DownloadCommandOptions,
): Promise<void> {
  const span: Span = [parseInstant(from, "--from"), parseInstant(to, "--to")];
  if (span[0] >= span[1])
    throw new ConfigError("is not after --from", {
      field: "--to",
      value: to,
      expected: `an instant after ${from}`,
    });
  const kinds = [...new Set(list.split(",").map((kind) => kind.trim()))];
  requireDownloadable(kinds);
  await loadOptional("@duckdb/node-api");
  const isFile = /\.ya?ml$/.test(exchange);
  const address = isFile
    ? loadBotConfig(exchange, context.env, { key: "unused" }).exchange.rest
    : exchange;
  const work = (signal: AbortSignal): Promise<Downloaded> =>
    nameExchangeInErrors(
      address,
      async () => {
        const { client, close } = await connect({ baseUrl: address, runtime: context.runtime });
        try {
          return await download(new HistoryStore(store), client, {
            market,
            span,
            kinds,
            address,
            signal,
            onProgress: bar(context, span),
          });
        } finally {
          close();
          if (context.stderr.isTTY === true) context.stderr.write("\r\x1b[K");
        }
      },
      isFile ? undefined : "--exchange",
    );
  const left = "the downloaded history is kept, and the same command continues after it";
  // It may wait for the exchange or for tokens, and can be interrupted at any time.
  const downloaded = await untilInterrupted(context, left, (signal) =>
    rejectOnAbort(signal, work(signal)),
  );
  context.stdout.write(json === true ? jsonText(downloaded, 2) : downloadText(downloaded, span));
  const { volumes, kinds: done } = downloaded;
  if (volumes.differing > 0 || done.some(({ findings }) => findings.length > 0))
    throw new ReportedFailure();
}

const BAR_CELLS = 30;

/** Shows the progress of each kind in one line of a terminal. */
function bar({ stderr }: CliContext, [fromMs, toMs]: Span): (kind: string, atMs: number) => void {
  return (kind, atMs) => {
    if (stderr.isTTY !== true) return;
    const share = Math.min(1, Math.max(0, (atMs - fromMs) / (toMs - fromMs)));
    const filled = Math.round(share * BAR_CELLS);
    const cells = `${"#".repeat(filled)}${".".repeat(BAR_CELLS - filled)}`;
    stderr.write(
      `\r\x1b[K${kind} ${cells} ${Math.floor(share * 100)} % ${instantText(Math.floor(atMs))}`,
    );
  };
}

function downloadText({ kinds, volumes, toMs }: Downloaded, span: Span): string {
  const lines = kinds.flatMap(({ kind, rows, days, unlisted, findings }) => {
    const open = days.filter(({ complete }) => !complete).length;
    const there = unlisted.length === 0 ? "the store has everything already" : "nothing is new";
    const nothing = toMs <= span[0] ? "that time is in the future" : there;
    const state =
      days.length === 0
        ? nothing
        : `${days.length} ${days.length === 1 ? "day" : "days"} written${open === 0 ? "" : `, ${open} of them open`}`;
    const gaps = unlisted.map(
      ([from, to]) =>
        `the exchange has no ${kind} of ${instantText(from)} to ${instantText(to)}: it stays a gap`,
    );
    return [
      `${kind}: ${rows} records, ${state}`,
      ...[...gaps, ...findings].map((finding) => `  ${finding}`),
    ];
  });
  if (toMs < span[1]) lines.push(`up to ${instantText(toMs)}, the exchange's own time`);
  if (volumes.candles > 0)
    lines.push(
      `volumes: ${volumes.candles - volumes.differing} of ${volumes.candles} candles agree with their trades`,
    );
  for (const { kind, atMs, candle, trades } of volumes.first)
    lines.push(`  ${kind} at ${instantText(atMs)}: ${candle}, its trades ${trades}`);
  return `${lines.join("\n")}\n`;
}
