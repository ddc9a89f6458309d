import { describe, expect, it } from "vitest";
import type { Clock } from "#core/runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import type { VenueEvent } from "#exchange/venue.js";
import { TapeKind } from "#history/tape.js";
import { openTape } from "../open-tape.js";
import { MARKET, MIDNIGHT, Session, snapshot, trade, up, update } from "./recorder-stage.js";

const NOON = MIDNIGHT + 43_200_000;

/** A session with a true exchange clock, whatever happens to the machine's clock. */
class TruthfulSession {
  readonly session = new Session(NOON);
  #setMs = 0;

  set(byMs: number): void {
    this.#setMs += byMs;
    this.session.clock.stepWall(byMs);
  }

  async hear(...events: readonly ((timeMs: number) => VenueEvent)[]): Promise<void> {
    for (const event of events) {
      await this.session.clock.runFor(1);
      // Everything takes 2 ms.
      this.session.recorder.recordEvent(event(this.session.clock.nowMs() - this.#setMs - 2));
    }
  }

  /**
   * Latency, exchange stamp after noon and seq of each message, in the order of reception in the
   * store.
   */
  async heard(): Promise<{ readonly latencyMs: number; readonly exchangeMs: number }[]> {
    const { localUs, exchangeUs, byLocal } = await openTape(this.session.store, MARKET, {
      fromUs: 0,
      toUs: 2e15,
    });
    const order = byLocal === undefined ? [...localUs.keys()] : [...byLocal];
    return order.map((at) => ({
      latencyMs: Math.round(((localUs[at] as number) - (exchangeUs[at] as number)) / 1000),
      exchangeMs: Math.round((exchangeUs[at] as number) / 1000 - NOON),
    }));
  }

  findings(): string[] {
    const days = this.session.store.days({ market: MARKET, kind: "book" });
    return days.flatMap(({ findings }) => findings.map((finding) => finding.replace(/^\S+ /, "")));
  }
}

async function recorded(stepMs: number, betweenMs = 0): Promise<TruthfulSession> {
  const truth = new TruthfulSession();
  await truth.session.open();
  const begin = [
    () => up("market"),
    () => snapshot(1, [1000, 5], [1010, 1]),
    () => update(2, [1000, 6], []),
  ];
  await truth.hear(...begin, (timeMs) => trade(1, timeMs));
  await truth.session.clock.runFor(betweenMs);
  truth.set(stepMs);
  await truth.session.clock.runFor(betweenMs);
  await truth.hear(
    () => update(3, [1000, 7], []),
    (timeMs) => trade(2, timeMs),
    () => update(4, [1000, 8], []),
  );
  await truth.session.recorder.close();
  return truth;
}

/** The kind of each message, in the order of reception in the store. */
async function kindsHeard({ store }: Session): Promise<readonly (number | undefined)[]> {
  const { kind, byLocal } = await openTape(store, MARKET, { fromUs: 0, toUs: 2e15 });
  return byLocal === undefined ? [...kind] : [...byLocal].map((at) => kind[at]);
}

describe("A recording on a machine whose clock is set", () => {
  // A backtest of the day would receive messages from after the step before those from before it,
  // and apply the book from before the step later than the trades that consumed it.
  it.each([-800, -4000, -3_600_000])(
    "by %i ms continues as if it had not been set, and says so",
    async (stepMs) => {
      const truth = await recorded(stepMs);
      const heard = await truth.heard();
      expect(heard.map(({ latencyMs }) => latencyMs)).toEqual([2, 2, 2, 2, 2, 2]);
      expect(heard.map(({ exchangeMs }) => exchangeMs)).toEqual([0, 1, 2, 3, 4, 5]);
      expect(truth.findings()).toEqual([
        `this machine's clock was set back by ${-stepMs / 1000} s: the recording continues by the clock before`,
      ]);
    },
  );

  it.each([800, 4000, 3_600_000])(
    "by +%i ms dates its book by the trades beside it, and says so",
    async (stepMs) => {
      for (const betweenMs of [0, 1500]) {
        const truth = await recorded(stepMs, betweenMs);
        const heard = await truth.heard();
        const after = 2 * betweenMs;
        // The new part begins with the whole book, as every part does: one message more.
        expect(heard.map(({ exchangeMs }) => exchangeMs)).toEqual([
          0,
          1,
          2,
          expect.any(Number),
          3 + after,
          4 + after,
          5 + after,
        ]);
        expect(heard.slice(-3).map(({ latencyMs }) => latencyMs)).toEqual([
          2 + stepMs,
          2 + stepMs,
          2 + stepMs,
        ]);
        expect(truth.findings()).toEqual([
          `this machine's clock went forward by ${stepMs / 1000} s: either it was set, and later local times are off by as much, or the machine was suspended`,
        ]);
      }
    },
  );

  // A comparison of the session looks up each message by its number, and once failed after the
  // step.
  it("has the whole book of a new part before the first message received in it, even if that happened earlier", async () => {
    const session = await new Session(NOON).open();
    await session.hear(up("market"), trade(1, NOON - 1), snapshot(1, [1000, 5], [1010, 1]));
    session.clock.stepWall(800);
    await session.hear(trade(2, NOON + 1), update(2, [1000, 6], []), trade(3, NOON + 4));
    await session.recorder.close();
    const { bookSnapshot, bookUpdate, trade: traded } = TapeKind;
    expect(await kindsHeard(session)).toEqual([
      traded,
      bookSnapshot,
      bookSnapshot,
      traded,
      bookUpdate,
      traded,
    ]);
  });

  // The clock of a machine advances between two readings, so the comparison once failed after each
  // midnight.
  it("has the whole book of a new day before the first message received in it, even if the clock advances between them", async () => {
    const session = new Session(MIDNIGHT - 3);
    const { clock } = session;
    let readings = 0;
    const ticking: Clock = {
      nowMs: () => clock.nowMs(),
      monotonicMs: () => clock.monotonicMs() + (readings++ % 100) / 1000,
      setTimer: (delayMs, fire) => clock.setTimer(delayMs, fire),
    };
    await session.open({ runtime: { clock: ticking, random: seededRandom("ticking") } });
    await session.hear(
      up("market"),
      snapshot(1, [1000, 5], [1010, 1]),
      update(2, [1000, 6], []),
      update(3, [1000, 7], []),
    );
    await session.recorder.close();
    const { bookSnapshot, bookUpdate } = TapeKind;
    expect(await kindsHeard(session)).toEqual([bookSnapshot, bookSnapshot, bookUpdate, bookUpdate]);
  });

  it("by 40 ms back, which may be latency, continues too, and reports nothing", async () => {
    const truth = await recorded(-40);
    expect((await truth.heard()).map(({ exchangeMs }) => exchangeMs)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(truth.findings()).toEqual([]);
  });
});
