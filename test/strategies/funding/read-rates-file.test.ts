import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { readRatesFile } from "#strategies/read-rates-file.js";

const folder = mkdtempSync(join(tmpdir(), "rates-file-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const RECORDS = [
  '{"marketId":"BTCUSDT","fundingRate":"-0.00012359","fundingTime":1577865600000}',
  '{"marketId":"BTCUSDT","fundingRate":"0.0001","fundingTime":1577836800000}',
].join("\n");

const options = (path: string) => ({
  path,
  folder,
  field: "rateFiles.here",
  marketId: "btcusdc",
});
const read = (name: string, content: string | Buffer) => {
  writeFileSync(join(folder, name), content);
  return readRatesFile(options(name));
};

describe("a file of funding rates", () => {
  it.each([
    ["rates.ndjson", `${RECORDS}\n`],
    ["rates.ndjson.gz", gzipSync(RECORDS)],
  ])("is read in the order of time, in basis points: %s", (name, content) => {
    const rates = read(name, content);
    expect(rates.map(({ stampMs }) => stampMs)).toEqual([1577836800000, 1577865600000]);
    expect(rates[0]?.rateBps).toBeCloseTo(1, 12);
    expect(rates[1]?.rateBps).toBeCloseTo(-1.2359, 12);
  });

  it.each(["XBTUSD", "BTC-PERPETUAL", "PF_XBTUSD", "btc_usdt"])(
    "is read whatever another exchange calls the market: %s",
    (market) => {
      expect(read("named.ndjson", RECORDS.replaceAll("BTCUSDT", market))).toHaveLength(2);
    },
  );

  it("takes a rate at the cap of an exchange, three percent", () => {
    const [rate] = read("cap.ndjson", '{"fundingRate":"-0.03","fundingTime":1577836800000}');
    expect(rate?.rateBps).toBeCloseTo(-300, 9);
  });

  it.each([
    ["has another record", `${RECORDS}\n{"rate":1}`, /rateFiles\.here: has a line 3 that is no/],
    ["has a rate of words", '{"fundingRate":"much","fundingTime":1}', /line 1 that is no/],
    ["has rates in percent", '{"fundingRate":"0.375","fundingTime":1}', /line 1 .*means 0\.01 %/s],
    ["is no JSON", "rate,time", /line 1 that is no funding rate/],
    [
      "is of another market",
      RECORDS.replaceAll("BTCUSDT", "ETHUSDT"),
      /rateFiles\.here: has a line 1 of another market.*ETHUSDT.*asset of btcusdc/s,
    ],
    [
      "is of two markets",
      RECORDS.replace("BTCUSDT", "BTCUSDC"),
      /line 2 of another market.*such as BTCUSDC/s,
    ],
    ["is empty", "", /has no funding rates/],
  ])("is refused by its key if it %s", (_what, content, message) => {
    expect(() => read("bad.ndjson", content)).toThrow(message);
  });

  it("is refused if it is not there", () => {
    expect(() => readRatesFile(options("none.ndjson"))).toThrow(/rateFiles\.here: cannot be read/);
  });
});
