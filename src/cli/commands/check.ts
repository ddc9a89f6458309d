import { dirname } from "node:path";
import { readAccountKey } from "../../bot/config/account-key.js";
import type { BotConfig } from "../../bot/config/config.js";
import { explainBot } from "../../bot/explain/explain.js";
import { readRpcUrls } from "../../bot/run/chain-access.js";
import {
  checkReferenceFile,
  type ReferenceFileCheck,
} from "../../bot/run/check/check-reference-prices.js";
import { checkVenue } from "../../bot/run/check/check-venue.js";
import type { Finding } from "../../bot/run/check/finding.js";
import { usesFeed } from "../../bot/run/references/prepare-sources.js";
import { checkStrategyMarket } from "../../bot/strategy/check-strategy-market.js";
import { loadStrategy } from "../../bot/strategy/load-strategy.js";
import { ecdsaScheme } from "../../core/crypto/signing.js";
import { RunError } from "../../core/errors.js";
import { shellWord } from "../../core/files/shell-word.js";
import type { Hex, MarketId, Ms } from "../../core/units.js";
import { openLog } from "../../monitoring/log.js";
import type { BoundStrategy } from "../../strategies/strategy.js";
import type { CliContext } from "../cli-context.js";
import { parseDuration } from "../duration.js";
import { openBot, withExchange } from "../exchange-access.js";
import { loadServerBuiltHashes } from "../halts/server-built-hashes.js";
import { notifyFindings } from "../notify/notify-findings.js";
import { ReportedFailure } from "../process/exit.js";
import { jsonText, table } from "../process/output.js";

export interface CheckCommandOptions {
  readonly connect?: boolean;
  readonly within?: string;
  readonly json?: boolean;
}

/** Longest wait for the first data of the streams. */
const WITHIN_MS = 10_000;

/**
 * Checks a bot's file, and with `--connect` its exchange. @throws ReportedFailure for any error
 * found
 */
export async function checkCommand(
  context: CliContext,
  file: string,
  { connect, within, json }: CheckCommandOptions,
): Promise<void> {
  const withinMs = within === undefined ? WITHIN_MS : parseDuration(within, "--within");
  await withExchange(
    openBot(context, file),
    async ({ config, signer, client, transport, syncClock }) => {
      const account = signer.address;
      const { strategies, findings } = await checkStrategies(config);
      const references = await checkReferenceSources(config, context);
      findings.push(...references.findings, ...guardFindings(config, file));
      findings.push(...(await notifyFindings(config, context)));
      if (connect === true) {
        const notedHashes = loadServerBuiltHashes(config, account);
        const { runtime, env } = context;
        const rpcs = config.chain === undefined ? [] : readRpcUrls(config.chain, env);
        const access = {
          config,
          signer,
          client,
          transport,
          runtime,
          env,
          syncClock,
          rpcs,
          sender: operatorOf(config, context),
        };
        findings.push(
          ...(await checkVenue({
            ...access,
            strategies,
            references: references.sources,
            serverBuiltHashes: notedHashes,
            withinMs,
          })),
        );
        // Without a book or an account no check is possible, and a finding says so.
        if (findings.every(({ level }) => level !== "error"))
          findings.push(...(await plausibilityFindings(config, context, withinMs)));
      }
      const ok = findings.every(({ level }) => level !== "error");
      context.stdout.write(
        json === true
          ? jsonText({ file: config.path, account, connected: connect === true, ok, findings }, 2)
          : report(findings, file),
      );
      if (!ok) throw new ReportedFailure();
    },
  );
}

/** Checks the sources of reference prices that the file names, without a connection. */
async function checkReferenceSources(
  config: BotConfig,
  { runtime }: CliContext,
): Promise<ReferenceFileCheck> {
  const log = openLog({ level: "silent", clock: runtime.clock });
  try {
    return await checkReferenceFile({ config, runtime, log });
  } finally {
    log.close();
  }
}

/** The signer: the account, or its operator. */
function operatorOf({ account }: BotConfig, { env }: CliContext): Hex {
  return ecdsaScheme.signer(readAccountKey(account, env)).address;
}

async function checkStrategies(
  config: BotConfig,
): Promise<{ strategies: Map<MarketId, BoundStrategy>; findings: Finding[] }> {
  const strategies = new Map<MarketId, BoundStrategy>();
  const findings: Finding[] = [];
  for (const [marketId, { strategy, params }] of Object.entries(config.markets)) {
    const subject = `markets.${marketId}.strategy`;
    if (strategy === undefined) {
      findings.push({
        level: "ok",
        subject,
        text: "none: the bot only sells positions that the liquidator acquires here",
      });
      continue;
    }
    const loaded = await loadStrategy(strategy, dirname(config.path), subject);
    const bound = loaded.strategy.bind(params, { at: ["markets", marketId, "params"] });
    checkStrategyMarket(config, marketId, bound);
    strategies.set(marketId, bound);
    const version = loaded.version === undefined ? "" : ` ${loaded.version}`;
    findings.push({
      level: "ok",
      subject,
      text: `${loaded.name}${version} accepts its parameters`,
    });
    for (const { file, line, name, advice } of loaded.warnings) {
      findings.push({
        level: "warning",
        subject,
        text: `${file}:${line} uses ${name}, which a backtest and a replay cannot repeat: ${advice}`,
      });
    }
  }
  return { strategies, findings };
}

/** A dry run sends nothing, and opens no store of sent orders. */
function neverSent(): never {
  throw new RunError("a check sends nothing");
}

/** Computes the bot's current quotes in a dry run, and checks its settings against them. */
async function plausibilityFindings(
  config: BotConfig,
  { env, runtime }: CliContext,
  withinMs: Ms,
): Promise<Finding[]> {
  const log = openLog({ level: "silent", clock: runtime.clock });
  try {
    const chain = usesFeed(config) ? config.chain : undefined;
    const quoting = { ...config, chain, liquidator: undefined };
    const { complete, implausible } = await explainBot({
      config: quoting,
      ...(chain === undefined
        ? {}
        : { chain: { rpcs: readRpcUrls(chain, env), laneStore: neverSent } }),
      privateKey: readAccountKey(config.account, env),
      runtime,
      log,
      withinMs,
    });
    const findings: Finding[] = implausible.map(({ field, text }) => ({
      level: "warning",
      subject: field,
      text,
    }));
    if (!complete)
      findings.push({
        level: "warning",
        subject: "quotes",
        text: `not every market quoted within ${withinMs} ms, on a dry run: marketwright explain says why`,
      });
    return findings.length > 0
      ? findings
      : [
          {
            level: "ok",
            subject: "quotes",
            text: "spread, size and drawdown fit the markets as they are now",
          },
        ];
  } finally {
    log.close();
  }
}

function guardFindings({ quotes: { timeInForce } }: BotConfig, file: string): Finding[] {
  if (timeInForce === "GTT") return [];
  return [
    {
      level: "warning",
      subject: "quotes.timeInForce",
      text: `${timeInForce} orders stay open if the bot dies: run "marketwright guard ${shellWord(file)}" beside it`,
    },
  ];
}

function report(findings: readonly Finding[], file: string): string {
  const count = (level: "error" | "warning"): string => {
    const { length } = findings.filter((finding) => finding.level === level);
    return `${length} ${level}${length === 1 ? "" : "s"}`;
  };
  const rows = findings.map(({ level, subject, text }) => [level, subject, text]);
  return `${table(rows)}${file}: ${count("error")}, ${count("warning")}\n`;
}
