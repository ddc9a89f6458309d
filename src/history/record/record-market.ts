import type { Signer } from "../../core/crypto/signing.js";
import { RunError } from "../../core/errors.js";
import type { Instrument } from "../../core/instrument.js";
import type { Runtime } from "../../core/runtime/runtime.js";
import type { Hex, MarketId, Ms } from "../../core/units.js";
import { LiveVenue } from "../../exchange/live-venue.js";
import { createInstruments } from "../../exchange/protocol/decode-rules.js";
import type { VenueRules } from "../../exchange/records.js";
import type { Transport } from "../../exchange/rest/transport.js";
import type { VenueEvent } from "../../exchange/venue.js";
import type { HistoryStore } from "../store/history-store.js";
import { MarketStreamRecorder } from "./market-stream-recorder.js";
import type { SealedKind } from "./seal-part.js";

/** The account whose orders and fills are recorded. */
export interface AccountToRecord {
  readonly signer: Signer;
  readonly account: Hex;
  /** Synchronises with the exchange's clock, whose time signs the stream at each connect. */
  readonly syncClock: () => Promise<unknown>;
}

/** The market to record, and its connection. */
interface RecordMarketOptions {
  readonly store: HistoryStore;
  readonly market: MarketId;
  /** The exchange's rules, which include the market. */
  readonly rules: VenueRules;
  /** Reads the exchange's rules anew. */
  readonly readRules: () => Promise<VenueRules>;
  /** The exchange's address, for the manifests. */
  readonly address: string;
  /** Remains open; the caller closes it. */
  readonly transport: Transport;
  readonly runtime: Runtime;
  readonly exchangeNowMs: () => Ms;
  /** The account to record as well. */
  readonly own?: AccountToRecord;
  /** Ends the recording. */
  readonly until: Promise<void>;
  /** Called with the state of the streams, in words. */
  readonly onState?: (text: string) => void;
}

/** The parts sealed during a recording, those of an earlier one included. */
export interface Recorded {
  readonly kinds: readonly SealedKind[];
}

/**
 * The least time between two readings of the rules. Off-grid values may belong to orders that have
 * rested for days.
 */
const RULES_AGAIN_MS: Ms = 10_000;

/** The signer for recordings of market data alone, which sign nothing. */
const NULL_SIGNER: Signer = {
  address: "0x0000000000000000000000000000000000000000",
  sign: () => {
    throw new RunError("cannot sign without a key", {
      field: "signer",
      expected: "a key, which the account's stream needs",
    });
  },
};

/**
 * Records a market's live streams until `until` resolves. If the market's tick or step changes, so
 * that prices or amounts lie between the old ones, it seals the recording so far and continues on
 * the new grid.
 * @throws RunError while another process records the market, and as soon as the disk is full;
 * HistoryError if the store contradicts the recording, which then stays staged
 */
export async function recordMarket(options: RecordMarketOptions): Promise<Recorded> {
  const kinds: SealedKind[] = [];
  let isOver = false;
  const until = options.until.then(() => {
    isOver = true;
  });
  let rules: VenueRules | undefined = options.rules;
  while (rules !== undefined) {
    const onGrid: GridRecording = await recordOnGrid(
      { ...options, rules, until },
      instrumentOf(rules, options.market) as Instrument,
    );
    kinds.push(...onGrid.kinds);
    rules = isOver ? undefined : onGrid.rulesNow;
  }
  return { kinds };
}

/** A recording on one grid. */
interface GridRecording extends Recorded {
  /** The rules that ended it, if the market now has other steps. */
  readonly rulesNow: VenueRules | undefined;
}

async function recordOnGrid(
  options: RecordMarketOptions,
  instrument: Instrument,
): Promise<GridRecording> {
  const { store, market, rules, address, transport, runtime, exchangeNowMs, own, until, onState } =
    options;
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const recorder = await MarketStreamRecorder.open({
    store,
    instrument,
    source: own === undefined ? address : `${address} account ${own.account}`,
    runtime,
    onBookLost: () => venue.resubscribe(market),
    onFailed: () => end(),
    onSealFailed: (error) =>
      onState?.(`a day could not be stored and stays staged: ${textOf(error)}`),
  });
  const venue = new LiveVenue({
    transport,
    runtime,
    signer: own?.signer ?? NULL_SIGNER,
    ...(own === undefined ? {} : { account: own.account }),
    markets: [market],
    exchangeNowMs,
    streams: own === undefined ? "market" : true,
  });
  let rulesNow: VenueRules | undefined;
  let requestedAtMs = Number.NEGATIVE_INFINITY;
  const askRules = async (): Promise<void> => {
    if (runtime.clock.monotonicMs() - requestedAtMs < RULES_AGAIN_MS) return;
    requestedAtMs = runtime.clock.monotonicMs();
    try {
      const read = await options.readRules();
      const now = instrumentOf(read, market);
      if (
        now === undefined ||
        (now.tickSize === instrument.tickSize && now.stepSize === instrument.stepSize)
      )
        return;
      onState?.(
        `${market} now has a tick size of ${now.tickSize} and a step size of ${now.stepSize}: the recording continues with them`,
      );
      rulesNow = read;
      end();
    } catch (error) {
      onState?.(`the market's rules cannot be read: ${textOf(error)}`);
    }
  };
  const subscription = venue.events$.subscribe((event) => {
    recorder.recordEvent(event);
    if (event.type === "stream") {
      onState?.(`${event.stream} stream ${event.state}: ${event.reason}`);
      // The machine's clock may have been set since. Signed with the old offset, every connect
      // would be refused.
      if (event.stream === "account" && event.state === "down") {
        own
          ?.syncClock()
          .catch((error: unknown) =>
            onState?.(`the exchange's clock cannot be read: ${textOf(error)}`),
          );
      }
    }
    if (isOffGrid(event)) void askRules();
  });
  try {
    venue.setRules(rules);
    await Promise.race([until, ended]);
  } finally {
    subscription.unsubscribe();
    venue.close();
  }
  return { kinds: await recorder.close(), rulesNow };
}

/** True if an event may contain values between the market's steps. */
function isOffGrid(event: VenueEvent): boolean {
  return event.type === "malformed" || ("isRounded" in event && event.isRounded === true);
}

function instrumentOf(rules: VenueRules, market: MarketId): Instrument | undefined {
  return createInstruments(rules).get(market);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
