import { CancelBudget } from "../../bot/cancelling/cancel-budget.js";
import {
  type CancelReport,
  cancelEverything,
  type FoundOrder,
} from "../../bot/cancelling/cancel-everything.js";
import type { BotOrdersConfig } from "../../bot/config/config.js";
import { isLocked } from "../../bot/state/account-lock.js";
import { HEARTBEAT_FILE, mayArriveUntilMs } from "../../bot/state/heartbeat.js";
import { stateDirFor } from "../../bot/state/state-dir.js";
import { ConfigError, MarketwrightError } from "../../core/errors.js";
import { formatCount } from "../../core/format-count.js";
import type { Hex, Ms } from "../../core/units.js";
import { classifyTransientFailure } from "../../exchange/rest/transient-failure.js";
import type { CliContext } from "../cli-context.js";
import { oneLine } from "../control/one-line.js";
import { openBotOrders, withExchange } from "../exchange-access.js";
import { openExistingState } from "../halts/existing-state.js";
import { CancelAllHalt } from "../halts/halt-for-cancel-all.js";
import { loadServerBuiltHashes } from "../halts/server-built-hashes.js";
import { ReportedFailure } from "../process/exit.js";
import { jsonText, table } from "../process/output.js";

export interface CancelAllCommandOptions {
  readonly market?: string;
  readonly json?: boolean;
}

/** Cancels the account's orders. @throws ReportedFailure if any may be left */
export async function cancelAllCommand(
  context: CliContext,
  file: string,
  { market, json }: CancelAllCommandOptions,
): Promise<void> {
  await withExchange(openBotOrders(context, file), async (access) => {
    const { config, client, signer } = access;
    const markets = marketsOf(Object.keys(config.markets), market);
    const account = signer.address;
    const { clock } = context.runtime;
    const say = (text: string): void => void context.stderr.write(`marketwright: ${text}\n`);
    let isPrinted = false;
    const onWait = (waitMs: Ms): void => {
      if (!isPrinted) say(waitText(waitMs));
      isPrinted = true;
    };
    const budget = new CancelBudget({ clock, fraction: 1, onWait });
    const readClock = () => budget.call("time", { kept: 0, isOver: () => true }, access.syncClock);
    await readClock().catch((error: unknown) => say(clockText(error)));
    // Orders are cancelled even if the bot's state files are unreadable.
    const orElse = <T>(read: () => T, otherwise: T, meaning: string): T => {
      try {
        return read();
      } catch (error) {
        if (!(error instanceof MarketwrightError)) throw error;
        say(`${error.message}: ${meaning}`);
        return otherwise;
      }
    };
    const stateDir = stateDirFor(config, account);
    const runs = orElse(
      () => isLocked({ account, env: context.env, stateDir }, "bot"),
      false,
      "the command assumes that no bot runs",
    );
    const arriving = runs
      ? undefined
      : orElse(
          () => arrivingUntilMs(config, account),
          Number.POSITIVE_INFINITY,
          "the time at which the bot ended is unknown",
        );
    const untilMs = config.exchange.signatureWindowMs + ARRIVING_SPARE_MS;
    const arrivingMs = Math.min(untilMs, (arriving ?? 0) - clock.nowMs() - access.clockOffsetMs());
    if (arrivingMs > 0) say(arrivingText(arrivingMs));
    const halt = new CancelAllHalt(context, {
      account,
      stateDir,
      marketId: market,
      file,
      print: say,
    });
    const report = await cancelEverything({
      client: {
        time: () => client.time(),
        exchangeInfo: () => client.exchangeInfo(),
        openOrders: (marketId) => client.openOrders(marketId),
        // Reads open orders before the cancel, to report whose they were.
        cancelAllOpenOrders: async (marketId) => {
          await halt.begin();
          await client.cancelAllOpenOrders(marketId);
        },
      },
      clock,
      budget,
      syncClock: readClock,
      account,
      markets,
      serverBuiltHashes: orElse(
        () => loadServerBuiltHashes(config, account),
        new Set<string>(),
        "orders that the exchange built are listed as placed by somebody else",
      ),
      giveUpAfterMs: untilMs,
      // A running bot handles its own requests in flight.
      mayArriveUntilMs: arriving,
    });
    context.stdout.write(
      json === true ? jsonText({ account, markets, ...report }, 2) : textOf(report, markets),
    );
    if (report.foundLater > 0) say(laterText(report.foundLater));
    const isSafe = await halt.isSafe();
    if (!isSafe || report.left.length > 0 || report.failed.length > 0) throw new ReportedFailure();
  });
}

/**
 * Beyond the signature window: a heartbeat is dated ahead by its interval, and the last check
 * follows that.
 */
const ARRIVING_SPARE_MS: Ms = 1_500;

/**
 * Requests are signed by the exchange's clock. If it does not return its time, they are signed by
 * this machine's, until one is rejected for that.
 * @throws the error itself if nothing responds, or it is not an exchange.
 */
function clockText(error: unknown): string {
  const passing = classifyTransientFailure(error);
  if (!(error instanceof Error) || passing === undefined || passing.cause === "no-connection")
    throw error;
  return `the exchange's clock could not be read, so requests carry the time of this machine's clock: ${error.message}`;
}

function arrivingText(forMs: Ms): string {
  return `the bot did not shut down in order. Its last requests may arrive for another ${Math.ceil(forMs / 1000)} s; the command waits for them`;
}

/**
 * Exchange time until which a request of a crashed bot may arrive; undefined if the bot stopped
 * properly, or never ran.
 */
function arrivingUntilMs(config: BotOrdersConfig, account: Hex): Ms | undefined {
  return mayArriveUntilMs(
    openExistingState(stateDirFor(config, account))?.read(HEARTBEAT_FILE),
    config.exchange.signatureWindowMs,
  );
}

function waitText(waitMs: Ms): string {
  return `the exchange's rate limit is used up: cancels wait for about ${Math.ceil(waitMs / 1000)} s, then continue`;
}

function marketsOf(known: readonly string[], wanted: string | undefined): readonly string[] {
  if (wanted === undefined) return known;
  if (known.includes(wanted)) return [wanted];
  throw new ConfigError("is not a market of this bot", {
    field: "--market",
    value: wanted,
    expected: `one of ${known.join(", ")}`,
  });
}

/** Most lines below the sentence. */
const MOST_LINES = 10;

/** One sentence, then markets where orders may be left, and orders: those still open first. */
function textOf({ found, left, failed }: CancelReport, markets: readonly string[]): string {
  const seen = markets.filter((marketId) => !failed.some((market) => market.marketId === marketId));
  const where = seen.length === 0 ? "" : ` in ${seen.join(", ")}`;
  const isLeft = new Set(left.map(({ orderId }) => orderId));
  const cancelled = found.filter(({ orderId }) => !isLeft.has(orderId));
  const others = cancelled.filter(({ placedBy }) => placedBy !== "bot").length;
  const whose = others === 0 ? "" : `, ${others} of them placed by somebody else`;
  const done =
    cancelled.length === 0
      ? "Nothing was cancelled"
      : `${formatCount(cancelled.length, "order")} cancelled${whose}`;
  const open =
    left.length > 0
      ? `${formatCount(left.length, "order")} ${left.length === 1 ? "is" : "are"} still open`
      : failed.length > 0
        ? `orders may be left in ${failed.map(({ marketId }) => marketId).join(", ")}`
        : `no order is open${where}`;
  const rows = [
    ...left.map((order) => row("still open", order)),
    ...cancelled.map((order) => row("cancelled", order)),
  ];
  const unseen = failed.map(
    ({ marketId, why }) => `${marketId}: orders may be left: ${oneLine(why, MOST_REASON)}\n`,
  );
  const most = Math.max(0, MOST_LINES - unseen.length);
  const shown = rows.length <= most ? rows : rows.slice(0, Math.max(0, most - 1));
  const more = rows.length - shown.length;
  const rest = more === 0 ? "" : `${formatCount(more, "more order")}: --json lists all\n`;
  return `${done}: ${open}.\n${unseen.join("")}${table(shown)}${rest}`;
}

/** Longest text of a failure in one market. */
const MOST_REASON = 300;

function row(
  state: string,
  { marketId, side, availableBase, price, orderId, placedBy }: FoundOrder,
): string[] {
  const by = `placed by ${placedBy === "bot" ? "this bot" : "somebody else"}`;
  return [state, marketId, side, availableBase, `at ${price}`, `id ${orderId}`, by];
}

/** Orders that appear during a cancel were in flight, or another client trades the account. */
function laterText(foundLater: number): string {
  return `${foundLater} of these orders were found after the first cancel: they were in flight`;
}
