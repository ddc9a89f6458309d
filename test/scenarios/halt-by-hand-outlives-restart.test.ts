import { describe, expect, it } from "vitest";
import { buildBotStatus, buildReadiness } from "#bot/bot-status.js";
import { PEAK_FILE } from "#bot/equity-monitor.js";
import { isHaltFile, manualHaltFile } from "#bot/manual-halt-store.js";
import { CorruptStateError, MemoryStateStore, type StateStore } from "#bot/state-dir.js";
import { RunError } from "#core/errors.js";
import { BOTH } from "./quoting-stage.js";
import { ASK, BID, MARKET, Stage } from "./stage.js";

const halt = (stage: Stage, marketId?: string) =>
  stage.rig.bot.command({
    command: "halt",
    reason: "news at eight",
    ...(marketId === undefined ? {} : { marketId }),
  });

/** The log lines of a level, in order. */
const said = (stage: Stage, level: "warn" | "error") =>
  stage.notices.flatMap((notice) =>
    notice.kind === "log" && notice.level === level ? [notice.message] : [],
  );

describe("a person has halted the bot, and its process ends: a supervisor starts it again", () => {
  it("it starts halted, cancels what the dead run left, quotes nothing, and says why everywhere", async () => {
    const stage = new Stage();
    await stage.botStarts();
    expect(stage.quotes()).toEqual(BOTH);
    halt(stage);
    // Killed before a single cancel has left.
    stage.botIsKilled();
    expect(stage.quotes()).toEqual(BOTH);
    const ordersBefore = stage.ordersEver();
    const noticesBefore = stage.notices.length;
    await stage.botStarts(20_000);

    expect(stage.quotes(), "what the dead run left is cancelled").toEqual([]);
    expect(stage.ordersEver(), "not one order is placed").toBe(ordersBefore);
    const why = "manual: news at eight (halted by an operator in an earlier run)";
    expect(buildBotStatus(stage.rig.bot)).toMatchObject({
      halts: [why],
      markets: { [MARKET]: { state: "halted", reasons: [why] } },
    });
    expect(buildReadiness(stage.rig.bot)).toEqual({
      ready: false,
      reasons: [`btcusdc: halted: ${why}`],
    });
    expect(stage.notices.slice(noticesBefore)).toContainEqual(
      expect.objectContaining({ kind: "halted", reason: "manual", on: true }),
    );
    expect(said(stage, "warn")).toContain(
      "an operator halted the bot in an earlier run: it quotes nothing there until an operator resumes",
    );
    stage.expectAgreement();
  });

  it("it goes on when somebody resumes, and quotes after the next restart too", async () => {
    const stage = new Stage();
    await stage.botStarts();
    halt(stage);
    stage.botIsKilled();
    await stage.botStarts(5_000);
    stage.rig.bot.command({ command: "resume" });
    await stage.passes(3_000);
    expect(stage.quotes()).toEqual(BOTH);

    stage.botIsKilled();
    await stage.botStarts(10_000);
    expect(stage.halts()).toEqual([]);
    expect(stage.quotes()).toEqual(BOTH);
  });

  it("a loss that somebody has accepted stays accepted, though the bot is killed the moment after", async () => {
    const stage = new Stage({ bot: { risk: { maxDrawdownQuote: "5" } } });
    stage.wants({ bid: null, ask: null });
    await stage.botStarts(5_000);
    stage.owner.buys(10, 610_000);
    await stage.passes(5_000);
    expect(stage.halts(), "0.01 bought a thousand above").toEqual(["drawdown"]);
    stage.rig.bot.command({ command: "resume" });
    stage.botIsKilled();
    await stage.botStarts(10_000);
    expect(stage.halts()).toEqual([]);
  });

  it("a loss that nobody has looked at halts the next run too, though the account has won some of it back", async () => {
    const stage = new Stage({ bot: { risk: { maxDrawdownQuote: "5" } } });
    stage.wants({ bid: null, ask: null });
    await stage.botStarts(5_000);
    stage.owner.buys(10, 610_000);
    await stage.passes(5_000);
    expect(stage.halts()).toEqual(["drawdown"]);
    stage.botIsKilled();
    stage.store.write(
      PEAK_FILE,
      (stage.store.read(PEAK_FILE) ?? "").replace(/"peak":"\d+"/, '"peak":"1"'),
    );
    await stage.botStarts(10_000);
    expect(buildBotStatus(stage.rig.bot).halts).toEqual([
      expect.stringMatching(/^drawdown: net value .* \(found in an earlier run\)$/),
    ]);

    stage.rig.bot.command({ command: "resume" });
    await stage.passes(5_000);
    expect(stage.halts()).toEqual([]);
    stage.botIsKilled();
    await stage.botStarts(10_000);
    expect(stage.halts()).toEqual([]);
  });

  it("a loss that is accepted before the account is read stays accepted", async () => {
    const stage = new Stage({ bot: { risk: { maxDrawdownQuote: "5" } } });
    stage.wants({ bid: null, ask: null });
    await stage.botStarts(5_000);
    stage.owner.buys(10, 610_000);
    await stage.passes(5_000);
    stage.botIsKilled();
    await stage.botStarts(0);
    expect(stage.halts()).toContain("drawdown");
    stage.rig.bot.command({ command: "resume" });
    await stage.passes(10_000);
    expect(stage.halts()).toEqual([]);
  });

  it("a clean end does not resume it either", async () => {
    const stage = new Stage();
    await stage.botStarts();
    halt(stage);
    expect((await stage.botStops()).ordersLeft).toEqual([]);
    await stage.botStarts(5_000);
    expect(stage.quotes()).toEqual([]);
    expect(stage.halts()).toEqual(["manual"]);
  });

  it("one market that was halted is halted again, and its own resume is enough", async () => {
    const stage = new Stage();
    await stage.botStarts();
    halt(stage, MARKET);
    stage.botIsKilled();
    await stage.botStarts(5_000);
    expect(stage.quotes()).toEqual([]);
    expect(buildBotStatus(stage.rig.bot).halts, "the account itself is not halted").toEqual([]);
    stage.rig.bot.command({ command: "resume", marketId: MARKET });
    await stage.passes(3_000);
    expect(stage.quotes()).toEqual(BOTH);
  });

  it("a market's resume leaves the account's halt, in the next run as in this one", async () => {
    const stage = new Stage();
    await stage.botStarts();
    halt(stage);
    stage.rig.bot.command({ command: "resume", marketId: MARKET });
    stage.botIsKilled();
    await stage.botStarts(5_000);
    expect(stage.halts()).toEqual(["manual"]);
    expect(stage.quotes()).toEqual([]);
  });

  it("halted again for another cause, it is the newest word that stands", async () => {
    const stage = new Stage();
    await stage.botStarts();
    halt(stage);
    stage.botIsKilled();
    await stage.botStarts(5_000);
    stage.rig.bot.command({ command: "halt", reason: "still the news" });
    stage.botIsKilled();
    await stage.botStarts(5_000);
    expect(buildBotStatus(stage.rig.bot).halts).toEqual([
      expect.stringMatching(/^manual: still the news \(halted by an operator in an earlier run\)$/),
    ]);
  });

  it("after a flatten it stands with what position there is: nothing is sold that nobody asks this run to sell", async () => {
    const stage = new Stage();
    await stage.botStarts();
    stage.counterparty.sells(6, BID);
    await stage.passes(1_000);
    stage.rig.bot.command({ command: "flatten", maxSlippageBps: 0.01 });
    stage.botIsKilled();
    await stage.botStarts(10_000);
    expect(stage.positionLots()).toBe(6);
    expect(stage.quotes()).toEqual([]);
    expect(buildBotStatus(stage.rig.bot).markets[MARKET]?.reasons).toEqual([
      expect.stringContaining("flattened by an operator: resume to quote again"),
    ]);
  });

  it("a halt that a condition asked for is not written down: the condition itself is found again", async () => {
    const stage = new Stage();
    await stage.botStarts();
    stage.network.keepDown("account");
    await stage.passes(5_000);
    expect(stage.halts()).toContain("unconfirmed-account");
    stage.botIsKilled();
    await stage.botStarts(10_000);
    expect(stage.halts()).toEqual([]);
    expect(stage.quotes()).toEqual([`BUY 10 @ ${BID}`, `SELL 10 @ ${ASK}`]);
  });
});

describe("what is written down of a halt cannot be believed: the bot does not start, and never takes it for not halted", () => {
  const own = (stage: Stage, halts: unknown, more: object = {}) =>
    JSON.stringify({ version: 1, account: stage.address, halts, ...more });

  it.each([
    ["an empty file", () => ""],
    ["half a file", (stage: Stage) => own(stage, []).slice(0, -4)],
    ["another version", (stage: Stage) => own(stage, [], { version: 2 })],
    ["another account's", (stage: Stage) => own(stage, [], { account: `0x${"9".repeat(40)}` })],
    ["no account's", () => JSON.stringify({ version: 1, halts: [] })],
    ["no list", (stage: Stage) => own(stage, {})],
    ["a halt without a reason", (stage: Stage) => own(stage, [{ atMs: 1 }])],
    ["a halt without its time", (stage: Stage) => own(stage, [{ why: "news" }])],
    ["a halt at no time", (stage: Stage) => own(stage, [{ why: "news", atMs: -1 }])],
    [
      "what a later version may say of a halt",
      (stage: Stage) => own(stage, [{ why: "news", atMs: 1, untilMs: 2 }]),
    ],
  ])("%s", async (_what, text) => {
    const stage = new Stage();
    for (const name of [manualHaltFile(), manualHaltFile(MARKET), "manual-halts.json"]) {
      stage.store = new MemoryStateStore({ [name]: text(stage) });
      await expect(stage.botStarts()).rejects.toThrow(CorruptStateError);
      await expect(stage.botStarts()).rejects.toThrow(name);
    }
  });

  it("and says where what is wrong", async () => {
    const stage = new Stage();
    stage.store.write(manualHaltFile(), own(stage, [{ why: "news", atMs: -1 }]));
    await expect(stage.botStarts()).rejects.toThrow(
      "manual-halt.json: state is corrupt: halts.0.atMs is -1, and should be at least 0",
    );
  });

  it("the halt of a market that is not traded now is kept for when it is", async () => {
    const stage = new Stage();
    const file = manualHaltFile("ethusdc");
    stage.store.write(
      file,
      own(stage, [{ marketId: "ethusdc", why: "its chain forks", atMs: 1_759_999_000_000 }]),
    );
    await stage.botStarts();
    expect(stage.quotes()).toEqual(BOTH);
    expect(said(stage, "warn")).toContain(
      "an operator halted a market in an earlier run that is not traded now: the halt stays",
    );
    halt(stage, MARKET);
    stage.rig.bot.command({ command: "resume", marketId: MARKET });
    expect(stage.store.read(file)).toContain("its chain forks");
    stage.rig.bot.command({ command: "resume" });
    expect(stage.store.read(file)).not.toContain("its chain forks");
  });
});

describe("a halt that cannot be written down", () => {
  /** A disk that is full for the halts alone, until it is not. */
  class FullDisk extends MemoryStateStore {
    isFull = false;
    override write(name: string, text: string): void {
      if (this.isFull && isHaltFile(name))
        throw new RunError("cannot write it (ENOSPC)", { field: "stateDir", expected: "room" });
      super.write(name, text);
    }
  }

  it("holds all the same, is said to hold in this process alone, and is written as soon as there is room", async () => {
    const stage = new Stage();
    const disk = new FullDisk();
    stage.store = disk satisfies StateStore;
    await stage.botStarts();
    disk.isFull = true;
    halt(stage);
    await stage.passes(3_000);
    expect(stage.quotes()).toEqual([]);
    expect(stage.rig.bot.tradingGuards.haltWriteError).toContain("ENOSPC");
    expect(said(stage, "error")).toEqual([
      "manual halts cannot be persisted: a restarted bot would not know them",
    ]);

    disk.isFull = false;
    await stage.passes(3_000);
    expect(stage.rig.bot.tradingGuards.haltWriteError).toBeUndefined();
    stage.botIsKilled();
    await stage.botStarts(5_000);
    expect(stage.halts()).toEqual(["manual"]);
  });
});
