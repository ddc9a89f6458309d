import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { until } from "../../test/cli/until.js";
import { drawTerminal } from "../pictures/terminal-svg.js";
import type { TmuxTerminal } from "../pictures/tmux-terminal.js";
import { PageCamera } from "./page-camera.js";
import { commandPart, outputPart, picturePart } from "./page-parts.js";
import type { TraderDesk } from "./trader-desk.js";
import type { TraderPhone } from "./trader-phone.js";

const PICTURES = new URL("../../docs/start/pictures/", import.meta.url);
const COLUMNS = 120;
/** For tables that are wider than most terminals. */
const WIDE_COLUMNS = 160;
const STATUS = "marketwright status day.yaml";
/** In pixels. */
const COCKPIT_HEIGHT = 870;
const REPORT_HEIGHT = 870;

/** A file in the folder of pictures, and its text for readers who do not see it. */
interface Picture {
  readonly picture: string;
  readonly alt: string;
}

interface TerminalShot extends Picture {
  /** Width of the terminal, if it is not the usual one. */
  readonly columns?: number;
}

interface PageShot extends Picture {
  readonly camera: PageCamera;
  readonly page: Page;
  /** In pixels. */
  readonly height: number;
}

/** The day of docs/start/a-day.md: fills the parts of that page and takes its pictures. */
export class TradingDay {
  readonly #desk: TraderDesk;
  readonly #phone: TraderPhone;
  readonly #parts = new Map<string, string>();

  constructor(desk: TraderDesk, phone: TraderPhone) {
    this.#desk = desk;
    this.#phone = phone;
  }

  /** Trades the day. @returns the parts of the page by their names */
  async trade(): Promise<ReadonlyMap<string, string>> {
    const exchange = this.#desk.open("marketwright exchange day-exchange.yaml", COLUMNS, 10);
    await exchange.untilShown(/dealer/);
    this.#desk.startCompetitor();
    await this.#command("check", "marketwright check day.yaml --connect | grep --invert-match ^ok");
    await this.#command("test", "marketwright notify day.yaml --test");
    await this.#phone.messages(/./);
    await this.#command("explain", "marketwright explain day.yaml | sed -n '/^btcusdc/,/^$/p'");
    const guard = this.#desk.open("marketwright guard day.yaml", COLUMNS, 30);
    await guard.untilShown(/watching/);
    const bot = await this.#startBot();
    const camera = await PageCamera.open(this.#desk.folder);
    try {
      await this.#watch(bot, camera);
      await this.#command(
        "set",
        "marketwright set day.yaml markets.btcusdc.params.halfSpreadBps=2",
      );
      const restarted = await this.#crash(bot, guard);
      await this.#haltFromChat();
      await this.#stop(restarted);
      await this.#account(camera);
    } finally {
      await camera.close();
    }
    guard.type("C-c");
    await guard.ended();
    const backup = "tar --create --gzip --file day.tgz .marketwright";
    await this.#command("backup", `${backup} && ls --size --human-readable day.tgz`);
    exchange.type("C-c");
    await exchange.ended();
    return this.#parts;
  }

  async #startBot(): Promise<TmuxTerminal> {
    const bot = this.#desk.open("marketwright run day.yaml", COLUMNS, 40);
    await this.#untilStatus(/^btcusdc +quoting/m);
    return bot;
  }

  /** Shows a running bot while a price jumps. */
  async #watch(bot: TmuxTerminal, camera: PageCamera): Promise<void> {
    const page = await camera.open(await this.#desk.print("marketwright cockpit day.yaml"));
    const status = await this.#untilStatus(/waiting[\s\S]*: the bot unwinds an acquired/);
    this.#parts.set("status", commandPart(STATUS, status));
    await this.#untilStatus(/^btcusdc +quoting[\s\S]*^ethusdc +quoting/m);
    this.#drawn("screen", "marketwright run day.yaml", bot, {
      picture: "screen.svg",
      alt: "The bot's screen: books, orders, profit, takeovers and fills",
    });
    await this.#shoot("cockpit", "marketwright cockpit day.yaml", {
      camera,
      page,
      height: COCKPIT_HEIGHT,
      picture: "cockpit.png",
      alt: "The cockpit: equity, profit, the price with own quotes, depth",
    });
  }

  async #crash(bot: TmuxTerminal, guard: TmuxTerminal): Promise<TmuxTerminal> {
    process.kill(bot.pid, "SIGKILL");
    await bot.ended();
    const death = await this.#phone.messages(/the guard has cancelled/);
    this.#drawn("guard", "marketwright guard day.yaml", guard, {
      picture: "guard.svg",
      alt: "The guard's log: the heartbeat has stopped, orders are cancelled",
    });
    const restarted = await this.#startBot();
    const back = await this.#phone.messages(/the bot is back/);
    this.#parts.set("messages", this.#chatOf([...death, ...back]));
    return restarted;
  }

  async #haltFromChat(): Promise<void> {
    await sleep(10_000);
    const status = await this.#chat("/status", /equity/);
    const halt = await this.#chat("/halt ethusdc", /resume/);
    this.#parts.set("chat", this.#chatOf([...status, ...halt]));
    await sleep(5_000);
    await this.#command("resume", "marketwright resume day.yaml --market ethusdc");
    await this.#untilStatus(/^ethusdc +quoting/m);
  }

  async #stop(bot: TmuxTerminal): Promise<void> {
    await sleep(20_000);
    bot.type("C-c");
    await bot.ended();
    const [summary] = /^The bot has stopped[\s\S]*/m.exec(bot.text()) ?? [];
    if (summary === undefined) throw new Error(`the bot has ended without its summary`);
    this.#parts.set("summary", outputPart(this.#desk.readable(summary)));
  }

  /** Asks for the results in the evening. */
  async #account(camera: PageCamera): Promise<void> {
    await this.#picture("daily", "marketwright report day.yaml --daily", {
      picture: "daily.svg",
      alt: "The day's summary: profit, fills, quoted time, halts and gaps",
      columns: WIDE_COLUMNS,
    });
    const report = "marketwright report day.yaml --live --out report";
    await this.#desk.run(report);
    await this.#shoot("report", report, {
      camera,
      page: await camera.open(`file://${this.#desk.folder.text}/report/report.html`),
      height: REPORT_HEIGHT,
      picture: "report.png",
      alt: "The day's report: its figures, and why there were no quotes",
    });
    await this.#command("ledger", "marketwright ledger export day.yaml --output ledger.csv");
    await this.#picture("liquidations", "marketwright ledger liquidations day.yaml", {
      picture: "liquidations.svg",
      alt: "The liquidations that were not won, and what lost each",
      columns: WIDE_COLUMNS,
    });
  }

  /** The status once it has this form. */
  #untilStatus(form: RegExp): Promise<string> {
    // A bot that starts has no socket yet.
    return until(
      () => this.#desk.run(STATUS).catch(() => ""),
      (status) => form.test(status),
    );
  }

  async #command(part: string, command: string): Promise<void> {
    this.#parts.set(part, commandPart(command, await this.#desk.run(command)));
  }

  /** Types into the chat, and takes what the phone then shows. */
  async #chat(text: string, answer: RegExp): Promise<readonly string[]> {
    this.#phone.write(text);
    return [`> ${text}`, ...(await this.#phone.messages(answer))];
  }

  #chatOf(messages: readonly string[]): string {
    return outputPart(this.#desk.readable(messages.join("\n\n")));
  }

  /** Runs a command in a terminal, and draws what it prints. */
  async #picture(part: string, command: string, picture: TerminalShot): Promise<void> {
    const columns = picture.columns ?? COLUMNS;
    const terminal = this.#desk.open(`bash -c ${JSON.stringify(command)}`, columns, 60);
    await terminal.ended();
    this.#drawn(part, command, terminal, picture);
  }

  #drawn(part: string, command: string, terminal: TmuxTerminal, shot: TerminalShot): void {
    const capture = this.#desk.readable(terminal.capture());
    const { columns } = terminal;
    writeFileSync(
      new URL(shot.picture, PICTURES),
      drawTerminal(capture, { columns, title: shot.alt }),
    );
    this.#parts.set(part, picturePart(command, shot.picture, shot.alt));
  }

  async #shoot(part: string, command: string, shot: PageShot): Promise<void> {
    const { camera, page, height, picture, alt } = shot;
    await camera.shoot(page, height, fileURLToPath(new URL(picture, PICTURES)));
    await page.close();
    this.#parts.set(part, picturePart(command, picture, alt));
  }
}
