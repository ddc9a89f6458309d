import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { noDataError } from "#history/no-data-error.js";
import { fileOf, scratchFolder, take } from "../scratch.js";

// A mistyped folder was once reported as a store without data of that time, and users looked for a
// download that they had.
describe("Where there is nothing to replay", () => {
  it("a missing store, an empty one and a span without data give different errors", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const said = (): string => noDataError(store, "btcusdt", ["trades"], [0, 86_400_000]).message;
    expect(said()).toMatch(/^store: does not exist \(got ".*history"\)/);
    mkdirSync(store.root);
    expect(said()).toMatch(/^store: is a folder without any history/);
    await take(store, [
      fileOf(folder, "t.csv", "id,price,amount,time,isBuyerMaker\n1,5,1,1723161600000,true\n"),
    ]);
    expect(said()).toMatch(
      /^btcusdt: has no trades at that time \(got "1970-01-01 to 1970-01-01"\); expected a time within the store's data: trades of/,
    );
  });
});
