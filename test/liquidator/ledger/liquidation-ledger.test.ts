import { describe, expect, it } from "vitest";
import { FormatError } from "#core/errors.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { LiquidationLedger } from "#liquidator/liquidation-ledger.js";
import type { Opportunity } from "#liquidator/opportunity.js";

const VICTIM = `0x${"11".repeat(20)}`;
const PERP = `0x${"22".repeat(20)}`;
const ETH = 10n ** 18n;

/** A file in memory, as the state directory keeps it. */
class TextFile {
  text = "";
  read = (): string | undefined => (this.text === "" ? undefined : this.text);
  append = (line: string): void => {
    this.text += `${line}\n`;
  };
}

function world() {
  const clock = new VirtualClock(1_800_000_000_000);
  const file = new TextFile();
  return { clock, file, ledger: new LiquidationLedger(file, clock) };
}

const intended = {
  jobId: "0011223344556677",
  requestPaper: -(2n * ETH),
  expectCredit: 59_000_000_000n,
  expectedProfitQuote: 12_345_678n,
  worstProfitQuote: 500_000n,
  maxCostWei: 10n ** 15n,
};

function won(ledger: LiquidationLedger): Opportunity {
  const { id } = ledger.recordSeen(VICTIM, PERP, "btcusdc");
  ledger.update(id, { confirmedBlock: 7 }, "confirmed");
  ledger.update(id, { intended }, "planned");
  const takenOver = {
    id: "0xaa@0xbb",
    hash: "0xaa",
    blockNumber: 8,
    paper: -(2n * ETH),
    credit: 59_500_000_000n,
    lots: -2000,
  };
  ledger.update(id, { takenOver, inheritedId: takenOver.id }, "mined");
  ledger.end(id, "won", { gasWei: 300_000_000_000_000n, gasQuote: 900_000n });
  const found = ledger.get(id);
  if (found === undefined) throw new Error("the ledger lost it");
  return found;
}

describe("the ledger of opportunities", () => {
  it("counts each once, however often it is reported", () => {
    const { ledger } = world();
    const first = ledger.recordSeen(VICTIM, PERP, "btcusdc");
    expect(ledger.recordSeen(VICTIM, PERP, "btcusdc").id).toBe(first.id);
    ledger.update(first.id, { confirmedBlock: 7 }, "confirmed");
    ledger.update(first.id, { confirmedBlock: 8 }, "confirmed");
    expect(ledger.counts()).toMatchObject({ seen: 1, confirmed: 1, won: 0, lost: 0 });
    ledger.end(first.id, "lost");
    expect(ledger.recordSeen(VICTIM, PERP, "btcusdc").id).not.toBe(first.id);
    expect(ledger.counts()).toMatchObject({ seen: 2, lost: 1 });
  });

  it("computes the exact profit: takeover and sale, the remainder at its mark, less gas", () => {
    const { ledger } = world();
    won(ledger);
    expect(ledger.counts()).toMatchObject({
      won: 1,
      profitQuote: -900_000n,
      gasWei: 300_000_000_000_000n,
    });
    ledger.recordUnwound("0xaa@0xbb", {
      state: "open",
      remainingLots: -500,
      earnedCredit: 7_000_000n,
    });
    expect(ledger.counts().profitQuote).toBe(6_100_000n);
    ledger.recordUnwound("0xaa@0xbb", {
      state: "done",
      remainingLots: 0,
      earnedCredit: 6_999_999n,
    });
    expect(ledger.counts().profitQuote).toBe(6_099_999n);
  });

  it("counts the gas of a takeover without proceeds as a loss", () => {
    const { ledger } = world();
    const { id } = ledger.recordSeen(VICTIM, PERP, "btcusdc");
    ledger.end(id, "reverted", {
      gasWei: 10n,
      gasQuote: 42n,
      reason: "LIQUIDATION_PRICE_PROTECTION",
    });
    expect(ledger.counts()).toMatchObject({ reverted: 1, profitQuote: -42n });
  });

  it("has an open one that earns too little among the unprofitable, for as long as it does", () => {
    const { ledger } = world();
    const { id } = ledger.recordSeen(VICTIM, PERP, "btcusdc");
    ledger.revise(id, { shortOfQuote: 77n, reason: "would earn too little" });
    expect(ledger.counts().unprofitable).toBe(1);
    ledger.revise(id, { shortOfQuote: undefined, reason: undefined });
    expect(ledger.counts().unprofitable).toBe(0);
    ledger.end(id, "unprofitable", { shortOfQuote: 80n });
    expect(ledger.counts().unprofitable).toBe(1);
  });

  it("reports each stage once, with the seconds since the one before", async () => {
    const { ledger, clock } = world();
    const stages: [string, number][] = [];
    ledger.listen(({ stage }) => {
      if (stage !== undefined) stages.push([stage.name, stage.seconds]);
    });
    const { id } = ledger.recordSeen(VICTIM, PERP, "btcusdc");
    await clock.runFor(250);
    ledger.update(id, {}, "confirmed");
    await clock.runFor(1500);
    ledger.update(id, { intended }, "planned");
    ledger.update(id, { intended }, "planned");
    expect(stages).toEqual([
      ["seen", 0],
      ["confirmed", 0.25],
      ["planned", 1.5],
    ]);
  });

  it("is read back exactly by the next run, which starts its own counts", () => {
    const { ledger, file, clock } = world();
    const ended = won(ledger);
    const open = ledger.recordSeen(VICTIM, PERP, "btcusdc");
    ledger.update(
      open.id,
      { confirmedBlock: 9, intended: { ...intended, jobId: "ffff" } },
      "confirmed",
    );
    const next = new LiquidationLedger(file, clock);
    expect(next.get(ended.id)).toEqual(ended);
    expect(next.findOpen(VICTIM, PERP)).toEqual(ledger.get(open.id));
    expect(next.findByJob("ffff")?.id).toBe(open.id);
    expect(next.findByTakeover("0xaa@0xbb")?.id).toBe(ended.id);
    expect(next.counts()).toMatchObject({
      seen: 1,
      confirmed: 1,
      open: 1,
      won: 0,
      profitQuote: 0n,
    });
  });

  it("leaves out a last line that a kill cut short, and refuses any other that is broken by its number", () => {
    const { ledger, file, clock } = world();
    won(ledger);
    const whole = file.text;
    file.text = whole.slice(0, -20);
    const torn = new LiquidationLedger(file, clock);
    expect(torn.findByJob(intended.jobId)?.outcome).toBe("open");
    file.text = `${whole.split("\n")[0]}\n{"id":"half\n${whole}`;
    expect(() => new LiquidationLedger(file, clock)).toThrow(FormatError);
    expect(() => new LiquidationLedger(file, clock)).toThrow(/line 2/);
  });

  it("keeps in memory only the newest, and open ones with a transaction", () => {
    const { ledger } = world();
    const sent = ledger.recordSeen(VICTIM, PERP, "btcusdc");
    ledger.update(sent.id, { intended }, "planned");
    for (let i = 0; i < 5100; i += 1)
      ledger.recordSeen(`0x${i.toString(16).padStart(40, "0")}`, PERP, "btcusdc");
    expect(ledger.open.length).toBeLessThanOrEqual(5001);
    expect(ledger.get(sent.id)).toBeDefined();
    for (const { id } of ledger.open) if (id !== sent.id) ledger.end(id, "cured");
    expect(ledger.recent(10_000).length).toBeLessThanOrEqual(501);
  });

  it("names the races that were lost, as a tip is suggested from them", () => {
    const { ledger } = world();
    const { id } = ledger.recordSeen(VICTIM, PERP, "btcusdc");
    ledger.update(id, { intended, tipWei: 10n }, "sent");
    const winner = `0x${"33".repeat(20)}`;
    ledger.end(id, "lost", { lostTo: { winner, blockNumber: 9, blocksBefore: 0, tipWei: 25n } });
    expect(ledger.lostRaces()).toMatchObject([
      {
        winner,
        blocksBefore: 0,
        winnerTipWei: 25n,
        ourTipWei: 10n,
        missedProfitCredit: 12_345_678n,
      },
    ]);
  });
});

const sumOf = ({
  won,
  lost,
  unprofitable,
  reverted,
  refused,
  cured,
  wouldAct,
  open,
}: ReturnType<LiquidationLedger["counts"]>): number =>
  won + lost + unprofitable + reverted + refused + cured + wouldAct + open;

describe("the counts of a run", () => {
  const victim = (n: number): string => `0x${String(n).padStart(40, "0")}`;

  it("add up: seen is the sum of the outcomes and the open ones", () => {
    const { ledger } = world();
    const ids = Array.from(
      { length: 9 },
      (_, n) => ledger.recordSeen(victim(n), PERP, "btcusdc").id,
    );
    const [a = "", b = "", c = "", d = "", e = "", f = "", short = "", rehearsed = ""] = ids;
    ledger.end(a, "won");
    ledger.end(b, "lost");
    ledger.end(c, "reverted");
    ledger.end(d, "refused");
    ledger.end(e, "cured");
    ledger.end(f, "unprofitable");
    ledger.revise(short, { shortOfQuote: 5n });
    ledger.update(rehearsed, { isRehearsed: true, shortOfQuote: 5n });
    const counts = ledger.counts();
    expect(counts).toMatchObject({
      seen: 9,
      won: 1,
      lost: 1,
      reverted: 1,
      refused: 1,
      cured: 1,
      unprofitable: 2,
      wouldAct: 1,
      open: 1,
    });
    expect(sumOf(counts)).toBe(9);
    // A later finding replaces an earlier one.
    ledger.end(e, "lost");
    expect(ledger.counts()).toMatchObject({ cured: 0, lost: 2 });
    expect(sumOf(ledger.counts())).toBe(9);
  });

  it("are of this run, with what an earlier one left open", () => {
    const { clock, file, ledger } = world();
    won(ledger);
    const left = ledger.recordSeen(victim(1), PERP, "btcusdc").id;
    ledger.update(left, { confirmedBlock: 9 }, "confirmed");
    const next = new LiquidationLedger(file, clock);
    expect(next.counts()).toMatchObject({
      seen: 1,
      confirmed: 1,
      won: 0,
      open: 1,
      profitQuote: 0n,
      gasWei: 0n,
    });
    next.end(left, "lost");
    expect(next.counts()).toMatchObject({ seen: 1, lost: 1, open: 0 });
    // One that had ended and ends anew is this run's as well.
    next.end(ledger.findByTakeover("0xaa@0xbb")?.id ?? "", "lost");
    expect(next.counts()).toMatchObject({ seen: 2, lost: 2, won: 0 });
    expect(sumOf(next.counts())).toBe(2);
  });
});

describe("a takeover of no whole number of lots", () => {
  const taken = { id: "0xaa@0xbb", hash: "0xaa", blockNumber: 8, credit: -59_500_000_000n };

  it("has the odd rest in its profit at the mark of its moment, beside what the lots earn", () => {
    const { ledger } = world();
    const { id } = ledger.recordSeen(VICTIM, PERP, "btcusdc");
    const odd = { paper: ETH / 2_000n, markCredit: 29_900_000n };
    ledger.update(
      id,
      { takenOver: { ...taken, paper: ETH + ETH / 2_000n, lots: 1000, odd } },
      "mined",
    );
    ledger.recordUnwound(taken.id, { state: "done", remainingLots: 0, earnedCredit: 100_000_000n });
    ledger.end(id, "won", { gasWei: 1n, gasQuote: 900_000n });
    expect(ledger.get(id)?.profitQuote).toBe(100_000_000n + 29_900_000n - 900_000n);
    expect(ledger.counts().profitQuote).toBe(129_000_000n);
  });

  it("earns its credit and its mark if it is less than a lot, and nothing is sold", () => {
    const { ledger } = world();
    const { id } = ledger.recordSeen(VICTIM, PERP, "btcusdc");
    const odd = { paper: ETH / 2_000n, markCredit: 30_000_000n };
    ledger.update(
      id,
      { takenOver: { ...taken, credit: -29_000_000n, paper: odd.paper, lots: 0, odd } },
      "mined",
    );
    ledger.end(id, "won", { gasWei: 1n, gasQuote: 900_000n });
    expect(ledger.get(id)?.profitQuote).toBe(100_000n);
  });

  it("loses its profit when a reorg removes it", () => {
    const { ledger } = world();
    const { id } = ledger.recordSeen(VICTIM, PERP, "btcusdc");
    ledger.update(id, { takenOver: { ...taken, paper: ETH, lots: 1000 } }, "mined");
    ledger.recordUnwound(taken.id, {
      state: "open",
      remainingLots: 1000,
      earnedCredit: 100_000_000n,
    });
    expect(ledger.counts().profitQuote).toBe(100_000_000n);
    ledger.update(id, { takenOver: undefined, inheritedId: undefined, unwound: undefined });
    expect(ledger.get(id)?.profitQuote).toBeUndefined();
    expect(ledger.counts().profitQuote).toBe(0n);
  });
});

describe("an opportunity whose end the chain took back", () => {
  it("is open again, counts as open, and has no cost until its next outcome", () => {
    const { ledger, file, clock } = world();
    const { id } = won(ledger);
    ledger.reopen(id);
    expect(ledger.get(id)).toMatchObject({ outcome: "open" });
    expect(ledger.get(id)?.gasWei).toBeUndefined();
    expect(ledger.counts()).toMatchObject({ seen: 1, confirmed: 1, won: 0, open: 1, gasWei: 0n });
    expect(
      new LiquidationLedger(file, clock).open.map((one) => one.id),
      "and the next run knows",
    ).toEqual([id]);
    ledger.end(id, "lost", { gasWei: 7n });
    expect(ledger.counts()).toMatchObject({ seen: 1, won: 0, lost: 1, open: 0, gasWei: 7n });
  });

  it("of an earlier run is counted by this one from then on", () => {
    const { ledger, file, clock } = world();
    const { id } = won(ledger);
    const next = new LiquidationLedger(file, clock);
    expect(next.counts()).toMatchObject({ seen: 0, won: 0, open: 0 });
    next.reopen(id);
    expect(next.counts()).toMatchObject({ seen: 1, confirmed: 1, won: 0, open: 1 });
    next.end(id, "won");
    expect(next.counts()).toMatchObject({ seen: 1, confirmed: 1, won: 1, open: 0 });
  });

  it("exists beside a newer one of the same position until either has ended", () => {
    const { ledger } = world();
    const { id } = won(ledger);
    const newer = ledger.recordSeen(VICTIM, PERP, "btcusdc");
    ledger.reopen(id);
    expect(ledger.open.map((one) => one.id).sort()).toEqual([id, newer.id].sort());
    expect(ledger.findOpen(VICTIM, PERP)?.id).toBe(newer.id);
    ledger.end(newer.id, "lost");
    expect(ledger.recordSeen(VICTIM, PERP, "btcusdc").id, "no third one").toBe(id);
  });
});
