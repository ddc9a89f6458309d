import { keccak256 } from "#core/keccak.js";
import { MINUTE_MS } from "#core/units.js";
import { computeOrderCapacity } from "#perpetual/margin.js";
import type { Order } from "#simulator/account.js";
import { AccountEndpoints } from "#simulator/account-endpoints.js";
import { positionRecords } from "#simulator/account-records.js";
import { ApiError } from "#simulator/api-error.js";
import { readAddress } from "#simulator/authentication.js";
import { ExchangeState } from "#simulator/exchange-state.js";
import type { ScheduledFees } from "#simulator/fee-schedule.js";
import { GasFeeQuotations } from "#simulator/gas-fee-quotation.js";
import { MatchingEngine } from "#simulator/matching-engine.js";
import { OrderEndpoints } from "#simulator/order-endpoints.js";
import { OrderEntry } from "#simulator/order-entry.js";
import { OrderFees } from "#simulator/order-fees.js";
import { ORDER_TYPE_HASH, VenueOrderHasher, venueDomainSeparator } from "#simulator/order-hash.js";
import { type SignedOrderInfo, writeOrderInfo } from "#simulator/order-info.js";
import { orderRecord, orderStructRecord, signedAmounts } from "#simulator/order-record.js";
import { isAcceptedGttLife, type RequestedOrder, requestedOrder } from "#simulator/order-terms.js";
import { required } from "#simulator/parameters.js";
import { writeRecord } from "#simulator/write-json.js";
import { breaksOf, broken, hidden } from "../break.js";
import { recoded, unrefused, unsaid } from "./kit.js";

/** The embedded exchange without one rule on its requests and their signatures. */
export const EXCHANGE_REQUEST_BREAKS = breaksOf("exchange", import.meta.url, [
  broken(
    "R1",
    "an account may be registered again",
    () => AccountEndpoints.prototype.register,
    (_register, endpoints: AccountEndpoints) => (address) =>
      endpoints.read(endpoints.open(address)),
  ),
  broken(
    "R2",
    "an address that is none is a bad parameter",
    () => readAddress,
    (read) => (parameters) => recoded(1110, 1111, () => read(parameters)),
  ),
  broken(
    "R3",
    "timeInForce may not be left out",
    () => requestedOrder,
    (read) => (state, parameters) => {
      required(parameters, "timeInForce");
      return read(state, parameters);
    },
  ),
  broken(
    "R4",
    "an order may be placed again and again",
    () => ExchangeState.prototype.addOrderHash,
    () => () => {},
  ),
  broken(
    "R5",
    "a token is good for any order",
    hidden<(orderHash: string, untilMs: number) => string>(() => GasFeeQuotations, "#seal"),
    (seal) => (_orderHash, untilMs) => seal("0x", untilMs),
  ),
  broken(
    "R6",
    "cancelling an unknown order succeeds",
    () => OrderEndpoints.prototype.cancel,
    (cancel) => (account, parameters) =>
      unrefused(
        2011,
        () => cancel(account, parameters),
        () => {},
      ),
  ),
  broken(
    "R7",
    "cancel-all does not look at the market",
    () => OrderEndpoints.prototype.cancelAll,
    (cancelAll) => (account, parameters) => cancelAll(account, unsaid(parameters, "marketId")),
  ),
  broken(
    "R8",
    "history orders do not look at startTime",
    () => OrderEndpoints.prototype.historyOrders,
    (historyOrders) => (account, parameters) =>
      historyOrders(account, unsaid(parameters, "startTime")),
  ),
  broken(
    "R9",
    "GET order needs no id",
    hidden<(parameters: ReadonlyMap<string, string>) => string>(() => OrderEndpoints, "requiredId"),
    () => (parameters) => parameters.get("orderId") ?? "0",
  ),
  broken(
    "R10",
    "GET openOrder needs an id",
    () => OrderEndpoints.prototype.openOrder,
    (openOrder) => (account, parameters) => {
      required(parameters, "orderId");
      return openOrder(account, parameters);
    },
  ),
  broken(
    "R11",
    "open orders are those of every market",
    () => OrderEndpoints.prototype.openOrders,
    (openOrders) => (account, parameters) => openOrders(account, unsaid(parameters, "marketId")),
  ),
  broken(
    "R12",
    "fromId goes with a time",
    () => AccountEndpoints.prototype.userTrades,
    (userTrades) => (account, parameters) =>
      userTrades(
        account,
        parameters.has("fromId") ? unsaid(parameters, "startTime", "endTime") : parameters,
      ),
  ),
  broken(
    "R13",
    "incomes are of every type",
    () => AccountEndpoints.prototype.incomes,
    (incomes) => (account, parameters) => incomes(account, unsaid(parameters, "type")),
  ),
  broken(
    "R14",
    "balances come without positions",
    () => AccountEndpoints.prototype.balancesAnswer,
    (answer) => (account) => ({ ...answer(account), positions: [] }),
  ),
  broken(
    "R15",
    "positions list closed ones whatever the venue chose",
    () => positionRecords,
    (records) => (account, markets, shown) =>
      records(account, markets, { ...shown, closed: shown.closed || !shown.updatedAt }),
  ),
  broken(
    "R16",
    "the answer to a place is what became of the order",
    () => OrderEntry.prototype.place,
    (place) => (account, parameters) => {
      const id = /\d+/.exec(place(account, parameters))?.[0] as string;
      const part = account.markets.get(parameters.get("marketId") as string);
      const order = account.activeOrders.get(id) ?? part?.history.find(id);
      return writeRecord(orderRecord(order as Order, "ms"));
    },
  ),
  broken(
    "R17",
    "GTT may live for a minute",
    () => isAcceptedGttLife,
    (isLife) => (lifeMs) => isLife(lifeMs) || lifeMs === MINUTE_MS,
  ),
  broken(
    "R18",
    "ten years ahead are enough",
    hidden<(signedSeconds: number, nowMs: number) => boolean>(() => OrderEntry, "isTenYearsAhead"),
    (isAhead) => (signedSeconds, nowMs) => isAhead(signedSeconds + 1, nowMs),
  ),
  broken(
    "R19",
    "info may name another end than the parameter",
    hidden<(requested: RequestedOrder, info: SignedOrderInfo) => number>(
      () => OrderEntry,
      "#checkExpiration",
    ),
    (check) => (requested, info) => requested.expirationMs || check(requested, info),
  ),
  broken(
    "R20",
    "the maker's rate is not looked at",
    hidden<(info: SignedOrderInfo, rates: ScheduledFees) => boolean>(
      () => OrderFees,
      "carriesRates",
    ),
    (carriesRates) => (info, rates) => carriesRates({ ...info, makerRate: rates.makerRate }, rates),
  ),
  broken(
    "R21",
    "a FOK order fills in part",
    () => MatchingEngine.prototype.canFill,
    () => () => true,
  ),
  broken(
    "L3",
    "exposure has no limit",
    () => computeOrderCapacity,
    (capacity) => (credit, positions, own) => capacity(credit, positions, own, undefined),
  ),
  broken(
    "OC1",
    "the separator forgets the chain",
    () => venueDomainSeparator,
    (separator) => (domain) => separator({ ...domain, chainId: 0 }),
  ),
  broken(
    "OC2",
    "the order's type names its signer otherwise",
    () => ORDER_TYPE_HASH,
    () =>
      keccak256(
        Buffer.from(
          "Order(address perp,address trader,int128 paperAmount,int128 creditAmount,bytes32 info)",
        ),
      ),
  ),
  broken(
    "OC3",
    "a built order names its sender as signer",
    () => orderStructRecord,
    (record) => (terms) => {
      const { sender, ...rest } = record(terms);
      return { ...rest, sender, signer: sender as string };
    },
  ),
  broken(
    "OC4",
    "a BUY is rounded down",
    () => requestedOrder,
    (read) => (state, parameters) => {
      const requested = read(state, parameters);
      const { market, ticks, lots } = requested;
      return { ...requested, credit: market.instrument.creditFloor(ticks, lots) };
    },
  ),
  broken(
    "OC5",
    "buying gives positive credit",
    () => signedAmounts,
    (amounts) => (market, side, lots, credit) => ({
      ...amounts(market, side, lots, credit),
      credit,
    }),
  ),
  broken(
    "OC6",
    "info holds the taker's rate first",
    () => writeOrderInfo,
    (write) =>
      (makerRate, takerRate, ...rest) =>
        write(takerRate, makerRate, ...rest),
  ),
  broken(
    "OC7",
    "the hash begins with other bytes",
    hidden<readonly number[]>(() => VenueOrderHasher, "ENVELOPE_HEAD"),
    () => [0x19, 0x45],
  ),
  broken(
    "OC8",
    "raw recovery ids are taken",
    hidden<RegExp>(() => OrderEntry, "RECOVERY_BYTE"),
    () => /(1b|1c|00|01)$/,
  ),
  broken(
    "OC9",
    "only what the service built is taken",
    () => OrderFees.prototype.check,
    (check) =>
      (...asked) => {
        if (asked[4] === undefined) throw new ApiError(4012, "build first");
        check(...asked);
      },
  ),
]);
