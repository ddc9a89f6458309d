import { type EventFragment, Interface, type LogDescription } from "ethers";
import { dealerAbi } from "../../chain/abi/dealer.generated.js";
import { perpetualAbi } from "../../chain/abi/perpetual.generated.js";
import { settablePriceSourceAbi } from "../../chain/abi/settable-price-source.generated.js";
import { FormatError } from "../../core/errors.js";
import type { CreditUnits, Hex, PaperUnits } from "../../core/units.js";
import type { DealerEventFormat } from "../chain/dealer-event-format.js";
import type { ChainAddresses } from "../chain/deployment.js";

/**
 * Credit that came to an account or left it: `account` has it or had it, `other` paid or received
 * it.
 */
export interface FundsEvent {
  readonly kind: "deposit" | "withdraw";
  readonly account: Hex;
  readonly other: Hex;
  readonly primary: CreditUnits;
  readonly secondary: CreditUnits;
}

/** Credit that moved between two accounts of the dealer, one event for each. */
export interface TransferEvent {
  readonly kind: "transfer-in" | "transfer-out";
  readonly account: Hex;
  readonly primary: CreditUnits;
  readonly secondary: CreditUnits;
}

/**
 * The withdrawal of an account that waits on chain for its time lock, in place of an earlier one;
 * of zero when none does.
 */
export interface PendingWithdrawalEvent {
  readonly kind: "waiting-withdrawal";
  readonly account: Hex;
  readonly primary: CreditUnits;
  readonly secondary: CreditUnits;
}

/** Somebody may sign for an account, or no more. */
export interface OperatorEvent {
  readonly kind: "operator";
  readonly account: Hex;
  readonly operator: Hex;
  readonly isValid: boolean;
}

/** The dealer approved a trade, whose fills follow: its fees are the order sender's. */
export interface TradeEvent {
  readonly kind: "trade";
  readonly orderSender: Hex;
}

/**
 * A part of an order was traded: `credit` before the fee, both signed as they change the trader's
 * balance.
 */
export interface OrderFilledEvent {
  readonly kind: "order-filled";
  readonly orderHash: Hex;
  readonly account: Hex;
  readonly perp: Hex;
  readonly paper: PaperUnits;
  readonly credit: CreditUnits;
  readonly fee: CreditUnits;
}

/** An account lost a part of a position: `credit` after the insurance fee. */
export interface LiquidatedEvent {
  readonly kind: "liquidated";
  readonly account: Hex;
  readonly perp: Hex;
  readonly paper: PaperUnits;
  readonly credit: CreditUnits;
}

/** An account took a part of another's position over. */
export interface LiquidateEvent {
  readonly kind: "liquidate";
  readonly account: Hex;
  readonly victim: Hex;
  readonly perp: Hex;
  readonly paper: PaperUnits;
  readonly credit: CreditUnits;
}

/** What the victim of a liquidation paid to the insurance account. */
export interface InsuranceFeeEvent {
  readonly kind: "insurance-fee";
  readonly account: Hex;
  readonly perp: Hex;
  readonly fee: CreditUnits;
}

/** All credit of an account, a debt, went to the insurance account. */
export interface BadDebtEvent {
  readonly kind: "bad-debt";
  readonly account: Hex;
  readonly primary: CreditUnits;
  readonly secondary: CreditUnits;
}

/** A balance of a market changed by a trade or a liquidation, fees included. */
export interface BalanceEvent {
  readonly kind: "balance";
  readonly account: Hex;
  readonly perp: Hex;
  readonly paper: PaperUnits;
  readonly credit: CreditUnits;
}

/** A market's cumulative funding, credit units per whole unit of paper. */
export interface FundingEvent {
  readonly kind: "funding";
  readonly perp: Hex;
  readonly oldRate: CreditUnits;
  readonly newRate: CreditUnits;
}

/** A mark price, credit units per whole unit of paper. */
export interface MarkEvent {
  readonly kind: "mark";
  readonly priceSource: Hex;
  readonly price: CreditUnits;
  readonly updatedAtSeconds: number;
}

/** Whose account takes debts over from now on. */
export interface InsuranceEvent {
  readonly kind: "insurance";
  readonly account: Hex;
}

/**
 * What the contracts tell, as far as an exchange's accounts and marks depend on it. Addresses in
 * lower case.
 */
export type ChainEvent =
  | FundsEvent
  | TransferEvent
  | PendingWithdrawalEvent
  | OperatorEvent
  | TradeEvent
  | OrderFilledEvent
  | LiquidatedEvent
  | LiquidateEvent
  | InsuranceFeeEvent
  | BadDebtEvent
  | BalanceEvent
  | FundingEvent
  | MarkEvent
  | InsuranceEvent;

/** A log as a receipt has it. */
export interface EventLog {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

type Reading = (event: LogDescription, emitter: Hex) => ChainEvent;

const account = (event: LogDescription, name: string): Hex =>
  String(event.args.getValue(name)).toLowerCase() as Hex;
const amount = (event: LogDescription, name: string): bigint => event.args.getValue(name) as bigint;
const both = (event: LogDescription) => ({
  primary: amount(event, "primaryAmount"),
  secondary: amount(event, "secondaryAmount"),
});
const change = (event: LogDescription) => ({
  perp: account(event, "perp"),
  paper: amount(event, "paperChange"),
  credit: amount(event, "creditChange"),
});

const ofDealer = ({ isFilledCreditNet }: DealerEventFormat): Readonly<Record<string, Reading>> => ({
  Deposit: (event) => ({
    kind: "deposit",
    account: account(event, "to"),
    other: account(event, "payer"),
    ...both(event),
  }),
  // Its `payer` is whose credit it was, its `to` who has the tokens now.
  Withdraw: (event) => ({
    kind: "withdraw",
    account: account(event, "payer"),
    other: account(event, "to"),
    ...both(event),
  }),
  TransferIn: (event) => ({
    kind: "transfer-in",
    account: account(event, "trader"),
    ...both(event),
  }),
  TransferOut: (event) => ({
    kind: "transfer-out",
    account: account(event, "trader"),
    ...both(event),
  }),
  RequestWithdraw: (event) => ({
    kind: "waiting-withdrawal",
    account: account(event, "payer"),
    ...both(event),
  }),
  SetOperator: (event) => ({
    kind: "operator",
    account: account(event, "client"),
    operator: account(event, "operator"),
    isValid: event.args.getValue("isValid") === true,
  }),
  OrderFilled: (event) => ({
    kind: "order-filled",
    orderHash: String(event.args.getValue("orderHash")) as Hex,
    account: account(event, "trader"),
    perp: account(event, "perp"),
    paper: amount(event, "orderFilledPaperAmount"),
    credit: amount(event, "filledCreditAmount") + (isFilledCreditNet ? amount(event, "fee") : 0n),
    fee: amount(event, "fee"),
  }),
  BeingLiquidated: (event) => ({
    kind: "liquidated",
    account: account(event, "liquidatedTrader"),
    ...change(event),
  }),
  JoinLiquidation: (event) => ({
    kind: "liquidate",
    account: account(event, "liquidator"),
    victim: account(event, "liquidatedTrader"),
    ...change(event),
  }),
  ChargeInsurance: (event) => ({
    kind: "insurance-fee",
    account: account(event, "liquidatedTrader"),
    perp: account(event, "perp"),
    fee: amount(event, "fee"),
  }),
  HandleBadDebt: (event) => ({
    kind: "bad-debt",
    account: account(event, "liquidatedTrader"),
    primary: amount(event, "primaryCredit"),
    secondary: amount(event, "secondaryCredit"),
  }),
  UpdateFundingRate: (event) => ({
    kind: "funding",
    perp: account(event, "perp"),
    oldRate: amount(event, "oldRate"),
    newRate: amount(event, "newRate"),
  }),
  SetInsurance: (event) => ({ kind: "insurance", account: account(event, "newInsurance") }),
});

const OF_PERPETUAL: Readonly<Record<string, Reading>> = {
  BalanceChange: (event, perp) => ({
    kind: "balance",
    account: account(event, "trader"),
    perp,
    paper: amount(event, "paperChange"),
    credit: amount(event, "creditChange"),
  }),
};

const OF_PRICE_SOURCE: Readonly<Record<string, Reading>> = {
  AnswerUpdated: (event, priceSource) => ({
    kind: "mark",
    priceSource,
    price: amount(event, "current"),
    updatedAtSeconds: Number(amount(event, "updatedAt")),
  }),
};

const DEALER = [
  new Interface(dealerAbi),
  // The forms of earlier dealers of what is read, which a kept chain still has; the topics are the
  // same, and fewer or more are indexed.
  new Interface(["event SetInsurance(address indexed oldInsurance, address indexed newInsurance)"]),
];
const PERPETUAL = [new Interface(perpetualAbi)];
const PRICE_SOURCE = [new Interface(settablePriceSourceAbi)];

/** Reads the logs of the contracts of one deployment, the present one or an earlier one. */
export class ChainEventReader {
  readonly #readings = new Map<
    Hex,
    readonly [readonly Interface[], Readonly<Record<string, Reading>>]
  >();

  constructor(
    { dealer, markets }: Pick<ChainAddresses, "dealer" | "markets">,
    form: DealerEventFormat,
  ) {
    this.#readings.set(lower(dealer), [DEALER, ofDealer(form)]);
    for (const { perp, priceSource } of markets.values()) {
      this.#readings.set(lower(perp), [PERPETUAL, OF_PERPETUAL]);
      this.#readings.set(lower(priceSource), [PRICE_SOURCE, OF_PRICE_SOURCE]);
    }
  }

  /**
   * The event of a log; null for a contract that is none of these, and for an event that changes
   * nothing here.
   * @throws FormatError
   */
  read({ address, topics, data }: EventLog): ChainEvent | null {
    const emitter = lower(address);
    const [abis, readings] = this.#readings.get(emitter) ?? [];
    if (abis === undefined || readings === undefined) return null;
    try {
      // By its name first: what nobody reads is not decoded either, since earlier contracts have
      // other forms of it.
      const name = abis[0]?.getEvent(topics[0] ?? "0x")?.name;
      const reading = name === undefined ? undefined : readings[name];
      if (reading === undefined) return null;
      const event = parse(abis, topics, data);
      return event === null ? null : reading(event, emitter);
    } catch (cause) {
      throw new FormatError("a log is not what its contract's interface says", {
        field: emitter,
        value: topics[0],
        cause,
      });
    }
  }
}

/**
 * A log by the form of its event that has as many arguments in topics.
 * @returns null for an event that none of these has
 */
function parse(
  abis: readonly Interface[],
  topics: readonly Hex[],
  data: Hex,
): LogDescription | null {
  const [topic = "0x"] = topics;
  const known = abis.filter((abi) => abi.getEvent(topic) !== null);
  const fitting = known.find((abi) => topicsOf(abi.getEvent(topic)) === topics.length) ?? known[0];
  return fitting?.parseLog({ topics: [...topics], data }) ?? null;
}

function topicsOf(event: EventFragment | null): number {
  return 1 + (event?.inputs.filter(({ indexed }) => indexed === true).length ?? 0);
}

function lower(address: Hex): Hex {
  return address.toLowerCase() as Hex;
}
