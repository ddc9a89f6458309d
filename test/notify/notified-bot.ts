import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NoticeRecorder } from "#bot/notice-recorder.js";
import { type NotifyConfig, notifyShape } from "#bot/notify-fields.js";
import { FileStateStore } from "#bot/state-dir.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import type { Ms } from "#core/units.js";
import { summariseDay } from "#ledger/day-summary.js";
import { formatDaySummary } from "#ledger/day-summary-text.js";
import { silentLog } from "#monitoring/log.js";
import type { Channel } from "#notify/channel.js";
import { Notifier } from "#notify/notifier.js";
import { openChannel } from "#notify/open-channel.js";
import { openRecordedDays } from "../ledger/recorded-days.js";
import type { Stage } from "../scenarios/stage.js";
import { LocalService, TELEGRAM_TOKEN, TelegramService } from "./chat-services.js";

/** How often the sender is left to deliver: its own interval. */
const STEP_MS: Ms = 500;
/** Longer than the pause between two messages. */
const QUIET_STEPS = 4;

/** One event as the webhook got it. */
export interface ToldEvent {
  readonly severity: string;
  readonly kind: string;
  readonly title: string;
  readonly text?: string;
  readonly command?: string;
}

/**
 * The recorder of a stage's bot, and the real sender beside it, with a webhook and a Telegram chat
 * as local servers. Time is the stage's; only the servers answer in their own.
 */
export class NotifiedBot {
  readonly hook = new LocalService(() => ({ status: 200, text: "" }));
  readonly telegram = new TelegramService();
  readonly directory = mkdtempSync(join(tmpdir(), "mw-told-"));
  readonly recorder: NoticeRecorder;
  /** The bot's day files, recorded from {@link recordsDays} on. */
  readonly days = openRecordedDays(10_000);
  readonly #stage: Stage;
  readonly #underWay = new Set<Promise<void>>();
  #notifier: Notifier | undefined;
  #told = 0;

  private constructor(stage: Stage, notify: NotifyConfig) {
    this.#stage = stage;
    this.recorder = new NoticeRecorder({
      notify,
      directory: this.directory,
      clock: stage.clock,
      log: silentLog,
    });
    stage.listeners.push((event) => this.recorder.onBotEvent(event, stage.rig.bot));
  }

  /** @param keys of `notify` beside its channels; `withFills`: the webhook gets fills too */
  static async open(
    stage: Stage,
    { withFills = true, ...keys }: Record<string, unknown> = {},
  ): Promise<NotifiedBot> {
    const wants = { from: "info", digestMs: 0, fills: withFills };
    const notify = notifyShape.parse({
      ...keys,
      channels: {
        pager: { ...wants, webhook: { urlEnv: "HOOK", secretEnv: "HOOK_SECRET" } },
        phone: { telegram: { tokenEnv: "TOKEN", chatId: 5, url: "http://telegram.test" } },
      },
    });
    const told = new NotifiedBot(stage, notify);
    await told.#start(notify);
    return told;
  }

  async #start(notify: NotifyConfig): Promise<void> {
    await this.hook.open();
    await this.telegram.open();
    const env = {
      HOOK: `${this.hook.url}/in`,
      HOOK_SECRET: "hook-secret-of-the-tests-0001",
      TOKEN: TELEGRAM_TOKEN,
    };
    const { clock } = createLiveRuntime();
    const channels = new Map<string, Channel>();
    for (const [name, config] of Object.entries(notify.channels)) {
      const { telegram } = config;
      const here =
        telegram === undefined
          ? config
          : { ...config, telegram: { ...telegram, url: this.telegram.url } };
      channels.set(name, this.#followed(await openChannel(name, here, { notify, env, clock })));
    }
    this.#notifier = new Notifier({
      notify,
      bot: "bot.yaml",
      directory: this.directory,
      store: new FileStateStore(this.directory, "notifier.new"),
      deadAfterMs: 5_000,
      afterDeath: "nothing cancels its orders",
      channels,
      commanded: {
        status: async () => "",
        halt: async () => "",
        flatten: async () => "",
        auditRefusal: () => {},
      },
      totpKey: undefined,
      summariseDay: (day) => this.summary(day),
      runtime: { clock: this.#stage.clock, random: seededRandom("sender") },
      log: silentLog,
    });
    this.#notifier.start();
  }

  /** Records the days of the bot that runs now. */
  recordsDays(): void {
    const { clock, rig, listeners } = this.#stage;
    const recorder = this.days.recorderOf(clock);
    recorder.attach(rig.bot, () => clock.nowMs());
    listeners.push((event) => recorder.onBotEvent(event));
  }

  /** The text of `report --daily`. */
  async summary(day: string): Promise<string> {
    return formatDaySummary(await summariseDay(this.days.folder, day));
  }

  /** Lets time wait for messages that are under way. */
  #followed(channel: Channel): Channel {
    return {
      send: (message) => {
        const sending = channel.send(message);
        const over = sending.then(
          () => {},
          () => {},
        );
        this.#underWay.add(over);
        void over.then(() => this.#underWay.delete(over));
        return sending;
      },
      close: () => channel.close(),
    };
  }

  /** Time passes, with the messages that are sent in it. */
  async passes(forMs: Ms): Promise<void> {
    for (let passed = 0; passed < forMs; passed += STEP_MS) {
      await this.#stage.passes(Math.min(STEP_MS, forMs - passed));
      while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    }
  }

  /** The events that arrived since the last call, once everything has. */
  async news(): Promise<readonly ToldEvent[]> {
    for (let quiet = 0, seen = -1; quiet < QUIET_STEPS; quiet++) {
      await this.passes(STEP_MS);
      if (seen !== this.hook.posted.length) quiet = 0;
      seen = this.hook.posted.length;
    }
    const all = this.hook.posted.flatMap(({ body }) => body.events as readonly ToldEvent[]);
    const news = all.slice(this.#told);
    this.#told = all.length;
    return news;
  }

  async close(): Promise<void> {
    this.recorder.close();
    this.days.close();
    const stopped = this.#notifier?.stop();
    await this.passes(4_000);
    await stopped;
    this.hook.close();
    this.telegram.close();
  }
}

/** Events in short: `critical halt: title`. */
export function inShort(events: readonly ToldEvent[]): readonly string[] {
  return events.map(({ severity, kind, title }) => `${severity} ${kind}: ${title}`);
}
