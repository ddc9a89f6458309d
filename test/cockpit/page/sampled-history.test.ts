import { describe, expect, it } from "vitest";
import { HISTORY_MS, SampledHistory } from "../../../assets/cockpit/sampled-history.js";

const START_MS = 1_722_470_400_000;

describe("the history of a live page", () => {
  it("keeps the newest value of each second, with every digit", () => {
    const history = new SampledHistory();
    history.add(START_MS, { equity: "100.000001" });
    history.add(START_MS + 500, { equity: "100.000002" });
    history.add(START_MS + 1_000, { equity: "100.000003" });
    expect(history.times).toEqual([START_MS + 500, START_MS + 1_000]);
    expect(history.series("equity").texts).toEqual(["100.000002", "100.000003"]);
    expect(history.series("equity").values).toEqual([100.000002, 100.000003]);
  });

  it("has a gap where a value was not known, also before a series began", () => {
    const history = new SampledHistory();
    history.add(START_MS, { mid: undefined });
    history.add(START_MS + 1_000, { mid: "5", position: null });
    history.add(START_MS + 2_000, { position: "0.1" });
    expect(history.series("mid").texts).toEqual([null, "5", null]);
    expect(history.series("position").values).toEqual([null, null, 0.1]);
    expect(history.series("never").values).toEqual([null, null, null]);
  });

  it("reaches back half an hour in bounded memory, however long the page is open", () => {
    const history = new SampledHistory();
    const hours = 5;
    for (let second = 0; second < hours * 3_600; second++)
      history.add(START_MS + 1_000 * second, { mid: String(second) });
    const last = START_MS + 1_000 * (hours * 3_600 - 1);
    expect(history.times.at(-1)).toBe(last);
    expect(last - (history.times[0] ?? 0)).toBeLessThanOrEqual(HISTORY_MS + 10_000);
    expect(last - (history.times[0] ?? 0)).toBeGreaterThan(HISTORY_MS - 120_000);
    expect(history.times.length).toBeLessThan(800);
    const { texts } = history.series("mid");
    expect(texts).toEqual(history.times.map((at) => String((at - START_MS) / 1_000)));
    expect(history.times).toEqual([...history.times].sort((a, b) => a - b));
  });

  it("begins anew when the bot's clock was set back", () => {
    const history = new SampledHistory();
    history.add(START_MS, { mid: "1" });
    history.add(START_MS - 60_000, { mid: "2" });
    expect(history.times).toEqual([START_MS - 60_000]);
  });
});
