import { join } from "node:path";
import { HistoryStore } from "#history/history-store.js";
import type { ImportOptions } from "#history/import-files.js";
import { checkMapping } from "#history/mapping.js";
import { fileOf, query, scratchFolder, take } from "./scratch.js";

/** Reads trades whose columns have our names. */
export const TRADES_MAPPING = checkMapping({
  kind: "trades",
  columns: {
    id: "id",
    time: "time",
    price: "price",
    amount: "amount",
    isBuyerMaker: "isBuyerMaker",
  },
});

/** A store, and a folder of files to import into it one by one. */
export class ImportStand {
  readonly folder = scratchFolder();
  readonly store = new HistoryStore(join(this.folder, "history"));

  async take(name: string, content: string | Uint8Array, options: Partial<ImportOptions>) {
    const { files } = await take(this.store, [fileOf(this.folder, name, content)], options);
    return files[0];
  }

  /** The given columns of the trades in the store. */
  trades(columns: string, orderBy: string) {
    return query(
      this.store,
      `SELECT ${columns} FROM read_parquet('${this.store.root}/btcusdt/trades/*.parquet') ORDER BY ${orderBy}`,
    );
  }
}
