import { type EventFragment, Interface, type LogDescription } from "ethers";
import { dealerAbi } from "../../chain/abi/dealer.generated.js";
import { perpetualAbi } from "../../chain/abi/perpetual.generated.js";
import { settablePriceSourceAbi } from "../../chain/abi/settable-price-source.generated.js";
import { FormatError } from "../../core/errors.js";
import type { CreditUnits, Hex, PaperUnits } from "../../core/units.js";
import type { DealerEventFormat } from "../chain/dealer-event-format.js";
import type { ChainAddresses } from "../chain/deployment.js";

/**
 * Credit that an account received or paid: `account` has or had it, `other` is the counterparty.
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
 * The pending withdrawal of an account on chain, with its time lock, which replaces an earlier one;
 * zero if none is pending.
 */
export interface PendingWithdrawalEvent {
  readonly kind: "waiting-withdrawal";
  readonly account: Hex;
  readonly primary: CreditUnits;
  readonly secondary: CreditUnits;
}

/** A change of an address's permission to sign for an account. */
export interface OperatorEvent {
  readonly kind: "operator";
  readonly account: Hex;
  readonly operator: Hex;
  readonly isValid: boolean;
}

/** A trade that the dealer approved; its fills follow, and its fees belong to the order sender. */
export interface TradeEvent {
  readonly kind: "trade";
  readonly orderSender: Hex;
}

/** A fill of an order: `credit` before the fee, both signed as they change the trader's balance. */
export interface OrderFilledEvent {
  readonly kind: "order-filled";
  readonly orderHash: Hex;
  readonly account: Hex;
  readonly perp: Hex;
  readonly paper: PaperUnits;
  readonly credit: CreditUnits;
  readonly fee: CreditUnits;
}

/** The loss of a part of a position by liquidation: `credit` after the insurance fee. */
export interface LiquidatedEvent {
  readonly kind: "liquidated";
  readonly account: Hex;
  readonly perp: Hex;
  readonly paper: PaperUnits;
  readonly credit: CreditUnits;
}

/** The acquisition of a part of another account's position. */
export interface LiquidateEvent {
  readonly kind: "liquidate";
  readonly account: Hex;
  readonly victim: Hex;
  readonly perp: Hex;
  readonly paper: PaperUnits;
  readonly credit: CreditUnits;
}

/** The fee that a liquidated account paid to the insurance account. */
export interface InsuranceFeeEvent {
  readonly kind: "insurance-fee";
  readonly account: Hex;
  readonly perp: Hex;
  readonly fee: CreditUnits;
}

/** The transfer of all credit of an account, a debt, to the insurance account. */
export interface BadDebtEvent {
  readonly kind: "bad-debt";
  readonly account: Hex;
  readonly primary: CreditUnits;
  readonly secondary: CreditUnits;
}

/** A change of a market's balance by a trade or a liquidation, including fees. */
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

/** A change of the account that covers debts. */
export interface InsuranceEvent {
  readonly kind: "insurance";
  readonly account: Hex;
}

/** The contracts' events that affect an exchange's accounts and marks. Addresses in lower case. */
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

/** A log as in a receipt. */
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
  // `payer` is the account whose credit it was, `to` the receiver of the tokens.
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
  // The events' earlier forms, which a kept chain still has. The topics are the same, with other
  // arguments indexed.
  new Interface(["event SetInsurance(address indexed oldInsurance, address indexed newInsurance)"]),
];
const PERPETUAL = [new Interface(perpetualAbi)];
const PRICE_SOURCE = [new Interface(settablePriceSourceAbi)];

/** Reads the logs of the contracts of one deployment, present or earlier. */
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
   * Decodes the event of a log; null for other contracts, and for events that change nothing here.
   * @throws FormatError
   */
  read({ address, topics, data }: EventLog): ChainEvent | null {
    const emitter = lower(address);
    const [abis, readings] = this.#readings.get(emitter) ?? [];
    if (abis === undefined || readings === undefined) return null;
    try {
      // By name first: unused events are not decoded, since earlier contracts have other forms of
      // them.
      const name = abis[0]?.getEvent(topics[0] ?? "0x")?.name;
      const reading = name === undefined ? undefined : readings[name];
      if (reading === undefined) return null;
      const event = parse(abis, topics, data);
      return event === null ? null : reading(event, emitter);
    } catch (cause) {
      throw new FormatError("a log does not match its contract's interface", {
        field: emitter,
        value: topics[0],
        cause,
      });
    }
  }
}

/**
 * Decodes a log by the form of its event with as many indexed arguments.
 * @returns null for an unknown event
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
