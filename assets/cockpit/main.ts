import { offerThemes } from "../chart/theme.js";
import { CockpitPage } from "./cockpit-page.js";
import { LiveConnection } from "./live-connection.js";
import { openSession } from "./session.js";
import { rememberTheme } from "./theme-memory.js";

rememberTheme();
offerThemes();
byId("tunnel").textContent = `ssh -L ${location.port}:127.0.0.1:${location.port} HOST`;
void start();

async function start(): Promise<void> {
  const page = new CockpitPage(byId("page"), byId("connection"), byId("announcements"));
  const refused = await openSession();
  if (refused !== undefined) {
    page.connect({ kind: "over", why: refused });
    return;
  }
  await new LiveConnection({
    onState: (state) => page.connect(state),
    onEvent: (event) => page.receive(event),
  }).run();
}

function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no element ${id}`);
  return element;
}
