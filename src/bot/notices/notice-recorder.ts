import { join } from "node:path";
import { describeThrown } from "../../core/describe-thrown.js";
import type { Clock } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import type { LedgerChange } from "../../liquidator/ledger/liquidation-ledger.js";
import type { Log } from "../../monitoring/log.js";
import { LogThrottle } from "../../monitoring/log-throttle.js";
import type { Notice } from "../../notify/notice.js";
import { FILL_NOTICES_FILE, NOTICES_FILE, NoticeFile } from "../../notify/notice-file.js";
import type { NotifyConfig } from "../config/fields/notify-fields.js";
import type { Bot } from "../engine/bot.js";
import type { BotEvent } from "../engine/bot-event.js";
import { EventNotices } from "./event-notice.js";
import { HedgeRestrictions } from "./hedge-restrictions.js";
import { takeoverNotices } from "./takeover-notices.js";

/** How often restrictions of hedges are read, without an event of a hedge. */
const HEDGES_EVERY_MS: Ms = 1000;

/** Dependencies of a {@link NoticeRecorder}. */
interface NoticeRecorderDeps {
  readonly notify: NotifyConfig;
  /** The state directory. */
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Writes the events of a bot that people want to know of into its state directory, for the process
 * that sends them. The bot neither waits for it nor fails by it.
 */
export class NoticeRecorder {
  readonly #deps: NoticeRecorderDeps;
  readonly #events = new EventNotices();
  readonly #hedges = new HedgeRestrictions();
  readonly #file: NoticeFile;
  /** Undefined if no channel wants fills. */
  readonly #fills: NoticeFile | undefined;
  #hedgesReadAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: NoticeRecorderDeps) {
    this.#deps = deps;
    const { notify, directory, clock, log } = deps;
    const rarely = new LogThrottle(clock);
    const onFailure = (error: unknown): void => {
      if (rarely.pass("failure") !== undefined)
        log.warn({ error: describeThrown(error) }, "events for people cannot be written");
    };
    const open = (name: string) =>
      new NoticeFile({ path: join(directory, name), clock, onFailure });
    this.#file = open(NOTICES_FILE);
    const wantsFills = Object.values(notify.channels).some(({ fills }) => fills);
    this.#fills = wantsFills ? open(FILL_NOTICES_FILE) : undefined;
  }

  onBotEvent(event: BotEvent, bot: Bot): void {
    const notice = this.#events.forEvent(event, bot);
    if (notice !== undefined) this.record(notice);
    const nowMs = bot.context.clock.monotonicMs();
    if (event.kind !== "hedge" && nowMs - this.#hedgesReadAtMs < HEDGES_EVERY_MS) return;
    this.#hedgesReadAtMs = nowMs;
    for (const change of this.#hedges.changes(bot)) this.record(change);
  }

  /** The liquidator's ledger has changed. @param creditDecimals of its profit */
  onLedgerChange(change: LedgerChange, creditDecimals: number): void {
    const atMs = this.#deps.clock.nowMs();
    for (const notice of takeoverNotices(change, { atMs, creditDecimals })) this.record(notice);
  }

  record(notice: Notice): void {
    if (notice.kind === "fill") this.#fills?.append(notice);
    else this.#file.append(notice);
  }

  close(): void {
    this.#file.close();
    this.#fills?.close();
  }
}
