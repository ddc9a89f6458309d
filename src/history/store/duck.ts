import { resolve } from "node:path";
import { type DuckDBConnection, DuckDBDoubleVector, DuckDBInstance } from "@duckdb/node-api";
import { makeStoreFolder } from "./store-folder.js";

/** One row of an answer: integers as bigint, decimals and texts as text. */
export type Row = Readonly<Record<string, unknown>>;

/** Some rows of an answer that is numbers alone. */
export interface NumberChunk {
  readonly rows: number;
  /** The value of a column, by its place in the question, in a row of the chunk. */
  at(column: number, row: number): number;
}

/** What a database may use of the machine. */
export interface DuckLimits {
  /** Megabytes of memory; what does not fit goes to `spillFolder`. */
  readonly memoryMb: number;
  readonly threads: number;
}

/** What commands give a database that they do not configure. */
export const DEFAULT_LIMITS: DuckLimits = { memoryMb: 768, threads: 2 };

/** A database in memory that reads and writes files: bounded memory, UTC, and nothing fetched from a network. */
export class Duck {
  readonly #instance: DuckDBInstance;
  #tables = 0;
  readonly #connection: DuckDBConnection;
  readonly #open = new Set<DuckDBConnection>();
  #isInterrupted = false;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.#connection = connection;
    this.#open.add(connection);
  }

  /**
   * Ends what is under way, and lets nothing begin any more: each question throws. The database does not hear of it while a statement has not quite
   * begun: ask again until what is under way has ended.
   */
  interrupt(): void {
    this.#isInterrupted = true;
    for (const connection of this.#open) connection.interrupt();
  }

  /** Opens one. @param spillFolder where it may put what does not fit into memory; made when needed. */
  static async open(
    spillFolder: string,
    { memoryMb, threads }: DuckLimits = DEFAULT_LIMITS,
  ): Promise<Duck> {
    makeStoreFolder(spillFolder);
    const instance = await DuckDBInstance.create(":memory:", {
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
      memory_limit: `${memoryMb}MB`,
      threads: String(threads),
      temp_directory: spillFolder,
    });
    const connection = await instance.connect();
    await connection.run("SET TimeZone = 'UTC'");
    return new Duck(instance, connection);
  }

  /** A name for a temporary table that no other has. */
  newTable(): string {
    this.#tables += 1;
    return `rows_${this.#tables}`;
  }

  /** Carries out a statement that answers nothing. @throws Error of the database */
  async run(sql: string): Promise<void> {
    this.#requireGoing();
    await this.#connection.run(sql);
  }

  /** The rows that a question answers: few, since they are held in memory. @throws Error of the database */
  async rows(sql: string): Promise<readonly Row[]> {
    this.#requireGoing();
    return (await this.#connection.runAndReadAll(sql)).getRowObjectsJS() as readonly Row[];
  }

  /** The rows of a question in its order, some at a time and no more of them in memory. Several may be under way at once. @throws Error of the database */
  async *pages(sql: string): AsyncGenerator<readonly Row[], void> {
    const connection = await this.#connect();
    try {
      const result = await connection.stream(sql);
      for await (const rows of result.yieldRowObjectJs()) yield rows as readonly Row[];
    } finally {
      this.#disconnect(connection);
    }
  }

  /** The one row of an aggregate. @throws Error of the database */
  async row(sql: string): Promise<Row> {
    return (await this.rows(sql))[0] ?? {};
  }

  /**
   * The rows of a question whose columns are all DOUBLE and never null, in the order of the question, without holding more than a few
   * chunks of them. Several may be under way at once.
   * @throws Error of the database; RangeError for another type or a null
   */
  async *numbers(sql: string): AsyncGenerator<NumberChunk, void> {
    const connection = await this.#connect();
    try {
      const result = await connection.stream(sql);
      for (;;) {
        const chunk = await result.fetchChunk();
        if (chunk === null || chunk.rowCount === 0) return;
        const columns = Array.from({ length: chunk.columnCount }, (_, at) =>
          chunk.getColumnVector(at),
        ).map((vector) => {
          if (vector instanceof DuckDBDoubleVector) return vector;
          throw new RangeError("a column of numbers is no DOUBLE");
        });
        yield {
          rows: chunk.rowCount,
          at: (column, row) => {
            const value = columns[column]?.getItem(row);
            if (typeof value === "number") return value;
            throw new RangeError("a column of numbers holds a null");
          },
        };
      }
    } finally {
      this.#disconnect(connection);
    }
  }

  async #connect(): Promise<DuckDBConnection> {
    this.#requireGoing();
    const connection = await this.#instance.connect();
    this.#open.add(connection);
    // Interrupted meanwhile: whoever asks for it closes it.
    if (this.#isInterrupted) this.#disconnect(connection);
    this.#requireGoing();
    return connection;
  }

  #disconnect(connection: DuckDBConnection): void {
    this.#open.delete(connection);
    connection.closeSync();
  }

  #requireGoing(): void {
    if (this.#isInterrupted) throw new Error("the database was interrupted");
  }

  close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}

/** A text as an SQL literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** The path of one file as an SQL literal, of which the database makes neither a pattern, nor a home, nor a network. */
export function pathSql(path: string): string {
  return literal(resolve(path).replace(/[*?[]/g, "[$&]"));
}

/** A name as an SQL identifier. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A whole number of an answer; 0 for null, which an aggregate over no rows gives. */
export function toBigInt(value: unknown): bigint {
  return typeof value === "bigint" ? value : typeof value === "number" ? BigInt(value) : 0n;
}
