import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chooseRerunModels } from "#backtest/choose-rerun-models.js";
import { compareSession } from "#backtest/compare-session.js";
import { evaluateModel, initialModel } from "#backtest/fit-model.js";
import { type OpenedSessionMarket, openSession, toParityInputs } from "#backtest/open-session.js";
import { readOpenOrdersAtStart, recordedTurns } from "#backtest/read-turns.js";
import type { RecordedAccount } from "#backtest/recorded-orders.js";
import type { Strategies } from "#backtest/replay-options.js";
import { listOpenOrders, rerunSession } from "#backtest/rerun-session.js";
import { SESSION_FILES, type Session } from "#backtest/session-file.js";
import type { BotEvent } from "#bot/bot-event.js";
import { bindStrategies, loadStrategies } from "#bot/market-strategies.js";
import type { Lots, Ticks } from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { hashFile } from "#history/file-hash.js";
import { createLog } from "#monitoring/log.js";
import { MARKET, makerSession, recordSession } from "../../support/recorded-session.js";

const LIQUIDATION = { priceOff: 10n ** 16n, insuranceFeeRate: 10n ** 16n };
/** A manual bid, so far below the touch and so large that it is open when the session begins. */
const MANUAL = { belowTicks: 150, lots: 40 };

describe("a bot that was killed with open orders, and started again with a recording", () => {
  const folder = mkdtempSync(join(tmpdir(), "marketwright-opening-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let session: Session;
  let opened: OpenedSessionMarket;
  let strategies: Strategies;

  beforeAll(async () => {
    const recorded = await recordSession({
      ...makerSession(join(folder, "session"), 12_000),
      earlier: { forMs: 3_000 },
      manualOrder: (_marketId, bidTicks) => ({
        side: "BUY",
        ticks: bidTicks - MANUAL.belowTicks,
        lots: MANUAL.lots,
        timeInForce: "GTC",
      }),
    });
    session = recorded.session as Session;
    [opened] = (await openSession(recorded.folder, session)) as [OpenedSessionMarket];
    const log = createLog({ write: () => {} }, { level: "fatal", clock: new VirtualClock(0) });
    strategies = bindStrategies(session.config, await loadStrategies(session.config, log));
  });

  /** The rerun from the start of the session, before the bot cancelled what it had found. */
  function rerun(market: OpenedSessionMarket) {
    const events: BotEvent[] = [];
    const result = rerunSession(session, [market], strategies, {
      models: chooseRerunModels({}, session, [{ market, fit: undefined }]),
      references: new Map(),
      liquidation: LIQUIDATION,
      seed: "1",
      startUs: session.startedUs,
      outages: [],
      onBotEvent: (event) => void events.push(event),
    });
    const cancelled = events.flatMap((event) =>
      event.kind === "dispatched" && event.action.kind === "cancel" ? [event.action.hash] : [],
    );
    const adopted = events.flatMap((event) =>
      event.kind === "account" && event.change.kind === "adopted" ? [event.change.order.hash] : [],
    );
    return { result, cancelled, adopted };
  }

  it("is recorded with them: the orders that it found, and one that a person had placed", () => {
    const { openingOrders = [] } = opened.account;
    expect(openingOrders.map(({ side, lots, ended }) => [side, lots, ended?.status])).toEqual([
      ["BUY", 9, "CANCELED"],
      ["SELL", 10, "CANCELED"],
      ["BUY", 9, "CANCELED"],
      ["SELL", 10, "CANCELED"],
      ["BUY", MANUAL.lots, undefined],
    ]);
    expect(listOpenOrders(opened.account, session.startedUs)).toHaveLength(5);
    const [left, ...others] = listOpenOrders(opened.account, session.startedUs + 1_400_000);
    expect([left?.lots, left?.availableLots, others]).toEqual([MANUAL.lots, MANUAL.lots, []]);
  });

  it("has none of them in the market that is replayed, or they would wait behind themselves", () => {
    const { recordedTape, history } = opened;
    const [manual] = (opened.account.openingOrders ?? []).slice(-1);
    const row = recordedTape.signedTicks.indexOf(manual?.ticks ?? Number.NaN);
    const displayed = recordedTape.lots[row] as number;
    expect(displayed).toBeGreaterThanOrEqual(MANUAL.lots);
    expect(history.tape.lots[row]).toBe(displayed - MANUAL.lots);
  });

  it("is rerun with them: it adopts its own and cancels them as it did live, and the manual one is filled", () => {
    const { result, cancelled, adopted } = rerun(opened);
    const hashes = (opened.account.openingOrders ?? []).map(({ hash }) => hash);
    expect(adopted.toSorted()).toEqual(hashes.slice(0, 4).toSorted());
    const live = opened.account.cancels.map(({ hash }) => hash);
    expect(cancelled.slice(0, 4).toSorted()).toEqual(live.slice(0, 4).toSorted());
    const ofManual = manualFills(opened, result.markets.get(MARKET)?.fills ?? []);
    expect(ofManual).toEqual(manualFills(opened, opened.account.fills));
    expect(ofManual.length).toBeGreaterThan(0);
    const empty = { ...opened, account: { ...opened.account, openingOrders: [] } };
    const without = rerun(empty);
    expect(without.adopted).toEqual([]);
    expect(manualFills(opened, without.result.markets.get(MARKET)?.fills ?? [])).toEqual([]);
  });

  it("fills its recorded orders alike with them, each once", () => {
    const inputs = toParityInputs(opened, session);
    const evaluate = (openingOrders: RecordedAccount["openingOrders"]) => {
      const account = { ...inputs.account, openingOrders };
      return evaluateModel({ ...inputs, account }, initialModel(inputs));
    };
    const { whole, replay } = evaluate(opened.account.openingOrders);
    expect(whole.share).toBeGreaterThan(0.99);
    expect(manualFills(opened, replay.fills)).toEqual(manualFills(opened, opened.account.fills));
    expect(evaluate([]).whole.share).toBeLessThan(0.95);
  });

  it("is compared from its first decision on: what was filled before is in the opening position", async () => {
    const { notes, markets } = await compareSession({
      folder: join(folder, "session"),
      session,
      strategies,
      liquidation: LIQUIDATION,
      seed: "1",
      fit: false,
    });
    expect(notes).toContain(
      "the session began with open orders in btcusdc: 5; the replay begins with them at the end of the queue at their prices",
    );
    const again = markets[0]?.again.fills.differences ?? [];
    expect(again.filter(({ kind }) => kind === "absent")).toEqual([]);
  });

  it("says that a recording without an answer to the query for open orders does not tell them", async () => {
    const lines: string[] = [];
    for await (const { text } of recordedTurns(join(folder, "session"), session))
      if (!text.includes('"openOrders"')) lines.push(text);
    const other = join(folder, "other");
    mkdirSync(other);
    const path = join(other, SESSION_FILES.turns);
    writeFileSync(path, gzipSync(`${lines.join("\n")}\n`));
    const turns = { count: lines.length - 1, sha256: await hashFile(path) };
    expect(await readOpenOrdersAtStart(other, { turns })).toBeUndefined();
    const account = { ...opened.account, openingOrders: undefined };
    expect(rerun({ ...opened, account }).adopted).toEqual([]);
  });
});

/** The fills at the price of the manual order, to the millisecond. */
function manualFills(
  { account }: OpenedSessionMarket,
  fills: readonly { readonly ticks: Ticks; readonly lots: Lots; readonly atUs: number }[],
): readonly (readonly [atMs: number, lots: Lots])[] {
  const manual = account.openingOrders?.at(-1);
  return fills
    .filter(({ ticks }) => ticks === manual?.ticks)
    .map(({ atUs, lots }) => [Math.floor(atUs / 1000), lots]);
}
