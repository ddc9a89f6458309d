import type { ControlHandler } from "../../bot/control/control-server.js";
import { buildScreenModel } from "../../bot/run/monitor/bot-screen.js";
import type { RunningBot } from "../../bot/run/running-bot.js";
import { shellWord } from "../../core/files/shell-word.js";
import type { MarketId } from "../../core/units.js";
import type { ScreenActions } from "../../monitoring/screen/screen-controls.js";
import { type LiveScreen, startScreen } from "../../monitoring/screen/screen-driver.js";
import type { CliContext } from "../cli-context.js";
import { describeCommand } from "../control/describe-command.js";
import type { ControlAnswer } from "./control-handler.js";
import { COCKPIT_COMMAND, type SessionCockpit } from "./session-cockpit.js";

/** Reason of a halt from the screen. */
const HALT_REASON = "requested at the screen";

/** Said where the resume of one market leaves a halt of the account in force. */
const ACCOUNT_HALT = "The account is halted: r, then y, ends it.";

/** The bot to show, and its surroundings. */
interface SessionScreenOptions {
  readonly running: RunningBot;
  /** The handler of the control socket: a key is a command like any other. */
  readonly handle: ControlHandler;
  /** Destination of the log meanwhile. */
  readonly logFile: string;
  readonly color: boolean;
  /** Its link is shown until it is used: stderr belongs to the screen meanwhile. */
  readonly cockpit: SessionCockpit;
}

/** Opens the live screen of a session, with keys if the context has a keyboard. */
export function openSessionScreen(
  context: CliContext,
  { running, handle, logFile, color, cockpit }: SessionScreenOptions,
): LiveScreen {
  const { keyboard, runtime } = context;
  const { clock } = runtime;
  const setting = {
    clock,
    startedMs: clock.nowMs(),
    startedMonotonicMs: clock.monotonicMs(),
    logFile,
    cockpitCommand: COCKPIT_COMMAND,
    get cockpitLink() {
      return cockpit.screenText();
    },
  };
  let isInterrupted = false;
  void context.interrupted().then(() => {
    isInterrupted = true;
  });
  cockpit.holdBack();
  const screen = startScreen({
    terminal: context.stdout,
    clock,
    color,
    model: () => buildScreenModel(running.bot, running.monitor, setting),
    keys:
      keyboard === undefined
        ? undefined
        : {
            input: keyboard.input,
            isForeground: keyboard.isForeground,
            isStopping: () => running.bot.phase === "stopping" || running.bot.phase === "stopped",
            isInterrupted: () => isInterrupted,
            markets: [...running.bot.context.traders.keys()],
            actions: keyActions(running, handle, keyboard.interrupt),
          },
  });
  const forget = context.onSuspension?.(screen.suspend, screen.resume);
  return {
    ...screen,
    stop: () => {
      forget?.();
      screen.stop();
    },
  };
}

function keyActions(
  running: RunningBot,
  handle: ControlHandler,
  interrupt: () => void,
): ScreenActions {
  const resumeCommand = `marketwright resume ${shellWord(running.bot.context.config.path)}`;
  const send = async (command: Parameters<ControlHandler>[0]): Promise<string> => {
    const answer = (await handle(command)) as ControlAnswer;
    if (answer.outcome === undefined) return `Done: ${command.command}.`;
    const text = describeCommand({
      answer,
      outcome: answer.outcome,
      resume: resumeCommand,
      maxSlippageBps: 0,
    });
    const sentence = text.split("\n")[0] ?? "";
    const isOfOneMarket = command.command === "resume" && command.marketId !== undefined;
    const isAccountHalted = answer.activeHalts.some(
      ({ name, marketId, endsByItself }) =>
        (marketId === null || marketId === undefined) &&
        !endsByItself &&
        name !== "domain-mismatch",
    );
    return isOfOneMarket && isAccountHalted ? `${ACCOUNT_HALT} ${sentence}` : sentence;
  };
  const of = (marketId: MarketId | undefined) => (marketId === undefined ? {} : { marketId });
  return {
    interrupt,
    stop: () => running.command({ command: "stop", reason: "requested at the screen" }),
    halt: (marketId) =>
      send({ command: "halt", reason: HALT_REASON, via: "screen", ...of(marketId) }),
    resume: (marketId) => send({ command: "resume", via: "screen", ...of(marketId) }),
  };
}
