import { html } from "../chart/html.js";
import type { BotRecord } from "./bot-record.js";
import type { CommandDialog, IntendedCommand } from "./command-dialog.js";
import type { BotStatus, Frame, PageRequest } from "./frame.js";
import { parameterForm } from "./parameter-form.js";
import { setAttribute, setShown } from "./update-element.js";

const USUAL_SLIPPAGE_BPS = 50;

/** Buttons that command one market of a bot, or with undefined all of them. */
export class ControlBar {
  readonly element = html("div", "controls");
  readonly #buttons: readonly {
    readonly button: HTMLButtonElement;
    readonly isNeeded: OfferedCommand["isNeeded"];
  }[];

  constructor(record: BotRecord, marketId: string | undefined, dialog: CommandDialog) {
    this.element.setAttribute("role", "group");
    this.element.setAttribute(
      "aria-label",
      marketId === undefined ? "All markets" : `Market ${marketId}`,
    );
    this.#buttons = commandsOf(record, marketId).map(({ text, className, command, isNeeded }) => {
      const button = html("button", className, text);
      button.type = "button";
      button.addEventListener("click", () => {
        if (record.frame !== undefined) dialog.open(command(record.frame));
      });
      this.element.append(button);
      return { button, isNeeded };
    });
  }

  /** Shows which commands make sense now. */
  update({ frame, goneAtMs }: BotRecord): void {
    setShown(this.element, frame?.control === true);
    for (const { button, isNeeded } of this.#buttons) {
      const isIdle = frame !== undefined && !isNeeded(frame.status);
      const isDisabled = goneAtMs !== undefined || isIdle;
      if (button.disabled !== isDisabled) button.disabled = isDisabled;
      setAttribute(button, "title", isIdle ? "Nothing is halted here." : undefined);
    }
  }
}

/** True if a resume could end a halt or a flatten. */
function hasHalt({ activeHalts, markets }: BotStatus, marketId: string | undefined): boolean {
  return (
    activeHalts.some(
      (halt) => marketId === undefined || halt.marketId === null || halt.marketId === marketId,
    ) ||
    Object.entries(markets).some(
      ([id, { state, isFlattening }]) =>
        (marketId === undefined || id === marketId) && (state === "halted" || isFlattening),
    )
  );
}

interface OfferedCommand {
  readonly text: string;
  readonly className: string;
  readonly command: (frame: Frame) => IntendedCommand;
  /** False while the command would do nothing. */
  readonly isNeeded: (status: BotStatus) => boolean;
}

function commandsOf(record: BotRecord, marketId: string | undefined): readonly OfferedCommand[] {
  const commands: OfferedCommand[] = [];
  const all = marketId === undefined ? " all" : "";
  const add = (
    text: string,
    className: string,
    command: OfferedCommand["command"],
    isNeeded: OfferedCommand["isNeeded"] = () => true,
  ) => {
    commands.push({ text, className, command, isNeeded });
  };
  const base = (frame: Frame) => ({
    botId: record.entry.id,
    marketId,
    status: frame.status,
  });
  const where = (): string => marketId ?? `all markets of ${record.name}`;
  const market = marketId === undefined ? {} : { marketId };
  const fixed = (request: PageRequest) => (): PageRequest => request;
  add(`Halt${all}`, "", (frame) => ({
    ...base(frame),
    title: `Halt ${where()}`,
    intro: "The bot cancels its quotes and places none until you resume, also after a restart.",
    verb: "Halt",
    request: fixed({ command: "halt", reason: "halted in the cockpit", ...market }),
  }));
  const resume = (frame: Frame): IntendedCommand => ({
    ...base(frame),
    title: `Resume ${where()}`,
    intro: "The bot ends the halts that a person has to end, and quotes again.",
    verb: "Resume",
    request: fixed({ command: "resume", ...market }),
  });
  add(`Resume${all}`, "", resume, (status) => hasHalt(status, marketId));
  add(`Flatten${all}`, "danger", (frame) => {
    const { element, bps } = slippageField();
    return {
      ...base(frame),
      title: `Flatten ${where()}`,
      intro: "The bot cancels its quotes and trades its position to zero by taking orders.",
      verb: "Flatten",
      options: element,
      hint: "Enter the most slippage: above 0, at most 10000 bps.",
      request: () => {
        const maxSlippageBps = bps();
        return maxSlippageBps === undefined
          ? undefined
          : { command: "flatten", maxSlippageBps, ...market };
      },
    };
  });
  add(marketId === undefined ? "Cancel all orders" : "Cancel orders", "danger", (frame) => ({
    ...base(frame),
    title: `Cancel all orders in ${where()}`,
    intro:
      "The bot halts and cancels every order that it has placed. Orders that others placed with the account stay: marketwright cancel-all cancels those too.",
    verb: "Cancel the orders",
    request: fixed({ command: "halt", reason: "all orders cancelled in the cockpit", ...market }),
  }));
  add(marketId === undefined ? "Other values" : "Parameters", "", (frame) => {
    const form = parameterForm(frame, marketId);
    const strategy = marketId === undefined ? "" : (frame.status.markets[marketId]?.strategy ?? "");
    return {
      ...base(frame),
      title: marketId === undefined ? "Values of the bot's file" : `Parameters of ${marketId}`,
      intro:
        marketId === undefined
          ? "Limits and other values that may change while the bot runs."
          : `Running values of the strategy ${strategy}.`,
      verb: "Apply",
      options: form.element,
      hint:
        marketId === undefined
          ? "Enter a name and a value to see here what they would do."
          : "Change a value to see here what it would do.",
      request: () => {
        const changes = form.changes();
        return changes.length === 0
          ? undefined
          : { command: "set", changes, preview: false, save: form.isSaved() };
      },
    };
  });
  if (marketId === undefined)
    add("Reload the file", "", (frame) => ({
      ...base(frame),
      title: `Reload ${record.name}`,
      intro: `The bot takes the values of ${frame.status.config} as it is now.`,
      verb: "Reload",
      request: fixed({ command: "reload", preview: false }),
    }));
  return commands;
}

function slippageField(): {
  readonly element: HTMLElement;
  readonly bps: () => number | undefined;
} {
  const label = html("label", "field", "Most slippage from the touch, bps");
  const input = html("input");
  input.type = "number";
  input.min = "0.1";
  input.max = "10000";
  input.step = "any";
  input.inputMode = "decimal";
  input.value = String(USUAL_SLIPPAGE_BPS);
  label.append(input);
  return {
    element: label,
    bps: () => {
      const value = input.valueAsNumber;
      return value > 0 && value <= 10_000 ? value : undefined;
    },
  };
}
