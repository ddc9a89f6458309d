import type { Signer } from "../../core/crypto/signing.js";
import { RunError } from "../../core/errors.js";
import type { Instrument } from "../../core/instrument.js";
import type { Seam } from "../../core/runtime/seam.js";
import type { Hex, MarketId, Ms } from "../../core/units.js";
import { LiveVenue } from "../../exchange/live-venue.js";
import { instrumentsOf } from "../../exchange/protocol/decode-rules.js";
import type { VenueRules } from "../../exchange/records.js";
import type { Transport } from "../../exchange/rest/transport.js";
import type { VenueEvent } from "../../exchange/venue.js";
import type { HistoryStore } from "../store/history-store.js";
import { MarketStreamRecorder } from "./market-stream-recorder.js";
import type { SealedKind } from "./seal-part.js";

/** Whose orders and fills are recorded. */
export interface AccountToRecord {
  readonly signer: Signer;
  readonly account: Hex;
  /** Asks the exchange's clock anew, by which its stream is signed at each connect. */
  readonly syncClock: () => Promise<unknown>;
}

/** What to record, and how it is reached. */
interface RecordMarketOptions {
  readonly store: HistoryStore;
  readonly market: MarketId;
  /** The exchange's, with the market among them. */
  readonly rules: VenueRules;
  /** Asks the exchange for its rules anew. */
  readonly readRules: () => Promise<VenueRules>;
  /** The exchange's address, for the manifests. */
  readonly address: string;
  /** Stays its owner's. */
  readonly transport: Transport;
  readonly runtime: Seam;
  readonly exchangeNowMs: () => Ms;
  /** The account whose orders and fills are recorded too. */
  readonly own?: AccountToRecord;
  /** Ends the recording. */
  readonly until: Promise<void>;
  /** Told what becomes of the streams, in words. */
  readonly onState?: (text: string) => void;
}

/** What went into the store in a recording's time, what an earlier one had left included. */
export interface Recorded {
  readonly kinds: readonly SealedKind[];
}

/** What is off the grid may be of orders that have rested since before, for days: the rules are read again no more often than this. */
const RULES_AGAIN_MS: Ms = 10_000;

/** Of a recording that watches markets alone: nothing is ever signed. */
const NULL_SIGNER: Signer = {
  address: "0x0000000000000000000000000000000000000000",
  sign: () => {
    throw new RunError("nothing can be signed without a key", {
      field: "signer",
      expected: "a key, for an account's own stream",
    });
  },
};

/**
 * Records a market's live streams until it is told to end. Where the market's tick or step becomes another, so that prices or amounts lie between those
 * of before, it puts what it has into the store, and goes on in the new ones.
 * @throws RunError while another process records the market, and as soon as the disk takes no more; HistoryError where the store contradicts what was recorded, which then stays staged
 */
export async function recordMarket(wish: RecordMarketOptions): Promise<Recorded> {
  const kinds: SealedKind[] = [];
  let isOver = false;
  const until = wish.until.then(() => {
    isOver = true;
  });
  let rules: VenueRules | undefined = wish.rules;
  while (rules !== undefined) {
    const onGrid: GridRecording = await recordOnGrid(
      { ...wish, rules, until },
      instrumentOf(rules, wish.market) as Instrument,
    );
    kinds.push(...onGrid.kinds);
    rules = isOver ? undefined : onGrid.rulesNow;
  }
  return { kinds };
}

/** A recording in the steps of its beginning. */
interface GridRecording extends Recorded {
  /** Where it ended since the market has other steps now. */
  readonly rulesNow: VenueRules | undefined;
}

async function recordOnGrid(
  wish: RecordMarketOptions,
  instrument: Instrument,
): Promise<GridRecording> {
  const {
    store,
    market,
    rules,
    address,
    transport,
    runtime: seam,
    exchangeNowMs,
    own,
    until,
    onState,
  } = wish;
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const recorder = await MarketStreamRecorder.open({
    store,
    instrument,
    source: own === undefined ? address : `${address} account ${own.account}`,
    runtime: seam,
    onBookLost: () => venue.resubscribe(market),
    onFailed: () => end(),
    onSealFailed: (error) => onState?.(`a day stays staged: ${textOf(error)}`),
  });
  const venue = new LiveVenue({
    transport,
    seam,
    signer: own?.signer ?? NULL_SIGNER,
    ...(own === undefined ? {} : { account: own.account }),
    markets: [market],
    exchangeNowMs,
    streams: own === undefined ? "market" : true,
  });
  let rulesNow: VenueRules | undefined;
  let askedAtMs = Number.NEGATIVE_INFINITY;
  const askRules = async (): Promise<void> => {
    if (seam.clock.monotonicMs() - askedAtMs < RULES_AGAIN_MS) return;
    askedAtMs = seam.clock.monotonicMs();
    try {
      const read = await wish.readRules();
      const now = instrumentOf(read, market);
      if (
        now === undefined ||
        (now.tickSize === instrument.tickSize && now.stepSize === instrument.stepSize)
      )
        return;
      onState?.(
        `${market} has a tick of ${now.tickSize} and a step of ${now.stepSize} now: the recording goes on in them`,
      );
      rulesNow = read;
      end();
    } catch (error) {
      onState?.(`the market's rules cannot be read: ${textOf(error)}`);
    }
  };
  const heard = venue.events$.subscribe((event) => {
    recorder.recordEvent(event);
    if (event.type === "stream") {
      onState?.(`${event.stream} stream ${event.state}: ${event.reason}`);
      // The machine's clock may have been set since: signed by it as it was, each connect is refused.
      if (event.stream === "account" && event.state === "down") {
        own
          ?.syncClock()
          .catch((error: unknown) =>
            onState?.(`the exchange's clock cannot be asked: ${textOf(error)}`),
          );
      }
    }
    if (isOffGrid(event)) void askRules();
  });
  try {
    venue.setRules(rules);
    await Promise.race([until, ended]);
  } finally {
    heard.unsubscribe();
    venue.close();
  }
  return { kinds: await recorder.close(), rulesNow };
}

/** Whether something was told that may lie between the market's steps. */
function isOffGrid(event: VenueEvent): boolean {
  return event.type === "malformed" || ("isRounded" in event && event.isRounded === true);
}

function instrumentOf(rules: VenueRules, market: MarketId): Instrument | undefined {
  return instrumentsOf(rules).get(market);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
