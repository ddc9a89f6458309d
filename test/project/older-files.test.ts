import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { ResultsFile } from "#backtest/results-file.js";
import { captureCli } from "../cli/captured-cli.js";
import { copyUnpacked, readDataDir, readState, runOn } from "./older-folders.js";

const FIXTURES = fileURLToPath(new URL("../fixtures", import.meta.url));

/** A copy of a folder that an earlier version made: what reads a folder may also write to it. */
function copyOf(version: string, name: string): string {
  const copy = join(mkdtempSync(join(tmpdir(), "mw-older-")), name);
  copyUnpacked(join(FIXTURES, version, name), copy);
  return copy;
}

const json = (path: string) => JSON.parse(readFileSync(path, "utf8"));

/** Reasons that version 0.1.0 printed in other words: what it printed, and what is printed now. */
const REWORDED = [
  [
    "the exchange has not confirmed our orders and position\n",
    "the exchange has not confirmed the bot's orders and positions\n",
  ],
  ["the book stands on no unbroken sequence\n", "the book has no snapshot yet\n"],
  [
    "the exchange has reported a liquidation, and not yet the position that it left\n",
    "the exchange has reported a liquidation, but not yet the position after it\n",
  ],
  [
    "neither live nor again: that they are alike to 100 % there says nothing",
    "neither live nor in the replay: the agreement of 100 % there means nothing",
  ],
  [
    "exchange time was measured never, allowed 120000 ms\n",
    "the exchange's time has not been read yet\n",
  ],
] as const;

/** A transcript of an earlier version, with the reasons in today's words. */
function reworded(transcript: string): string {
  return REWORDED.reduce((text, [before, now]) => text.replaceAll(before, now), transcript);
}

describe.each(readdirSync(FIXTURES))("folders %s", (version) => {
  it("give a bot the same halts, rungs, orders, takeovers and transactions", () => {
    const folder = copyOf(version, "live");
    const { state } = json(join(folder, "read.json"));
    // Guards against both programs reading nothing, in which case they would agree unnoticed.
    expect(state.halts).toMatchObject([{ marketId: "btcusdc", why: "by hand, before the news" }]);
    expect(state.latches.rungs).toMatchObject([{ marketId: "btcusdc", action: "halt" }]);
    expect(state.takeovers.known.map((one: { state: string }) => one.state)).toContain("open");
    expect(state.builtOrders.length).toBeGreaterThan(0);
    expect(readState(join(folder, "state"))).toEqual(state);
  });

  it("let an exchange go on with the same balances, orders, positions and chain head", async () => {
    const folder = copyOf(version, "live");
    const { dataDir } = json(join(folder, "read.json"));
    expect(dataDir.openOrders.length).toBeGreaterThan(0);
    const endedAtMs = Number(readFileSync(join(folder, "ended-at-ms.txt"), "utf8"));
    expect(await readDataDir(folder, endedAtMs)).toEqual(dataDir);
  });

  it("let a bot go on: halted where it was, with its orders as its own and its takeovers to be sold", async () => {
    const folder = copyOf(version, "live");
    const endedAtMs = Number(readFileSync(join(folder, "ended-at-ms.txt"), "utf8"));
    const { ladder, markets, counts, unwinding } = await runOn(folder, endedAtMs);
    expect(markets.btcusdc).toMatchObject({
      state: "halted",
      reasons: [
        "manual: by hand, before the news (halted by an operator in an earlier run)",
        expect.stringMatching(/^inventory: .*\(found in an earlier run\)$/),
      ],
      positionBase: "-0.04",
    });
    expect(ladder).toHaveLength(1);
    // The order that the killed bot left does not count as manual: it is moved to where the touch
    // is now.
    for (const market of Object.values(markets))
      expect(market).toMatchObject({ manualOrders: 0, unknownOrders: 0 });
    expect(counts).toMatchObject({ cancelled: 1, placed: 1, differences: 0 });
    expect(markets.ethusdc).toMatchObject({ positionBase: "-5.19", openBids: 1 });
    expect(unwinding.map(({ state, remainingBase }) => [state, remainingBase])).toEqual([
      ["done", "0"],
      ["open", "-5.19"],
    ]);
  });

  it("replay the same decisions and actions from a journal", async () => {
    const folder = copyOf(version, "live");
    const journal = join(folder, "run.journal");
    const { journal: _, ...result } = JSON.parse(
      (await captureCli(["replay", journal, "--json"])).out,
    );
    expect(result).toEqual(json(join(folder, "replay.json")));
    expect((await captureCli(["replay", journal])).out).toBe(
      reworded(readFileSync(join(folder, "replay.txt"), "utf8")),
    );
  });

  it.each([
    ["three-markets.journal", 2461, 227],
    ["few-tokens.journal", 6261, 1031],
  ])(
    "replay every place of %s in the order in which it was sent, waiting ones too",
    async (name, turns, actions) => {
      const journal = join(copyOf(version, "journals"), name);
      const { out } = await captureCli(["replay", journal, "--json"]);
      expect(JSON.parse(out)).toMatchObject({ identical: true, turns, actions });
    },
  );

  it("list the same history and backtest it to the same fills", async () => {
    const folder = copyOf(version, "history");
    const listed = await captureCli(["data", "list", "--store", join(folder, "history"), "--json"]);
    const { store: _, ...series } = JSON.parse(listed.out);
    const { store: __, ...seriesBefore } = json(join(folder, "list.json"));
    expect(series).toEqual(seriesBefore);

    const report = join(folder, "report-now");
    const { code } = await captureCli(["backtest", join(folder, "backtest.yaml"), "--out", report]);
    expect(code).toBe(0);
    const fillsBefore = readFileSync(join(folder, "report/fills.csv"), "utf8");
    expect(fillsBefore.split("\n").length).toBeGreaterThan(10);
    expect(readFileSync(join(report, "fills.csv"), "utf8")).toBe(fillsBefore);
  });

  it("keep every result of a sweep that was begun", () => {
    const sweep = join(copyOf(version, "history"), "sweep");
    const path = join(sweep, "results.jsonl");
    const before = readFileSync(path, "utf8");
    const [header, ...jobs] = before
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(jobs.length).toBe(4);
    const results = new ResultsFile(sweep, header.fingerprint, false);
    const done = [...results.done].map(([job, result]) => ({ job, ...result }));
    results.close();
    expect(done).toEqual(jobs);
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  it("compare a recorded session with its replay to the same figures", async () => {
    const folder = copyOf(version, "session");
    const { code, out } = await captureCli(["compare", folder, "--json"]);
    expect(code).toBe(0);
    const before = readFileSync(join(folder, "comparison.json"), "utf8");
    expect(JSON.parse(out)).toEqual(JSON.parse(reworded(before)));
  });
});
