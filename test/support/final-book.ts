import { StandingBook, type StandingRows } from "../../src/history/columns/tape/book-state.js";
import type { Tape } from "../../src/history/columns/tape/tape.js";

/** The levels that a tape ends with: from the best bid down, then from the best ask up. */
export function endingBook(tape: Tape): StandingRows {
  const book = new StandingBook();
  book.play(tape, tape.messages);
  const rows = [...book.known(), ...book.beyond()].filter(([, lots]) => lots > 0);
  return rows.sort(([one], [other]) => other - one);
}
