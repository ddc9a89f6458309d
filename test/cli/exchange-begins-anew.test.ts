import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadBotConfig } from "#bot/config.js";
import { stateDirFor } from "#bot/state-dir.js";
import { ecdsaScheme } from "#core/signing.js";
import type { Hex } from "#core/units.js";
import { captureCli, type StartedRun, startCli } from "./captured-cli.js";
import { untilQuoting } from "./commanded-exchange.js";
import { until } from "./until.js";

const KEY: Hex = `0x${"5a".repeat(32)}`;

interface Where {
  readonly restUrl: string;
  readonly streamUrl: string;
  readonly port: number;
  readonly chain?: { readonly rpcUrl: string } | null;
}

/**
 * The embedded exchange in memory: each start of it is a life of its own. Ports stay once they are
 * known.
 */
async function exchangeStarts(
  folder: string,
  { withChain, before }: { withChain: boolean; before?: Where },
) {
  const path = join(folder, "exchange.yaml");
  const rpcPort = before?.chain == null ? 0 : new URL(before.chain.rpcUrl).port;
  const chain = withChain ? `chain: { accounts: { count: 0 }, rpc: { port: ${rpcPort} } }` : "";
  writeFileSync(
    path,
    `port: ${before?.port ?? 0}
${chain}
markets: { btcusdc: { flow: { kind: synthetic, startPriceQuote: 60000 } } }
`,
  );
  const exchange = startCli(["exchange", path, "--json"]);
  return { exchange, where: JSON.parse(await exchange.firstLine) as Where };
}

async function ends(run: StartedRun): Promise<void> {
  run.interrupt();
  expect(await run.done).toMatchObject({ code: 0 });
}

it.each([
  ["settles in memory", false],
  ["settles on a chain", true],
])(
  "a bot quotes on an exchange that %s and has begun anew with its key: the new deposit is no peak of before",
  async (_, withChain) => {
    const folder = mkdtempSync(join(tmpdir(), "mw-"));
    const first = await exchangeStarts(folder, { withChain });
    const { restUrl, streamUrl, chain } = first.where;
    const file = join(folder, "bot.yaml");
    writeFileSync(
      file,
      `exchange: { rest: "${restUrl}", stream: "${streamUrl}" }
account: { keyEnv: BOT_KEY }
quotes: { timeInForce: POST_ONLY }
${withChain ? `chain: { rpc: ["${chain?.rpcUrl}"], maxHeadAgeMs: 3600000 }\nliquidator: { minProfitQuote: 1 }` : ""}
markets:
  btcusdc: { strategy: ladder, params: { halfSpreadBps: 3, sizeBase: 0.02 }, limits: { maxPositionBase: 0.5, maxOrderBase: 0.1 } }
risk: { maxDrawdownQuote: 500 }
`,
    );
    const env = { BOT_KEY: KEY, XDG_RUNTIME_DIR: folder };
    const stateDir = stateDirFor(loadBotConfig(file, env), ecdsaScheme.signer(KEY).address);
    const peak = () =>
      existsSync(join(stateDir, "peak-equity.json"))
        ? readFileSync(join(stateDir, "peak-equity.json"), "utf8")
        : "";
    const runs = async (work: () => Promise<unknown>) => {
      const run = startCli(["run", file, "--json"], env);
      await untilQuoting(file, env);
      await work();
      await ends(run);
    };

    await runs(() => until(peak, (text) => text !== ""));
    const before = peak();
    await ends(first.exchange);
    const second = await exchangeStarts(folder, { withChain, before: first.where });
    await runs(async () => {
      // Quotes may rest before the first check of the account's losses.
      const status = await until(
        async () => JSON.parse((await captureCli(["status", file, "--json"], env)).out),
        ({ peakEquityQuote }) => peakEquityQuote !== undefined && peakEquityQuote !== null,
      );
      expect(status.halts).toEqual([]);
      expect(Number(status.peakEquityQuote)).toBeLessThan(100_500);
    });
    const aside = readdirSync(stateDir).find((name) => name.startsWith("earlier-account-")) ?? "";
    expect(readFileSync(join(stateDir, aside, "peak-equity.json"), "utf8")).toBe(before);

    const chains = readdirSync(stateDir).filter((name) => name.startsWith("earlier-chain-"));
    expect(chains.flatMap((name) => readdirSync(join(stateDir, name)))).toEqual(
      withChain ? ["transactions.jsonl"] : [],
    );

    await runs(async () => {});
    expect(
      readdirSync(stateDir).filter((name) => name.startsWith("earlier-account-")),
      "the same life goes on",
    ).toHaveLength(1);
    await ends(second.exchange);
  },
);
