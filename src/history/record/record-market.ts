import { RunError } from "../../core/errors.js";
import type { Instrument } from "../../core/instrument.js";
import type { Seam } from "../../core/seam.js";
import type { Signer } from "../../core/signing.js";
import type { Hex, Ms } from "../../core/units.js";
import { LiveVenue } from "../../exchange/live-venue.js";
import type { VenueRules } from "../../exchange/records.js";
import type { Transport } from "../../exchange/transport.js";
import type { HistoryStore } from "../store.js";
import type { SealedKind } from "./seal-part.js";
import { SessionRecorder } from "./session-recorder.js";

/** What to record, and how it is reached. */
export interface RecordWish {
  readonly store: HistoryStore;
  readonly instrument: Instrument;
  readonly rules: VenueRules;
  /** The exchange's address, for the manifests. */
  readonly address: string;
  /** Stays its owner's. */
  readonly transport: Transport;
  readonly seam: Seam;
  readonly exchangeNowMs: () => Ms;
  /** The account whose orders and fills are recorded too. */
  readonly own?: { readonly signer: Signer; readonly account: Hex };
  /** Ends the recording. */
  readonly until: Promise<void>;
  /** Told what becomes of the streams, in words. */
  readonly onState?: (text: string) => void;
}

/** What went into the store in a recording's time, what an earlier one had left included. */
export interface Recorded {
  readonly kinds: readonly SealedKind[];
}

/** Of a recording that watches markets alone: nothing is ever signed. */
const NOBODY: Signer = {
  address: "0x0000000000000000000000000000000000000000",
  sign: () => {
    throw new RunError("nothing can be signed without a key", { field: "signer", expected: "a key, for an account's own stream" });
  },
};

/**
 * Records a market's live streams until it is told to end.
 * @throws RunError while another process records the market, and as soon as the disk takes no more; HistoryError where the store contradicts what was recorded, which then stays staged
 */
export async function recordMarket(wish: RecordWish): Promise<Recorded> {
  const { store, instrument, rules, address, transport, seam, exchangeNowMs, own, until, onState } = wish;
  const market = instrument.marketId;
  let isFailed: () => void = () => {};
  const failed = new Promise<void>((resolve) => {
    isFailed = resolve;
  });
  const recorder = await SessionRecorder.open({
    store,
    instrument,
    source: own === undefined ? address : `${address} account ${own.account}`,
    seam,
    onBookLost: () => venue.resubscribe(market),
    onFailed: () => isFailed(),
    onSealFailed: (error) => onState?.(`a day stays staged: ${error instanceof Error ? error.message : String(error)}`),
  });
  const venue = new LiveVenue({
    transport,
    seam,
    signer: own?.signer ?? NOBODY,
    ...(own === undefined ? {} : { account: own.account }),
    markets: [market],
    exchangeNowMs,
    streams: own === undefined ? "market" : true,
  });
  const heard = venue.events$.subscribe((event) => {
    recorder.event(event);
    if (event.type === "stream") onState?.(`${event.stream} stream ${event.state}: ${event.reason}`);
  });
  try {
    venue.setRules(rules);
    await Promise.race([until, failed]);
  } finally {
    heard.unsubscribe();
    venue.close();
  }
  return { kinds: await recorder.close() };
}
