import { TAKEOVERS_FILE } from "#bot/stored-takeovers.js";
import type { VenueEvent } from "#exchange/venue.js";
import type { Break } from "./break.js";
import { BREAKS } from "./breaks.js";

/** Changes the stored takeovers before a bot reads them. */
function remembered(change: (text: string) => string): Pick<Break, "rig"> {
  return {
    rig: (options) => {
      const { store } = options;
      const text = store?.read(TAKEOVERS_FILE);
      if (text !== undefined) store?.write(TAKEOVERS_FILE, change(text));
      return options;
    },
  };
}

/** Removes the exchange's reports of liquidations. */
function deaf(event: VenueEvent): VenueEvent {
  if (event.type === "income-update")
    return { ...event, incomes: event.incomes.filter(({ type }) => type !== "LIQUIDATE") };
  if (
    event.type !== "answer" ||
    event.outcome.result !== "answered" ||
    event.outcome.ask !== "incomes"
  )
    return event;
  return {
    ...event,
    outcome: {
      ...event.outcome,
      data: event.outcome.data.filter(({ type }) => type !== "LIQUIDATE"),
    },
  };
}

/**
 * Rules of acquired positions that can be switched off. A simulation must notice each
 * (docs/reference/simulation-rules.md).
 */
export const ACQUIRED_POSITIONS_BREAKS: readonly Break[] = [
  {
    name: "any-slippage",
    what: "a slice may be 20 % worse than the mark",
    rig: (options) => {
      const { liquidator } = options.config;
      if (liquidator === undefined) return options;
      const unwind = { ...liquidator.unwind, maxSlippageBps: 2_000 };
      return { ...options, config: { ...options.config, liquidator: { ...liquidator, unwind } } };
    },
  },
  {
    name: "counted-twice",
    what: "a restarted bot counts a liquidation again that the exchange had reported before",
    rig: (options, context) => ({
      ...(remembered((text) => text.replaceAll('"isTold":true', '"isTold":false')).rig?.(
        options,
        context,
      ) ?? options),
      tap: { event: deaf },
    }),
  },
  {
    name: "sale-forgotten",
    what: "a restarted bot does not know what it has sold",
    ...remembered((text) => JSON.stringify({ ...JSON.parse(text), known: [] })),
  },
  {
    name: "quoted-meanwhile",
    what: "quotes that increase a position stay while it is sold",
    bot: ({ bot }) => {
      bot.liquidatedInventory.intentFor = () => undefined;
    },
  },
  ...BREAKS.filter(({ name }) => name === "limits-ignored"),
];
