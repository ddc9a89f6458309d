import { concat, EMPTY, NEVER, of, throwError } from "rxjs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ConfigError } from "#core/errors.js";
import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import {
  type BoundReferenceSource,
  defineReferenceSource,
} from "#reference/define-reference-source.js";
import { createModuleSource } from "#reference/module-source.js";
import type { PriceMessage, SourcePrice } from "#reference/price-message.js";

interface Heard {
  readonly messages: PriceMessage[];
  readonly clock: VirtualClock;
  readonly created: () => number;
  readonly close: () => void;
}

function listen(create: BoundReferenceSource): Heard {
  const clock = new VirtualClock(1_780_272_010_000);
  const messages: PriceMessage[] = [];
  let created = 0;
  const source = createModuleSource(
    (context) => {
      created += 1;
      return create(context);
    },
    { runtime: { clock, random: seededRandom("source") }, log: () => {} },
  );
  const subscription = source.subscribe((message) => messages.push(message));
  return { messages, clock, created: () => created, close: () => subscription.unsubscribe() };
}

describe("a source of the user's", () => {
  it("passes prices with their own time", () => {
    const { messages } = listen(() => concat(of({ bid: 1, ask: 2, timeMs: 5 }), NEVER));
    expect(messages).toEqual([{ type: "price", bid: 1, ask: 2, timeMs: 5 }]);
  });

  it.each([
    [
      "throws as it is created",
      () => {
        throw new Error("no socket");
      },
      "no socket",
    ],
    ["emits an error", () => throwError(() => new Error("cut off")), "cut off"],
    ["throws a value that is no error", () => throwError(() => "cut off"), "cut off"],
    ["ends", () => EMPTY, "ended by itself"],
    ["returns no observable", () => undefined as never, "undefined"],
  ])("is down with the reason when it %s, and is created again", async (_, create, reason) => {
    const { messages, clock, created, close } = listen(create);
    expect(messages).toEqual([{ type: "down", reason: expect.stringContaining(reason) }]);
    await clock.runFor(500);
    expect(created()).toBe(2);
    // The pauses grow.
    await clock.runFor(60_000);
    expect(created()).toBeLessThan(12);
    close();
    const before = created();
    await clock.runFor(120_000);
    expect(created()).toBe(before);
  });

  it.each([
    [{ bid: "60000", ask: 60001 }, 'bid is "60000", expected a price from 0'],
    [{ bid: -1, ask: 60001 }, "bid is -1, expected a price from 0"],
    [{ bid: 1, ask: Number.POSITIVE_INFINITY }, "ask is Infinity, expected a price from 0"],
    [{ bid: 1, ask: 2, timeMs: "now" }, 'timeMs is "now", expected milliseconds since 1970'],
    [60000, "a message is 60000, expected an object with bid and ask"],
    [null, "a message is null, expected an object with bid and ask"],
  ])("is down for %o, which is no price", (value, reason) => {
    const { messages } = listen(() => concat(of(value as unknown as SourcePrice), NEVER));
    expect(messages).toEqual([{ type: "down", reason: `cannot be read: ${reason}` }]);
  });

  it("reads 0 and NaN as a side without a price", () => {
    const { messages } = listen(() => concat(of({ bid: 0, ask: Number.NaN }), NEVER));
    expect(messages).toEqual([{ type: "price", bid: Number.NaN, ask: Number.NaN }]);
  });

  it("refuses parameters that its schema does, by the path in the bot's file", () => {
    const source = defineReferenceSource({
      params: z.object({ url: z.string() }),
      create: () => NEVER,
    });
    expect(() => source.bind({ url: 5 }, { at: ["references", "mine", "params"] })).toThrow(
      /references\.mine\.params\.url/,
    );
    expect(() =>
      defineReferenceSource({ params: undefined as never, create: () => NEVER }),
    ).toThrow(ConfigError);
    expect(() =>
      defineReferenceSource({ params: z.object({}), create: undefined as never }),
    ).toThrow(ConfigError);
  });
});
