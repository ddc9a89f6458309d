import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, describe, expect, it } from "vitest";
import { builtCommand } from "../support/built-command.js";
import { captureCli, startCli } from "./captured-cli.js";
import { until } from "./until.js";

const folder = mkdtempSync(join(tmpdir(), "mw-work-lost-"));
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** The exchange in a process of its own, and the file and environment of a bot. */
async function start() {
  const own = mkdtempSync(join(folder, "bot-"));
  const path = join(own, "exchange.yaml");
  writeFileSync(
    path,
    `port: 0
seed: 7
markets:
  btcusdc: { tickSize: 0.1, stepSize: 0.001, flow: { kind: synthetic, startPriceQuote: 60000 } }
`,
  );
  const exchange = spawn(process.execPath, [builtCommand(), "exchange", path, "--json"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  children.push(exchange);
  const [line] = await once(createInterface(exchange.stdout), "line");
  const { restUrl, streamUrl } = JSON.parse(line);
  const file = join(own, "bot.yaml");
  writeFileSync(
    file,
    `exchange: { rest: "${restUrl}", stream: "${streamUrl}" }
account: { keyEnv: BOT_KEY }
quotes: { timeInForce: POST_ONLY }
markets:
  btcusdc: { strategy: ladder, params: { halfSpreadBps: 3, sizeBase: 0.02 }, limits: { maxPositionBase: 0.5, maxOrderBase: 0.1 } }
risk: { maxDrawdownQuote: 500, maxLoopLagMs: 60000 }
`,
  );
  const env = { BOT_KEY: `0x${"17".repeat(32)}`, XDG_RUNTIME_DIR: own };
  return { exchange, file, env };
}
type Started = Awaited<ReturnType<typeof start>>;

/** The account's position by its trades at the exchange, in base. */
async function tradedBase({ file, env }: Started): Promise<number> {
  const args = ["call", "userTrades", "marketId=btcusdc", "--bot", file];
  const { out } = await captureCli(args, env);
  const trades: readonly { readonly isBuyer: boolean; readonly amount: string }[] =
    out === "" ? [] : JSON.parse(out);
  const sum = trades.reduce(
    (base, { isBuyer, amount }) => base + (isBuyer ? 1 : -1) * Number(amount),
    0,
  );
  return Number(sum.toFixed(9));
}

/** Until something of the work is filled. */
const untilTraded = (started: Started) =>
  until(
    () => tradedBase(started),
    (base) => base > 0,
  );

describe("a work whose exchange is lost", () => {
  it("goes on when it answers again, and trades nothing twice", async () => {
    const started = await start();
    const { exchange, file, env } = started;
    const running = startCli(
      ["work", file, "--target", "0.3", "--by", "45s", "--slices", "15", "--json"],
      env,
    );
    await untilTraded(started);
    exchange.kill("SIGSTOP");
    await new Promise((resolve) => setTimeout(resolve, 12_000));
    exchange.kill("SIGCONT");
    const { code, out } = await running.done;
    const { work, openOrdersLeft } = JSON.parse(out);
    expect(work).toMatchObject({ isReached: true, endBase: "0.3" });
    expect({ code, openOrdersLeft }).toEqual({ code: 0, openOrdersLeft: 0 });
    expect(await tradedBase(started)).toBe(0.3);
  });
});
