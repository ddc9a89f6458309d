import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLiveRuntime } from "#core/live-runtime.js";
import type { ViewedJournals } from "#viewer/viewed-journals.js";
import { startViewerServer, type ViewerServer } from "#viewer/viewer-server.js";
import { ask, type Response } from "../cockpit/opened-cockpit.js";
import { olderLines, readWhole, writeJournal } from "./recorded-journals.js";

const folder = mkdtempSync(join(tmpdir(), "marketwright-viewer-server-"));
writeFileSync(join(folder, "index.html"), "<!doctype html><title>a page</title>");
let journals: ViewedJournals;
let server: ViewerServer;

beforeAll(async () => {
  const journal = writeJournal(folder, "run.journal", olderLines().slice(0, 151));
  journals = await readWhole({ journal });
  server = await startViewerServer({
    port: 0,
    runtime: createLiveRuntime(),
    pageFolder: folder,
    journals,
  });
}, 60_000);
afterAll(async () => {
  await server?.close();
  await journals?.close();
  rmSync(folder, { recursive: true, force: true });
});

const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  ask({ port: server.port, path, headers });
const post = (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  ask({
    port: server.port,
    method: "POST",
    path,
    body: JSON.stringify(body),
    headers: { "x-marketwright": "1", ...headers },
  });
async function session(): Promise<string> {
  const { headers } = await post("/session", { token: server.createToken() });
  return headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
}

describe("the server of a journal's page", () => {
  it("gives the page to all, and a turn of the run only to the browser that used the link", async () => {
    expect((await get("/")).status).toBe(200);
    for (const path of ["/journal", "/turn?turn=107", "/search?when=halts&goal=first&from=1"])
      expect({ path, status: (await get(path)).status }).toEqual({ path, status: 401 });
    const token = server.createToken();
    const { status, headers } = await post("/session", { token });
    expect(status).toBe(200);
    const cookie = headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
    expect(headers["set-cookie"]?.[0]).toMatch(/HttpOnly; SameSite=Strict/);
    const again = await post("/session", { token });
    expect(again.status).toBe(401);
    expect(again.text).toContain("Start marketwright journal again");
    const { text } = await get("/turn?turn=107", { cookie });
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(journals.turn(107))));
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
  });

  it("refuses another host, another site and a POST without its header, as the cockpit does", async () => {
    const cookie = await session();
    const refused = await Promise.all([
      get("/journal", { cookie, host: "evil.example" }),
      get("/journal", { cookie, origin: "http://evil.example" }),
      get("/journal", { cookie, "sec-fetch-site": "cross-site" }),
      post("/session", { token: server.createToken() }, { "x-marketwright": "0" }),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  });

  it("commands nothing: it answers no POST but that of the session", async () => {
    const cookie = await session();
    for (const path of ["/command", "/preview", "/turn", "/journal"])
      expect((await post(path, { command: "halt" }, { cookie })).status).toBe(405);
  });

  it("answers what the page asks for, and says what is wrong with a question", async () => {
    const cookie = await session();
    const read = async (path: string) => JSON.parse((await get(path, { cookie })).text);
    expect(await read("/journal")).toMatchObject({
      isRead: true,
      startTurn: 1,
      runs: [{ firstTurn: 1, lastTurn: 150, markets: ["btcusdc", "ethusdc"] }],
    });
    expect(await read("/timeline?from=1&to=150&intervals=20")).toEqual(
      JSON.parse(JSON.stringify(journals.timeline(0, 1, 150, 20))),
    );
    const when = encodeURIComponent("position.btcusdc < -0.03");
    expect(await read(`/search?when=${when}&goal=first&from=1`)).toMatchObject({ turn: 107 });
    // The first of two turns in this millisecond.
    expect(await read("/turn-at?time=2026-11-27T07:39:42.876Z")).toEqual({ turn: 106 });
    expect(await read("/difference?from=1&goal=next")).toEqual({ turn: null });
    const wrong = [
      ["/turn?turn=151", "turn: does not exist (got 151); expected a turn of the run"],
      ["/turn?turn=x", "turn: Invalid input"],
      ["/turn-at?time=noon", "time: "],
      ["/search?when=positon.btcusdc%3E1&goal=first&from=1", "expected position.btcusdc"],
      ["/timeline?run=1&from=1&to=2&intervals=2", "run: does not exist (got 1); expected 0"],
    ] as const;
    for (const [path, message] of wrong) {
      const { status, text } = await get(path, { cookie });
      expect({ path, status }).toEqual({ path, status: 400 });
      expect(JSON.parse(text).error.message).toContain(message);
    }
    expect((await get("/nothing", { cookie })).status).toBe(404);
  });
});
