import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Signature } from "ethers";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { loadExchangeConfig } from "#cli/load-exchange-config.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import { openDataDir } from "#simulator/data-dir.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { builtCommand } from "../../support/built-command.js";
import { encode, KEYS, ReferenceClient } from "../reference-client.js";

const ROUNDS = 3;

const YAML = `port: 0
dataDir: state
markets:
  btcusdc: { perp: 0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0 }
settlement: { delayMs: 150, failureRate: 0.1 }
rateLimits: { common: 0, order: 0 }
streams: { bookIntervalMs: 0 }
`;

interface Json {
  // biome-ignore lint/suspicious/noExplicitAny: whatever the wire carries, as a foreign client would have it.
  readonly [field: string]: any;
}

let command: string;
beforeAll(() => {
  command = builtCommand();
});
const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) {
    child.kill("SIGKILL");
  }
});

/** Starts the command, and waits until it prints its address. */
async function startExchange(
  yaml: string,
): Promise<{ child: ChildProcess; restUrl: string; streamUrl: string }> {
  const child = spawn(process.execPath, [command, "exchange", yaml, "--json"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  running.push(child);
  let out = "";
  for await (const chunk of child.stdout) {
    out += chunk;
    if (out.includes("\n")) {
      break;
    }
  }
  return { child, ...(JSON.parse(out) as { restUrl: string; streamUrl: string }) };
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

/**
 * A client over HTTP that remembers everything that the exchange has acknowledged to it, in a
 * response or on its account stream.
 */
class Witness {
  restUrl = "";
  /** By id, as placed. */
  readonly placed = new Map<
    string,
    { readonly answer: Json; readonly request: Record<string, string | undefined> }
  >();
  readonly cancelled = new Set<string>();
  readonly toldOrders = new Map<string, Json>();
  readonly toldTrades = new Map<string, Json>();
  readonly toldIncomes = new Map<string, Json>();

  constructor(readonly client: ReferenceClient) {}

  async call(
    method: string,
    path: string,
    parameters: Readonly<Record<string, string | undefined>> = {},
  ): Promise<Json> {
    const form = encode(this.client.signed(parameters));
    const answer = await fetch(
      method === "POST" ? this.restUrl + path : `${this.restUrl}${path}?${form}`,
      method === "POST"
        ? { method, body: form, headers: { "content-type": "application/x-www-form-urlencoded" } }
        : { method },
    );
    const text = await answer.text();
    return text === "" ? { status: answer.status } : (JSON.parse(text) as Json);
  }

  follow(streamUrl: string): Promise<void> {
    const { account, timestamp, signature } = this.client.signed();
    const socket = new WebSocket(
      `${streamUrl}/single/account@${account}?timestamp=${timestamp}&signature=${signature}`,
    );
    socket.on("error", () => {});
    socket.on("message", (data) => {
      const text = data.toString();
      if (text === "ping") {
        return;
      }
      const message = JSON.parse(text) as Json;
      if (message.event === "ORDER_UPDATE") {
        this.toldOrders.set(String(message.order.id), message.order);
      } else if (message.event === "TRADE_UPDATE") {
        this.toldTrades.set(String(message.trade.id), message.trade);
      } else if (message.event === "INCOME_UPDATE") {
        for (const income of message.incomes) {
          this.toldIncomes.set(String(income.id), income);
        }
      }
    });
    return new Promise((resolve) => socket.on("open", () => resolve()));
  }

  /** Trades at random until the exchange is killed. */
  async tradeOn(uniform: () => number): Promise<void> {
    try {
      for (;;) {
        const open = [...this.placed.keys()].filter((id) => !this.cancelled.has(id));
        const id = open[Math.floor(uniform() * open.length)];
        if (id !== undefined && uniform() < 0.25) {
          const answer = await this.call("DELETE", "/order", { marketId: "btcusdc", orderId: id });
          if (answer.status === 204) {
            this.cancelled.add(id);
          }
          continue;
        }
        const ticks = 300_000 + Math.floor(uniform() * 41) - 20;
        const request = this.client.order(
          uniform() < 0.5 ? "BUY" : "SELL",
          `${Math.floor(ticks / 10)}.${ticks % 10}`,
          "0.123",
        );
        const answer = await this.call("POST", "/order", request);
        if (answer.id !== undefined) {
          this.placed.set(String(answer.id), { answer, request });
        }
      }
    } catch (error) {
      // Killed: the request in progress is not acknowledged.
      if (!(error instanceof TypeError)) {
        throw error;
      }
    }
  }

  /** All pages of a list that is paged by `fromId` or by time. */
  async all(path: string): Promise<Json[]> {
    const found = new Map<string, Json>();
    let startTime = 1;
    for (;;) {
      const page = (await this.call("GET", path, {
        marketId: "btcusdc",
        limit: "500",
        startTime: String(startTime),
      })) as unknown as Json[];
      const before = found.size;
      for (const record of page) {
        found.set(String(record.id), record);
      }
      if (found.size === before) {
        return [...found.values()];
      }
      startTime = Math.max(...page.map((record) => record.time ?? record.createdAt));
    }
  }
}

/** Requires everything that was acknowledged. */
async function expectAllThere(witness: Witness): Promise<void> {
  const open = (await witness.call("GET", "/openOrders")) as unknown as Json[];
  const history = await witness.all("/historyOrders");
  const orders = new Map([...history, ...open].map((order) => [String(order.id), order]));
  for (const [id, { answer }] of witness.placed) {
    const order = orders.get(id);
    expect(order, `order ${id}`).toMatchObject({
      price: answer.price,
      amount: answer.amount,
      side: answer.side,
      hash: answer.hash,
    });
    const parts = [
      "availableAmount",
      "pendingAmount",
      "filledAmount",
      "canceledAmount",
      "expiredAmount",
      "failedAmount",
    ];
    expect(parts.reduce((sum, part) => sum + Number(order?.[part]), 0)).toBeCloseTo(
      Number(answer.amount),
      9,
    );
  }
  for (const id of witness.cancelled) {
    expect(orders.get(id)).toMatchObject({ status: "CANCELED", availableAmount: "0" });
  }
  for (const [id, told] of witness.toldOrders) {
    expect(
      Number(orders.get(id)?.availableAmount),
      `order ${id} never opens again`,
    ).toBeLessThanOrEqual(Number(told.availableAmount));
  }
  const trades = new Map(
    (await witness.all("/userTrades")).map((trade) => [String(trade.id), trade]),
  );
  for (const [id, told] of witness.toldTrades) {
    const { status, ...terms } = told;
    expect(trades.get(id), `trade ${id}`).toMatchObject(status === "CREATED" ? terms : told);
  }
  const incomes = new Map(
    (await witness.all("/incomes")).map((income) => [String(income.id), income]),
  );
  for (const [id, told] of witness.toldIncomes) {
    expect(incomes.get(id), `income ${id}`).toEqual(told);
  }
}

describe("an exchange with a dataDir, killed with kill -9 while three clients trade on it", () => {
  it("has everything that it ever acknowledged or published after each restart", async () => {
    const folder = mkdtempSync(join(tmpdir(), "mw-"));
    const yaml = join(folder, "exchange.yaml");
    writeFileSync(yaml, YAML);
    const runtime = createLiveRuntime();
    const config = loadExchangeConfig(yaml);
    const rules = new EmbeddedExchange({ ...config, dataDir: undefined }, runtime);
    const witnesses = KEYS.map((key) => new Witness(new ReferenceClient(rules, Date.now, key)));
    const [first] = witnesses as [Witness, Witness, Witness];
    const random = seededRandom("kills");
    let built: Json | undefined;
    let sequence = 0;
    for (let round = 0; round <= ROUNDS; round += 1) {
      const { child, restUrl, streamUrl } = await startExchange(yaml);
      for (const witness of witnesses) {
        witness.restUrl = restUrl;
        if (round === 0) {
          await witness.call("POST", "/account");
        }
        await expectAllThere(witness);
      }
      const book = await first.call("GET", "/orderbook", { marketId: "btcusdc" });
      expect(book.sequence, "no step of the book is taken back").toBeGreaterThanOrEqual(sequence);
      const [known] = first.placed.values();
      if (known !== undefined) {
        expect(
          await first.call("POST", "/order", known.request),
          "an order is taken once",
        ).toMatchObject({ code: 2016 });
      }
      if (built !== undefined) {
        const { signingKey } = first.client.wallet;
        const placed = await first.call("POST", "/order", {
          marketId: "btcusdc",
          side: "BUY",
          orderType: "LIMIT",
          amount: "0.001",
          price: "1000",
          timeInForce: "GTC",
          info: built.order.info,
          orderSignature: Signature.from(signingKey.sign(built.orderHash)).serialized,
          gasFeeQuotation: built.gasFeeQuotation,
        });
        expect(placed, "a token outlives the process that issued it").toMatchObject({
          status: "NEW",
        });
        const ids = witnesses.flatMap(({ placed: orders }) => [...orders.keys()].map(BigInt));
        expect(
          ids.every((id) => id < BigInt(placed.id)),
          "no identifier is given twice",
        ).toBe(true);
      }
      if (round === ROUNDS) {
        await kill(child);
        break;
      }
      built = await first.call("POST", "/order/build", {
        marketId: "btcusdc",
        side: "BUY",
        orderType: "LIMIT",
        amount: "0.001",
        price: "1000",
        timeInForce: "GTC",
      });
      const socket = new WebSocket(`${streamUrl}/single/btcusdc@orderbook`);
      socket.on("error", () => {});
      socket.on("message", (data) => {
        const message = JSON.parse(data.toString().replace(/^ping$/, "{}")) as Json;
        sequence = Math.max(sequence, message.sequence ?? message.endSequence ?? 0);
      });
      await Promise.all([
        once(socket, "open"),
        ...witnesses.map((witness) => witness.follow(streamUrl)),
      ]);
      const trading = witnesses.map((witness) => witness.tradeOn(() => random.uniform()));
      // On a slow machine a round continues until there is something to lose.
      const hasTraded = () =>
        witnesses.every(
          ({ placed, toldTrades }) =>
            placed.size > 8 * (round + 1) && toldTrades.size > 2 * (round + 1),
        );
      do {
        await new Promise<void>((resolve) =>
          runtime.clock.setTimer(400 + Math.floor(random.uniform() * 800), resolve),
        );
      } while (!hasTraded());
      await kill(child);
      await Promise.all(trading);
    }
    expect(
      witnesses.every(({ placed, toldTrades }) => placed.size > 20 && toldTrades.size > 5),
    ).toBe(true);

    // The file that the killed process left, in an exchange that the test can inspect.
    const dataDir = await openDataDir(join(folder, "state"));
    const exchange = new EmbeddedExchange({ ...config, dataDir: undefined }, runtime, {
      records: dataDir.records,
    });
    expect(exchange.audit().isConserved).toBe(true);
    await dataDir.close();
  });
});
