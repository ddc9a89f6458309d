import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { PartDifference } from "../bot/bisect/compare-journals.js";
import type { LinkText } from "../bot/bisect/describe-link.js";
import type { Ms } from "../core/units.js";
import { applyStateChanges, type StateChange } from "./state-changes.js";
import type { ShownState } from "./viewer-answers.js";

/** Turns of one block: a block is read as a whole to show one of its turns. */
const BLOCK_TURNS = 128;
/** The fastest level: it makes the blocks about eight times smaller. */
const COMPRESSION = { level: 1 } as const;

/** The place of a link: its turn, and its index among the kept links of the turn. */
export type LinkPlace = readonly [turn: number, index: number];

/** A link of the causal chain, as it is kept. */
export interface KeptLink {
  readonly text: LinkText;
  /** Of an answer. */
  readonly result?: string;
  readonly causes: readonly LinkPlace[];
}

/** The events of a turn. */
export interface TurnEvents {
  readonly line: number;
  readonly atMs: Ms;
  readonly links: readonly KeptLink[];
  /** Where it differs from the same turn of the other run. */
  readonly parts: readonly PartDifference[];
}

/** A turn to keep. */
export interface KeptTurn extends TurnEvents {
  /** From the state before the turn to the one after it. */
  readonly changes: readonly StateChange[];
}

/** A state that the caller may read until it asks for the next one. */
interface PassingState {
  readonly turn: number;
  readonly state: ShownState;
}

/** A full block: JSON, compressed. */
interface Block {
  /** The state before its first turn, and the changes of each turn. */
  readonly states: Buffer;
  /** The {@link TurnEvents} of each turn. */
  readonly events: Buffer;
}

interface OpenBlock {
  readonly before: string;
  readonly changes: string[];
  readonly events: string[];
}

/**
 * The turns of a run. Each block has the state before its first turn and what each of its turns
 * changed, so that any turn can be shown without a replay.
 */
export class TurnStore {
  readonly #blocks: Block[] = [];
  #open: OpenBlock | undefined;
  #first: number | undefined;
  #count = 0;
  #bytes = 0;

  /** The first turn; undefined while there is none. */
  get firstTurn(): number | undefined {
    return this.#first;
  }

  /** The last turn; undefined while there is none. */
  get lastTurn(): number | undefined {
    return this.#first === undefined ? undefined : this.#first + this.#count - 1;
  }

  /** Compressed size of the full blocks. */
  get bytes(): number {
    return this.#bytes;
  }

  has(turn: number): boolean {
    return this.#first !== undefined && turn >= this.#first && turn < this.#first + this.#count;
  }

  /** Adds a turn. The next one has to follow it. @param before the state before the turn */
  add(turn: number, { changes, ...events }: KeptTurn, before: ShownState): void {
    this.#first ??= turn;
    this.#open ??= { before: JSON.stringify(before), changes: [], events: [] };
    this.#open.changes.push(JSON.stringify(changes));
    this.#open.events.push(JSON.stringify(events));
    this.#count += 1;
    if (this.#open.changes.length === BLOCK_TURNS) this.#close(this.#open);
  }

  /** Returns the events of a turn, which must be in the store. */
  events(turn: number): TurnEvents {
    const [block, index] = this.#placeOf(turn);
    return this.#eventsOf(block)[index] as TurnEvents;
  }

  /** The states before a turn and after it. The turn must be in the store. */
  states(turn: number): { readonly before: ShownState; readonly after: ShownState } {
    const [block, index] = this.#placeOf(turn);
    const [before, changes] = this.#statesOf(block);
    for (const made of changes.slice(0, index)) applyStateChanges(before, made);
    const after = structuredClone(before);
    applyStateChanges(after, changes[index] ?? []);
    return { before, after };
  }

  /** The state after each turn from one on. */
  *statesFrom(turn: number): Generator<PassingState, void> {
    for (let at = turn; this.has(at); ) {
      const [block, index] = this.#placeOf(at);
      const [state, changes] = this.#statesOf(block);
      for (const [position, made] of changes.entries()) {
        applyStateChanges(state, made);
        if (position < index) continue;
        yield { turn: at, state };
        at += 1;
      }
    }
  }

  #placeOf(turn: number): readonly [block: number, index: number] {
    const offset = turn - (this.#first ?? turn);
    return [Math.floor(offset / BLOCK_TURNS), offset % BLOCK_TURNS];
  }

  #close({ before, changes, events }: OpenBlock): void {
    const block = {
      states: deflateRawSync(statesText(before, changes), COMPRESSION),
      events: deflateRawSync(listText(events), COMPRESSION),
    };
    this.#blocks.push(block);
    this.#bytes += block.states.length + block.events.length;
    this.#open = undefined;
  }

  #statesOf(block: number): readonly [ShownState, readonly (readonly StateChange[])[]] {
    const { states } = this.#blocks[block] ?? {};
    if (states !== undefined) return JSON.parse(inflateRawSync(states).toString());
    const { before = "{}", changes = [] } = this.#open ?? {};
    return JSON.parse(statesText(before, changes));
  }

  #eventsOf(block: number): readonly TurnEvents[] {
    const { events } = this.#blocks[block] ?? {};
    return JSON.parse(
      events === undefined ? listText(this.#open?.events ?? []) : inflateRawSync(events).toString(),
    );
  }
}

function statesText(before: string, changes: readonly string[]): string {
  return `[${before},${listText(changes)}]`;
}

function listText(texts: readonly string[]): string {
  return `[${texts.join(",")}]`;
}
