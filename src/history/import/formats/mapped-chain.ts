import type { Duck } from "../../store/duck.js";
import { PLACE } from "./book-messages.js";
import { brokenChain, brokenText } from "./broken-chain.js";
import type { ShapedFile } from "./shape.js";

/** What a mapping reads of a book with a row a level; SQL over the rows of {@link messagesSql}. */
interface MappedBook {
  readonly from: string;
  readonly timeNs: string;
  /** Of the columns that the mapping names; null for another. */
  readonly isSnapshot: string;
  readonly beginSequence: string;
  readonly endSequence: string;
  readonly prevEndSequence: string;
  /** SQL of what a row is of the market that is asked for. */
  readonly isWantedMarket: string;
}

/** Whether columns that a mapping names tell the chain of a book's messages. */
export function hasChainColumns(columns: Readonly<Record<string, string>>): boolean {
  return (
    columns.endSequence !== undefined &&
    (columns.beginSequence !== undefined || columns.prevEndSequence !== undefined)
  );
}

/** Where the chain of a mapped book is broken, and what an import says of it. */
export async function mappedChain(
  duck: Duck,
  book: MappedBook,
  hasPrevious: boolean,
): Promise<Pick<ShapedFile, "lost" | "chain" | "findings">> {
  const sequences = (["beginSequence", "endSequence", "prevEndSequence"] as const).map(
    (name) => `${book[name]} AS ${name}`,
  );
  const rows = `SELECT (${book.timeNs}) // 1000000 AS "timestamp", ${book.isSnapshot} AS isSnapshot, ${sequences.join(", ")} FROM ${book.from} WHERE ${PLACE} = 0 AND ${book.isWantedMarket}`;
  // Rows of another market, or another stamp, may part the levels of a message.
  const again = ["isSnapshot", "beginSequence", "endSequence"].map(
    (name) => `lag(${name}) OVER () IS NOT DISTINCT FROM ${name}`,
  );
  const told = `SELECT *, row_number() OVER () > 1 AND endSequence IS NOT NULL AND ${again.join(" AND ")} AS isAgain FROM (${rows})`;
  const messages = `(SELECT CASE WHEN isSnapshot THEN 'snapshot' ELSE 'update' END AS type, endSequence AS "sequence", * FROM (${told}) WHERE NOT isAgain)`;
  const { breaks, lost, stretches } = await brokenChain(duck, messages);
  if (breaks === 0) return { chain: stretches, findings: [] };
  const hint =
    "where each of them tells the one before by another column, name that one prevEndSequence in the mapping";
  return {
    lost,
    chain: stretches,
    findings: [brokenText(breaks, lost), ...(hasPrevious ? [] : [hint])],
  };
}
