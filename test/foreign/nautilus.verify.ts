import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type StartedRun, startCli } from "../cli/captured-cli.js";
import { PROJECT_ROOT } from "../project/checkout.js";
import { blocksOf, readPage } from "../project/pages.js";
import { installNautilus, nautilusEnv } from "./installed-nautilus.js";

const isInstalled = installNautilus();
const skipped = isInstalled ? "" : " (skipped: nautilus_trader could not be installed)";
const EXAMPLES = join(PROJECT_ROOT, "docs/examples");
const page = readPage("docs/reference/nautilus-under-faults.md");
const [, fault = ""] = /-d '(\{"kind":"storm-5xx".*\})'/.exec(page.text) ?? [];

interface PlacedOrder {
  readonly status: string;
  readonly clientOrderId: string;
}

/** The bot's own record of its orders. */
interface BotRecord {
  readonly orders: readonly PlacedOrder[];
}

describe(`the market maker that nautilus_trader ships, unchanged, on the dialect${skipped}`, () => {
  let exchange: StartedRun;
  let faultsUrl: string;
  let access: readonly [restUrl: string, apiKey: string, secret: string];
  let record: string;
  let bot: ChildProcess | undefined;

  beforeEach(async () => {
    const folder = mkdtempSync(join(tmpdir(), "mw-"));
    record = join(folder, "record.json");
    const file = join(folder, "exchange.yaml");
    writeFileSync(file, blocksOf(page, "yaml")[0]?.text ?? "");
    exchange = startCli(
      ["exchange", file, "--port", "0", "--dialect-port", "0", "--faults-port", "0"].concat(
        "--json",
      ),
    );
    const started = JSON.parse(await exchange.firstLine);
    faultsUrl = started.faultsUrl;
    const { restUrl, apiKey, apiSecret } = started.dialect;
    access = [restUrl, apiKey, apiSecret];
  });
  afterEach(async () => {
    bot?.kill("SIGKILL");
    exchange.interrupt();
    expect(await exchange.done).toMatchObject({ code: 0 });
  });

  const env = nautilusEnv();

  async function ordersAtExchange(): Promise<readonly PlacedOrder[]> {
    const [restUrl, apiKey, secret] = access;
    const query = `symbol=BTCUSDC&limit=1000&timestamp=${Date.now()}`;
    const signature = createHmac("sha256", secret).update(query).digest("hex");
    const answer = await fetch(`${restUrl}/fapi/v1/allOrders?${query}&signature=${signature}`, {
      headers: { "X-MBX-APIKEY": apiKey },
    });
    return (await answer.json()) as PlacedOrder[];
  }

  async function hasOrders(status: string, count: number): Promise<void> {
    for (;;) {
      const orders = await ordersAtExchange();
      if (orders.filter((order) => order.status === status).length >= count) return;
      expect(bot?.exitCode).toBeNull();
      await delay(500);
    }
  }

  function startBot(): void {
    const args = [join(EXAMPLES, "nautilus-maker.py"), ...access, record];
    bot = spawn("python3", args, { env, stdio: "ignore" });
  }

  /** Ends the bot as Ctrl-C does. @returns its record, and how this differs from the exchange's */
  async function stopBot(): Promise<{ readonly own: BotRecord; readonly lines: string[] }> {
    const ended = once(bot as ChildProcess, "exit");
    bot?.kill("SIGINT");
    expect(await ended).toEqual([0, null]);
    const args = [join(EXAMPLES, "compare-orders.py"), ...access, record];
    const { stdout } = await promisify(execFile)("python3", args, { env });
    const own = JSON.parse(readFileSync(record, "utf8")) as BotRecord;
    return { own, lines: stdout.trim().split("\n") };
  }

  it.skipIf(!isInstalled)(
    "places, is filled and cancels, and its record of every order is the exchange's",
    async () => {
      startBot();
      await hasOrders("FILLED", 3);
      await hasOrders("CANCELED", 3);
      const { own, lines } = await stopBot();
      const statuses = new Set(own.orders.map(({ status }) => status));
      expect([statuses.has("FILLED"), statuses.has("CANCELED")]).toEqual([true, true]);
      const [orders = "", position = ""] = lines;
      expect(lines).toHaveLength(2);
      expect(orders).toBe(`orders: bot ${own.orders.length}, exchange ${own.orders.length}`);
      expect(position).toMatch(/^position: bot (\S+), exchange \1$/);
    },
  );

  it.skipIf(!isInstalled)(
    "takes an order for rejected that the exchange has, when a 503 hides that it was accepted",
    async () => {
      startBot();
      await hasOrders("FILLED", 1);
      // Without its end, as the number of orders in that time is the machine's.
      const { forMs: _, ...endless } = JSON.parse(fault) as Record<string, unknown>;
      await fetch(faultsUrl, { method: "POST", body: JSON.stringify(endless) });
      for (;;) {
        const { faults } = (await (await fetch(faultsUrl)).json()) as {
          faults: readonly [{ readonly struck: number }];
        };
        if (faults[0].struck >= 20) break;
        await delay(500);
      }
      await fetch(faultsUrl, { method: "DELETE" });
      const { lines } = await stopBot();
      expect(lines).toContainEqual(
        expect.stringMatching(/: bot REJECTED 0; exchange (NEW|FILLED|PARTIALLY_FILLED) /),
      );
    },
  );
});
