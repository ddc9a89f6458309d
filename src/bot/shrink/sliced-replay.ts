import { describeThrown } from "../../core/describe-thrown.js";
import type { Runtime, Timer } from "../../core/runtime/runtime.js";
import { seededRandom } from "../../core/runtime/seeded-random.js";
import type { MarketId } from "../../core/units.js";
import type { BoundStrategy } from "../../strategies/strategy.js";
import { Bot } from "../engine/bot.js";
import type { BotInput, TurnStamp } from "../engine/input.js";
import { type JournalHeader, type JournalTurn, JournalWriter } from "../journal/journal.js";
import { replayBotOptions } from "../journal/replay-bot-options.js";
import { SentOrders } from "./sent-orders.js";
import { TurnIds } from "./turn-ids.js";

/** A turn of a journal with its number in it, counted from 1. */
export interface NumberedTurn {
  readonly number: number;
  readonly turn: JournalTurn;
}

/** The ids that the turns of a replay created. */
export interface CreatedIds {
  readonly timers: TurnIds<number>;
  readonly actions: TurnIds<number>;
  readonly hedgeActions: TurnIds<number>;
  readonly queued: TurnIds<string>;
  /** By turn, how many of the orders and trades in its input are of orders that were sent. */
  readonly explained: Map<number, number>;
}

interface SetTimer {
  readonly id: number;
  readonly dueMs: number;
  readonly fire: () => void;
  isSet: boolean;
}

/**
 * Replays some turns of a journal through the real bot, and records them as a journal of their own.
 * The timers and requests of the slice have other ids than those of the original. An input that
 * names one gets the new id, and is left out if there is none. A report of an order or of a fill is
 * left out if the slice has not sent the order.
 */
export class SlicedReplay {
  readonly bot: Bot;
  readonly created: CreatedIds = {
    timers: new TurnIds(),
    actions: new TurnIds(),
    hedgeActions: new TurnIds(),
    queued: new TurnIds(),
    explained: new Map(),
  };
  /** Lines of the journal so far, the header first. */
  readonly lines: string[] = [];
  /** The exception of a turn, which ended the bot. */
  broke: string | undefined;
  readonly #original: CreatedIds | undefined;
  readonly #timers: SetTimer[] = [];
  readonly #sent = new SentOrders();
  #stamp: TurnStamp;
  #number = 0;
  #draws: readonly (number | bigint)[] = [];
  #drawn = 0;

  /** @param original ids of the whole replay; undefined for the whole replay itself */
  constructor(
    header: JournalHeader,
    strategies: ReadonlyMap<MarketId, BoundStrategy>,
    keepsStatistics: boolean,
    original: CreatedIds | undefined,
  ) {
    this.#original = original;
    this.#stamp = header.stamp;
    const writer = new JournalWriter({ write: (line) => this.lines.push(line) }, header);
    this.bot = new Bot({
      ...replayBotOptions(header, strategies),
      runtime: this.#runtime(),
      outbox: {
        enqueue: ({ key }) => this.created.queued.note(this.#number, key, shapeOfKey(key)),
      },
      listener: () => {},
      keepsStatistics,
      journal: {
        action: (action) => {
          const { actionId, ...shape } = action;
          this.created.actions.note(this.#number, actionId, shape);
          this.#sent.note(action);
          writer.action(action);
        },
        hedgeAction: (venue, action) => {
          const { actionId, ...shape } = action;
          this.created.hedgeActions.note(this.#number, actionId, { venue, shape });
          writer.hedgeAction(venue, action);
        },
        turn: (record) => writer.turn(record),
      },
    });
  }

  /** Runs a turn, unless its input cannot happen in this slice. */
  run({ number, turn: { stamp, input, draws } }: NumberedTurn): void {
    this.#number = number;
    this.#stamp = stamp;
    this.#draws = draws;
    this.#drawn = 0;
    try {
      if (input.kind === "timer") this.#timerFor(input.id)?.fire();
      else {
        const possible = this.#translated(input);
        if (possible !== undefined && this.#isExplained(input)) this.bot.accept(possible);
      }
    } catch (error) {
      this.broke = describeThrown(error);
    }
  }

  /** A report of an order or its fill is possible only if this slice has sent the order too. */
  #isExplained(input: BotInput): boolean {
    const explained = this.#sent.explainedIn(input);
    if (explained > 0) this.created.explained.set(this.#number, explained);
    return explained >= (this.#original?.explained.get(this.#number) ?? 0);
  }

  #runtime(): Runtime {
    return {
      clock: {
        nowMs: () => this.#stamp.atMs,
        monotonicMs: () => this.#stamp.monotonicMs,
        setTimer: (delayMs, fire) => this.#setTimer(delayMs, fire),
      },
      random: {
        uniform: () => {
          const draw = this.#nextDraw();
          return typeof draw === "number" ? draw : this.#otherDraws().uniform();
        },
        uint64: () => {
          const draw = this.#nextDraw();
          return typeof draw === "bigint" ? draw : this.#otherDraws().uint64();
        },
      },
    };
  }

  #nextDraw(): number | bigint | undefined {
    return this.#draws[this.#drawn++];
  }

  /** A slice may draw more than its journal did, and two nonces must not be equal. */
  #otherDraws() {
    return seededRandom(`slice ${this.#number} ${this.#drawn}`);
  }

  #setTimer(delayMs: number, fire: () => void): Timer {
    const timer: SetTimer = {
      id: this.#timers.length + 1,
      dueMs: this.#stamp.monotonicMs + delayMs,
      fire: () => {
        timer.isSet = false;
        fire();
      },
      isSet: true,
    };
    this.#timers.push(timer);
    this.created.timers.note(this.#number, timer.id, `${delayMs}`);
    return {
      cancel: () => {
        timer.isSet = false;
      },
    };
  }

  /** The timer that takes the place of an original one; otherwise the one that is due longest. */
  #timerFor(id: number): SetTimer | undefined {
    const isLive = (timer: SetTimer | undefined): timer is SetTimer => timer?.isSet === true;
    const original = this.#original?.timers;
    const replacement = original === undefined ? id : this.created.timers.replacement(original, id);
    const exact = replacement === undefined ? undefined : this.#timers[replacement - 1];
    if (isLive(exact) || original === undefined) return exact;
    return this.#timers
      .filter((timer) => timer.isSet && timer.dueMs <= this.#stamp.monotonicMs)
      .sort((one, other) => one.dueMs - other.dueMs)[0];
  }

  #translated(input: BotInput): BotInput | undefined {
    const original = this.#original;
    if (original === undefined) return input;
    const { created } = this;
    if (input.kind === "leave") {
      const key = created.queued.replacement(original.queued, input.key);
      return key === undefined ? undefined : { ...input, key };
    }
    if (input.kind === "event" && input.event.type === "answer") {
      const actionId = created.actions.replacement(original.actions, input.event.actionId);
      return actionId === undefined ? undefined : { ...input, event: { ...input.event, actionId } };
    }
    if (input.kind === "hedge" && input.event.type === "answer") {
      const actionId = created.hedgeActions.replacement(
        original.hedgeActions,
        input.event.actionId,
      );
      return actionId === undefined ? undefined : { ...input, event: { ...input.event, actionId } };
    }
    return input;
  }
}

/** Keys of queries and of places differ in their number alone. */
function shapeOfKey(key: string): string {
  return /^0x/.test(key) ? "order" : key.replace(/\d+$/, "");
}
