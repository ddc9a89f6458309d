import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { cockpitUrl } from "#cockpit/cockpit-messages.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { ViewedJournals } from "#viewer/viewed-journals.js";
import { startViewerServer } from "#viewer/viewer-server.js";
import { PageCamera } from "./day/page-camera.js";

/**
 * `npm run journal-picture`: opens the journal of a recorded run as `marketwright journal` does,
 * and writes docs/reference/pictures/journal-viewer.png. Needs Chromium.
 */
const root = new URL("..", import.meta.url);
const RECORDED = new URL("test/fixtures/made-by-0.1.0/live/run.journal.gz", root);
const PICTURES = new URL("docs/reference/pictures/", root);
/** The turn of the fill that docs/reference/bisect.md explains. */
const TURN = 107;
const HEIGHT = 1_060;

const folder = mkdtempSync(join(tmpdir(), "marketwright-picture-"));
const journal = join(folder, "run.journal");
writeFileSync(journal, gunzipSync(readFileSync(RECORDED)));
const runtime = createLiveRuntime();
const journals = await ViewedJournals.open({ journal, turn: TURN, clock: runtime.clock });
await journals.read();
const server = await startViewerServer({
  port: 0,
  runtime,
  journals,
  pageFolder: fileURLToPath(new URL("dist/viewer-page/", root)),
});
const camera = await PageCamera.open({ text: `${folder}/`, shown: "" });
try {
  mkdirSync(PICTURES, { recursive: true });
  const page = await camera.open(cockpitUrl({ port: server.port, token: server.createToken() }));
  await page.locator(`article[data-turn="${TURN}"]`).waitFor();
  await camera.shoot(page, HEIGHT, fileURLToPath(new URL("journal-viewer.png", PICTURES)));
} finally {
  await camera.close();
  await server.close();
  await journals.close();
  rmSync(folder, { recursive: true, force: true });
}
