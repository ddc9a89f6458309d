import { z } from "zod";
import { EVERY_INCOME_TYPE, type OrderType } from "../records.js";
import {
  address,
  alwaysWritten,
  anyWord,
  count,
  type DecimalForm,
  EXACT,
  instantOrNull,
  int64Id,
  list,
  marketId,
  ms,
  type OpenEnum,
  openWord,
  record,
  writtenAs,
} from "./values.js";

/** The state of a trade: CREATED at the match, SETTLED after the chain. */
export type TradeStatus = OpenEnum<"CREATED" | "SETTLED" | "FAILED">;

/** The fields of `POST` and `GET /v1/account`. */
export const accountFields = { address, createdAt: ms };
/** `POST` and `GET /v1/account`. */
export const account = record(accountFields);

/** The fields of a trade of the account; a price is quote for one base unit. */
export const userTradeFields = <Value extends z.ZodType>({
  decimal,
  unsigned,
}: DecimalForm<Value>) => ({
  id: int64Id,
  /** The fee paid, in quote units; negative is a rebate received. */
  commission: decimal.meta({ description: "negative: a rebate" }),
  isMaker: z.boolean(),
  isBuyer: z.boolean(),
  marketId,
  price: unsigned,
  /** Base units. */
  amount: unsigned,
  /** Price times amount, in quote units. */
  quoteAmount: unsigned,
  time: ms,
  status: anyWord<TradeStatus>(),
  timeInForce: z.string(),
  /** Meaningful only on closing trades. */
  realizedPNL: decimal,
  orderType: anyWord<OrderType>(),
});
/** A trade of the account, in a list or on its stream. */
export const userTrade = record(userTradeFields(EXACT));
/** `GET /v1/userTrades`. */
export const userTrades = list(userTrade);

/** The fields of an income. */
export const incomeFields = <Value extends z.ZodType>({ decimal }: DecimalForm<Value>) => ({
  id: int64Id,
  /** One of the `type` parameter's values, or one that the protocol does not define. */
  type: openWord(EVERY_INCOME_TYPE),
  /** Signed, quote units. */
  amount: decimal,
  time: ms,
  /** Empty if it belongs to no market. */
  marketId: alwaysWritten(
    writtenAs(
      z
        .string()
        .nullish()
        .transform((market) => market ?? ""),
      z.string().meta({ description: "empty where it belongs to no market" }),
    ),
  ),
});
/** An income of the account. */
export const income = record(incomeFields(EXACT));
/** `GET /v1/incomes`, and the incomes of INCOME_UPDATE. */
export const incomes = list(income);

/** The fields of a position. CLOSED exactly when `closedAt` is set. */
export const positionFields = <Value extends z.ZodType>({
  decimal,
  unsigned,
  signedToo,
}: DecimalForm<Value>) => ({
  marketId,
  side: openWord(["LONG", "SHORT"]),
  status: openWord(["OPEN", "CLOSED"]),
  /** Base units, unsigned. */
  size: unsigned,
  maxSize: unsigned,
  /** Quote units. */
  unrealizedPnl: decimal,
  realizedPnl: decimal,
  entryPrice: signedToo,
  exitPrice: signedToo,
  /** null while open. */
  closedAt: instantOrNull,
  sumOpen: unsigned,
  sumClose: unsigned,
  liquidationPrice: signedToo,
});
/** An element of `GET /v1/positions`, as our exchange writes it. */
export const undatedPosition = record(positionFields(EXACT));
/** A position in balances and risky accounts, as our exchange writes it. */
export const datedPosition = record({ ...positionFields(EXACT), lastUpdatedAt: ms });

const anyPosition = record({
  ...positionFields(EXACT),
  /** Present in balances and risky accounts, absent in `GET /v1/positions`. */
  lastUpdatedAt: ms.optional(),
});

/** A position; on some servers' streams its market is named by `symbol`. */
const position: z.ZodType<z.output<typeof anyPosition>, WirePosition> = z.preprocess((value) => {
  if (typeof value !== "object" || value === null || "marketId" in value || !("symbol" in value))
    return value;
  const { symbol, ...rest } = value;
  return { marketId: symbol, ...rest };
}, anyPosition) as never;

/** `GET /v1/positions`. */
export const positions = list(writtenAs(position, undatedPosition));
/** The positions of balances and of accounts at risk. */
const datedPositions = list(writtenAs(position, datedPosition));

/** The fields of `balances`; quote units unless stated otherwise. */
export const balancesFields = <Value extends z.ZodType>({
  decimal,
  signedToo,
}: DecimalForm<Value>) => ({
  /** By market id. */
  availableCreditAmounts: z.record(z.string(), z.object({ buy: signedToo, sell: signedToo })),
  availableMargin: decimal,
  exposure: signedToo,
  frozenMargin: signedToo,
  isSafe: z.boolean(),
  leverage: decimal,
  marginRate: decimal,
  netValue: decimal,
  pendingWithdrawPrimaryCreditAmount: signedToo,
  pendingWithdrawSecondaryCreditAmount: signedToo,
  /** By market id: the snapshot on the chain. */
  perpetualBalances: z.record(
    z.string(),
    z.object({
      creditAmount: decimal,
      paperAmount: decimal,
      serialNumber: writtenAs(z.int(), count),
    }),
  ),
  positionMargin: signedToo,
  primaryCreditAmount: decimal,
  secondaryCreditAmount: decimal,
});
/** `balances` of `GET /v1/balances` and of ACCOUNT_UPDATE. */
export const accountBalances = record(balancesFields(EXACT));
/** `GET /v1/balances`, and the body of ACCOUNT_UPDATE. */
export const balances = record({ balances: accountBalances, positions: datedPositions });

/** An element of `GET /v1/riskyAccounts`. */
export const riskyAccount = record({
  account: address,
  isSafe: z.boolean().meta({ description: "may be stale: confirm on the chain" }),
  risk: EXACT.signedToo,
  positions: datedPositions,
});
/** `GET /v1/riskyAccounts`. */
export const riskyAccounts = list(riskyAccount);

/** `POST` and `GET /v1/account` as JSON. */
export type WireAccount = z.input<typeof account>;
/** A trade of the account as JSON. */
export type WireUserTrade = z.input<typeof userTrade>;
/** An income as JSON. */
export type WireIncome = z.input<typeof income>;
/** A position as JSON; on the account stream some servers write `symbol` for `marketId`. */
export type WirePosition = Omit<z.input<typeof anyPosition>, "marketId"> & {
  readonly marketId?: string;
  readonly symbol?: string;
};
/** `balances` of `GET /v1/balances` and of ACCOUNT_UPDATE as JSON. */
export type WireBalances = z.input<typeof accountBalances>;
/** `GET /v1/balances` as JSON. */
export type WireBalancesResponse = z.input<typeof balances>;
/** An element of `GET /v1/riskyAccounts` as JSON. */
export type WireRiskyAccount = z.input<typeof riskyAccount>;

/** `POST` and `GET /v1/account`. */
export type Account = z.output<typeof account>;
/** A trade of the account. */
export type UserTrade = z.output<typeof userTrade>;
/** An income of the account. */
export type Income = z.output<typeof income>;
/** A position. */
export type Position = z.output<typeof position>;
/** `balances` of `GET /v1/balances` and of ACCOUNT_UPDATE. */
export type AccountBalances = z.output<typeof accountBalances>;
/** The state of the account in one market on the chain. */
export type PerpetualBalance = AccountBalances["perpetualBalances"][string];
/** `GET /v1/balances`. */
export type Balances = z.output<typeof balances>;
/** An element of `GET /v1/riskyAccounts`. `isSafe` may be stale: confirm on the chain. */
export type RiskyAccount = z.output<typeof riskyAccount>;
