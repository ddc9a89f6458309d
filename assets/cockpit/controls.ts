import { html } from "../chart/html.js";
import type { BotRecord } from "./bot-record.js";
import type { CommandDialog, IntendedCommand } from "./command-dialog.js";
import { botName } from "./format.js";
import type { Frame, PageRequest } from "./frame.js";
import { parameterForm } from "./parameter-form.js";

const USUAL_SLIPPAGE_BPS = 50;

/** Buttons that command one market of a bot, or with undefined all of them. */
export function controlBar(
  record: BotRecord,
  marketId: string | undefined,
  dialog: CommandDialog,
): HTMLElement {
  const bar = html("div", "controls");
  bar.setAttribute("role", "group");
  bar.setAttribute("aria-label", marketId === undefined ? "All markets" : `Market ${marketId}`);
  const all = marketId === undefined ? " all" : "";
  const add = (text: string, className: string, command: (frame: Frame) => IntendedCommand) => {
    const button = html("button", className, text);
    button.type = "button";
    button.addEventListener("click", () => {
      if (record.frame !== undefined) dialog.open(command(record.frame));
    });
    bar.append(button);
  };
  const base = (frame: Frame) => ({
    botId: record.entry.id,
    marketId,
    status: frame.status,
  });
  const where = marketId ?? `all markets of ${botName(record.entry.config)}`;
  const market = marketId === undefined ? {} : { marketId };
  const fixed = (request: PageRequest) => (): PageRequest => request;
  add(`Halt${all}`, "", (frame) => ({
    ...base(frame),
    title: `Halt ${where}`,
    intro: "The bot cancels its quotes and places none until you resume, also after a restart.",
    verb: "Halt",
    request: fixed({ command: "halt", reason: "halted in the cockpit", ...market }),
  }));
  add(`Resume${all}`, "", (frame) => ({
    ...base(frame),
    title: `Resume ${where}`,
    intro: "The bot ends the halts that a person has to end, and quotes again.",
    verb: "Resume",
    request: fixed({ command: "resume", ...market }),
  }));
  add(`Flatten${all}`, "danger", (frame) => {
    const { element, bps } = slippageField();
    return {
      ...base(frame),
      title: `Flatten ${where}`,
      intro: "The bot cancels its quotes and trades its position to zero by taking orders.",
      verb: "Flatten",
      options: element,
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
    title: `Cancel all orders in ${where}`,
    intro:
      "The bot halts and cancels every order that it has placed. Orders that others placed with the account stay: npx marketwright cancel-all cancels those too.",
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
      title: `Reload ${botName(frame.status.config)}`,
      intro: `The bot takes the values of ${frame.status.config} as it is now.`,
      verb: "Reload",
      request: fixed({ command: "reload", preview: false }),
    }));
  return bar;
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
