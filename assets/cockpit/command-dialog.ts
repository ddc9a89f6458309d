import { html } from "../chart/html.js";
import type { CockpitClient } from "./cockpit-client.js";
import {
  flattenSentence,
  outcomeSentence,
  previewSentences,
  refusalSentence,
} from "./command-text.js";
import { ALL, confirmationFor } from "./confirmation.js";
import type { BotStatus, CommandPreview, PageRequest, PageResponse } from "./frame.js";
import { setOutcome, setPreviewElements } from "./set-preview.js";
import { setShown, setText } from "./update-element.js";

/** Pause of a reader who types a value, after which its effect is asked for. */
const TYPING_MS = 300;
const ASKING = "Asking the bot what this would do …";

/** A command that a reader is about to give. */
export interface IntendedCommand {
  readonly botId: string;
  readonly title: string;
  readonly intro: string;
  /** The text on the button that sends it. */
  readonly verb: string;
  readonly marketId: string | undefined;
  /** Fields of the command; undefined while they cannot be sent, for example nothing is changed. */
  readonly request: () => PageRequest | undefined;
  /** The form of the command's options, which changes what `request` returns. */
  readonly options?: HTMLElement;
  /** Shown while there is no request: says what to enter. */
  readonly hint?: string;
  readonly status: BotStatus;
}

/** Shows the effect of a command, has it confirmed by its market's name, and says the result. */
export class CommandDialog {
  readonly element = html("dialog", "command");
  readonly #client: CockpitClient;
  readonly #title = html("h2");
  readonly #intro = html("p", "intro");
  readonly #options = html("div", "options");
  readonly #preview = html("div", "preview");
  readonly #form = html("form");
  readonly #label = html("label", "confirm");
  readonly #name = html("code");
  readonly #input = html("input");
  readonly #result = html("p", "result");
  readonly #send = html("button", "danger", "Send");
  readonly #cancel = html("button", "", "Cancel");
  #command: IntendedCommand | undefined;
  /** Numbers the previews, so that a late answer to an earlier one is not shown. */
  #asked = 0;
  #isPreviewed = false;
  #isSending = false;
  /** Runs while a value is being typed. */
  #typing: ReturnType<typeof setTimeout> | undefined;

  constructor(client: CockpitClient) {
    this.#client = client;
    this.#title.id = "command-title";
    this.element.setAttribute("aria-labelledby", this.#title.id);
    this.#preview.setAttribute("aria-live", "polite");
    this.#result.setAttribute("role", "status");
    this.#input.autocomplete = "off";
    this.#input.spellcheck = false;
    this.#input.autocapitalize = "off";
    this.#label.append("Type ", this.#name, " to confirm", this.#input);
    this.#cancel.type = "button";
    this.#send.type = "submit";
    const buttons = html("div", "buttons");
    buttons.append(this.#cancel, this.#send);
    this.#form.append(this.#label, this.#result, buttons);
    this.element.append(this.#title, this.#intro, this.#options, this.#preview, this.#form);
    this.#cancel.addEventListener("click", () => this.element.close());
    this.#input.addEventListener("input", () => this.#showButton());
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#submit();
    });
    this.#options.addEventListener("input", () => this.#askSoon());
    // A reader who leaves a field does not wait.
    this.#options.addEventListener("change", () => {
      if (this.#typing !== undefined) void this.#ask();
    });
    this.element.addEventListener("close", () => {
      this.#command = undefined;
      this.#forgetPreview();
      this.#options.replaceChildren();
      this.#preview.replaceChildren();
    });
  }

  open(command: IntendedCommand): void {
    this.#command = command;
    setText(this.#title, command.title);
    setText(this.#intro, command.intro);
    setText(this.#send, command.verb);
    setText(this.#cancel, "Cancel");
    this.#input.value = "";
    setText(this.#result, "");
    this.#result.className = "result";
    this.#options.replaceChildren(...(command.options === undefined ? [] : [command.options]));
    setShown(this.#preview, true);
    setShown(this.#label, true);
    setShown(this.#send, true);
    this.#showButton();
    this.element.showModal();
    void this.#ask();
  }

  get #isConfirmed(): boolean {
    const typed = this.#input.value.trim().toLowerCase();
    const name = this.#name.textContent ?? "";
    return (
      typed === name.toLowerCase() ||
      (name === ALL && typed === this.#command?.status.account.toLowerCase())
    );
  }

  #showButton(): void {
    this.#send.disabled = !this.#isConfirmed || !this.#isPreviewed || this.#isSending;
  }

  /** Nothing can be sent until the effect of the new value is shown. */
  #askSoon(): void {
    this.#forgetPreview();
    setText(this.#result, "");
    this.#preview.replaceChildren(html("p", "waiting", ASKING));
    this.#typing = setTimeout(() => void this.#ask(), TYPING_MS);
  }

  #forgetPreview(): void {
    clearTimeout(this.#typing);
    this.#typing = undefined;
    this.#asked += 1;
    this.#isPreviewed = false;
    this.#showButton();
  }

  async #ask(): Promise<void> {
    const command = this.#command;
    this.#forgetPreview();
    const asked = this.#asked;
    if (command === undefined) return;
    const { marketId, status, hint = "" } = command;
    const request = command.request();
    setText(this.#name, request === undefined ? (marketId ?? ALL) : confirmationFor(request));
    if (request === undefined) {
      this.#preview.replaceChildren(html("p", "waiting", hint));
      return;
    }
    this.#preview.replaceChildren(html("p", "waiting", ASKING));
    const answer = await this.#client.preview(command.botId, previewOf(request));
    if (asked !== this.#asked) return;
    this.#isPreviewed = answer.ok;
    this.#preview.replaceChildren(...previewElements(answer, request, status));
    this.#showButton();
  }

  async #submit(): Promise<void> {
    const command = this.#command;
    const request = command?.request();
    if (command === undefined || request === undefined || this.#send.disabled) return;
    this.#isSending = true;
    this.#showButton();
    setText(this.#result, "Sending …");
    this.#result.className = "result";
    const answer = await this.#client.command(command.botId, request, confirmationFor(request));
    this.#isSending = false;
    if (this.#command !== command) return;
    setText(
      this.#result,
      answer.ok
        ? isOfValues(request)
          ? setOutcome(answer.data)
          : outcomeSentence(request.command, answer.data, command.marketId)
        : refusalSentence(answer.error),
    );
    this.#result.className = `result ${answer.ok ? "done" : "refused"}`;
    this.#showButton();
    if (!answer.ok) return;
    setShown(this.#label, false);
    setShown(this.#send, false);
    setShown(this.#preview, false);
    this.#options.replaceChildren();
    setText(this.#cancel, "Close");
    this.#cancel.focus();
  }
}

function isOfValues({ command }: PageRequest): boolean {
  return command === "set" || command === "reload";
}

/** A preview writes nothing, so it does not save either. */
function previewOf(request: PageRequest): PageRequest {
  if (request.command === "set") return { ...request, preview: true, save: false };
  return request.command === "reload" ? { ...request, preview: true } : request;
}

function previewElements(
  answer: PageResponse,
  request: PageRequest,
  status: BotStatus,
): readonly HTMLElement[] {
  if (!answer.ok) return [html("p", "refused", refusalSentence(answer.error))];
  if (isOfValues(request)) return setPreviewElements(answer.data);
  const preview = answer.data as CommandPreview;
  const sentences = previewSentences(preview, status).map((text) => html("p", "", text));
  const trades = preview.markets.flatMap(({ marketId, flatten }) => {
    if (flatten === undefined) return [];
    const market = status.markets[marketId];
    const text = flattenSentence(
      flatten,
      market?.baseAsset ?? "base",
      market?.quoteAsset ?? status.quoteAsset ?? "",
    );
    return [html("p", "trade", `${marketId}: ${text}`)];
  });
  return [...sentences, ...trades];
}
