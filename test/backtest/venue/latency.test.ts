import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DelayLine } from "#backtest/delay-line.js";
import { constantLatency, feedLatency, sampledLatency } from "#backtest/latency.js";
import { ConfigError } from "#core/errors.js";

const S = 1_000_000;

describe("latencies", () => {
  it("are constant where two numbers say so, in whole microseconds", () => {
    const model = constantLatency(0.0375, 40);
    expect([model.entryUs(1), model.entryUs(9 * S), model.responseUs(5)]).toEqual([38, 38, 40_000]);
    expect(() => constantLatency(-1, 0)).toThrow(ConfigError);
    expect(() => constantLatency(0, Number.NaN)).toThrow(/responseLatencyMs: not a delay/);
  });

  it("lie between the recorded round trips around an instant: by the request on the way out, by the exchange's stamp on the way back", () => {
    const model = sampledLatency([
      { requestUs: 10 * S, exchangeUs: 10 * S + 1000, responseUs: 10 * S + 3000 },
      { requestUs: 20 * S, exchangeUs: 20 * S + 5000, responseUs: 20 * S + 9000 },
    ]);
    expect([5, 10, 15, 20, 99].map((at) => model.entryUs(at * S))).toEqual([
      1000, 1000, 3000, 5000, 5000,
    ]);
    expect([
      model.responseUs(0),
      model.responseUs(10 * S + 1000),
      model.responseUs(15 * S + 3000),
      model.responseUs(99 * S),
    ]).toEqual([2000, 2000, 3000, 4000]);
  });

  it("encode a request refused in transit as a negative delay, after which the refusal is received", () => {
    const model = sampledLatency([
      { requestUs: 10 * S, exchangeUs: 0, responseUs: 10 * S + 250_000 },
      { requestUs: 20 * S, exchangeUs: 20 * S + 5000, responseUs: 20 * S + 9000 },
    ]);
    expect(model.entryUs(12 * S)).toBe(-250_000);
    expect(model.entryUs(21 * S)).toBe(5000);
    expect(model.responseUs(12 * S)).toBe(4000);
  });

  it("state the least delay of a request: an exchange played beyond it would miss its arrival", () => {
    expect(constantLatency(40, 10).minEntryUs).toBe(40_000);
    const trips = fc.array(
      fc.record({
        gapUs: fc.integer({ min: 1, max: 5000 }),
        entryUs: fc.nat(3000),
        isRefused: fc.boolean(),
      }),
      {
        minLength: 1,
        maxLength: 8,
      },
    );
    fc.assert(
      fc.property(trips, fc.nat(50_000), (drawn, atUs) => {
        let requestUs = 0;
        const model = sampledLatency(
          drawn.map(({ gapUs, entryUs, isRefused }) => {
            requestUs += gapUs;
            return {
              requestUs,
              exchangeUs: isRefused ? 0 : requestUs + entryUs,
              responseUs: requestUs + entryUs + 100,
            };
          }),
        );
        const entryUs = model.entryUs(atUs);
        expect(entryUs < 0 || entryUs >= model.minEntryUs).toBe(true);
      }),
    );
    // The delay of a request depends on the data that the bot has received by then.
    expect(
      feedLatency(() => 5000, { factor: 2, addMs: 10 }, { factor: 1, addMs: 0 }).minEntryUs,
    ).toBe(0);
  });

  it("refuse samples that do not ascend, and none at all", () => {
    const sample = { requestUs: 2, exchangeUs: 3, responseUs: 4 };
    expect(() => sampledLatency([sample, { ...sample, requestUs: 1 }])).toThrow(
      /sample 1 requestUs.*do not ascend/,
    );
    expect(() => sampledLatency([])).toThrow(ConfigError);
  });

  it("refuse a round trip whose clocks disagree: a fill would be received before it happened", () => {
    const good = { requestUs: 10 * S, exchangeUs: 10 * S + 1000, responseUs: 10 * S + 3000 };
    expect(() =>
      sampledLatency([
        good,
        { requestUs: 20 * S, exchangeUs: 20 * S + 5000, responseUs: 20 * S + 4000 },
      ]),
    ).toThrow(/clocks disagree/);
    expect(() =>
      sampledLatency([{ requestUs: 9 * S, exchangeUs: 9 * S - 1, responseUs: 9 * S + 4000 }, good]),
    ).toThrow(/clocks disagree/);
  });

  it("never lie outside the recorded ones, though one request overtook another", () => {
    const model = sampledLatency([
      { requestUs: 10 * S, exchangeUs: 14 * S, responseUs: 14 * S + 1000 },
      { requestUs: 11 * S, exchangeUs: 12 * S, responseUs: 12 * S + 5000 },
      { requestUs: 13 * S, exchangeUs: 16 * S, responseUs: 16 * S + 2000 },
    ]);
    for (let at = 9 * S; at < 18 * S; at += S / 4) {
      expect(model.responseUs(at)).toBeGreaterThanOrEqual(1000);
      expect(model.responseUs(at)).toBeLessThanOrEqual(5000);
    }
  });

  it("follow the feed's own, times a factor and a constant on top, never below zero", () => {
    const model = feedLatency((us) => us / 100, { factor: 4, addMs: 1 }, { factor: 3, addMs: 0 });
    expect([model.entryUs(100_000), model.responseUs(100_000)]).toEqual([5000, 3000]);
  });
});

describe("items in transit", () => {
  it("arrive in the order in which they were sent, each at its own time or at that of the one before it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 200 }),
        fc.integer({ min: 1, max: 5 }),
        (dues, every) => {
          const line = new DelayLine<number>();
          const arrived: [number, number][] = [];
          dues.forEach((due, at) => {
            line.push(at, due);
            if (at % every === 0) arrived.push([line.nextUs, line.take()]);
          });
          while (line.size > 0) arrived.push([line.nextUs, line.take()]);
          expect(arrived.map(([, at]) => at)).toEqual(dues.map((_, at) => at));
          expect(arrived.map(([us]) => us)).toEqual(
            dues.map((_, at) => Math.max(...dues.slice(0, at + 1))),
          );
          expect(line.nextUs).toBe(Number.POSITIVE_INFINITY);
        },
      ),
    );
  });
});
