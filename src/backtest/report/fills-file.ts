import { openSync } from "node:fs";
import { AppendOnlyFile } from "../../core/files/durable-log.js";
import type { Instrument } from "../../core/instrument.js";
import type { MarketId } from "../../core/units.js";
import type { ReplayFill } from "../record/run-observer.js";
import { midPrice } from "./market-decimals.js";
import { formatInstant } from "./page/format-instant.js";
import { wrapDiskError } from "./wrap-disk-error.js";

/** The columns of `fills.csv`. */
export const FILL_COLUMNS = [
  "number",
  "time",
  "heard",
  "market",
  "order",
  "side",
  "level",
  "price",
  "amount",
  "role",
  "cause",
  "quote",
  "fee",
  "mid",
  "position",
  "doubt",
] as const;

const BUFFER_CHARACTERS = 65_536;

/** A fill as exact decimals, in the order of {@link FILL_COLUMNS}; no mid is an empty text. */
export function fillFields(fill: ReplayFill, instrument: Instrument): readonly string[] {
  return [
    String(fill.number),
    formatInstant(fill.atUs),
    Number.isNaN(fill.receivedUs) ? "" : formatInstant(fill.receivedUs),
    fill.marketId,
    String(fill.orderId ?? ""),
    fill.side,
    String(fill.level ?? ""),
    instrument.formatPrice(fill.ticks),
    instrument.formatAmount(fill.lots),
    fill.isMaker ? "maker" : "taker",
    fill.cause ?? "",
    instrument.creditToDecimal(fill.quote),
    instrument.creditToDecimal(fill.fee),
    Number.isNaN(fill.midHalfTicks) ? "" : midPrice(instrument, fill.midHalfTicks),
    Number.isNaN(fill.positionLots) ? "" : instrument.formatAmount(fill.positionLots),
    fill.ambiguity?.kind ?? "",
  ];
}

/**
 * Writes every fill of a run as it comes, as CSV.
 * @throws RunError when the disk refuses.
 */
export class FillsFile {
  readonly #path: string;
  readonly #file: AppendOnlyFile;
  readonly #instruments: ReadonlyMap<MarketId, Instrument>;
  #buffer = `${FILL_COLUMNS.join(",")}\n`;

  constructor(path: string, instruments: ReadonlyMap<MarketId, Instrument>) {
    this.#path = path;
    this.#file = wrapDiskError(
      path,
      () => new AppendOnlyFile(openSync(path, "wx", 0o600), "closing"),
    );
    this.#instruments = instruments;
  }

  write(fill: ReplayFill): void {
    const instrument = this.#instruments.get(fill.marketId);
    if (instrument === undefined) return;
    this.#buffer += `${fillFields(fill, instrument).join(",")}\n`;
    if (this.#buffer.length >= BUFFER_CHARACTERS) this.#flush();
  }

  /** Closes the file, with everything written on the disk. */
  finish(): void {
    this.#flush();
    wrapDiskError(this.#path, () => this.#file.close());
  }

  abandon(): void {
    this.#file.abandon();
  }

  #flush(): void {
    const lines = this.#buffer;
    this.#buffer = "";
    wrapDiskError(this.#path, () => this.#file.append(lines));
  }
}
