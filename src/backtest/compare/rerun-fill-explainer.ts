import type { Instrument } from "../../core/instrument.js";
import type { Lots, Side, Ticks } from "../../core/units.js";
import type { ReplayFill } from "../record/run-observer.js";
import { formatInstant } from "../report/page/format-instant.js";
import {
  listOpenedOrders,
  type RecordedAccount,
  type RecordedFill,
} from "../session/recorded-orders.js";
import { describeFill, type FillDifference } from "./fill-explainer.js";
import { findMatchableFills, type SidedFill, type Unmatched } from "./match-fills.js";
import type { RerunMarket, RerunOrder } from "./replay/rerun-session.js";

/**
 * Explains fills that only one of a session and its rerun has: first by whether we had an order at
 * that price.
 */
export class RerunFillExplainer {
  readonly #instrument: Instrument;
  readonly #account: RecordedAccount;
  readonly #ran: RerunMarket;
  readonly #windowUs: number;
  readonly #divergedUs: number | undefined;

  /**
   * @param divergedUs when the quotes of the two first differed, microseconds since 1970; undefined
   * where they never did.
   */
  constructor(
    instrument: Instrument,
    account: RecordedAccount,
    ran: RerunMarket,
    windowUs: number,
    divergedUs: number | undefined,
  ) {
    this.#instrument = instrument;
    this.#account = account;
    this.#ran = ran;
    this.#windowUs = windowUs;
    this.#divergedUs = divergedUs;
  }

  explainLive({ fill, lots }: Unmatched<RecordedFill>): FillDifference {
    const { side, ticks, atUs } = fill;
    const at = { only: "live", ...describeFill(this.#instrument, fill, lots) } as const;
    const nearby = this.#ran.orders.filter(
      (each) => each.side === side && each.ticks === ticks && this.#isOpenAround(each, atUs),
    );
    const open = nearby.filter(
      (each) => each.atUs <= atUs && !(each.cancelledUs !== undefined && each.cancelledUs <= atUs),
    );
    const [order] = [...open, ...nearby];
    if (order === undefined)
      return { ...at, ...this.#before("the replay had no order there", atUs) };
    const stays = this.#ran.orders.map((each) => ({ ...each, endUs: each.cancelledUs }));
    const had = this.#near(this.#ran.fills, fill, stays, "the replay");
    if (had?.isAll)
      return { ...at, ...this.#before(`${had.text}, which was all of its order there`, atUs) };
    if (order.atUs > atUs)
      return {
        ...at,
        kind: "latency",
        why: `the replay sent its order there ${apart(order.atUs, atUs)}`,
      };
    if (order.cancelledUs !== undefined && order.cancelledUs <= atUs)
      return {
        ...at,
        kind: "latency",
        why: `the replay sent the cancel of its order there ${apart(order.cancelledUs, atUs)}`,
      };
    if (had !== undefined)
      return {
        ...at,
        kind: "queue",
        why: `${had.text}; the queue model puts the rest further back`,
      };
    const other = this.#ran.fills.find(
      (each) => each.side === side && each.ticks === ticks && each.atUs >= order.atUs,
    );
    if (other !== undefined)
      return {
        ...at,
        kind: "time",
        why: `the replay filled its order there ${apart(other.atUs, atUs)}`,
      };
    return {
      ...at,
      kind: "queue",
      why: "the replay had an order there, which the queue model puts further back",
    };
  }

  explainReplayed({ fill, lots }: Unmatched<ReplayFill>): FillDifference {
    const { side, ticks, atUs, cause } = fill;
    const at = { only: "replay", ...describeFill(this.#instrument, fill, lots) } as const;
    const placed = listOpenedOrders(this.#account).filter(
      (each) =>
        each.side === side &&
        each.ticks === ticks &&
        each.sentUs <= atUs + this.#windowUs &&
        (each.ended === undefined || each.ended.atUs >= atUs - this.#windowUs),
    );
    const taken = placed.filter(({ refused }) => refused === undefined);
    const stood = taken.filter(
      ({ sentUs, ended }) => sentUs <= atUs && !(ended !== undefined && ended.atUs <= atUs),
    );
    const [order] = [...stood, ...taken, ...placed];
    if (order === undefined) return { ...at, ...this.#before("live had no order there", atUs) };
    if (order.sentUs > atUs)
      return {
        ...at,
        kind: "latency",
        why: `live sent its order there ${apart(order.sentUs, atUs)}`,
      };
    if (order.refused !== undefined)
      return {
        ...at,
        kind: "earlier-difference",
        why: `live its order was rejected: ${order.refused}`,
      };
    const stays = listOpenedOrders(this.#account)
      .filter(({ refused }) => refused === undefined)
      .map((each) => ({ ...each, atUs: each.sentUs, endUs: each.ended?.atUs }));
    const had = this.#near(this.#account.fills, fill, stays, "live");
    if (had?.isAll)
      return { ...at, ...this.#before(`${had.text}, which was all of its order there`, atUs) };
    if (order.ended !== undefined && order.ended.atUs <= atUs)
      return {
        ...at,
        kind: "latency",
        why: `live its order had already ended (${order.ended.status})`,
      };
    if (had !== undefined)
      return { ...at, kind: "queue", why: `${had.text}; the rest was further back in the queue` };
    const other = this.#account.fills.find(
      (each) => each.side === side && each.ticks === ticks && each.atUs >= order.sentUs,
    );
    if (other !== undefined)
      return { ...at, kind: "time", why: `live filled the order there ${apart(other.atUs, atUs)}` };
    const whys = {
      queue: "live it was further back than the queue model puts it",
      through: "a trade printed beyond its price, but live it was not filled",
      cross: "the other side's best price reached its price, but live it was not filled",
      taker: "it took liquidity on arrival that was not there live",
    } as const;
    // Only a live fill has no cause, and this one is of a replay.
    const known = cause ?? "through";
    return { ...at, kind: known === "taker" ? "latency" : known, why: whys[known] };
  }

  /**
   * A difference after a fill cannot explain it. Without one before it, the two had other orders
   * for the same quotes.
   */
  #before(what: string, atUs: number): Pick<FillDifference, "kind" | "why"> {
    const since = this.#divergedUs;
    return since !== undefined && since <= atUs
      ? {
          kind: "earlier-difference",
          why: `${what}: the two planned different quotes from ${formatInstant(since)} on`,
        }
      : { kind: "absent", why: `${what}, although both had planned the same quotes until then` };
  }

  /**
   * Describes what one of the two filled near a fill; undefined if nothing. If no order was open
   * there any more, the remaining difference is one of size.
   * @param stays the lifetimes of all its orders.
   */
  #near(
    fills: readonly SidedFill[],
    fill: SidedFill,
    stays: readonly OrderLifetime[],
    who: string,
  ) {
    const { side, ticks, atUs } = fill;
    const isThere = (each: Pick<SidedFill, "side" | "ticks" | "atUs">, untilUs: number): boolean =>
      each.side === side && each.ticks === ticks && each.atUs <= untilUs;
    const near = findMatchableFills(fills, fill, this.#windowUs);
    const [first] = near;
    if (first === undefined) return undefined;
    const lots = near.reduce((sum, each) => sum + each.lots, 0);
    const there = fills.filter((each) => isThere(each, atUs + this.#windowUs));
    const placed = stays.filter((each) => isThere(each, atUs));
    const open = remainingLots(placed, there).filter(
      (_, at) => !isOver(placed[at] as OrderLifetime, atUs),
    );
    const isAll = open.length > 0 && open.every((left) => left === 0);
    return {
      isAll,
      text: `${who} filled ${this.#instrument.formatReportedAmount(lots)} there ${apart(first.atUs, atUs)}`,
    };
  }

  #isOpenAround({ atUs: sentUs, cancelledUs }: RerunOrder, atUs: number): boolean {
    return (
      sentUs <= atUs + this.#windowUs &&
      (cancelledUs === undefined || cancelledUs >= atUs - this.#windowUs)
    );
  }
}

/** An order at its price, from its sending to its end. */
interface OrderLifetime {
  readonly side: Side;
  readonly ticks: Ticks;
  readonly lots: Lots;
  readonly atUs: number;
  readonly endUs: number | undefined;
}

function isOver({ endUs }: OrderLifetime, atUs: number): boolean {
  return endUs !== undefined && endUs <= atUs;
}

/**
 * The open lots of each order at one price after some fills there. The oldest order is filled
 * first, among those open by the clocks, which may differ.
 */
function remainingLots(stays: readonly OrderLifetime[], fills: readonly SidedFill[]): Lots[] {
  const open = stays.map(({ lots }) => lots);
  for (const { atUs, lots } of fills) {
    let left = lots;
    for (const isStrict of [true, false]) {
      for (const [at, stay] of stays.entries()) {
        if (isStrict && (stay.atUs > atUs || isOver(stay, atUs))) continue;
        const filled = Math.min(left, open[at] as Lots);
        open[at] = (open[at] as Lots) - filled;
        left -= filled;
      }
    }
  }
  return open;
}

function apart(otherUs: number, atUs: number): string {
  const ms = Math.abs(otherUs - atUs) / 1000;
  return `${ms < 1000 ? `${ms.toFixed(1)} ms` : `${(ms / 1000).toFixed(1)} s`} ${otherUs < atUs ? "earlier" : "later"}`;
}
