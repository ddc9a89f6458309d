import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Instrument } from "#core/instrument.js";
import { BookScanner } from "#exchange/book-scanner.js";
import { FrameDecoder } from "#exchange/frame-decoder.js";

const INSTRUMENT = new Instrument({
  marketId: "btcusdc",
  tickSize: "0.5",
  stepSize: "0.001",
  creditDecimals: 6,
  paperDecimals: 18,
});
const INSTRUMENTS = new Map([["btcusdc", INSTRUMENT]]);
const scanner = new BookScanner(INSTRUMENTS);

/** The long way: the payload alone, which is never scanned. */
function decoded(data: unknown): unknown {
  const events = new FrameDecoder({ instruments: INSTRUMENTS, creditDecimals: 6 }).single(
    "btcusdc@orderbook",
    JSON.stringify(data),
  );
  return events.length === 1 && events[0].type !== "malformed" ? events[0] : undefined;
}

const digits = fc.stringMatching(/^[0-9]{1,16}$/);
const decimal = fc.oneof(
  fc.integer({ min: 1, max: 2_000_000 }).map((ticks) => INSTRUMENT.formatPrice(ticks)),
  fc.integer({ min: 0, max: 9_000_000 }).map((lots) => INSTRUMENT.formatAmount(lots)),
  digits,
  fc
    .tuple(digits, fc.stringMatching(/^[0-9]{0,5}$/))
    .map(([whole, fraction]) => `${whole}.${fraction}`),
  fc.constantFrom(
    "",
    "0",
    "0.0",
    "00.5",
    ".5",
    "5.",
    "1e3",
    "-1",
    "+1",
    " 1",
    "1.5000000",
    "9007199254740993",
    "NaN",
    "1.5.5",
  ),
);
const levels = fc.array(fc.tuple(decimal, decimal), { maxLength: 4 });
const goodLevels = fc.array(
  fc.tuple(
    fc.integer({ min: 1, max: 2_000_000 }).map((ticks) => INSTRUMENT.formatPrice(ticks)),
    fc.integer({ min: 0, max: 9_000_000 }).map((lots) => INSTRUMENT.formatAmount(lots)),
  ),
  { maxLength: 8 },
);
const sequence = fc.oneof(fc.nat(), fc.maxSafeNat(), fc.constantFrom(0, -1, 1.5));

const frameOf = (data: unknown) => JSON.stringify({ stream: "btcusdc@orderbook", data });

describe("a scanned book update", () => {
  it("is what the long way reads, whatever prices, amounts and sequences it names, or is left to the long way", () => {
    fc.assert(
      fc.property(sequence, sequence, levels, levels, (beginSequence, endSequence, bids, asks) => {
        const data = { event: "update", beginSequence, endSequence, bids, asks };
        const scanned = scanner.update(frameOf(data));
        if (scanned !== undefined) expect(scanned).toEqual(decoded(data));
      }),
      { numRuns: 2000 },
    );
  });

  it("is always read where the exchange spells it: the fast way would be none if it were hardly taken", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e12 }),
        fc.nat(1000),
        goodLevels,
        goodLevels,
        (beginSequence, more, bids, asks) => {
          const data = {
            event: "update",
            beginSequence,
            endSequence: beginSequence + more,
            bids,
            asks,
          };
          const scanned = scanner.update(frameOf(data));
          expect(scanned).toBeDefined();
          expect(scanned).toEqual(decoded(data));
        },
      ),
    );
    const padded = {
      event: "update",
      beginSequence: 1,
      endSequence: 1,
      bids: [["61641.50", "0.0140"]],
      asks: [],
    };
    expect(scanner.update(frameOf(padded))).toEqual(decoded(padded));
  });

  it("is nothing but JSON: a frame that is cut, changed or added to anywhere is read as JSON reads it, or left", () => {
    const character = fc.constantFrom(...'0123456789.",:[]{}@ \\-eabt');
    const intact = frameOf({
      event: "update",
      beginSequence: 7,
      endSequence: 9,
      bids: [
        ["100.5", "0.25"],
        ["99", "0"],
      ],
      asks: [["101", "1"]],
    });
    fc.assert(
      fc.property(
        fc.nat(intact.length),
        fc.nat(2),
        fc.array(character, { maxLength: 3 }),
        (at, cut, added) => {
          const text = intact.slice(0, at) + added.join("") + intact.slice(at + cut);
          const scanned = scanner.update(text);
          if (scanned === undefined) return;
          const frame = JSON.parse(text) as { stream: string; data: unknown };
          expect(frame.stream).toBe("btcusdc@orderbook");
          expect(scanned).toEqual(decoded(frame.data));
        },
      ),
      { numRuns: 5000 },
    );
  });

  it("is left to the long way in an unknown market, in a snapshot and in a frame with blanks", () => {
    const data = { event: "update", beginSequence: 1, endSequence: 1, bids: [], asks: [] };
    expect(scanner.update(frameOf(data))).toBeDefined();
    expect(scanner.update(JSON.stringify({ stream: "ethusdc@orderbook", data }))).toBeUndefined();
    expect(
      scanner.update(frameOf({ event: "snapshot", sequence: 1, bids: [], asks: [] })),
    ).toBeUndefined();
    expect(
      scanner.update(JSON.stringify({ stream: "btcusdc@orderbook", data }, undefined, 1)),
    ).toBeUndefined();
  });
});
