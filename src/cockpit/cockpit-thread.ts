import { fileURLToPath } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import { describeThrown } from "../core/describe-thrown.js";
import { createLiveRuntime } from "../core/runtime/live-runtime.js";
import type { CockpitMessage, CockpitStart, LinkRequest } from "./cockpit-messages.js";
import { startCockpitServer } from "./cockpit-server.js";

/** Where the build puts the page: beside this folder. */
const PAGE_FOLDER = fileURLToPath(new URL("../cockpit-page/", import.meta.url));

const { port } = workerData as CockpitStart;
const post = (message: CockpitMessage): void => parentPort?.postMessage(message);

try {
  const server = await startCockpitServer({
    port,
    env: process.env,
    runtime: createLiveRuntime(),
    pageFolder: PAGE_FOLDER,
    onSession: () => post({ kind: "session" }),
    onTrouble: (message) => post({ kind: "log", level: "warn", message }),
  });
  parentPort?.on("message", ({ request }: LinkRequest) =>
    post({ kind: "link", request, token: server.createToken() }),
  );
  post({ kind: "open", port: server.port });
} catch (error) {
  post({ kind: "failed", message: describeThrown(error) });
}
