import { absolute, smaller } from "../core/bigints.js";
import type { CreditUnits, Hex, MarketId, Ms, PaperUnits } from "../core/units.js";
import type { AccountEntry, EntryKind, EntrySource } from "./account-entry.js";
import type {
  CreditEvent,
  FillEvent,
  InventoryEvent,
  LedgerEvent,
  OutsideEvent,
} from "./ledger-event.js";
import type { MarketUnits } from "./market-units.js";

/** A position and the credit that its open part cost: positive for a long, negative for a short. */
interface OpenPosition {
  paper: PaperUnits;
  cost: CreditUnits;
}

/** The columns that all lines of one event share. */
interface EventColumns {
  readonly timeMs: Ms;
  readonly marketId: MarketId | undefined;
  readonly id: string;
  readonly price?: string | undefined;
  readonly base?: PaperUnits | undefined;
  readonly hash?: Hex | undefined;
  readonly source: EntrySource;
  readonly detail?: string | undefined;
}

/**
 * Turns events into lines with running balances. Events must come in the order of time. A fill's
 * credit is split into the cost of the position and the realised profit, by the average cost of the
 * open position; both together are what changed hands, to the unit.
 */
export class AccountBooks {
  readonly #units: MarketUnits;
  readonly #positions = new Map<MarketId, OpenPosition>();
  /** Balances of assets outside the exchange, by venue and asset. */
  readonly #outside = new Map<string, bigint>();
  #credit: CreditUnits = 0n;

  constructor(units: MarketUnits) {
    this.#units = units;
  }

  /** Credit of all lines so far: cash, and the credit that open positions cost. */
  get credit(): CreditUnits {
    return this.#credit;
  }

  /** Signed position of all lines so far. */
  position(marketId: MarketId): PaperUnits {
    return this.#positions.get(marketId)?.paper ?? 0n;
  }

  /** The lines of an event. */
  apply(event: LedgerEvent): readonly AccountEntry[] {
    switch (event.kind) {
      case "fill":
        return this.#fill(event);
      case "credit":
        return [this.#creditEvent(event)];
      case "inventory":
        return this.#inventory(event);
      case "outside":
        return [this.#outsideEvent(event)];
    }
  }

  /** One line per balance that is not zero, as of an instant: the beginning of a period. */
  opening(timeMs: Ms): readonly AccountEntry[] {
    const { creditAsset } = this.#units;
    const at = { timeMs, source: "computed" as const };
    const lines = [...this.#positions]
      .filter(([, { paper }]) => paper !== 0n)
      .map(([marketId, { paper }]) =>
        this.#baseLine("opening", paper, { ...at, marketId, id: `opening.${marketId}` }),
      );
    const credit =
      this.#credit === 0n
        ? []
        : [
            this.#creditLine("opening", this.#credit, {
              ...at,
              marketId: undefined,
              id: `opening.${creditAsset}`,
            }),
          ];
    return [...credit, ...lines];
  }

  /** A line of an amount that no event explains. It does not change the balances. */
  difference(
    asset: "credit" | MarketId,
    amount: bigint,
    columns: Pick<EventColumns, "timeMs" | "id" | "detail">,
  ): AccountEntry {
    const source = "computed";
    return asset === "credit"
      ? this.#creditLine("difference", amount, { ...columns, marketId: undefined, source })
      : this.#baseLine("difference", amount, { ...columns, marketId: asset, source });
  }

  #fill(event: FillEvent): readonly AccountEntry[] {
    const { timeMs, marketId, side, paper, quote, commission, price, state, source } = event;
    const columns: EventColumns = {
      timeMs,
      marketId,
      id: `${marketId}.${event.id}.${side.toLowerCase()}`,
      price,
      base: paper,
      source,
      detail: `${side.toLowerCase()} as ${event.isMaker ? "maker" : "taker"}${state === "pending" ? ", not settled yet" : ""}`,
    };
    const sign = side === "BUY" ? 1n : -1n;
    const before = { ...this.#position(marketId) };
    const lines = this.#trade("fill", sign * paper, -sign * quote, columns);
    if (commission !== 0n)
      lines.push(this.#moveCredit("fee", -commission, { ...columns, id: `${columns.id}.fee` }));
    if (state !== "failed") return lines;
    const reversing = lines.map((line) => this.#reverse(line));
    this.#positions.set(marketId, before);
    return [...lines, ...reversing];
  }

  #reverse(line: AccountEntry): AccountEntry {
    const isCredit = line.kind !== "fill";
    if (isCredit) this.#credit -= line.amount;
    else this.#position(line.marketId as MarketId).paper -= line.amount;
    const position = this.position(line.marketId as MarketId);
    return {
      ...line,
      amount: -line.amount,
      balance: isCredit ? this.#credit : position,
      position,
      id: `${line.id}.reversed`,
      reverses: line.id,
      detail: "its settlement failed",
    };
  }

  #inventory(event: InventoryEvent): readonly AccountEntry[] {
    const { timeMs, marketId, id, paper = 0n, credit, hash, source, detail, entry } = event;
    const base = absolute(paper);
    return this.#trade(entry, paper, credit, {
      timeMs,
      marketId,
      id,
      hash,
      source,
      detail,
      base,
    });
  }

  /** Moves a position: its line, then what it cost or brought back, then what it realised. */
  #trade(
    kind: "fill" | "takeover" | "liquidated",
    paper: PaperUnits,
    credit: CreditUnits,
    columns: EventColumns,
  ): AccountEntry[] {
    const marketId = columns.marketId as MarketId;
    const held = this.#position(marketId);
    const costBefore = held.cost;
    const realised = changePosition(held, paper, credit);
    const lines = [this.#baseLine(kind, paper, columns)];
    const cost = costBefore - held.cost;
    if (cost !== 0n)
      lines.push(this.#moveCredit("cost", cost, { ...columns, id: `${columns.id}.cost` }));
    if (realised !== 0n)
      lines.push(
        this.#moveCredit("realised-profit", realised, {
          ...columns,
          id: `${columns.id}.profit`,
        }),
      );
    return lines;
  }

  #creditEvent({ entry, amount, ...columns }: CreditEvent): AccountEntry {
    return this.#moveCredit(entry, amount, columns);
  }

  #outsideEvent(event: OutsideEvent): AccountEntry {
    const { venue, asset, amount, marketId, entry } = event;
    const key = `${venue} ${asset}`;
    const balance = (this.#outside.get(key) ?? 0n) + amount;
    this.#outside.set(key, balance);
    return {
      timeMs: event.timeMs,
      kind: entry,
      venue,
      marketId,
      asset,
      decimals: event.decimals,
      amount,
      balance,
      position: undefined,
      price: undefined,
      base: undefined,
      id: event.id,
      hash: event.hash,
      reverses: undefined,
      source: "file",
      detail: event.detail,
    };
  }

  #position(marketId: MarketId): OpenPosition {
    const held = this.#positions.get(marketId) ?? { paper: 0n, cost: 0n };
    this.#positions.set(marketId, held);
    return held;
  }

  #moveCredit(kind: EntryKind, amount: CreditUnits, columns: EventColumns): AccountEntry {
    this.#credit += amount;
    return this.#creditLine(kind, amount, columns);
  }

  #creditLine(kind: EntryKind, amount: CreditUnits, columns: EventColumns): AccountEntry {
    const { creditAsset: asset, creditDecimals: decimals } = this.#units;
    return this.#line(kind, { asset, decimals, amount, balance: this.#credit }, columns);
  }

  #baseLine(kind: EntryKind, amount: PaperUnits, columns: EventColumns): AccountEntry {
    const marketId = columns.marketId as MarketId;
    const asset = this.#units.baseAsset(marketId);
    const decimals = this.#units.paperDecimals;
    return this.#line(kind, { asset, decimals, amount, balance: this.position(marketId) }, columns);
  }

  #line(
    kind: EntryKind,
    money: Pick<AccountEntry, "asset" | "decimals" | "amount" | "balance">,
    { timeMs, marketId, id, price, base, hash, source, detail }: EventColumns,
  ): AccountEntry {
    return {
      timeMs,
      kind,
      venue: "exchange",
      marketId,
      ...money,
      position: marketId === undefined ? undefined : this.position(marketId),
      price,
      base,
      id,
      hash,
      reverses: undefined,
      source,
      detail,
    };
  }
}

/**
 * Applies a change of paper for credit to a position at average cost.
 * @returns the realised profit: the credit of the closed part less what that part cost.
 */
function changePosition(held: OpenPosition, paper: PaperUnits, credit: CreditUnits): CreditUnits {
  const size = absolute(paper);
  const open = absolute(held.paper);
  const isClosing = open > 0n && held.paper > 0n !== paper > 0n;
  const closing = isClosing ? smaller(size, open) : 0n;
  // Credit that moves no paper is profit.
  const closeCredit = closing === size ? credit : (credit * closing) / size;
  const returned = closing === 0n ? 0n : (held.cost * closing) / open;
  held.cost -= returned + (credit - closeCredit);
  held.paper += paper;
  return closeCredit - returned;
}
