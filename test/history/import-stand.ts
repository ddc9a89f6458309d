import { join } from "node:path";
import { HistoryStore } from "#history/history-store.js";
import type { ImportOptions } from "#history/import-files.js";
import { checkMapping } from "#history/mapping.js";
import { fileOf, query, scratchFolder, take } from "./scratch.js";

/** Reads trades whose columns have the names of ours. */
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

/** A store of its own, and files that are imported into it one by one. */
export class ImportStand {
  readonly folder = scratchFolder();
  readonly store = new HistoryStore(join(this.folder, "history"));

  async take(name: string, content: string | Uint8Array, options: Partial<ImportOptions>) {
    const { files } = await take(this.store, [fileOf(this.folder, name, content)], options);
    return files[0];
  }

  /** These columns of the trades that the store holds. */
  trades(columns: string, orderBy: string) {
    return query(
      this.store,
      `SELECT ${columns} FROM read_parquet('${this.store.root}/btcusdt/trades/*.parquet') ORDER BY ${orderBy}`,
    );
  }
}
