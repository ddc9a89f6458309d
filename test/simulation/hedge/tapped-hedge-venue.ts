import { filter, map, type Observable } from "rxjs";
import type { HedgeAction, HedgeEvent, HedgeVenue } from "#hedge/hedge-venue.js";

/** Observes or changes what passes between a hedge venue and the bot. */
export interface HedgeTap {
  /** May change or drop (undefined) an event on its way to the bot. */
  readonly event?: (event: HedgeEvent) => HedgeEvent | undefined;
  readonly action?: (action: HedgeAction) => HedgeAction | undefined;
}

/** A hedge venue with taps, the first one next to the bot. */
export function tappedHedgeVenue(venue: HedgeVenue, taps: readonly HedgeTap[]): HedgeVenue {
  let events$: Observable<HedgeEvent> = venue.events$;
  for (const { event } of [...taps].reverse())
    if (event !== undefined)
      events$ = events$.pipe(
        map(event),
        filter((passed) => passed !== undefined),
      );
  return {
    contracts: venue.contracts,
    acceptanceWindowMs: venue.acceptanceWindowMs,
    events$,
    start: () => venue.start(),
    submit: (given) => {
      let action: HedgeAction | undefined = given;
      for (const tap of taps)
        if (action !== undefined && tap.action !== undefined) action = tap.action(action);
      if (action !== undefined) venue.submit(action);
    },
    close: () => venue.close(),
  };
}
