import { encodeJournal } from "../journal/journal.js";

/** Something that a turn created, by its place among those of its kind in the turn. */
interface CreatedItem<Id> {
  readonly turn: number;
  readonly at: number;
  readonly id: Id;
  /** Equal for two that do the same: the request without its number. */
  readonly shape: string;
}

/**
 * The ids of one kind that turns created, such as the numbers of requests. A slice creates others
 * than its journal: this finds the one that takes an id's place.
 */
export class TurnIds<Id> {
  readonly #created: CreatedItem<Id>[] = [];
  readonly #byId = new Map<Id, CreatedItem<Id>>();
  readonly #used = new Set<CreatedItem<Id>>();
  #turn = -1;
  #count = 0;

  /** The given turn created an id; turns are those of the original journal. */
  note(turn: number, id: Id, shape: object | string): void {
    if (turn !== this.#turn) this.#count = 0;
    this.#turn = turn;
    const text = typeof shape === "string" ? shape : encodeJournal(shape);
    const item = { turn, at: this.#count, id, shape: text };
    this.#count += 1;
    this.#created.push(item);
    this.#byId.set(id, item);
  }

  /**
   * The id of a slice that takes the place of an original one: created in the same place of the
   * same turn, otherwise the newest of the same shape that has had no use. Undefined if there is
   * none.
   */
  replacement(original: TurnIds<Id>, id: Id): Id | undefined {
    const wanted = original.#byId.get(id);
    if (wanted === undefined) return undefined;
    const isFree = (item: CreatedItem<Id>): boolean => !this.#used.has(item);
    const found =
      this.#created.find(
        (item) =>
          item.turn === wanted.turn &&
          item.at === wanted.at &&
          item.shape === wanted.shape &&
          isFree(item),
      ) ?? this.#created.findLast((item) => item.shape === wanted.shape && isFree(item));
    if (found === undefined) return undefined;
    this.#used.add(found);
    return found.id;
  }
}
