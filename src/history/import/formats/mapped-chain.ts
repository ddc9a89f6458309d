import type { Duck } from "../../store/duck.js";
import { PLACE } from "./book-messages.js";
import { brokenChain, brokenText } from "./broken-chain.js";
import type { ShapedFile } from "./shape.js";

/**
 * The columns that a mapping reads of a book with one row per level; SQL over the rows of {@link
 * messagesSql}.
 */
interface MappedBook {
  readonly from: string;
  readonly timeNs: string;
  /** SQL of the mapped columns; null for a column that the mapping does not name. */
  readonly isSnapshot: string;
  readonly beginSequence: string;
  readonly endSequence: string;
  readonly prevEndSequence: string;
  /** SQL of the condition that a row belongs to the requested market. */
  readonly isWantedMarket: string;
}

/** True if a mapping names columns with the chain of a book's messages. */
export function hasChainColumns(columns: Readonly<Record<string, string>>): boolean {
  return (
    columns.endSequence !== undefined &&
    (columns.beginSequence !== undefined || columns.prevEndSequence !== undefined)
  );
}

/** The breaks in the chain of a mapped book, and the findings about them. */
export async function mappedChain(
  duck: Duck,
  book: MappedBook,
  hasPrevious: boolean,
): Promise<Pick<ShapedFile, "lost" | "chain" | "findings">> {
  const sequences = (["beginSequence", "endSequence", "prevEndSequence"] as const).map(
    (name) => `${book[name]} AS ${name}`,
  );
  const rows = `SELECT (${book.timeNs}) // 1000000 AS "timestamp", ${book.isSnapshot} AS isSnapshot, ${sequences.join(", ")} FROM ${book.from} WHERE ${PLACE} = 0 AND ${book.isWantedMarket}`;
  // Rows of another market, or of another stamp, may separate the levels of a message.
  const again = ["isSnapshot", "beginSequence", "endSequence"].map(
    (name) => `lag(${name}) OVER () IS NOT DISTINCT FROM ${name}`,
  );
  const marked = `SELECT *, row_number() OVER () > 1 AND endSequence IS NOT NULL AND ${again.join(" AND ")} AS isAgain FROM (${rows})`;
  const messages = `(SELECT CASE WHEN isSnapshot THEN 'snapshot' ELSE 'update' END AS type, endSequence AS "sequence", * FROM (${marked}) WHERE NOT isAgain)`;
  const { breaks, lost, stretches } = await brokenChain(duck, messages);
  if (breaks === 0) return { chain: stretches, findings: [] };
  const hint =
    "if another column holds the sequence of the update before, name that column prevEndSequence in the mapping";
  return {
    lost,
    chain: stretches,
    findings: [brokenText(breaks, lost), ...(hasPrevious ? [] : [hint])],
  };
}
