import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Instrument } from "#core/instrument.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import type { Clock, Runtime, Timer } from "#core/runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { LiveVenue } from "#exchange/live-venue.js";
import { NetworkTransport } from "#exchange/network-transport.js";
import { RestClient } from "#exchange/rest-client.js";
import type { VenueEvent } from "#exchange/venue.js";
import { HistoryStore } from "#history/history-store.js";
import { listHistory } from "#history/list-history.js";
import { MarketStreamRecorder } from "#history/market-stream-recorder.js";
import { RecordedBook } from "#history/recorded-book.js";
import { partsIn, recordingFolder } from "#history/recording-part.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { orderFlowFactory } from "#simulator/flow-config.js";
import { type ExchangeServer, serveExchange } from "#simulator/http-server.js";
import { captureCli, startCli } from "../../cli/captured-cli.js";
import { finalBook } from "../../support/final-book.js";
import { openTape } from "../open-tape.js";
import { scratchFolder } from "../scratch.js";

const START = 1_723_161_000_000;
/**
 * The exchange closes a connection of this age by its own clock; it is more than the tolerance of a
 * signature.
 */
const STREAM_AGE = 120_000;
const MARKET = "btcusdc";
/** The market's tick is 0.5 from its first order on. */
const COARSE = "ethusdc";

let server: ExchangeServer;
let exchange: EmbeddedExchange;
/** The exchange's own time; the test advances it. */
const clock = new VirtualClock(START);

beforeAll(async () => {
  const config = parseExchangeConfig({
    port: 0,
    markets: {
      [MARKET]: {
        tickSize: "0.1",
        stepSize: "0.001",
        flow: { kind: "synthetic", startPriceQuote: 60_000 },
      },
      [COARSE]: {
        tickSize: "0.1",
        baseAsset: "ETH",
        flow: { kind: "synthetic", startPriceQuote: 60_000 },
      },
    },
    rateLimits: { common: 0, order: 0 },
    streams: { maxAgeMs: STREAM_AGE },
  });
  const flowOf = orderFlowFactory(config, { baseFolder: ".", onReplayEnd: () => {} });
  exchange = new EmbeddedExchange(
    config,
    { clock, random: seededRandom("record") },
    { createFlow: flowOf },
  );
  exchange.setMarketRules(COARSE, { tickSize: "0.5", priceQuote: { min: "0.5" } });
  exchange.start();
  await clock.runFor(2000);
  server = await serveExchange(exchange);
});

afterAll(async () => {
  exchange.stop();
  await server.close();
});

/** A recorder on the exchange's streams over its network, and its received messages. */
async function recording(store: HistoryStore) {
  const { runtime, die } = mortalRuntime();
  const transport = new NetworkTransport({
    restUrl: server.restUrl,
    streamUrl: server.restUrl.replace(/^http/, "ws"),
    clock: runtime.clock,
    connections: 2,
  });
  const client = new RestClient({ transport, nowMs: () => clock.nowMs() });
  const rules = await client.exchangeInfo([MARKET]);
  const grid = rules.markets[MARKET];
  if (grid === undefined) throw new Error("no market");
  const instrument = new Instrument({
    ...grid,
    creditDecimals: rules.creditDecimals,
    paperDecimals: rules.paperDecimals,
  });
  const recorder = await MarketStreamRecorder.open({
    store,
    instrument,
    source: server.restUrl,
    runtime,
  });
  const signer = { address: `0x${"00".repeat(20)}`, sign: () => "0x" } as const;
  const venue = new LiveVenue({
    transport,
    runtime,
    signer,
    markets: [MARKET],
    exchangeNowMs: () => clock.nowMs(),
    streams: "market",
  });
  const book = new RecordedBook();
  let heard: (() => void) | undefined;
  venue.events$.subscribe((event: VenueEvent) => {
    recorder.recordEvent(event);
    if (event.type === "book-snapshot") book.snapshot(event.sequence, event.bids, event.asks);
    if (event.type === "book-update") book.update(event);
    heard?.();
  });
  venue.setRules(rules);
  return {
    recorder,
    /**
     * Advances the exchange's time until all changes to its book have been received.
     * @returns its book, best levels first
     */
    async follow(ms: number) {
      await clock.runFor(ms);
      const rest = await client.orderbook(MARKET, 1000);
      while ((book.sequence ?? -1) < rest.sequence) {
        await new Promise<void>((resolve) => {
          heard = resolve;
        });
      }
      return rest;
    },
    cut() {
      venue.close();
      transport.close();
    },
    /** Ends like a killed process, after some records were flushed. */
    async kill() {
      const [part] = partsIn(recordingFolder(store.root, MARKET));
      while (statSync(join(part as string, "notes.ndjson")).size === 0) await pause(50);
      die();
      venue.close();
      transport.close();
    },
  };
}

/** The machine's time, until the process that uses it is dead. */
function mortalRuntime() {
  const { clock: machine, random } = createLiveRuntime();
  const timers = new Set<Timer>();
  let isDead = false;
  const setTimer: Clock["setTimer"] = (delayMs, fire) => {
    if (isDead) return { cancel: () => {} };
    const timer = machine.setTimer(delayMs, () => {
      timers.delete(timer);
      fire();
    });
    timers.add(timer);
    return {
      cancel: () => {
        timers.delete(timer);
        timer.cancel();
      },
    };
  };
  const runtime: Runtime = {
    clock: { nowMs: () => machine.nowMs(), monotonicMs: () => machine.monotonicMs(), setTimer },
    random,
  };
  const die = (): void => {
    isDead = true;
    for (const timer of timers) timer.cancel();
  };
  return { runtime, die };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void createLiveRuntime().clock.setTimer(ms, resolve));
}

const flat = (rows: readonly (readonly [number, number])[], sign: 1 | -1): number[] =>
  rows
    .filter(([ticks]) => Math.sign(ticks) === sign)
    .flatMap(([ticks, lots]) => [Math.abs(ticks), lots]);

it("ends with the exchange's own book after a kill in the middle and a restart", async () => {
  const store = new HistoryStore(join(scratchFolder(), "history"));
  const first = await recording(store);
  await first.follow(3000);
  await first.kill();
  rmSync(join(store.root, ".staging", MARKET, "recording", "lock"));
  expect(store.series()).toEqual([]);
  await clock.runFor(1500);
  const second = await recording(store);
  const rest = await second.follow(3000);
  second.cut();
  const sealed = await second.recorder.close();
  expect(new Set(sealed.map(({ kind }) => kind))).toEqual(new Set(["book", "trades", "marks"]));
  expect(readdirSync(join(store.root, ".staging", MARKET, "recording"))).toEqual([]);

  const tape = await openTape(store, MARKET, { fromUs: 0, toUs: 4e15 });
  const levels = finalBook(tape);
  expect(flat(levels, 1).slice(0, rest.bids.length)).toEqual(rest.bids);
  expect(flat(levels, -1).slice(0, rest.asks.length)).toEqual(rest.asks);
  expect(tape.kind.filter((kind) => kind === 2).length).toBeGreaterThan(5);

  expect((await captureCli(["data", "list", "--store", store.root, "--verify"])).code).toBe(0);
  const series = await listHistory(store, { verify: true });
  expect(
    series.map(({ kind, complete, covered, problems }) => [
      kind,
      complete,
      covered.length,
      problems.length,
    ]),
  ).toEqual([
    ["book", false, 2, 0],
    ["marks", false, 2, 0],
    ["trades", false, 2, 0],
  ]);
});

it("is a command that records until it is interrupted, and lists what it stored", async () => {
  const folder = join(scratchFolder(), "history");
  const run = startCli([
    "data",
    "record",
    "--exchange",
    server.restUrl,
    "--market",
    MARKET,
    "--store",
    folder,
    "--for",
    "1h",
    "--json",
  ]);
  const hasBook = (): boolean =>
    partsIn(recordingFolder(folder, MARKET)).some(
      (part) => (statSync(join(part, "book.ndjson"), { throwIfNoEntry: false })?.size ?? 0) > 0,
    );
  while (!hasBook()) await pause(20);
  await clock.runFor(1000);
  run.interrupt();
  const { code, out } = await run.done;
  expect(code).toBe(0);
  const { kinds } = JSON.parse(out) as { kinds: { kind: string; rows: number }[] };
  expect(kinds.map(({ kind }) => kind)).toEqual(["book", "trades", "marks"]);
  expect(kinds[0]?.rows).toBeGreaterThan(2);
});

it("records the sources of a market's reference price beside it, and when one was gone", async () => {
  const folder = scratchFolder();
  const file = join(folder, "bot.yaml");
  writeFileSync(
    join(folder, "source.mjs"),
    `import { defineReferenceSource } from "marketwright";
import { concat, of, switchMap, throwError, timer } from "rxjs";
import { z } from "zod";
export default defineReferenceSource({
  params: z.object({}),
  create: (_params, { scheduler }) =>
    concat(
      of({ bid: 60000.5, ask: 60001 }),
      timer(300, scheduler).pipe(switchMap(() => throwError(() => new Error("it is gone")))),
    ),
});
`,
  );
  writeFileSync(
    file,
    `exchange: { rest: "${server.restUrl}", stream: "${server.streamUrl}" }
account: { keyEnv: KEY }
quotes: { timeInForce: POST_ONLY }
references:
  mine: { module: ./source.mjs }
  same: { exchange: { rest: "${server.restUrl}", stream: "${server.streamUrl}" }, market: ${MARKET} }
  unused: { module: ./missing.mjs }
  own: { index: ${MARKET} }
markets:
  ${MARKET}:
    strategy: ladder
    params: { halfSpreadBps: 5, sizeBase: 0.01 }
    limits: { maxPositionBase: 1, maxOrderBase: 0.1 }
    reference: { from: [mine, same, own] }
risk: { maxDrawdownQuote: 100 }
`,
  );
  const store = new HistoryStore(join(folder, "history"));
  const run = await captureCli(
    ["data", "record", "--exchange", file, "--market", MARKET, "--store", store.root].concat([
      "--for",
      "3s",
      "--json",
    ]),
  );
  expect(run.err).toContain("the source mine is down: it is gone");
  const { references } = JSON.parse(run.out) as {
    references: { source: string; kind: string; rows: number }[];
  };
  const rowsOf = (source: string) => references.find((one) => one.source === source)?.rows;
  expect(references.map(({ source }) => source).sort()).toEqual(["mine", "same"]);
  expect(rowsOf("mine")).toBeGreaterThanOrEqual(2);
  expect(rowsOf("same")).toBeGreaterThan(0);
  expect(store.series()).toContainEqual({ market: "mine", kind: "reference" });
  expect((await captureCli(["data", "list", "--store", store.root])).out).toMatch(
    /mine +reference /,
  );
});

// Prices between the ticks were once stored as the next whole tick, trades included, for as long as
// the recording ran: a backtest traded at prices that never existed.
it("continues on the market's new grid when it becomes finer, so that later prices are exact", async () => {
  const store = new HistoryStore(join(scratchFolder(), "history"));
  const partsWith = (kind: string): readonly string[] =>
    partsIn(recordingFolder(store.root, COARSE)).filter(
      (part) => (statSync(join(part, `${kind}.ndjson`), { throwIfNoEntry: false })?.size ?? 0) > 0,
    );
  const run = startCli([
    "data",
    "record",
    "--exchange",
    server.restUrl,
    "--market",
    COARSE,
    "--store",
    store.root,
    "--for",
    "1h",
  ]);
  while (partsWith("book").length === 0) await pause(20);
  const [first] = partsWith("book");
  exchange.setMarketRules(COARSE, { tickSize: "0.1", priceQuote: { min: "0.1" } });
  await clock.runFor(1000);
  const goesOn = (kind: string): boolean => partsWith(kind).some((part) => part !== first);
  while (!goesOn("book")) await pause(20);
  // The trades date the book.
  await clock.runFor(2000);
  while (!goesOn("trades")) await pause(20);
  run.interrupt();
  const { code, err } = await run.done;
  expect(code).toBe(0);
  expect(err).toContain(
    "ethusdc now has a tick size of 0.1 and a step size of 0.001: the recording continues with them",
  );
  const ofTheExchange = { fromUs: START * 1000, toUs: (START + 3_600_000) * 1000 };
  const levels = finalBook(await openTape(store, COARSE, { ...ofTheExchange, tickSize: "0.1" }));
  expect(levels.filter(([ticks]) => ticks % 5 !== 0).length).toBeGreaterThan(0);
});

// An account's stream is signed in the exchange's time at each connect. Read only once, that time
// was wrong after each step of the machine's clock: every connect was refused, and the rest of the
// session had no orders or fills.
it("reconnects an account's stream after the machine's clock was set", async () => {
  const own = ["--key-env", "KEY", "--store", join(scratchFolder(), "history"), "--for", "1h"];
  exchange.register("0xe1fae9b4fab2f5726677ecfa912d96b0b683e6a9");
  const run = startCli(
    ["data", "record", "--exchange", server.restUrl, "--market", MARKET, ...own],
    { KEY: `0x${"5".repeat(64)}` },
  );
  const ups = (): number => run.said().split("account stream up").length - 1;
  while (ups() === 0) await pause(20);
  // The exchange's clock advances, the machine's does not.
  await clock.runFor(STREAM_AGE + 1);
  while (ups() === 1) await pause(20);
  run.interrupt();
  expect((await run.done).code).toBe(0);
});

it.each([
  [["--market", "nosuch"], /--market.*is not a market of this exchange.*btcusdc|nosuch/],
  [["--market", MARKET, "--own"], /--own.*needs a bot's file/],
  [["--market", MARKET, "--for", "soon"], /--for.*is not a duration/],
])("names what is wrong: %s", async (args, message) => {
  const run = await captureCli([
    "data",
    "record",
    "--exchange",
    server.restUrl,
    "--store",
    scratchFolder(),
    ...args,
  ]);
  expect(run.code).toBe(2);
  expect(run.err).toMatch(message);
});
