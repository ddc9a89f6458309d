import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Decimal } from "decimal.js";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { LiveReport } from "#backtest/live-report-schema.js";
import { loadBotConfig } from "#bot/config.js";
import { stateDirFor } from "#bot/state-dir.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { ecdsaScheme } from "#core/signing.js";
import type { Hex } from "#core/units.js";
import { DAYS_FOLDER, listDays } from "#ledger/day-folder.js";
import type { DayRow } from "#ledger/day-row.js";
import type { DaySummary } from "#ledger/day-summary.js";
import { readDays } from "#ledger/read-days.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { configuredExchange } from "#simulator/configured-exchange.js";
import { serveExchange } from "#simulator/http-server.js";
import { captureCli } from "../cli/captured-cli.js";
import { untilQuoting } from "../cli/commanded-exchange.js";
import { until } from "../cli/until.js";
import { builtCommand } from "../support/built-command.js";

const KEY: Hex = `0x${"3c".repeat(32)}`;
const DAY_MS = 86_400_000;

/**
 * An exchange whose clock the test sets while no bot runs. The day files follow the exchange's
 * clock, not the machine's, so that a day ends here when the test wants it to.
 */
const { clock, random } = createLiveRuntime();
// Long enough ago that everything is over by the machine's clock.
const DAY = new Date(clock.nowMs() - 2 * DAY_MS).toISOString().slice(0, 10);
const midnightMs = Date.parse(`${DAY}T00:00:00Z`) + DAY_MS;
let offsetMs = 0;
const setExchangeClock = (nowMs: number): void => {
  offsetMs = Math.round(nowMs - clock.nowMs());
};

let server: Awaited<ReturnType<typeof serveExchange>>;
let command: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  command = builtCommand();
  setExchangeClock(midnightMs - 3 * 3_600_000);
  const config = parseExchangeConfig({
    port: 0,
    seed: 7,
    markets: {
      btcusdc: {
        tickSize: "0.1",
        stepSize: "0.001",
        flow: { kind: "synthetic", startPriceQuote: 60000 },
      },
    },
  });
  const exchangeClock = {
    nowMs: () => clock.nowMs() + offsetMs,
    monotonicMs: () => clock.monotonicMs(),
    setTimer: (delayMs: number, fire: () => void) => clock.setTimer(delayMs, fire),
  };
  server = await serveExchange(configuredExchange(config, { clock: exchangeClock, random }));
});
afterAll(async () => {
  // One that hangs would outlive a test that failed.
  for (const child of children) child.kill("SIGKILL");
  await server.close();
});

it("a bot that is killed, started again and runs over the end of a day is reported without a gap in its money", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mw-days-"));
  const file = join(folder, "bot.yaml");
  writeFileSync(
    file,
    `exchange: { rest: "${server.restUrl}", stream: "${server.streamUrl}" }
account: { keyEnv: BOT_KEY }
quotes: { timeInForce: POST_ONLY }
days: { everyMs: 1000 }
markets:
  btcusdc:
    strategy: ladder
    params: { halfSpreadBps: 0.2, sizeBase: 0.02 }
    limits: { maxPositionBase: 0.5, maxOrderBase: 0.1 }
risk: { maxDrawdownQuote: 500, maxLoopLagMs: 60000 }
`,
  );
  const env = { BOT_KEY: KEY, XDG_RUNTIME_DIR: folder };
  const stateDir = stateDirFor(loadBotConfig(file, env), ecdsaScheme.signer(KEY).address);
  const days = join(stateDir, DAYS_FOLDER);
  const start = () => {
    // The machine of the bot has the same time: a bot halts beside a clock that is hours away.
    const shift = `const now = Date.now; Date.now = () => now() + ${offsetMs};`;
    const preload = `data:text/javascript,${encodeURIComponent(shift)}`;
    const args = ["--import", preload, command, "run", file, "--json"];
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...env },
      stdio: ["ignore", "ignore", "ignore"],
    });
    children.push(child);
    return { child, ended: once(child, "close").then(([code]) => code as number | null) };
  };
  const rows = async (): Promise<readonly DayRow[]> => {
    const all: DayRow[] = [];
    for await (const part of readDays(days)) all.push(...part.rows);
    return all;
  };
  const accounts = async () => (await rows()).filter(({ marketId }) => marketId === "");

  const first = start();
  await untilQuoting(file, env);
  await until(rows, (all) => all.some(({ fills = [] }) => fills.length > 0));
  first.child.kill("SIGKILL");
  await first.ended;
  const killedAtMs = (await accounts()).at(-1)?.atMs ?? 0;
  expect(killedAtMs).toBeGreaterThan(midnightMs - 3 * 3_600_000);

  setExchangeClock(midnightMs - 20_000);
  const second = start();
  await untilQuoting(file, env);
  // A day is sealed while the bot quotes: in a thread of the running process.
  await until(
    () => listDays(days),
    (all) => all.some(({ day, hasParquet, hasLines }) => day === DAY && hasParquet && !hasLines),
  );
  await until(accounts, (all) => (all.at(-1)?.atMs ?? 0) >= midnightMs + 2_000);
  second.child.kill("SIGTERM");
  expect(await second.ended).toBe(0);

  const endMs = (await accounts()).at(-1)?.atMs ?? 0;
  const to = new Date(endMs).toISOString();
  const cli = async (...args: readonly string[]): Promise<string> => {
    const { code, out, err } = await captureCli(["report", file, ...args], env);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    return out;
  };
  const report = JSON.parse(await cli("--live", "--to", to, "--json")) as LiveReport;
  const text = await cli("--live", "--to", to);

  expect(report.live.runs.length).toBe(2);
  const { start: from, end, transfers } = report.equity;
  const explained = [report.profit.total, transfers, report.live.unattended, report.live.underWay];
  expect(explained.reduce((sum, part) => sum.plus(part), new Decimal(from)).toFixed()).toBe(
    new Decimal(end).toFixed(),
  );
  expect(end).not.toBe(from);
  const fills = readFileSync(join(stateDir, "fills.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line.includes('"event":"fill"'))
    .map((line) => JSON.parse(line) as { commission: string; timeMs: number })
    .filter(({ timeMs }) => timeMs < endMs);
  // Those that the killed bot had in no row yet come from the record of fills.
  expect(report.fills.all.fills).toBe(fills.length);
  expect(new Decimal(report.fills.all.fees).toFixed()).toBe(
    new Decimal(String(fills.reduce((sum, { commission }) => sum + BigInt(commission), 0n)))
      .div(1e6)
      .toFixed(),
  );
  const [uptime] = report.live.uptime;
  const away = uptime?.down.find(({ cause }) => cause === "not running")?.seconds ?? 0;
  expect(away).toBeGreaterThan(3 * 3600 - 600);
  const lost = uptime?.down.reduce((sum, { seconds }) => sum + seconds, 0) ?? 0;
  const quoted = (uptime?.both ?? 0) * (uptime?.seconds ?? 0);
  expect(Math.abs(lost + quoted - (uptime?.seconds ?? 0))).toBeLessThan(1);
  expect(quoted).toBeGreaterThan(1);
  expect(report.gaps.filter((gap) => gap.endsWith("not running")).length).toBe(1);
  expect(text).toContain(`profit ${report.profit.total} USDC`);
  expect(text).toContain("not running");

  const summary = JSON.parse(await cli("--daily", DAY, "--json")) as DaySummary;
  const nextDay = new Date(midnightMs).toISOString().slice(0, 10);
  const next = JSON.parse(await cli("--daily", nextDay, "--json")) as DaySummary;
  expect(summary.to).toBe(`${nextDay}T00:00:00Z`);
  expect(next.equity.start).toBe(summary.equity.end);
  expect(await cli("--daily", DAY)).toContain(`fills ${summary.fills}`);
});
