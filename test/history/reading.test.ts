import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type DayManifest, manifestText } from "#history/day-manifest.js";
import { HistoryStore } from "#history/history-store.js";
import type { Imported, ImportOptions } from "#history/import-files.js";
import { checkMapping, type Mapping } from "#history/mapping.js";
import { captureCli } from "../cli/captured-cli.js";
import { fileOf, query, scratchFolder, take } from "./scratch.js";

const DAY = 86_400_000;
const NOON = Date.UTC(2024, 7, 9, 12);
const SERIES = { market: "btcusdt", kind: "trades" };

const mapping = (columns: Readonly<Record<string, string>> = {}, timeUnit = "ms"): Mapping =>
  checkMapping({
    kind: "trades",
    columns: { id: "i", time: "t", price: "p", amount: "q", side: "maker", ...columns },
    timeUnit,
  });

/** A file with a trade on each of two days, and a second column each for side and time. */
class Stand {
  readonly folder = scratchFolder();
  readonly store = new HistoryStore(join(this.folder, "history"));
  readonly file = fileOf(
    this.folder,
    "t.csv",
    `i,t,later,p,q,maker,taker\n1,${NOON},${NOON + DAY},5,0.12345678901234567,buy,sell\n2,${NOON + DAY},${NOON + 2 * DAY},5,2,buy,sell\n`,
  );

  async take(options: Partial<ImportOptions> = {}): Promise<Imported> {
    return take(this.store, [this.file], { mapping: mapping(), ...options });
  }

  async stayed(options: Partial<ImportOptions> = {}): Promise<readonly string[]> {
    return (await this.take(options)).files.flatMap((file) => file.stayed);
  }
}

// A corrected mapping once replaced the days of which the file still had rows. The others stayed
// wrong without a warning.
describe("a file that is imported again", () => {
  it("names the days that stay under another mapping, and not those that it replaces", async () => {
    const stand = new Stand();
    expect(await stand.stayed()).toEqual([]);
    expect(await stand.stayed()).toEqual([]);
    const again = await stand.take({ mapping: mapping({ side: "taker" }) });
    expect([again.unchanged, again.files[0]?.days, again.files[0]?.stayed]).toEqual([
      [stand.file],
      [],
      ["2024-08-09", "2024-08-10"],
    ]);
    expect(await stand.stayed({ mapping: mapping({ side: "taker" }), replace: true })).toEqual([]);
    expect(await stand.stayed({ mapping: mapping({ side: "taker" }) })).toEqual([]);
  });

  it("names days without rows under the corrected mapping, and the list says that the days are mixed", async () => {
    const stand = new Stand();
    await stand.take();
    const moved = { mapping: mapping({ time: "later" }), replace: true };
    const { files } = await stand.take(moved);
    expect(files[0]?.days.map(({ day }) => day)).toEqual(["2024-08-10", "2024-08-11"]);
    expect(files[0]?.stayed).toEqual(["2024-08-09"]);
    expect(
      await query(
        stand.store,
        `SELECT count(*) AS n FROM '${stand.store.dataPath(SERIES, "2024-08-09")}'`,
      ),
    ).toEqual([{ n: 1n }]);
    const { out } = await captureCli(["data", "list", "--store", stand.store.root]);
    expect(out).toContain(
      "btcusdt trades 2024-08-10: t.csv was imported with another mapping, clock or repair than for 2024-08-09: import it again with --replace\n",
    );
  });

  it("identifies a reading by the effect of repairs and the meaning of a mapping, not by its text", async () => {
    const stand = new Stand();
    await stand.take();
    expect(await stand.stayed({ repairs: { maxDropped: 5 } }), "nothing was left out").toEqual([]);
    expect(
      await stand.stayed({ mapping: checkMapping({ ...mapping(), recvTimeUnit: "ms" }) }),
    ).toEqual([]);
    const { side, ...columns } = mapping().columns;
    expect(
      await stand.stayed({
        mapping: { ...mapping(), columns: { side: side ?? "", ...columns }, files: ["t.csv"] },
      }),
    ).toEqual([]);
    expect(await stand.stayed({ repairs: { round: true } }), "one amount was rounded").toEqual([
      "2024-08-09",
      "2024-08-10",
    ]);
    expect(await stand.stayed({ mapping: mapping({ amount: "p" }) })).toEqual([
      "2024-08-09",
      "2024-08-10",
    ]);
  });

  it("says nothing about days of an earlier version, which did not store the reading", async () => {
    const stand = new Stand();
    await stand.take();
    for (const day of ["2024-08-09", "2024-08-10"]) {
      const path = stand.store.manifestPath(SERIES, day);
      const { check: _, sources, ...rest } = JSON.parse(readFileSync(path, "utf8"));
      const old = sources.map(
        ({ reading: _reading, ...source }: { readonly reading: string }) => source,
      );
      writeFileSync(path, manifestText({ ...rest, sources: old } as DayManifest));
    }
    const again = await stand.take({ mapping: mapping({ side: "taker" }) });
    expect([again.unchanged, again.files[0]?.stayed]).toEqual([[stand.file], []]);
  });
});
