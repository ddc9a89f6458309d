import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Side } from "#core/units.js";
import { crosses } from "#executor/crossing.js";
import type { Plan, PlannedPlace } from "#executor/plan.js";
import { planQuotes, type QuotesInput } from "#executor/plan-quotes.js";
import { isSlotClosedBy, type WorkingOrder } from "#executor/working-order.js";
import type { Quote } from "#strategies/intent.js";
import { quoteSettings, quotesInput } from "./fixtures.js";
import { isStillPlanned } from "./still-planned.js";

const PHASES = ["intended", "sent", "unknown", "open", "partly-filled", "cancelling"] as const;
const side = fc.constantFrom<Side>("BUY", "SELL");
const workingOrders = fc.array(
  fc.record({
    side,
    level: fc.integer({ min: -1, max: 4 }),
    ticks: fc.integer({ min: 90, max: 120 }),
    lots: fc.integer({ min: 1, max: 6 }),
    filled: fc.integer({ min: 0, max: 6 }),
    phase: fc.constantFrom(...PHASES),
    timeInForce: fc.constantFrom("POST_ONLY", "POST_ONLY", "POST_ONLY", "IOC"),
  }),
  { maxLength: 8 },
);

function working(
  raw: readonly {
    side: Side;
    level: number;
    ticks: number;
    lots: number;
    filled: number;
    phase: string;
    timeInForce: string;
  }[],
) {
  return raw.map(({ filled, ...rest }, i): WorkingOrder => {
    const hasId =
      rest.phase === "open" || rest.phase === "partly-filled" || rest.phase === "cancelling";
    return {
      ...rest,
      hash: `0x${i}`,
      mayFillLots: Math.max(rest.phase === "cancelling" ? 0 : 1, rest.lots - filled),
      orderId: hasId ? String(i) : undefined,
      expirationMs: 0,
    };
  });
}

/** A ladder that does not cross itself, sizes by level. */
const ladder = fc
  .record({
    mid: fc.integer({ min: 100, max: 110 }),
    bids: fc.array(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 6 })), {
      maxLength: 4,
    }),
    asks: fc.array(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 6 })), {
      maxLength: 4,
    }),
  })
  .map(({ mid, bids, asks }): Quote[] => {
    const build = (which: Side, steps: readonly [number, number][]) => {
      let ticks = mid;
      return steps.map(([step, lots], level) => {
        ticks += which === "BUY" ? -step : step;
        return { side: which, level, ticks, lots };
      });
    };
    return [...build("BUY", bids), ...build("SELL", asks)];
  });

const EMPTY = { bestBidTicks: undefined, bestAskTicks: undefined };

describe("every plan", () => {
  it("uses no closed slot, crosses nothing, cancels only what can be cancelled, and accounts for every order and quote", () => {
    fc.assert(
      fc.property(
        workingOrders,
        ladder,
        fc.record({
          priceTicks: fc.integer({ min: 0, max: 3 }),
          sizeFraction: fc.constantFrom(0, 0.25, 0.5),
        }),
        fc.record({
          bestBidTicks: fc.option(fc.integer({ min: 90, max: 105 }), { nil: undefined }),
          width: fc.integer({ min: 1, max: 9 }),
        }),
        fc.constantFrom("withhold", "behind"),
        fc.integer({ min: 0, max: 10 }),
        (raw, quotes, tolerance, { bestBidTicks, width }, onCross, maxOpenOrders) => {
          const touch = {
            bestBidTicks,
            bestAskTicks: bestBidTicks === undefined ? undefined : bestBidTicks + width,
          };
          const rules = { minTicks: 1, maxTicks: 1_000, minLots: 2, maxLots: 5, maxOpenOrders };
          const foreign = { touch: { bestBidTicks: undefined, bestAskTicks: 118 }, openOrders: 1 };
          const input: QuotesInput = quotesInput({
            working: working(raw),
            quotes,
            touch,
            rules,
            foreign,
            settings: quoteSettings({ tolerance, onCross }),
          });
          const plan = planQuotes(input);
          expect(planQuotes(input)).toEqual(plan);
          const live = input.working.filter(isSlotClosedBy);
          const closed = new Set(live.map((order) => `${order.side} ${order.level}`));
          for (const place of plan.places) {
            expect(closed.has(`${place.side} ${place.level}`)).toBe(false);
            closed.add(`${place.side} ${place.level}`);
            const asked = quotes.find(
              (quote) => quote.side === place.side && quote.level === place.level,
            );
            expect(place.lots).toBeLessThanOrEqual(asked?.lots ?? 0);
            expect(place.lots).toBeGreaterThanOrEqual(rules.minLots);
            expect(place.lots).toBeLessThanOrEqual(rules.maxLots);
            const others = [...live, ...plan.places]
              .filter((other) => other.side !== place.side)
              .map((other) => other.ticks);
            const opposing =
              place.side === "BUY"
                ? [touch.bestAskTicks, 118, ...others]
                : [touch.bestBidTicks, ...others];
            expect(opposing.some((ticks) => crosses(place.side, place.ticks, ticks))).toBe(false);
          }
          if (plan.places.length > 0)
            expect(live.length + plan.places.length + 1).toBeLessThanOrEqual(maxOpenOrders);
          for (const cancel of plan.cancels) {
            const order = live.find((one) => one.hash === cancel.hash);
            expect(["open", "partly-filled"]).toContain(order?.phase);
            expect(cancel.orderId).toBe(order?.orderId);
          }
          const spoken = [...plan.keeps, ...plan.cancels, ...plan.withdrawals, ...plan.waits].map(
            (one) => one.hash,
          );
          expect([...spoken].sort()).toEqual(live.map((order) => order.hash).sort());
          expect(plan.keeps.length + plan.places.length + plan.withheld.length).toBe(quotes.length);
        },
      ),
      { numRuns: 2_000 },
    );
    const nothing = {
      cancels: [],
      withdrawals: [],
      places: [],
      keeps: [],
      waits: [],
      withheld: [],
    };
    expect(
      planQuotes(quotesInput()),
      "lists that plans share as long as they are empty have stayed so",
    ).toEqual(nothing);
  });
});

/**
 * An exchange with random outcomes for each order. The state that it reports to the bot is kept
 * apart from its true state.
 */
class Loop {
  readonly orders = new Map<string, WorkingOrder>();
  readonly #askedSinceEmpty = new Map<string, number>();
  #quotes: readonly Quote[] = [];
  #next = 0;
  #draws: readonly number[];
  #drawn = 0;
  actions = 0;

  constructor(draws: readonly number[]) {
    this.#draws = draws;
  }

  #draw(choices: number): number {
    return (this.#draws[this.#drawn++ % this.#draws.length] as number) % choices;
  }

  intend(quotes: readonly Quote[]): void {
    this.#quotes = quotes;
    this.#look();
  }

  plan(except?: string): Plan {
    const held = [...this.orders.values()].filter((order) => order.hash !== except);
    return planQuotes(quotesInput({ quotes: this.#quotes, working: held, touch: EMPTY }));
  }

  /** Executes one plan, each action with its own outcome. */
  round(isCalm: boolean): void {
    const plan = this.plan();
    for (const { hash } of plan.withdrawals) this.#drop(hash);
    for (const { hash } of plan.cancels) this.#cancel(hash, isCalm);
    for (const place of plan.places) this.#intend(place);
    for (const order of [...this.orders.values()]) this.#happen(order, isCalm);
    this.actions = plan.withdrawals.length + plan.cancels.length + plan.places.length;
  }

  #intend({ side, level, ticks, lots, timeInForce }: PlannedPlace): void {
    const hash = `0x${this.#next++}` as const;
    this.#set({
      hash,
      side,
      level,
      ticks,
      lots,
      mayFillLots: lots,
      phase: "intended",
      expirationMs: 0,
      timeInForce,
    });
  }

  #cancel(hash: string, isCalm: boolean): void {
    const order = this.orders.get(hash);
    if (order === undefined) return;
    if (isCalm || this.#draw(3) === 0) this.#drop(hash);
    else this.#set({ ...order, phase: "cancelling" });
  }

  #happen(order: WorkingOrder, isCalm: boolean): void {
    const orderId = `id ${order.hash}`;
    const draw = isCalm ? 0 : this.#draw(5);
    if (order.phase === "intended") {
      if (draw === 4) return;
      // It is at its turn in the outbox: it is checked again if it is still desired.
      const place = { ...order, timeInForce: "POST_ONLY" as const };
      if (isStillPlanned(this.plan(order.hash), place)) this.#set({ ...order, phase: "sent" });
      else this.#drop(order.hash);
    } else if (order.phase === "sent") {
      if (draw === 0) this.#set({ ...order, phase: "open", orderId });
      else if (draw === 1) this.#set({ ...order, phase: "unknown" });
      else if (draw === 2) this.#drop(order.hash);
    } else if (order.phase === "unknown") {
      if (draw === 0) this.#set({ ...order, phase: "open", orderId });
      else if (draw === 1) this.#drop(order.hash);
    } else if (order.phase === "cancelling") {
      if (draw === 0) this.#drop(order.hash);
      else if (draw === 1) this.#set({ ...order, phase: "open" });
    } else if (!isCalm && draw === 1) {
      if (order.mayFillLots === 1) this.#drop(order.hash);
      else this.#set({ ...order, phase: "partly-filled", mayFillLots: order.mayFillLots - 1 });
    }
  }

  #set(order: WorkingOrder): void {
    this.orders.set(order.hash, order);
    this.#look();
  }

  #drop(hash: string): void {
    this.orders.delete(hash);
    this.#look();
  }

  /** The slot invariant, after every event. */
  #look(): void {
    const open = new Map<string, number>();
    for (const order of this.orders.values()) {
      const slot = `${order.side} ${order.level}`;
      if (order.phase !== "intended") open.set(slot, (open.get(slot) ?? 0) + order.mayFillLots);
    }
    for (const s of ["BUY", "SELL"] as const) {
      for (let level = 0; level < 6; level++) {
        const slot = `${s} ${level}`;
        const asks =
          this.#quotes.find((quote) => quote.side === s && quote.level === level)?.lots ?? 0;
        const before = open.has(slot) ? (this.#askedSinceEmpty.get(slot) ?? 0) : 0;
        this.#askedSinceEmpty.set(slot, Math.max(before, asks));
        const held = open.get(slot) ?? 0;
        if (held > Math.max(before, asks))
          throw new Error(
            `${held} lots open in slot ${slot}, at most ${Math.max(before, asks)} were asked of it`,
          );
      }
    }
  }
}

describe("a loop of plans and outcomes", () => {
  it("never has more open in a slot than an intent requested since it was empty, and ends at the desired quotes", () => {
    fc.assert(
      fc.property(
        fc.array(ladder, { minLength: 1, maxLength: 8 }),
        fc.array(fc.nat(59), { minLength: 30, maxLength: 200 }),
        (ladders, draws) => {
          const loop = new Loop(draws);
          for (const quotes of ladders) {
            loop.intend(quotes);
            for (let i = 0; i < 4; i++) loop.round(false);
          }
          const last = ladders.at(-1) ?? [];
          for (let i = 0; i < 8; i++) loop.round(true);
          expect(loop.actions).toBe(0);
          const rest = [...loop.orders.values()]
            .map(({ side: s, ticks, mayFillLots }) => `${s} ${mayFillLots}@${ticks}`)
            .sort();
          expect(rest).toEqual(
            last.map((quote) => `${quote.side} ${quote.lots}@${quote.ticks}`).sort(),
          );
        },
      ),
      { numRuns: 500 },
    );
  });
});
