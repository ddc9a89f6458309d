import { offerThemes } from "../chart/theme.js";
import { openSession } from "../cockpit/session.js";
import { rememberTheme } from "../cockpit/theme-memory.js";
import { ViewerPage } from "./viewer-page.js";

rememberTheme();
offerThemes();
byId("tunnel").textContent = `ssh -L ${location.port}:127.0.0.1:${location.port} HOST`;
void start();

async function start(): Promise<void> {
  const page = new ViewerPage(byId("page"), byId("reading"));
  const refused = await openSession({
    silent: "The journal's server does not answer. Does marketwright journal still run?",
    newLink: "Start marketwright journal again for a fresh one.",
  });
  if (refused === undefined) await page.run();
  else page.fail(refused);
}

function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no element ${id}`);
  return element;
}
