/**
 * The two sides of the interface: who sends requests and reads answers, and who takes and gives
 * them.
 */
export type Side = "client" | "exchange";

/** One thing that the specification says. */
export interface Rule {
  readonly id: string;
  /** The rule in our own words. */
  readonly rule: string;
  /** Not in the specification itself: taken from what else is known of the protocol. */
  readonly adopted?: true;
  /** Where it concerns one side only: that side, and why the other has no part in it. */
  readonly only?: readonly [side: Side, why: string];
}

/** Every rule of the specification, in its order; ids never change their meaning. */
export const RULES = [
  { id: "G9", rule: "Bodies of answers are JSON." },
  { id: "G1", rule: "Every path stands under the base address with the prefix `/v1`." },
  {
    id: "G2",
    rule: "Prices, amounts and fees are decimal strings in JSON, both ways, and no float ever holds one.",
  },
  {
    id: "G3",
    rule: "Instants are whole milliseconds; only the expiration inside an order's `info` counts seconds.",
  },
  {
    id: "G4",
    rule: "Every identifier keeps all 64 bits, beyond 2^53, through parsing, keeping and the command line.",
  },
  { id: "G5", rule: "GET and DELETE carry their parameters in the query." },
  {
    id: "G6",
    rule: "POST carries them in the query, in a form body or in both, and the body wins; the embedded exchange takes a JSON body too.",
    adopted: true,
  },
  { id: "G7", rule: "Lists ascend: the oldest record comes first.", adopted: true },
  {
    id: "G8",
    rule: "Fields and values that nobody announced (stage, status, order status, filter type, error code) do no harm and reach the client's user.",
    only: [
      "client",
      "it is about reading what another server may send; the embedded exchange decides itself what it sends",
    ],
  },
  {
    id: "I1",
    rule: "exchangeInfo names assets, dealerInfo, eip712, gasFeeInfo, markets, rateLimits, serverTime and timezone, each with all its fields.",
  },
  {
    id: "I9",
    rule: "insuranceAmount, totalTraders, totalVolume and gasFeeInfo move with what happens.",
    only: ["exchange", "where a figure comes from is the server's affair"],
  },
  {
    id: "I2",
    rule: "A market has every field of the table, `OrderType` with its capital letter, and null for liquidatedAt and suspendedAt until they happen.",
  },
  {
    id: "I3",
    rule: "PRICE_FILTER: bounds and tick are checked before sending and enforced on arrival.",
  },
  { id: "I4", rule: "AMOUNT_FILTER: bounds and step of LIMIT orders, likewise." },
  { id: "I5", rule: "MARKET_AMOUNT_FILTER: bounds and step of MARKET orders, likewise." },
  { id: "I6", rule: "MAX_OPEN_ORDERS_FILTER: how many orders may rest, likewise." },
  { id: "I7", rule: "rateLimits lists COMMON and ORDER with intervalSeconds and limit." },
  {
    id: "I8",
    rule: "A client computes domain separator, domain type hash and order type hash itself, and does not trade where one differs.",
    only: ["client", "the comparison is the client's defence against the server"],
  },
  {
    id: "B1",
    rule: "A book answer has bids and asks as [price, amount], best first, with sequence, ticker_id and timestamp.",
  },
  {
    id: "T1",
    rule: "A public trade has id, price, amount, quoteAmount, time, isBuyerMaker and status.",
  },
  { id: "K1", rule: "A candle has its start as time, and open, close, high, low and volume." },
  {
    id: "K2",
    rule: "Candles go by the instant of the match, not of its confirmation.",
    only: ["exchange", "a client cannot tell from a candle by which instant it was made"],
  },
  { id: "F1", rule: "A funding record has marketId, fundingRate and fundingTime." },
  {
    id: "F2",
    rule: "Funding is paid every fundingIntervalSeconds of the market.",
    only: [
      "exchange",
      "paying is the server's act; the client reads its record (F1) and its income (IN1)",
    ],
  },
  {
    id: "C1",
    rule: "A contract summary has every field of the table, its three timestamps as strings.",
  },
  {
    id: "PO1",
    rule: "A position has every field of the table; side is LONG or SHORT, status OPEN or CLOSED.",
  },
  { id: "PO2", rule: "A position is CLOSED exactly when closedAt is set, and null while OPEN." },
  {
    id: "PO3",
    rule: "lastUpdatedAt stands in the positions of riskyAccounts and balances, and not in those of positions.",
  },
  {
    id: "PO4",
    rule: "size, maxSize, entryPrice, exitPrice, sumOpen, sumClose, realizedPnl, unrealizedPnl and liquidationPrice mean what they say over opening, adding, reducing, flipping and closing.",
  },
  {
    id: "RA1",
    rule: "riskyAccounts gives account, isSafe, risk and positions of accounts above 80 % of risk; it is briefly cached, so isSafe may be stale.",
  },
  {
    id: "RA2",
    rule: "Who liquidates confirms on the chain first that the account is unsafe.",
    only: ["client", "the server only points to candidates"],
  },
  { id: "AC1", rule: "An account has address and createdAt." },
  {
    id: "O1",
    rule: "An order has every field of the table, and `json` with perp, signer, sender, paperAmount, creditAmount and info.",
  },
  {
    id: "O2",
    rule: "The available, filled, canceled, pending, expired and failed parts of an order sum to its amount, always.",
  },
  { id: "O3", rule: "averagePrice is absent until something of the order traded." },
  { id: "O4", rule: "`trades` is null where it stands at all." },
  { id: "O5", rule: "expiration is 0 for an order that has none." },
  { id: "BO1", rule: "A build answers with order, orderHash, packedOrder and gasFeeQuotation." },
  {
    id: "UT1",
    rule: "A user trade has every field of the table; commission may be negative, and realizedPNL means something when the trade closes.",
  },
  { id: "IN1", rule: "An income has id, type, amount, time and marketId." },
  {
    id: "BA1",
    rule: "Balances have every field of the table, their maps keyed by market id, serialNumber an integer.",
  },
  { id: "S1", rule: "NEW is active without a fill, PARTIAL_FILLED partly filled, FILLED wholly." },
  { id: "S2", rule: "History orders are those that are active no more; their status is final." },
  {
    id: "S3",
    rule: "order and historyOrders know history orders only, openOrder and openOrders active ones only.",
  },
  { id: "S4", rule: "A cancel that succeeded takes the order off the open orders." },
  { id: "S5", rule: "Trades come to SETTLED." },
  {
    id: "S6",
    rule: "Orders also become CREATED, CANCELED, EXPIRED or FAILED; pending amount turns into filled at settlement, and into failed where the chain refuses it.",
    adopted: true,
  },
  { id: "S7", rule: "A market whose stage or status is not TRADING takes no orders." },
  { id: "P1", rule: "GET /v1/time answers serverTime." },
  { id: "P2", rule: "GET /v1/exchangeInfo answers the rules of trading." },
  {
    id: "P3",
    rule: "GET /v1/orderbook needs marketId; limit is 10, 20, 50, 100, 500 or 1000, by default 500, and nothing else.",
  },
  { id: "P4", rule: "GET /v1/trades needs marketId; limit is 100 by default and 500 at most." },
  {
    id: "P5",
    rule: "GET /v1/historicalTrades likewise, with fromId: ascending from that trade, without it the newest.",
  },
  {
    id: "P6",
    rule: "GET /v1/klines has eleven intervals from 1M to 1MO, startTime inclusive, endTime exclusive, limit 100 by default and 500 at most.",
  },
  { id: "P7", rule: "GET /v1/markPriceKlines is the same of the mark price." },
  {
    id: "P8",
    rule: "GET /v1/fundingRate has startTime inclusive, endTime exclusive, limit 100 by default and 500 at most.",
  },
  { id: "P9", rule: "GET /v1/riskyAccounts takes no parameters." },
  { id: "P10", rule: "GET /v1/contracts answers an object with `contracts`." },
  { id: "P11", rule: "Public endpoints need no credentials." },
  { id: "R1", rule: "POST /v1/account registers; an account that exists is 2018." },
  { id: "R2", rule: "GET /v1/account reads one; an address that is none is 1110." },
  {
    id: "R3",
    rule: "POST /v1/order/build takes marketId, side, orderType, amount, price, timeInForce (GTC when left out) and, for GTT, expiration.",
  },
  {
    id: "R4",
    rule: "POST /v1/order takes the same with orderSignature, info and perhaps gasFeeQuotation; parameters that are not those that were built and signed are refused.",
  },
  {
    id: "R5",
    rule: "Below waiveGasFeeMinimumAmount an order needs its gasFeeQuotation, above it may leave it out; forged, expired or another order's it is refused.",
  },
  {
    id: "R6",
    rule: "DELETE /v1/order takes marketId and orderId and answers 204 without a body; an unknown order is 2011.",
  },
  {
    id: "R7",
    rule: "DELETE /v1/allOpenOrders cancels a market's orders, or all without marketId, and answers 204 without a body.",
  },
  {
    id: "R8",
    rule: "GET /v1/historyOrders takes marketId, startTime, endTime and limit (100, at most 500).",
  },
  { id: "R9", rule: "GET /v1/order takes marketId and orderId, and knows history orders only." },
  { id: "R10", rule: "GET /v1/openOrder takes marketId and orderId, and needs neither." },
  { id: "R11", rule: "GET /v1/openOrders takes marketId, and does not need it." },
  {
    id: "R12",
    rule: "GET /v1/userTrades takes marketId, startTime inclusive, endTime exclusive, limit and fromId; fromId with a time is 1111.",
  },
  {
    id: "R13",
    rule: "GET /v1/incomes takes marketId, type (ALL, or one of thirteen), times and limit (100, at most 500).",
  },
  { id: "R14", rule: "GET /v1/balances answers balances and positions." },
  { id: "R15", rule: "GET /v1/positions answers a list of positions." },
  {
    id: "R16",
    rule: "Placing answers with the order as it was accepted, not with what it traded; that comes by the account stream.",
  },
  { id: "R17", rule: "A GTT order expires more than one minute and less than seven days ahead." },
  {
    id: "R18",
    rule: "In any other time in force the expiration inside info is more than ten years ahead.",
  },
  {
    id: "R19",
    rule: "The info of a GTT order says the same instant as the expiration parameter, within the same bounds.",
  },
  {
    id: "R20",
    rule: "The fee rates in info are the market's, unless an agreement says otherwise; any other are refused.",
  },
  {
    id: "R21",
    rule: "LIMIT and MARKET, BUY and SELL, GTC, IOC, FOK, GTT and POST_ONLY do what their names say; the price is the worst that is accepted.",
  },
  {
    id: "OC1",
    rule: "The domain separator is made of the domain's type hash, name, version, chain id and contract, each as a word.",
  },
  { id: "OC2", rule: "The order's type hash is that of the published type string." },
  { id: "OC3", rule: "perp is the market's contract, signer the signing account." },
  {
    id: "OC4",
    rule: "paperAmount is amount x 10^paperDecimals; creditAmount is price x amount x 10^creditDecimals, rounded down for SELL and (adopted) up in magnitude for BUY.",
  },
  { id: "OC5", rule: "BUY has positive paper and negative credit, SELL the reverse." },
  {
    id: "OC6",
    rule: "info is four big-endian words of 8 bytes: maker and taker rate x 10^18 (adopted: two's complement), expiration in seconds, random nonce.",
  },
  {
    id: "OC7",
    rule: "The order hash is Keccak-256 of 0x1901, the separator, and the Keccak-256 of type hash and encoded tuple.",
  },
  {
    id: "OC8",
    rule: "An order's signature is 65 bytes of hex with 0x whose last byte is 27 or 28.",
  },
  {
    id: "OC9",
    rule: "Both ways of placing work: built by the service and signed, and built locally.",
  },
  { id: "AU1", rule: "Private endpoints refuse who is not authenticated." },
  {
    id: "AU2",
    rule: "Requests carry account, timestamp and signature over the sorted, form-encoded parameters as an EIP-191 message, within 5 s; failures are 1010, 1011, 1012 and 1110.",
    adopted: true,
  },
  { id: "AU3", rule: "An order's signature that is wrong is 1012." },
  { id: "EV1", rule: "ORDER_UPDATE carries one object, `order`." },
  { id: "EV2", rule: "TRADE_UPDATE carries the changes of the account's trades." },
  { id: "EV3", rule: "Updates of the order book stream carry beginSequence and endSequence." },
  {
    id: "EV4",
    rule: "A book stream starts with a snapshot; amounts are absolute and zero deletes; an update begins at the previous end plus one, else the client subscribes anew.",
    adopted: true,
  },
  {
    id: "EV5",
    rule: "/single and /multiple, live SUBSCRIBE and UNSUBSCRIBE, text and protocol pings; 15 s without a pong, 12 hours of age, an 11th message in a second or a 51st stream end or refuse it.",
    adopted: true,
  },
  {
    id: "EV6",
    rule: "The account stream is signed as a request is, and carries ACCOUNT_UPDATE and INCOME_UPDATE besides.",
    adopted: true,
  },
  {
    id: "EV7",
    rule: "The market stream carries mark, index, funding, last price, liquidation thresholds, open interest and figures of 24 hours; trades and candles have streams of their own.",
    adopted: true,
  },
  { id: "ER1", rule: "An error's body has code, codeText and message." },
  { id: "ER2", rule: "2018, 1110, 1112, 1012, 2011 and 1111 come under their very conditions." },
  {
    id: "ER3",
    rule: "Every further code of the protocol is known, and comes under its condition.",
    adopted: true,
  },
  {
    id: "ER4",
    rule: "An unknown market is 1112 in building, history orders, incomes, and wherever else a market is named.",
  },
  {
    id: "L1",
    rule: "The limits COMMON and ORDER are read from exchangeInfo, kept by the client and enforced by the exchange (adopted: 429, and 418 for who carries on).",
  },
  {
    id: "L2",
    rule: "limit is 100 by default and 500 at most in trades, historicalTrades, klines, markPriceKlines, fundingRate, historyOrders, userTrades and incomes.",
  },
  { id: "L3", rule: "Maximum leverage and exposure of a market hold." },
  {
    id: "V1",
    rule: "Placing knows no responseType and answers none; GET /allOrders does not exist.",
  },
  {
    id: "V2",
    rule: "ORDER_UPDATE has `order` and never `orders`; book updates have no single `sequence`.",
  },
  {
    id: "CH1",
    rule: "Settlement happens on the chain, and who liquidates deals with the chain itself: REST offers neither.",
  },
] as const satisfies readonly Rule[];

/** The id of a rule. */
export type RuleId = (typeof RULES)[number]["id"];

const BY_ID: ReadonlyMap<string, Rule> = new Map(RULES.map((rule) => [rule.id, rule]));

/** The rule of an id. @throws Error when there is none */
export function ruleOf(id: string): Rule {
  const rule = BY_ID.get(id);
  if (rule === undefined) throw new Error(`there is no rule ${id}`);
  return rule;
}

/** The sides that a rule concerns. */
export function sidesOf({ only }: Rule): readonly Side[] {
  return only === undefined ? ["client", "exchange"] : [only[0]];
}
