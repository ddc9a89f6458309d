import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { loadBotConfig } from "#bot/config.js";
import { captureCli, type StartedRun, startCli } from "../cli/captured-cli.js";
import { untilQuoting } from "../cli/commanded-exchange.js";
import { until } from "../cli/until.js";
import { PROJECT_ROOT } from "../project/checkout.js";
import { builtCommand } from "../support/built-command.js";

const EXAMPLES = join(PROJECT_ROOT, "docs/examples");
const DESKS = [
  { name: "desk-btc", marketId: "btcusdc", keyEnv: "DESK_BTC_KEY", key: `0x${"b7".repeat(32)}` },
  { name: "desk-eth", marketId: "ethusdc", keyEnv: "DESK_ETH_KEY", key: `0x${"e7".repeat(32)}` },
] as const;
const [BTC, ETH] = DESKS;

const folder = mkdtempSync(join(tmpdir(), "split-desk-"));
const env = {
  XDG_RUNTIME_DIR: folder,
  ...Object.fromEntries(DESKS.map(({ keyEnv, key }) => [keyEnv, key])),
};
const copyOf = (name: string): string => join(folder, `${name}.yaml`);

/** A bot in its own process. */
class RunningDesk {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  #out = "";

  constructor(command: string, name: string) {
    this.#child = spawn(process.execPath, [command, "run", copyOf(name), "--json"], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "ignore"],
    });
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#out += text;
    });
    this.#ended = once(this.#child, "close").then(([code]) => code as number | null);
  }

  /** Ends it in order. @returns its exit code and summary */
  async stop() {
    this.#child.kill("SIGTERM");
    const code = await this.#ended;
    return { code, summary: JSON.parse(this.#out) as Record<string, unknown> };
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }
}

let exchange: StartedRun;
let desks: readonly RunningDesk[] = [];

beforeAll(async () => {
  const command = builtCommand();
  exchange = startCli(["exchange", "--port", "0", "--rpc-port", "0", "--json"]);
  const { restUrl: rest, streamUrl: stream } = JSON.parse(await exchange.firstLine);
  for (const { name } of DESKS) {
    const file = parse(readFileSync(join(EXAMPLES, `${name}.yaml`), "utf8"));
    const changes = {
      exchange: { rest, stream },
      metrics: { port: 0 },
      // A busy machine halts no bot of this test.
      risk: { ...file.risk, maxLoopLagMs: 60_000, maxBookAgeMs: 60_000 },
    };
    writeFileSync(copyOf(name), stringify({ ...file, ...changes }));
  }
  desks = DESKS.map(({ name }) => new RunningDesk(command, name));
});

afterAll(async () => {
  // One that hangs would outlive a test that failed.
  for (const desk of desks) desk.kill();
  exchange.interrupt();
  await exchange.done;
  rmSync(folder, { recursive: true, force: true });
});

async function marketsOfOpenOrders(name: string): Promise<readonly string[]> {
  const { out } = await captureCli(["call", "openOrders", "--bot", copyOf(name)], env);
  const listed: { readonly marketId: string; readonly availableAmount: string }[] = JSON.parse(out);
  // Not those that have matched whole: they are listed until they are settled.
  return listed
    .filter(({ availableAmount }) => Number(availableAmount) > 0)
    .map(({ marketId }) => marketId);
}

async function statusOf(name: string) {
  const { code, out } = await captureCli(["status", copyOf(name), "--json"], env);
  return code === 0 ? JSON.parse(out) : undefined;
}

describe("a desk that is split over two processes, by docs/examples", () => {
  it("has in its files accounts, ports and markets that do not meet, and rate limits for both", () => {
    const [btc, eth] = DESKS.map(({ name }) =>
      loadBotConfig(join(EXAMPLES, `${name}.yaml`), env),
    ) as [ReturnType<typeof loadBotConfig>, ReturnType<typeof loadBotConfig>];
    expect(Object.keys(btc.markets)).toEqual([BTC.marketId]);
    expect(Object.keys(eth.markets)).toEqual([ETH.marketId]);
    expect(btc.account.keyEnv).not.toBe(eth.account.keyEnv);
    expect(btc.metrics?.port).not.toBe(eth.metrics?.port);
    const left = btc.guard.orderTokensFraction + eth.guard.orderTokensFraction;
    expect(2 - left, "what both may spend of one address's tokens").toBeLessThan(1);
  });

  it("quotes each market from the process that has it, and from no other", async () => {
    for (const { name, marketId } of DESKS) {
      await untilQuoting(copyOf(name), env);
      const quoted = await until(
        () => marketsOfOpenOrders(name),
        ({ length }) => length > 0,
      );
      expect(new Set(quoted), name).toEqual(new Set([marketId]));
      expect(Object.keys((await statusOf(name)).markets), name).toEqual([marketId]);
    }
  });

  it("cannot have both processes on one account", async () => {
    const oneKey = { ...env, [ETH.keyEnv]: BTC.key };
    expect(await captureCli(["run", copyOf(ETH.name), "--json"], oneKey)).toMatchObject({
      code: 1,
      err: expect.stringContaining("another bot on this machine trades this account"),
    });
  });

  it("is halted a process at a time", async () => {
    expect(await captureCli(["halt", copyOf(BTC.name)], env)).toMatchObject({ code: 0 });
    await until(
      () => marketsOfOpenOrders(BTC.name),
      ({ length }) => length === 0,
    );
    expect((await statusOf(BTC.name)).halts).not.toEqual([]);
    expect((await statusOf(ETH.name)).halts).toEqual([]);
    await untilQuoting(copyOf(ETH.name), env);
  });

  it("leaves no order open when both are ended", async () => {
    for (const desk of desks)
      expect(await desk.stop()).toMatchObject({
        code: 0,
        summary: { openOrdersLeft: 0, ordersLeft: [] },
      });
    for (const { name } of DESKS) expect(await marketsOfOpenOrders(name), name).toEqual([]);
  });
});
