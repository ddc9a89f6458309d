import { z } from "zod";

/** A signed decimal as the exchange writes it. */
const decimal = z.string().regex(/^-?\d{1,40}(\.\d{1,30})?$/);
/** An identifier beyond 2^53 comes as a string, after the text was parsed. */
const id = z.union([z.int().nonnegative(), z.string().regex(/^\d{1,19}$/)]).transform(String);
const timeMs = z.int().nonnegative();
const side = z.enum(["BUY", "SELL"]);

/** An order, as every request returns it. */
export const usdmOrderShape = z.object({
  symbol: z.string(),
  orderId: id,
  clientOrderId: z.string(),
  side,
  status: z.string(),
  origQty: decimal,
  executedQty: decimal,
});

export const usdmOrdersShape = z.array(usdmOrderShape);

/** Trades of the account. */
export const usdmTradesShape = z.array(
  z.object({
    symbol: z.string(),
    id,
    orderId: id,
    side,
    price: decimal,
    qty: decimal,
    commission: decimal,
    commissionAsset: z.string(),
    time: timeMs,
    maker: z.boolean(),
  }),
);

/** Incomes of the account. */
export const usdmIncomesShape = z.array(
  z.object({ symbol: z.string(), tranId: id, income: decimal, asset: z.string(), time: timeMs }),
);

/** The account with its balances and all positions. */
export const usdmAccountShape = z.object({
  assets: z.array(
    z.object({ asset: z.string(), marginBalance: decimal, availableBalance: decimal }),
  ),
  positions: z.array(
    z.object({
      symbol: z.string(),
      positionSide: z.string(),
      positionAmt: decimal,
      leverage: z.string().regex(/^\d{1,4}$/),
    }),
  ),
});

export const usdmPositionModeShape = z.object({ dualSidePosition: z.boolean() });

export const usdmAssetsModeShape = z.object({ multiAssetsMargin: z.boolean() });

export const usdmListenKeyShape = z.object({ listenKey: z.string().min(1) });

export const usdmTimeShape = z.object({ serverTime: timeMs });

/** Rights of an API key; those that the exchange does not name are not there. */
export const usdmKeyRightsShape = z.object({
  enableWithdrawals: z.boolean().optional(),
  enableInternalTransfer: z.boolean().optional(),
  enableFutures: z.boolean().optional(),
  permitsUniversalTransfer: z.boolean().optional(),
});

/** The touch by REST. */
export const usdmBookTickerShape = z.object({
  symbol: z.string(),
  bidPrice: decimal,
  bidQty: decimal,
  askPrice: decimal,
  askQty: decimal,
});

/** Mark and funding of one contract; the rate is empty for a contract without funding. */
export const usdmPremiumIndexShape = z.object({
  symbol: z.string(),
  lastFundingRate: z.union([decimal, z.literal("")]),
  nextFundingTime: timeMs,
});

/** A message of the stream of touches, within the name of its stream. */
export const usdmTouchMessageShape = z.object({
  data: z.object({
    e: z.literal("bookTicker"),
    s: z.string(),
    b: decimal,
    B: decimal,
    a: decimal,
    A: decimal,
  }),
});

/** The type of a message of the user stream. */
export const usdmMessageShape = z.object({ e: z.string() });

/** ORDER_TRADE_UPDATE. */
export const usdmOrderMessageShape = z.object({
  o: z.object({
    s: z.string(),
    c: z.string(),
    S: side,
    q: decimal,
    x: z.string(),
    X: z.string(),
    i: id,
    l: decimal,
    z: decimal,
    L: decimal,
    /** Commission and its asset; absent in a message without a fill. */
    n: decimal.optional(),
    N: z.string().nullish(),
    T: timeMs,
    t: id,
    m: z.boolean(),
  }),
});

/** ACCOUNT_UPDATE. */
export const usdmAccountMessageShape = z.object({ a: z.object({ m: z.string() }) });

/** The part of a market in ccxt that says which kind of contract it is. */
export const ccxtMarketShape = z.object({
  id: z.string(),
  base: z.string(),
  quote: z.string(),
  settle: z.string().nullish(),
  contract: z.boolean().nullish(),
  linear: z.boolean().nullish(),
  contractSize: z.union([z.string(), z.number()]).nullish(),
  info: z.object({
    status: z.string(),
    contractType: z.string(),
    filters: z.array(z.looseObject({ filterType: z.string() })),
  }),
});

/** PRICE_FILTER. */
export const usdmPriceFilterShape = z.object({ tickSize: decimal });

/** LOT_SIZE. */
export const usdmLotFilterShape = z.object({
  minQty: decimal,
  maxQty: decimal,
  stepSize: decimal,
});

/** MIN_NOTIONAL. */
export const usdmNotionalFilterShape = z.object({ notional: decimal });
