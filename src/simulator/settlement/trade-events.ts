import { AbiCoder, Interface } from "ethers";
import { dealerAbi } from "../../chain/abi/dealer.generated.js";
import { FormatError } from "../../core/errors.js";
import type { Hex } from "../../core/units.js";
import type { EmbeddedChain } from "../chain/embedded-chain.js";
import type { ChainEvent, EventLog } from "./chain-events.js";

/** Dependencies to read trades. Addresses in lower case. */
export interface TradeReaderDeps {
  readonly chain: EmbeddedChain;
  readonly dealer: Hex;
  readonly perps: ReadonlySet<Hex>;
}

/**
 * The fields of a mined transaction that determine the sender of its trades. Addresses in lower
 * case.
 */
export interface TradingTransaction {
  readonly hash: Hex;
  readonly from: Hex;
  /** Null for a deployment. */
  readonly to: Hex | null;
}

/** A trade that the dealer approved, with the number of orders that it filled. */
interface ApprovedTrade {
  readonly orderSender: Hex;
  readonly fills: number;
}

/** A call within a transaction, as go-ethereum's `callTracer` writes it. */
interface CallFrame {
  readonly type: string;
  readonly to?: Hex;
  readonly input: Hex;
  /** The reason why it was reverted, with everything that it called. */
  readonly error?: string;
  readonly logs?: readonly EventLog[];
  readonly calls?: readonly CallFrame[];
}

const DEALER = new Interface(dealerAbi);
const APPROVE_TRADE = DEALER.getFunction("approveTrade")?.selector ?? "";
const ORDER_FILLED = DEALER.getEvent("OrderFilled")?.topicHash;

/**
 * Adds the sender of each trade before its fills. No event has the sender: the dealer credits the
 * fees to the caller of the perpetual, which it receives with the call of `approveTrade`. A
 * transaction to a perpetual is one trade of its own sender; any other is traced.
 * @throws ChainRequestError and RunError as the chain does; FormatError when trace and events do
 * not match
 */
export async function insertTradeEvents(
  events: readonly ChainEvent[],
  { hash, from, to }: TradingTransaction,
  { chain, dealer, perps }: TradeReaderDeps,
): Promise<readonly ChainEvent[]> {
  const fills = events.filter(({ kind }) => kind === "order-filled").length;
  if (fills === 0) return events;
  const isDirect = to !== null && perps.has(to);
  const trades = isDirect
    ? [{ orderSender: from, fills }]
    : await approvedTrades(hash, chain, dealer);
  const traced = trades.reduce((sum, trade) => sum + trade.fills, 0);
  if (traced !== fills) {
    throw new FormatError("the fills in the trace of a transaction differ from its events", {
      field: hash,
      value: traced,
      expected: `${fills}`,
    });
  }
  const waiting = trades.filter((trade) => trade.fills > 0);
  const marked: ChainEvent[] = [];
  let left = 0;
  for (const event of events) {
    if (event.kind === "order-filled") {
      if (left === 0) {
        const { orderSender, fills: ofTrade } = waiting.shift() as ApprovedTrade;
        marked.push({ kind: "trade", orderSender });
        left = ofTrade;
      }
      left -= 1;
    }
    marked.push(event);
  }
  return marked;
}

async function approvedTrades(
  hash: Hex,
  chain: EmbeddedChain,
  dealer: Hex,
): Promise<ApprovedTrade[]> {
  const options = { tracer: "callTracer", tracerConfig: { withLog: true } };
  const trades: ApprovedTrade[] = [];
  const visit = ({ type, to, input, error, logs = [], calls = [] }: CallFrame): void => {
    if (error !== undefined) return;
    if (type === "CALL" && to?.toLowerCase() === dealer && input.startsWith(APPROVE_TRADE)) {
      const [orderSender] = AbiCoder.defaultAbiCoder().decode(
        ["address"],
        `0x${input.slice(10, 74)}`,
      ) as unknown as [Hex];
      const fills = logs.filter(({ topics }) => topics[0] === ORDER_FILLED).length;
      trades.push({ orderSender: orderSender.toLowerCase() as Hex, fills });
    }
    for (const call of calls) visit(call);
  };
  visit((await chain.request("debug_traceTransaction", hash, options)) as CallFrame);
  return trades;
}
