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

/**
 * The account's net value with the profit of its hedges, which is kept at other venues; undefined
 * before both are known.
 */
export function totalEquity({
  account,
  hedges,
}: Pick<BotContext, "account" | "hedges">): CreditUnits | undefined {
  const { profitCredit } = hedges;
  return account.equity === undefined || profitCredit === undefined
    ? undefined
    : account.equity + profitCredit;
}

/** The peak's file in the state directory. */
export const PEAK_FILE = "peak-equity.json";

/** Interval of the checks of the account's net value. */
const EQUITY_EVERY_MS = 500;

/** Shortest time between two writes of a moving peak. */
const PEAK_WRITE_MS = 1_000;

/** Interval of writes of an unchanged peak, so that the next start has few transfers to query. */
const UNCHANGED_PEAK_WRITE_MS = 60_000;

/** Result of a check of the net value, in credit units. */
export interface LossReading {
  readonly equity: CreditUnits;
  /** The peak that the loss is measured from, without deposits. */
  readonly peak: CreditUnits;
  /** Never negative; zero as far as a transfer in transit may explain it. */
  readonly drawdown: CreditUnits;
  /** Whole days of UTC since 1970. */
  readonly day: number;
  /** Net value at the start of the day, adjusted for deposits since then. */
  readonly dayStart: CreditUnits;
  readonly dailyLoss: CreditUnits;
}

/**
 * The account's net value against its peak, which survives restarts. Deposits and withdrawals are
 * neither gain nor loss.
 */
export class EquityMonitor {
  readonly #context: BotContext;
  #maxDrawdown!: CreditUnits;
  readonly #depositsBefore: CreditUnits;
  /**
   * The peak of earlier runs, whose transfers are all known. Undefined if there is none, and once
   * an operator has accepted a loss from it.
   */
  #earlier: PeakEquity | undefined;
  /** The peak of this run alone. */
  #own: PeakEquity | undefined;
  /** The higher one of the two, as of the last check. */
  #peak: PeakEquity | undefined;
  /**
   * The start of the day as an earlier run wrote it, with all deposits since the account's first
   * peak.
   */
  #earlierDay: DayStart | undefined;
  /** The same as this run saw it. */
  #ownDay: DayStart | undefined;
  /** The start of the day as it is persisted, with all deposits since the account's first peak. */
  #day: DayStart | undefined;
  #latestLosses: LossReading | undefined;
  #unexplained: UnexplainedEquity | undefined;
  /** The serial of the account's money when its unexplained part was last counted. */
  #known: { readonly serial: number; readonly unexplained: CreditUnits } | undefined;
  /**
   * The exchange was queried about a loss that a withdrawal in transit may explain, and the loss
   * remains.
   */
  #isLossQueried = false;
  /**
   * The transfers by which the peak was last shifted: both are written together. Undefined before
   * this run's first check.
   */
  #transfers: CountedTransfers | undefined;
  #seenAtMs: Ms = Number.NEGATIVE_INFINITY;
  #written: string | undefined;
  #writtenAtMs: Ms = Number.NEGATIVE_INFINITY;

  /** @throws FormatError if the stored peak is corrupt: a bot must not forget its drawdown. */
  constructor(context: BotContext) {
    this.#context = context;
    this.configure();
    const saved = context.store.read(PEAK_FILE);
    if (saved !== undefined) this.#earlier = restorePeak(saved);
    this.#earlierDay = dayRemembered(context.store);
    this.#peak = this.#earlier;
    this.#depositsBefore = this.#earlier?.netDeposits ?? 0n;
  }

  /** Applies the configuration in force. Peak and start of the day stay. */
  configure(): void {
    const { config, rules } = this.#context;
    this.#maxDrawdown = decimalToScaled(config.risk.maxDrawdownQuote, rules.creditDecimals);
  }

  /**
   * The highest net value so far, without deposits, and never below the present one; undefined
   * before the first reading.
   */
  get peak(): CreditUnits | undefined {
    const equity = totalEquity(this.#context);
    if (this.#peak === undefined || equity === undefined) return this.#peak?.peak;
    return equity > this.#peak.peak ? equity : this.#peak.peak;
  }

  /** The newest check; undefined before the first. */
  get latest(): LossReading | undefined {
    return this.#latestLosses;
  }

  /**
   * Compares the net value with its peak and with the start of the day, twice a second at most.
   * Undefined if it does not check.
   */
  check(): LossReading | undefined {
    const nowMs = this.#context.clock.monotonicMs();
    if (nowMs - this.#seenAtMs < EQUITY_EVERY_MS) return undefined;
    this.#seenAtMs = nowMs;
    const { account, exchangeTime } = this.#context;
    const equity = totalEquity(this.#context);
    // Between a stream outage and the end of the reconciliation after it, balances may contain
    // transfers that were not reported yet.
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

  /** An operator who resumes after a daily loss accepts it: the next one is counted from here. */
  acceptDailyLoss(): void {
    const equity = totalEquity(this.#context);
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
   * An operator who resumes after a drawdown accepts the loss: the next one is counted from here,
   * after a kill too.
   */
  acceptDrawdown(): void {
    const equity = totalEquity(this.#context);
    const { current } = this.#context.account;
    this.#earlier = undefined;
    if (this.#peak === undefined || equity === undefined) {
      // Before the first reading: that reading is the new peak, also for a run that is killed
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
      this.#known = { serial: account.moneySerial, unexplained: account.unexplainedEquity };
    const { state, possibleTransfer } = observeUnexplainedEquity(
      this.#unexplained,
      this.#known.unexplained,
      nowMs,
      nowMs - exchangeTime.nowMs() + account.incomesListedToMs,
    );
    this.#unexplained = state;
    return {
      equity,
      netDeposits: (account.startEquity ?? 0n) + account.transferred,
      possibleTransfer,
    };
  }

  /** Deposits less withdrawals since the account's first peak of all. */
  #netDeposits(): CreditUnits {
    const { transfers, transferred } = this.#context.account;
    return this.#depositsBefore + transfers.earlier + transferred;
  }

  /**
   * For a loss that only a withdrawal in transit would explain, the exchange is queried at once,
   * since there is little time for it.
   */
  #queryUnexplainedLoss(isLossInDoubt: boolean): void {
    if (isLossInDoubt && !this.#isLossQueried)
      this.#context.account.requestReconcile(this.#context.exchangeTime.nowMs());
    this.#isLossQueried = isLossInDoubt;
  }

  /**
   * True while a transfer made around this run's start may be unreported. The first net value may
   * or may not include it. So the stored peak of the earlier run is kept: a new one would let the
   * next run count the transfer twice, or not at all. The earlier peak counts every transfer,
   * whenever it is reported, and so does this run's loss.
   */
  get #isEarlierKept(): boolean {
    const { account, exchangeTime } = this.#context;
    return this.#earlier !== undefined && !account.transfers.areAllReported(exchangeTime.nowMs());
  }

  /**
   * Writes the peak as of the last check; a run that may not write leaves the peak of the one
   * before it.
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
      // The stored peak is the higher one, or a second old. That is not a reason to report a
      // failure of a bot that has just cancelled everything.
      notify({
        kind: "log",
        level: "error",
        message: "the peak of the net value cannot be persisted",
        fields: { error: error.message },
      });
    }
  }

  /**
   * Writes the peak in the middle of a turn: only if it has moved, and without waiting for the
   * disk.
   */
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

  /** The start of the day, written with the peak: both count the same deposits. */
  #dayBeside(): Readonly<Record<string, unknown>> {
    return this.#day === undefined ? {} : { day: serialiseDayStart(this.#day) };
  }
}

/**
 * Accepts the loss from the stored peak before the account is read: the next reading starts a new
 * peak. @throws RunError if the file cannot be moved
 */
function forgetPeak(store: Pick<StateStore, "setAside">): void {
  store.setAside("accepted-drawdown", [PEAK_FILE]);
}

/**
 * Deposits and withdrawals that the last run had counted when it wrote its peak; undefined if there
 * is no peak, or one without them.
 * @throws FormatError or CorruptStateError if the file is corrupt.
 */
export function readCountedTransfers(store: StateStore): CountedTransfers | undefined {
  return readJsonState(store, PEAK_FILE, (value) =>
    countedOf((value as { readonly transfers?: unknown } | null)?.transfers),
  );
}

/**
 * The start of the day that the last run wrote. @throws FormatError or CorruptStateError if the
 * file is corrupt.
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
    throw new FormatError("not a stored peak", {
      field: `${PEAK_FILE} transfers`,
      value,
      expected: "sinceMs and ids",
    });
  }
  return { sinceMs, ids: ids as readonly string[] };
}
