import type { Command } from "commander";
import { type CancelReport, cancelEverything, type FoundOrder } from "../../bot/run/cancel-everything.js";
import { ConfigError } from "../../core/errors.js";
import type { CliContext } from "../cli-context.js";
import { openBot, withExchange } from "../exchange-access.js";
import { NotWell } from "../exit.js";
import { notedHashesOf } from "../noted-hashes.js";
import { jsonText, table } from "../output.js";

interface CancelAllOptions {
  readonly market?: string;
  readonly json?: boolean;
}

/** `marketwright cancel-all bot.yaml` */
export function addCancelAll(program: Command, context: CliContext): void {
  program
    .command("cancel-all")
    .description("cancel every order of the account in the bot's markets, at the exchange itself, and say whose they were")
    .argument("<file>", "the bot's YAML file; the bot need not run")
    .option("--market <id>", "this market alone (default: all markets of the file)")
    .option("--json", "JSON on stdout")
    .action(async (file: string, { market, json }: CancelAllOptions) => {
      await withExchange(openBot(context, file), async ({ config, client, signer, syncClock }) => {
        const markets = marketsOf(Object.keys(config.markets), market);
        const account = signer.address;
        await syncClock();
        const report = await cancelEverything({
          client,
          clock: context.seam.clock,
          account,
          markets,
          notedHashes: notedHashesOf(config, account),
          untilMs: config.exchange.signatureWindowMs,
        });
        context.stdout.write(json === true ? jsonText({ account, markets, ...report }, 2) : textOf(report, markets));
        if (report.foundLater > 0) context.stderr.write(laterText(report.foundLater, file));
        if (report.left.length > 0 || report.failed.length > 0) throw new NotWell();
      });
    });
}

function marketsOf(known: readonly string[], wanted: string | undefined): readonly string[] {
  if (wanted === undefined) return known;
  if (known.includes(wanted)) return [wanted];
  throw new ConfigError("is no market of this bot", { field: "--market", value: wanted, expected: `one of ${known.join(", ")}` });
}

function textOf({ found, left, failed }: CancelReport, markets: readonly string[]): string {
  const cancelled = found.filter((order) => !left.some(({ orderId }) => orderId === order.orderId));
  const unseen = failed.map(({ marketId, why }) => `${marketId}: orders may be left: ${why}\n`).join("");
  const seen = markets.filter((marketId) => !failed.some((market) => market.marketId === marketId));
  if (found.length === 0) return `${seen.length === 0 ? "" : `no open orders in ${seen.join(", ")}\n`}${unseen}`;
  const cancelledText = cancelled.length === 0 ? "" : `cancelled:\n${table(cancelled.map(row))}`;
  const leftText = left.length === 0 ? "" : `still open:\n${table(left.map(row))}`;
  return `${cancelledText}${leftText}${unseen}`;
}

function row({ marketId, side, availableBase, price, orderId, placedBy }: FoundOrder): string[] {
  const by = `placed by ${placedBy === "bot" ? "this bot" : "somebody else"}`;
  return [marketId, side, availableBase, `@ ${price}`, `id ${orderId}`, by];
}

/** Orders that come while others are cancelled were under way, or are those of a bot that runs: what it says of now will not hold. */
function laterText(foundLater: number, file: string): string {
  return `marketwright: ${foundLater} of these orders were found after the first cancel: a bot that runs places again; npx marketwright halt ${file} keeps it from that\n`;
}
