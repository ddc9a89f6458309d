import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkIntent, type IntentContext } from "#risk/check-intent.js";
import type { Intent } from "#strategies/intent.js";

const CONTEXT: IntentContext = {
  marketId: "btcusdc",
  rules: { minTicks: 10, maxTicks: 1_000, minLots: 1, maxLots: 100 },
  newestViewSequence: 7,
  lastAcceptedViewSequence: 5,
  maxOrderLots: 50,
  maxPositionLots: 80,
  positionLots: 3,
  amountOf: String,
};

type Loose = Record<string, unknown>;

const soundReason = () => ({
  fairTicks: 100,
  reservationTicks: 99.5,
  halfSpreadTicks: 2,
  terms: { sigmaTicks: 1 },
  clamps: ["bid 0: post-only"],
});
const SOUND: readonly (() => Loose)[] = [
  () => ({
    kind: "quotes",
    marketId: "btcusdc",
    viewSequence: 7,
    quotes: [
      { side: "BUY", level: 0, ticks: 98, lots: 5 },
      { side: "SELL", level: 0, ticks: 102, lots: 60 },
    ],
    reason: soundReason(),
  }),
  () => ({
    kind: "target",
    marketId: "btcusdc",
    viewSequence: 6,
    targetLots: -2,
    worstTicks: 90,
    schedule: { sliceLots: 10, everyMs: 100 },
    deadlineMs: 1_000,
    reason: soundReason(),
  }),
  () => ({
    kind: "target",
    marketId: "btcusdc",
    viewSequence: 7,
    targetLots: 0,
    worstTicks: 90,
    schedule: {
      kind: "unwind",
      sliceLots: 10,
      everyMs: 100,
      parts: [{ takingFromMs: 1, stepMs: 10, holdLots: [5, 3, 0], leftLots: 5, worstTicks: 95 }],
      offerTicks: 101,
      dustLots: 0,
    },
    deadlineMs: 1_000,
    reason: soundReason(),
  }),
];

class Refusing extends Error {
  override get message(): string {
    throw new Refusing();
  }
}

const throws = (): never => {
  throw new Refusing();
};
const circular = (): Loose => {
  const one: Loose = {};
  one.self = one;
  return one;
};
/** Values that a foreign strategy may put anywhere. */
const ODD: readonly (() => unknown)[] = [
  () => Number.NaN,
  () => -0,
  () => 0.5,
  () => -3,
  () => Number.POSITIVE_INFINITY,
  () => 2 ** 60,
  () => 5n,
  () => "5",
  () => "x".repeat(3_000_000),
  () => Symbol("lots"),
  () => null,
  () => undefined,
  () => true,
  () => ({ valueOf: () => 5 }),
  () => ({ toString: throws, [Symbol.toPrimitive]: throws }),
  () => Object.assign(() => 5, { toString: throws }),
  circular,
  () => [circular()],
  () => new Array(4_000_000_000),
  () => Object.assign(new Array(2), { 1: 1 }),
  () => new Proxy([], { get: throws }),
  () =>
    new Proxy([1, 2], {
      get: (list, key) => (key === "length" ? Math.random() * 4e9 : Reflect.get(list, key)),
    }),
  () => {
    const { proxy, revoke } = Proxy.revocable([], {});
    revoke();
    return proxy;
  },
  () => new Proxy({}, { get: throws, ownKeys: throws, getPrototypeOf: throws }),
  () => Object.create(null),
];

/** All positions in a value: paths of keys. */
function placesIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, held]) => placesIn(held, [...path, key]))];
}

function withOdd(
  root: Loose,
  path: readonly string[],
  odd: () => unknown,
  how: "value" | "getter",
): unknown {
  const last = path.at(-1);
  if (last === undefined) return odd();
  let at: Loose = root;
  for (const key of path.slice(0, -1)) at = at[key] as Loose;
  if (how === "value") at[last] = odd();
  else Object.defineProperty(at, last, { enumerable: true, get: odd });
  return root;
}

/** Counts the reads of each field, at any depth. */
function counted<T>(value: T, reads: Map<string, number>, path = ""): T {
  if (typeof value !== "object" || value === null) return value;
  return new Proxy(value, {
    get(object, key) {
      const name = `${path}.${String(key)}`;
      if (typeof key === "string") reads.set(name, (reads.get(name) ?? 0) + 1);
      return counted(Reflect.get(object, key), reads, name);
    },
  });
}

function objectsIn(value: unknown, found = new Set<object>()): Set<object> {
  if (typeof value !== "object" || value === null || found.has(value)) return found;
  found.add(value);
  for (const held of Object.values(value)) objectsIn(held, found);
  return found;
}

const verdictOf = (given: unknown) => checkIntent(given as Intent, CONTEXT);

describe("an intent that was copied", () => {
  const mutated = fc
    .tuple(
      fc.constantFrom(...SOUND),
      fc.constantFrom(...ODD),
      fc.constantFrom("value" as const, "getter" as const),
      fc.nat(),
    )
    .map(([sound, odd, how, at]) => (): unknown => {
      const root = sound();
      const places = placesIn(root);
      return withOdd(root, places[at % places.length], odd, how);
    });

  it("never ends the bot, whatever it contains: it is refused with a short reason, or is complete and plain", () => {
    fc.assert(
      fc.property(mutated, (made) => {
        const verdict = verdictOf(made());
        if (!verdict.accepted) {
          expect(verdict.why.length).toBeLessThan(1_500);
          return;
        }
        const { intent } = verdict;
        expect(JSON.stringify(intent).length).toBeLessThan(10_000);
        const quotes = intent.kind === "quotes" ? intent.quotes : [];
        for (const { ticks, lots, level } of quotes)
          for (const one of [ticks, lots, level]) expect(Number.isSafeInteger(one)).toBe(true);
        if (intent.kind === "target") expect(Object.is(intent.targetLots, -0)).toBe(false);
        for (const one of objectsIn(intent)) expect(Object.isFrozen(one)).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });

  it("shows every figure of its reason, and none that would be read as the reason's prototype", () => {
    const terms: unknown = JSON.parse('{"sigmaTicks": 1, "__proto__": 2, "inventory": -0.5}');
    const verdict = verdictOf({ ...SOUND[0]?.(), reason: { ...soundReason(), terms } });
    if (!verdict.accepted) throw new Error(verdict.why);
    expect(Object.entries(verdict.intent.reason.terms)).toEqual([
      ["sigmaTicks", 1],
      ["inventory", -0.5],
    ]);
  });

  it.each(SOUND.map((sound) => [sound().kind, sound] as const))(
    "of kind %s is another object than the strategy's, all the way down",
    (_, sound) => {
      const given = sound();
      const verdict = verdictOf(given);
      if (!verdict.accepted) throw new Error(verdict.why);
      const theirs = objectsIn(given);
      for (const one of objectsIn(verdict.intent)) expect(theirs.has(one)).toBe(false);
    },
  );

  it.each(SOUND.map((sound) => [sound().kind, sound] as const))(
    "of kind %s has each field read once: a getter may return another size the next time",
    (_, sound) => {
      const reads = new Map<string, number>();
      expect(verdictOf(counted(sound(), reads)).accepted).toBe(true);
      expect([...reads].filter(([, times]) => times > 1)).toEqual([]);
    },
  );

  it("does not change with its strategy's object afterwards", () => {
    const given = SOUND[0]() as { quotes: { lots: number }[] };
    const verdict = verdictOf(given);
    for (const quote of given.quotes) quote.lots = Number.NaN;
    given.quotes.length = 0;
    expect(verdict).toMatchObject({
      accepted: true,
      intent: { quotes: [{ lots: 5 }, { lots: 50 }] },
    });
  });

  it("keeps a readable part of a reason", () => {
    const given = SOUND[0]();
    given.reason = {
      ...soundReason(),
      clamps: Array.from({ length: 5_000 }, () => "y".repeat(5_000)),
    };
    const verdict = verdictOf(given);
    if (!verdict.accepted) throw new Error(verdict.why);
    expect(verdict.intent.reason.clamps.length).toBeLessThanOrEqual(201);
    expect(JSON.stringify(verdict.intent).length).toBeLessThan(50_000);
  });
});
