import { Instrument } from "../../core/instrument.js";
import type { Ms } from "../../core/units.js";
import { HEDGE_DECIMALS, type HedgeContract, type HedgeVenue } from "../../hedge/hedge-venue.js";
import type { UsedHedgeVenue } from "../hedge/market-hedges.js";

/** A hedge venue as a run found it, in its journal. */
export interface RecordedHedgeVenue {
  readonly acceptanceWindowMs: Ms;
  readonly contracts: readonly RecordedHedgeContract[];
}

/** A contract of a hedge venue, with its grid in place of its arithmetic. */
type RecordedHedgeContract = Omit<HedgeContract, "instrument"> & {
  readonly tickSize: string;
  readonly stepSize: string;
};

/** The venues as a journal records them. */
export function recordHedgeVenues(
  venues: ReadonlyMap<string, Pick<HedgeVenue, "contracts" | "acceptanceWindowMs">>,
): Readonly<Record<string, RecordedHedgeVenue>> {
  return Object.fromEntries(
    [...venues].map(([name, { acceptanceWindowMs, contracts }]) => [
      name,
      {
        acceptanceWindowMs,
        contracts: [...contracts.values()].map(({ instrument, ...contract }) => ({
          ...contract,
          tickSize: instrument.tickSize,
          stepSize: instrument.stepSize,
        })),
      },
    ]),
  );
}

/** The venues of a journal for a replay: nothing is sent, since it brings every answer. */
export function replayedHedgeVenues(
  recorded: Readonly<Record<string, RecordedHedgeVenue>> = {},
): ReadonlyMap<string, UsedHedgeVenue> {
  return new Map(
    Object.entries(recorded).map(([name, { acceptanceWindowMs, contracts }]) => [
      name,
      {
        acceptanceWindowMs,
        contracts: new Map(
          contracts.map(({ tickSize, stepSize, ...contract }) => [
            contract.symbol,
            { ...contract, instrument: createHedgeInstrument(contract.symbol, tickSize, stepSize) },
          ]),
        ),
        submit: () => {},
      },
    ]),
  );
}

function createHedgeInstrument(symbol: string, tickSize: string, stepSize: string): Instrument {
  return new Instrument({
    marketId: symbol,
    tickSize,
    stepSize,
    creditDecimals: HEDGE_DECIMALS,
    paperDecimals: 18,
  });
}
