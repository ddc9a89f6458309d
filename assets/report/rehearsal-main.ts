import { offerThemes } from "../chart/theme.js";

/** The command of the chosen run, at the foot of the window until another one is chosen. */
const bar = document.getElementById("repeat");
const shown = document.getElementById("repeat-command");
const state = document.getElementById("repeat-state");

offerThemes();
for (const button of document.querySelectorAll<HTMLButtonElement>("button.seed")) {
  button.addEventListener("click", () => void showCommand(button));
}

async function showCommand(button: HTMLButtonElement): Promise<void> {
  const { command } = button.dataset;
  if (command === undefined || bar === null || shown === null || state === null) return;
  for (const chosen of document.querySelectorAll("button.seed.chosen"))
    chosen.classList.remove("chosen");
  button.classList.add("chosen");
  shown.textContent = command;
  bar.hidden = false;
  state.textContent = (await copied(command)) ? "Copied." : "Copy this command.";
}

/** Copies a text. Returns false where the browser does not allow it. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // A browser may refuse a page from a file: the reader then copies the text by hand.
    return false;
  }
}
