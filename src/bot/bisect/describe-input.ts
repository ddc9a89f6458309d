import { formatCount } from "../../core/format-count.js";
import { type Instrument, scaledToDecimal } from "../../core/instrument.js";
import type { CreditUnits, MarketId } from "../../core/units.js";
import { describeOutcome } from "../../exchange/fate.js";
import type { VenueEvent } from "../../exchange/venue.js";
import type { BotCommand, BotInput } from "../engine/input.js";

/** The grids of a run, for prices and amounts as people read them. */
export interface RunGrids {
  instrument(marketId: MarketId): Instrument | undefined;
  readonly creditDecimals: number;
}

/** Describes an input of a bot in one line. */
export function describeInput(input: BotInput, grids: RunGrids): string {
  switch (input.kind) {
    case "event":
      return describeEvent(input.event, grids);
    case "timer":
      return `timer ${input.id}`;
    case "leave":
      return `${input.key} may leave the outbox`;
    case "command":
      return `command ${describeBotCommand(input.command)}`;
    case "reference": {
      const { update } = input;
      return update.type === "down"
        ? `reference ${update.source} is down: ${update.reason}`
        : `reference ${update.source}: bid ${update.bid}, ask ${update.ask}`;
    }
    case "hedge":
      return `${input.event.type} of the hedge venue ${input.venue}`;
    case "wake":
      return "a touch has changed";
    case "strategy":
      return `the strategy of ${input.marketId} worked outside a turn`;
  }
}

/** Formats an order or a fill as `BUY 0.02 at 60000.1`. */
export function describeOrder(
  { marketId, side, lots, ticks }: OrderFields,
  grids: RunGrids,
): string {
  return `${side} ${amountText(lots, marketId, grids)} at ${priceText(ticks, marketId, grids)}`;
}

interface OrderFields {
  readonly marketId: MarketId;
  readonly side: string;
  readonly lots: number;
  readonly ticks: number;
}

/** Formats fractional ticks as a price; ticks if the market is not the bot's. */
export function priceText(ticks: number, marketId: MarketId, grids: RunGrids): string {
  const instrument = grids.instrument(marketId);
  if (instrument === undefined || !Number.isFinite(ticks)) return `${ticks} ticks`;
  return instrument.formatReportedPrice(Math.round(ticks * 100) / 100);
}

/** Formats lots as base; lots if the market is not the bot's. */
export function amountText(lots: number, marketId: MarketId, grids: RunGrids): string {
  return grids.instrument(marketId)?.formatReportedAmount(lots) ?? `${lots} lots`;
}

/** Formats credit units as quote. */
export function creditText(units: CreditUnits, { creditDecimals }: RunGrids): string {
  return scaledToDecimal(units, creditDecimals);
}

function describeEvent(event: VenueEvent, grids: RunGrids): string {
  switch (event.type) {
    case "book-snapshot":
      return `book snapshot of ${event.marketId} at ${event.sequence}: ${levelsText(event)}`;
    case "book-update":
      return `book update of ${event.marketId}, ${event.beginSequence} to ${event.endSequence}: ${levelsText(event)}`;
    case "market-state":
      return `mark of ${event.marketId}: ${creditText(event.mark, grids)}, index ${creditText(event.index, grids)}`;
    case "public-trade": {
      const side = event.isBuyerMaker ? "SELL" : "BUY";
      return `public trade ${event.id} in ${event.marketId}: ${describeOrder({ ...event, side }, grids)}`;
    }
    case "kline":
      return `candles of ${event.marketId}: ${event.bars.length}`;
    case "order-update": {
      const { order } = event;
      return `order ${order.id} of ${order.marketId}: ${order.status}, ${describeOrder(order, grids)}`;
    }
    case "trade-update": {
      const { trade } = event;
      return `trade ${trade.id} of ${trade.marketId}: ${trade.status}, ${describeOrder(trade, grids)}`;
    }
    case "account-update":
      return `account: ${formatCount(event.positions.length, "position")}`;
    case "income-update":
      return `incomes: ${event.incomes.length}`;
    case "stream":
      return `${event.stream} stream ${event.state}: ${event.reason}`;
    case "malformed":
      return `a message that cannot be read (${event.where}): ${event.reason}`;
    case "answer":
      return `answer to action ${event.actionId}: ${describeOutcome(event.outcome)}`;
  }
}

/** Books are flat pairs of ticks and lots. */
function levelsText({
  bids,
  asks,
}: {
  readonly bids: readonly number[];
  readonly asks: readonly number[];
}): string {
  return `${formatCount(bids.length / 2, "bid")}, ${formatCount(asks.length / 2, "ask")}`;
}

function describeBotCommand(command: BotCommand): string {
  const market =
    "marketId" in command && command.marketId !== undefined ? ` ${command.marketId}` : "";
  const reason = "reason" in command ? `: ${command.reason}` : "";
  return `${command.command}${market}${reason}`;
}
