import type { CountedTransfers } from "../../account/profit/transfer-ledger.js";
import { FormatError, RunError } from "../../core/errors.js";
import { decimalToScaled } from "../../core/instrument.js";
import type { CreditUnits, Ms } from "../../core/units.js";
import {
  computeDayLoss,
  type DayStart,
  observeDay,
  restoreDayStart,
  serialiseDayStart,
  toUtcDay,
} from "../../risk/day-loss.js";
import {
  type EquityReading,
  observeEquity,
  type PeakEquity,
  resetPeak,
  restorePeak,
  serialisePeak,
  shiftPeak,
} from "../../risk/drawdown.js";
import { observeUnexplainedEquity, type UnexplainedEquity } from "../../risk/unexplained-equity.js";
import type { BotContext } from "../engine/context.js";
import { readJsonState, type StateStore } from "../state/state-dir.js";

/** The peak's file in the state directory. */
export const PEAK_FILE = "peak-equity.json";

/** Between two looks at the account's net value. */
const EQUITY_EVERY_MS = 500;

/** Between two writes of a moving peak. */
const PEAK_WRITE_MS = 1_000;

/**
 * A peak that stands is written again this often, so that the next start has few transfers to ask
 * for.
 */
const UNCHANGED_PEAK_WRITE_MS = 60_000;

/** What a look at the net value came to, in credit units. */
export interface LossReading {
  readonly equity: CreditUnits;
  /** The peak that the loss is from, deposits taken out. */
  readonly peak: CreditUnits;
  /** Never negative; zero as far as a transfer on its way may explain it. */
  readonly drawdown: CreditUnits;
  /** Whole days of UTC since 1970. */
  readonly day: number;
  /** What the day began with, deposits since then taken out. */
  readonly dayStart: CreditUnits;
  readonly dailyLoss: CreditUnits;
}

/**
 * The account's net value against its peak, which survives restarts: what was deposited or
 * withdrawn meanwhile is neither gain nor loss.
 */
export class EquityMonitor {
  readonly #context: BotContext;
  readonly #maxDrawdown: CreditUnits;
  readonly #depositsBefore: CreditUnits;
  /**
   * As earlier runs left it: none of their transfers is in doubt. Undefined where none did, and
   * once somebody has accepted a loss from it.
   */
  #earlier: PeakEquity | undefined;
  /** Of this run alone. */
  #own: PeakEquity | undefined;
  /** The higher one of the two, as it was looked at last. */
  #peak: PeakEquity | undefined;
  /**
   * The beginning of the day as an earlier run wrote it, with all deposits since the account's
   * first peak.
   */
  #earlierDay: DayStart | undefined;
  /** The same as this run saw it. */
  #ownDay: DayStart | undefined;
  /**
   * The beginning of the day as it is written down, with all deposits since the account's first
   * peak.
   */
  #day: DayStart | undefined;
  #latestLosses: LossReading | undefined;
  #unexplained: UnexplainedEquity | undefined;
  /** The serial of the account's money when what is untold of it was counted last. */
  #known: { readonly serial: number; readonly untold: CreditUnits } | undefined;
  /** A loss that a withdrawal on its way may explain has been asked about, and stands. */
  #isLossQueried = false;
  /**
   * What the peak was shifted by when it was moved last: one is written with the other. Undefined
   * before this run's first look.
   */
  #transfers: CountedTransfers | undefined;
  #seenAtMs: Ms = Number.NEGATIVE_INFINITY;
  #written: string | undefined;
  #writtenAtMs: Ms = Number.NEGATIVE_INFINITY;

  /** @throws FormatError when the remembered peak is broken: a bot must not forget its drawdown. */
  constructor(context: BotContext) {
    this.#context = context;
    this.#maxDrawdown = decimalToScaled(
      context.config.risk.maxDrawdownQuote,
      context.rules.creditDecimals,
    );
    const saved = context.store.read(PEAK_FILE);
    if (saved !== undefined) this.#earlier = restorePeak(saved);
    this.#earlierDay = dayRemembered(context.store);
    this.#peak = this.#earlier;
    this.#depositsBefore = this.#earlier?.netDeposits ?? 0n;
  }

  /**
   * The highest net value so far, deposits taken out, and never below the present one; undefined
   * before the first reading.
   */
  get peak(): CreditUnits | undefined {
    const { equity } = this.#context.account;
    if (this.#peak === undefined || equity === undefined) return this.#peak?.peak;
    return equity > this.#peak.peak ? equity : this.#peak.peak;
  }

  /** The newest look; undefined before the first. */
  get latest(): LossReading | undefined {
    return this.#latestLosses;
  }

  /**
   * Compares the net value with its peak and with the day's beginning, twice a second at most.
   * Undefined where it does not look.
   */
  check(): LossReading | undefined {
    const nowMs = this.#context.clock.monotonicMs();
    if (nowMs - this.#seenAtMs < EQUITY_EVERY_MS) return undefined;
    this.#seenAtMs = nowMs;
    const { account, exchangeTime } = this.#context;
    const equity = account.equity;
    // Between a stream that was away and the end of the reconciliation after it, balances may have
    // transfers that nobody has told yet.
    if (equity === undefined || !account.current) return undefined;
    const reading = this.#reading(equity);
    const netDeposits = this.#netDeposits();
    const earlier = this.#earlier === undefined ? undefined : shiftPeak(this.#earlier, netDeposits);
    const {
      peak: own,
      highest,
      loss,
      isOver,
    } = observeEquity(this.#own, reading, this.#maxDrawdown, earlier);
    this.#own = own;
    this.#peak = { peak: highest, netDeposits };
    this.#queryUnexplainedLoss(!isOver && highest - equity > this.#maxDrawdown);
    const day = toUtcDay(exchangeTime.nowMs());
    this.#ownDay = observeDay(this.#ownDay, reading, day);
    if (this.#earlierDay !== undefined && this.#earlierDay.day < this.#ownDay.day)
      this.#earlierDay = undefined;
    const [start, of] =
      this.#earlierDay === undefined
        ? [this.#ownDay, reading]
        : [this.#earlierDay, { ...reading, netDeposits }];
    const dayStart = start.equity + of.netDeposits - start.netDeposits;
    this.#day = { day: start.day, equity: dayStart, netDeposits };
    this.#latestLosses = {
      equity,
      peak: highest,
      drawdown: loss,
      day: start.day,
      dayStart,
      dailyLoss: computeDayLoss(start, of),
    };
    this.#noteTransfers();
    if (nowMs - this.#writtenAtMs >= PEAK_WRITE_MS) this.#keep();
    return this.#latestLosses;
  }

  /** Whoever resumes after a loss of the day accepts it: the next one is counted from here. */
  acceptDailyLoss(): void {
    const { equity } = this.#context.account;
    this.#earlierDay = undefined;
    if (this.#ownDay === undefined || equity === undefined) return;
    const reading = this.#reading(equity);
    const dayStart = resetPeak(reading).peak;
    this.#ownDay = { day: this.#ownDay.day, equity: dayStart, netDeposits: reading.netDeposits };
    this.#day = { day: this.#ownDay.day, equity: dayStart, netDeposits: this.#netDeposits() };
    if (this.#latestLosses !== undefined)
      this.#latestLosses = { ...this.#latestLosses, dayStart, dailyLoss: 0n };
    this.settle();
  }

  /**
   * Whoever resumes after a drawdown accepts the loss: the next one is counted from here, after a
   * kill too.
   */
  acceptDrawdown(): void {
    const { equity, current } = this.#context.account;
    this.#earlier = undefined;
    if (this.#peak === undefined || equity === undefined) {
      // Nothing was read yet: the first reading is the new peak, also of a run that is killed
      // before it.
      this.#own = undefined;
      this.#peak = undefined;
      return forgetPeak(this.#context.store);
    }
    this.#own = resetPeak(this.#reading(equity));
    this.#peak = { peak: this.#own.peak, netDeposits: this.#netDeposits() };
    if (current) this.#noteTransfers();
    this.settle();
  }

  #noteTransfers(): void {
    const { account, exchangeTime, store } = this.#context;
    if (store.isDiscarded !== true)
      this.#transfers = account.transfers.counted(exchangeTime.nowMs());
  }

  #reading(equity: CreditUnits): EquityReading {
    const { account, clock, exchangeTime } = this.#context;
    const nowMs = clock.monotonicMs();
    if (this.#known?.serial !== account.moneySerial)
      this.#known = { serial: account.moneySerial, untold: account.unexplainedEquity };
    const { state: untold, possibleTransfer: doubtful } = observeUnexplainedEquity(
      this.#unexplained,
      this.#known.untold,
      nowMs,
      nowMs - exchangeTime.nowMs() + account.incomesListedToMs,
    );
    this.#unexplained = untold;
    return {
      equity,
      netDeposits: (account.startEquity ?? 0n) + account.transferred,
      possibleTransfer: doubtful,
    };
  }

  /** Deposits less withdrawals since the account's first peak of all. */
  #netDeposits(): CreditUnits {
    const { transfers, transferred } = this.#context.account;
    return this.#depositsBefore + transfers.earlier + transferred;
  }

  /**
   * A loss that only a withdrawal on its way would explain: the exchange is asked at once, since
   * there is little time for it.
   */
  #queryUnexplainedLoss(isLossInDoubt: boolean): void {
    if (isLossInDoubt && !this.#isLossQueried)
      this.#context.account.requestReconcile(this.#context.exchangeTime.nowMs());
    this.#isLossQueried = isLossInDoubt;
  }

  /**
   * Until a transfer of around its start must have been told, nobody knows whether this run's net
   * value has it: the next run would count it once more, or not at all. From what an earlier one
   * wrote each of them counts, whenever it is told, and so does what this one loses.
   */
  get #isEarlierKept(): boolean {
    const { account, exchangeTime } = this.#context;
    return this.#earlier !== undefined && !account.transfers.areAllReported(exchangeTime.nowMs());
  }

  /**
   * Writes the peak down as it was looked at last; a run that may not leaves what the one before it
   * wrote.
   */
  settle(): void {
    if (this.#peak === undefined || this.#transfers === undefined || this.#isEarlierKept) return;
    this.#written = undefined;
    const { store, notify } = this.#context;
    try {
      store.write(
        PEAK_FILE,
        serialisePeak(this.#peak, { transfers: this.#transfers, ...this.#dayBeside() }),
      );
    } catch (error) {
      if (!(error instanceof RunError)) throw error;
      // The peak that is there is the higher one, or a second old: no reason to end a bot that has
      // just cancelled everything as one that broke.
      notify({
        kind: "log",
        level: "error",
        message: "the peak of the net value is not written down",
        fields: { error: error.message },
      });
    }
  }

  /** The same in the middle of a turn: where it has moved, and without waiting for the disk. */
  #keep(): void {
    const { store, clock } = this.#context;
    if (this.#peak === undefined || this.#transfers === undefined || this.#isEarlierKept) return;
    const text = serialisePeak(this.#peak, this.#dayBeside());
    const nowMs = clock.monotonicMs();
    if (text === this.#written && nowMs - this.#writtenAtMs < UNCHANGED_PEAK_WRITE_MS) return;
    this.#written = text;
    this.#writtenAtMs = nowMs;
    store.writeLater(
      PEAK_FILE,
      serialisePeak(this.#peak, { transfers: this.#transfers, ...this.#dayBeside() }),
    );
  }

  /** The beginning of the day beside the peak: both count the same deposits. */
  #dayBeside(): Readonly<Record<string, unknown>> {
    return this.#day === undefined ? {} : { day: serialiseDayStart(this.#day) };
  }
}

/**
 * The loss from the remembered peak is accepted before the account is read: the next reading is the
 * first one. @throws RunError when it cannot be moved
 */
function forgetPeak(store: Pick<StateStore, "setAside">): void {
  store.setAside("accepted-drawdown", [PEAK_FILE]);
}

/**
 * What the last run had counted of deposits and withdrawals when it wrote its peak; undefined where
 * there is no peak, or one without it.
 * @throws FormatError or CorruptStateError when it is broken.
 */
export function readCountedTransfers(store: StateStore): CountedTransfers | undefined {
  return readJsonState(store, PEAK_FILE, (value) =>
    countedOf((value as { readonly transfers?: unknown } | null)?.transfers),
  );
}

/**
 * The beginning of the day that the last run wrote down. @throws FormatError or CorruptStateError
 * when it is broken.
 */
function dayRemembered(store: StateStore): DayStart | undefined {
  return readJsonState(store, PEAK_FILE, (value) =>
    restoreDayStart((value as { readonly day?: unknown } | null)?.day),
  );
}

function countedOf(value: unknown): CountedTransfers | undefined {
  if (value === undefined) return undefined;
  const { sinceMs, ids } = (typeof value === "object" && value !== null ? value : {}) as {
    readonly sinceMs?: unknown;
    readonly ids?: unknown;
  };
  if (
    typeof sinceMs !== "number" ||
    !Number.isFinite(sinceMs) ||
    !Array.isArray(ids) ||
    ids.some((id) => typeof id !== "string")
  ) {
    throw new FormatError("not the memory of a peak", {
      field: `${PEAK_FILE} transfers`,
      value,
      expected: "sinceMs and ids",
    });
  }
  return { sinceMs, ids: ids as readonly string[] };
}
