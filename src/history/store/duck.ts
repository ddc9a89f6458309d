import { resolve } from "node:path";
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { loadOptional, type OptionalModule } from "../../core/optional-part.js";
import { makeStoreFolder } from "./store-folder.js";

/** One row of a result: integers as bigint, decimals and texts as text. */
export type Row = Readonly<Record<string, unknown>>;

/** Some rows of a numeric result. */
export interface NumberChunk {
  readonly rows: number;
  /** The value of a column, by its index in the query, in a row of the chunk. */
  at(column: number, row: number): number;
}

/** A result for people and programs: decimals, instants and large integers are texts. */
export interface TextResult {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** Some rows of a result, column by column. */
export interface ValueChunk {
  readonly rows: number;
  /** Of each column of the query, its value in a row of the chunk; null for none. */
  readonly cells: readonly ((row: number) => unknown)[];
}

/** The limits of a database. */
export interface DuckLimits {
  /** Megabytes of memory; larger data goes to `spillFolder`. */
  readonly memoryMb: number;
  readonly threads: number;
}

/** The limits of databases in commands that do not configure them. */
export const DEFAULT_LIMITS: DuckLimits = { memoryMb: 768, threads: 2 };

/** A database in memory that reads and writes files: bounded memory, UTC, and no network access. */
export class Duck {
  readonly #instance: DuckDBInstance;
  readonly #DoubleVector: OptionalModule<"@duckdb/node-api">["DuckDBDoubleVector"];
  #tables = 0;
  readonly #connection: DuckDBConnection;
  readonly #open = new Set<DuckDBConnection>();
  #isInterrupted = false;

  private constructor(
    { DuckDBDoubleVector }: OptionalModule<"@duckdb/node-api">,
    instance: DuckDBInstance,
    connection: DuckDBConnection,
  ) {
    this.#DoubleVector = DuckDBDoubleVector;
    this.#instance = instance;
    this.#connection = connection;
    this.#open.add(connection);
  }

  /**
   * Interrupts the running statement, and makes every later query throw. The database ignores an
   * interrupt just before a statement begins: repeat the call until the statement has ended.
   */
  interrupt(): void {
    this.#isInterrupted = true;
    for (const connection of this.#open) connection.interrupt();
  }

  /**
   * Opens a database.
   * @param spillFolder for data that does not fit into memory; created when needed.
   */
  static async open(
    spillFolder: string,
    { memoryMb, threads }: DuckLimits = DEFAULT_LIMITS,
  ): Promise<Duck> {
    const duckdb = await loadOptional("@duckdb/node-api");
    makeStoreFolder(spillFolder);
    const instance = await duckdb.DuckDBInstance.create(":memory:", {
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
      memory_limit: `${memoryMb}MB`,
      threads: String(threads),
      temp_directory: spillFolder,
    });
    const connection = await instance.connect();
    await connection.run("SET TimeZone = 'UTC'");
    return new Duck(duckdb, instance, connection);
  }

  /** A unique name for a temporary table. */
  newTable(): string {
    this.#tables += 1;
    return `rows_${this.#tables}`;
  }

  /** Runs a statement without a result. @throws Error of the database */
  async run(sql: string): Promise<void> {
    this.#requireGoing();
    await this.#connection.run(sql);
  }

  /**
   * The rows of a query. All are held in memory, so there should be few.
   * @throws Error of the database
   */
  async rows(sql: string): Promise<readonly Row[]> {
    this.#requireGoing();
    return (await this.#connection.runAndReadAll(sql)).getRowObjectsJS() as readonly Row[];
  }

  /**
   * The rows of a query in order, in pages, with one page in memory. Several queries may run at
   * once.
   * @throws Error of the database
   */
  async *pages(sql: string): AsyncGenerator<readonly Row[], void> {
    const connection = await this.#connect();
    try {
      const result = await connection.stream(sql);
      for await (const rows of result.yieldRowObjectJs()) yield rows as readonly Row[];
    } finally {
      this.#disconnect(connection);
    }
  }

  /**
   * Takes files, the network and settings away from every later statement, for SQL of a user. It
   * cannot be undone.
   */
  async isolate(): Promise<void> {
    await this.run("SET enable_external_access = false");
    await this.run("SET lock_configuration = true");
  }

  /**
   * The result of one SELECT of a user; all of it is in memory.
   * @throws Error of the database; RangeError for another statement, or more than one
   */
  async select(sql: string): Promise<TextResult> {
    this.#requireGoing();
    const statements = await this.#connection.extractStatements(sql);
    if (statements.count !== 1) throw new RangeError(`it has ${statements.count} statements`);
    const prepared = await statements.prepare(0);
    if (prepared.statementType !== SELECT_STATEMENT)
      throw new RangeError("it is not a SELECT statement");
    const result = await prepared.runAndReadAll();
    return { columns: result.columnNames(), rows: result.getRowsJson() };
  }

  /** The one row of an aggregate. @throws Error of the database */
  async row(sql: string): Promise<Row> {
    return (await this.rows(sql))[0] ?? {};
  }

  /**
   * The rows of a query whose columns are all DOUBLE and never null, in order, with only a few
   * chunks in memory. Several queries may run at once.
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
          if (vector instanceof this.#DoubleVector) return vector;
          throw new RangeError("a numeric column is not a DOUBLE");
        });
        yield {
          rows: chunk.rowCount,
          at: (column, row) => {
            const value = columns[column]?.getItem(row);
            if (typeof value === "number") return value;
            throw new RangeError("a numeric column has a null");
          },
        };
      }
    } finally {
      this.#disconnect(connection);
    }
  }

  /**
   * The rows of a query in order, chunk by chunk, with the values as the database's client gives
   * them: whole numbers as bigint, lists and structs as its own objects. Several queries may run at
   * once.
   * @throws Error of the database
   */
  async *chunks(sql: string): AsyncGenerator<ValueChunk, void> {
    const connection = await this.#connect();
    try {
      const result = await connection.stream(sql);
      for (;;) {
        const chunk = await result.fetchChunk();
        if (chunk === null || chunk.rowCount === 0) return;
        const cells = Array.from({ length: chunk.columnCount }, (_, at) => {
          const vector = chunk.getColumnVector(at);
          return (row: number): unknown => vector.getItem(row);
        });
        yield { rows: chunk.rowCount, cells };
      }
    } finally {
      this.#disconnect(connection);
    }
  }

  async #connect(): Promise<DuckDBConnection> {
    this.#requireGoing();
    const connection = await this.#instance.connect();
    this.#open.add(connection);
    // If interrupted meanwhile, the connection is closed here.
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

/** `StatementType.SELECT` of the package, which is loaded only when a database is opened. */
const SELECT_STATEMENT = 1;

/** A text as an SQL literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * The path of one file as an SQL literal that the database does not read as a pattern, a home
 * folder or a URL.
 */
export function pathSql(path: string): string {
  return literal(resolve(path).replace(/[*?[]/g, "[$&]"));
}

/** A name as an SQL identifier. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A whole number of a result; 0 for null, the aggregate of no rows. */
export function toBigInt(value: unknown): bigint {
  return typeof value === "bigint" ? value : typeof value === "number" ? BigInt(value) : 0n;
}
