import { BookState, type BookStateRows } from "#history/book-state.js";
import type { Tape } from "#history/tape.js";

/** The levels that a tape ends with: from the best bid down, then from the best ask up. */
export function finalBook(tape: Tape): BookStateRows {
  const book = new BookState();
  book.play(tape, tape.messages);
  const rows = [...book.knownRows(), ...book.rowsBeyondKnown()].filter(([, lots]) => lots > 0);
  return rows.sort(([one], [other]) => other - one);
}
