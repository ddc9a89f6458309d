import { decimalToScaled } from "../../core/instrument.js";
import type { MarketId, Ms } from "../../core/units.js";
import type { ExchangeClient } from "../../exchange/client/exchange-client.js";
import type { Balances, Income, UserTrade } from "../../exchange/protocol/account.js";
import { decodeRules } from "../../exchange/protocol/decode-rules.js";
import { MarketUnits } from "../market-units.js";
import type {
  ExchangeStatement,
  StatementBalances,
  StatementIncome,
  StatementTrade,
} from "./exchange-statement.js";

/** Most readings of the ends of the lists. An account may trade all the time. */
const MOST_READINGS = 8;

/**
 * Reads all that the exchange lists of the account: signed reads, page by page, within its rate
 * limits. Balances and lists must be of one instant: the ends of the lists are read again after the
 * balances, until nothing is new.
 * @throws what the client's requests throw
 */
export async function readStatement(client: ExchangeClient): Promise<ExchangeStatement> {
  // The client takes the exchange's rate limits from this response.
  await client.exchangeInfo();
  const units = MarketUnits.fromRules(decodeRules(await client.call("exchangeInfo"), []));
  const lists = new AccountLists(client, units);
  await lists.read();
  for (let reading = 1; ; reading += 1) {
    const balances = await readBalances(client, units);
    const isStable = !(await lists.read());
    if (isStable || reading === MOST_READINGS)
      return { units, trades: lists.trades, incomes: lists.incomes, balances, isStable };
  }
}

/** The account's trades and incomes, read on from where the last reading ended. */
class AccountLists {
  readonly #client: ExchangeClient;
  readonly #units: MarketUnits;
  readonly #trades = new Map<MarketId, Map<string, StatementTrade>>();
  readonly #incomes = new Map<string, StatementIncome>();
  /** Newest income of each market's list. */
  readonly #newestMs = new Map<MarketId, Ms>();

  constructor(client: ExchangeClient, units: MarketUnits) {
    this.#client = client;
    this.#units = units;
  }

  get trades(): readonly StatementTrade[] {
    return [...this.#trades.values()].flatMap((trades) => [...trades.values()]);
  }

  get incomes(): readonly StatementIncome[] {
    return [...this.#incomes.values()].sort((one, other) => one.timeMs - other.timeMs);
  }

  /** Reads on. @returns true if anything is new. */
  async read(): Promise<boolean> {
    let isNew = false;
    for (const marketId of this.#units.marketIds) {
      if (await this.#readTrades(marketId)) isNew = true;
      if (await this.#readIncomes(marketId)) isNew = true;
    }
    return isNew;
  }

  async #readTrades(marketId: MarketId): Promise<boolean> {
    const known = this.#trades.get(marketId) ?? new Map<string, StatementTrade>();
    this.#trades.set(marketId, known);
    let isNew = false;
    const fromId = firstOpenId(known);
    for await (const wire of this.#client.all.userTrades({ marketId, fromId })) {
      const trade = toTrade(wire, this.#units);
      const key = `${trade.id} ${trade.side}`;
      if (known.get(key)?.state !== trade.state) isNew = true;
      known.set(key, trade);
    }
    return isNew;
  }

  async #readIncomes(marketId: MarketId): Promise<boolean> {
    const startTime = this.#newestMs.get(marketId);
    let isNew = false;
    const range = startTime === undefined ? {} : { startTime };
    for await (const wire of this.#client.all.incomes({ marketId, ...range })) {
      const income = toIncome(wire, this.#units);
      // An exchange may write several incomes of one event under one id.
      const key = `${income.id} ${income.type} ${income.amount} ${income.marketId}`;
      this.#newestMs.set(marketId, income.timeMs);
      if (this.#incomes.has(key)) continue;
      this.#incomes.set(key, income);
      isNew = true;
    }
    return isNew;
  }
}

/** The oldest trade that may still settle or fail; else the newest. */
function firstOpenId(known: ReadonlyMap<string, StatementTrade>): string {
  let newest = "0";
  for (const { id, state } of known.values()) {
    if (state === "pending") return id;
    newest = id;
  }
  return newest;
}

async function readBalances(
  client: ExchangeClient,
  units: MarketUnits,
): Promise<StatementBalances> {
  const { balances, positions } = await client.balances();
  const { creditDecimals, paperDecimals } = units;
  const credit = (value: unknown, field: string): bigint =>
    decimalToScaled(String(value), creditDecimals, field);
  let total = credit(balances.primaryCreditAmount, "balances.primaryCreditAmount");
  const settledPaper = new Map<MarketId, bigint>();
  for (const [marketId, held] of Object.entries(balances.perpetualBalances)) {
    total += credit(held.creditAmount, `balances.perpetualBalances.${marketId}.creditAmount`);
    const paper = decimalToScaled(
      String(held.paperAmount),
      paperDecimals,
      `balances.perpetualBalances.${marketId}.paperAmount`,
    );
    if (paper !== 0n) settledPaper.set(marketId, paper);
  }
  return {
    atMs: client.nowMs(),
    credit: total,
    secondaryCredit: credit(balances.secondaryCreditAmount, "balances.secondaryCreditAmount"),
    settledPaper,
    matchedPaper: openPaper(positions, paperDecimals),
  };
}

function openPaper(
  positions: Balances["positions"],
  paperDecimals: number,
): ReadonlyMap<MarketId, bigint> {
  const held = new Map<MarketId, bigint>();
  for (const { marketId, side, status, size } of positions) {
    if (status === "CLOSED") continue;
    const paper = decimalToScaled(String(size), paperDecimals, `positions.${marketId}.size`);
    if (paper !== 0n) held.set(marketId, side === "SHORT" ? -paper : paper);
  }
  return held;
}

function toTrade(wire: UserTrade, { creditDecimals, paperDecimals }: MarketUnits): StatementTrade {
  const { id, marketId, isMaker, isBuyer, price, amount, quoteAmount, commission, time } = wire;
  return {
    id,
    marketId,
    side: isBuyer ? "BUY" : "SELL",
    isMaker,
    price: String(price),
    paper: decimalToScaled(String(amount), paperDecimals, "userTrades.amount"),
    quote: decimalToScaled(String(quoteAmount), creditDecimals, "userTrades.quoteAmount"),
    commission: decimalToScaled(String(commission), creditDecimals, "userTrades.commission"),
    timeMs: time,
    state: wire.status === "SETTLED" ? "settled" : wire.status === "FAILED" ? "failed" : "pending",
  };
}

function toIncome(wire: Income, { creditDecimals }: MarketUnits): StatementIncome {
  const { id, type, amount, time, marketId } = wire;
  return {
    id,
    type,
    amount: decimalToScaled(String(amount), creditDecimals, "incomes.amount"),
    timeMs: time,
    marketId: marketId === "" ? undefined : marketId,
  };
}
