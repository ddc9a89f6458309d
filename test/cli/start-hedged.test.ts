import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { builtCommand } from "../support/built-command.js";
import { captureCli } from "./captured-cli.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const FREE_PORTS = ["", "rpc-", "metrics-", "cockpit-", "hedge-", "hedge-dialect-"].flatMap(
  (name) => [`--${name}port`, "0"],
);

let command: string;
beforeAll(() => {
  command = builtCommand();
});
const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGTERM");
});

/** The files of the demo, with nearer quotes, and state in a folder of the test's own. */
function demoFiles(): { readonly folder: string; readonly args: readonly string[] } {
  const folder = mkdtempSync(join(tmpdir(), "mw-hedged-"));
  const copy = (name: string, change = (text: string): string => text): string => {
    const path = join(folder, name);
    writeFileSync(path, change(readFileSync(join(root, "config", name), "utf8")));
    return path;
  };
  const bot = copy("hedged.yaml", (text) =>
    `${text.replace("edgeBps: 1", "edgeBps: 0")}stateDir: state\n`.replace(
      "takerFeeBps: 3.5, halfSpreadBps: 0.4",
      "takerFeeBps: 1.1, halfSpreadBps: 0",
    ),
  );
  return {
    folder,
    args: [
      "start",
      bot,
      "--exchange",
      copy("hedged-exchange.yaml"),
      "--hedge-exchange",
      copy("hedge-exchange.yaml"),
      "--json",
      ...FREE_PORTS,
    ],
  };
}

describe("npm run demo:hedged", () => {
  it("starts the files of the package, the second exchange as the hedge venue", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    expect(scripts["demo:hedged"]).toBe(
      "exec node bin/marketwright.js start config/hedged.yaml --exchange config/hedged-exchange.yaml --hedge-exchange config/hedge-exchange.yaml",
    );
  });

  it("lays each fill off at the other exchange, and Ctrl-C leaves no order on either", async () => {
    const { folder, args } = demoFiles();
    const child = spawn(process.execPath, [command, ...args], { cwd: folder });
    started.push(child);
    let log = "";
    let out = "";
    child.stderr.on("data", (chunk) => {
      log += chunk;
    });
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    const closed = once(child, "close");
    const isHedged = (): boolean => /"msg":"hedge fill"/.test(log);
    while (!isHedged() && child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 200));
    child.kill("SIGINT");
    const [code] = await closed;
    const summary = JSON.parse(out);
    const { btcusdc } = summary.hedges;
    expect(summary.fills).toBeGreaterThan(0);
    expect(Number(btcusdc.positionBase)).toBe(-Number(summary.positionBase.btcusdc));
    expect(btcusdc.orders).toEqual([]);
    expect(btcusdc.residual).toBeDefined();
    const { trading, fees, funding, total } = btcusdc.profit;
    expect(Number(total)).toBeCloseTo(Number(trading) + Number(fees) + Number(funding), 8);
    expect(summary.ordersLeft).toEqual([]);
    expect(summary.hedgesLeft).toBeUndefined();
    expect(code).toBe(0);
  });

  it("refuses a hedge exchange for a bot without a hedge", async () => {
    const { args } = demoFiles();
    const bot = join(root, "config/bot.yaml");
    const { code, err } = await captureCli([args[0], bot, ...args.slice(2)]);
    expect(err).toContain("--hedge-exchange: is of no use to a bot without a hedge");
    expect(code).toBe(2);
  });
});
