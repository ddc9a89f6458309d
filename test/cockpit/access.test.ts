import { mkdtempSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AccessControl } from "#cockpit/access-control.js";
import { startCockpitServer } from "#cockpit/cockpit-server.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { ask, begin, OpenedCockpit } from "./opened-cockpit.js";

const runtime = createLiveRuntime();
let cockpit: OpenedCockpit;
beforeAll(async () => {
  cockpit = await OpenedCockpit.start({ XDG_RUNTIME_DIR: mkdtempSync(join(tmpdir(), "mw-")) });
});
afterAll(() => cockpit.close());

describe("a link", () => {
  it("works once, for a cookie that no script and no other site can use", async () => {
    const token = cockpit.createToken();
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const first = await cockpit.post("/session", { token });
    expect(first.status).toBe(200);
    expect(first.headers["set-cookie"]).toEqual([
      expect.stringMatching(
        new RegExp(
          `^marketwright_${cockpit.port}=[A-Za-z0-9_-]{43}; HttpOnly; SameSite=Strict; Path=/$`,
        ),
      ),
    ]);
    expect(first.text).not.toContain(token);
    const second = await cockpit.post("/session", { token });
    expect(second.status).toBe(401);
    expect(second.headers["set-cookie"]).toBeUndefined();
    expect(JSON.parse(second.text)).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining("marketwright cockpit prints a fresh one") },
    });
  });

  it("that was used is no error in the browser that has its session", async () => {
    const token = cockpit.createToken();
    const first = await cockpit.post("/session", { token });
    const cookie = first.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
    const again = await cockpit.post("/session", { token }, { cookie });
    expect([again.status, again.headers["set-cookie"]]).toEqual([200, undefined]);
    expect((await cockpit.post("/session", { token }, { cookie: `${cookie}x` })).status).toBe(401);
  });

  it("is refused if it is wrong, has another form, or is too old", async () => {
    for (const body of [
      { token: "x".repeat(43) },
      { token: "" },
      { token: 7 },
      { token: ["a"] },
      {},
      null,
      "a text",
    ])
      expect((await cockpit.post("/session", JSON.stringify(body))).status).toBe(401);
    const clock = new VirtualClock(0);
    const access = new AccessControl({ clock, random: runtime.random });
    const old = access.createToken();
    await clock.runFor(12 * 3_600_000);
    expect(access.beginSession(old)).toBeUndefined();
  });

  it("is bounded in number, as sessions are: the newest ones count", () => {
    const access = new AccessControl(runtime);
    const tokens = Array.from({ length: 40 }, () => access.createToken());
    expect(tokens.map((token) => access.beginSession(token) !== undefined)).toEqual([
      ...Array.from({ length: 24 }, () => false),
      ...Array.from({ length: 16 }, () => true),
    ]);
    const begin = () => access.beginSession(access.createToken()) ?? "";
    const first = begin();
    const sessions = Array.from({ length: 63 }, begin);
    // The first one is in use, so the second one is the oldest.
    expect(access.isSession(first)).toBe(true);
    const last = begin();
    expect([first, ...sessions, last].map((session) => access.isSession(session))).toEqual([
      true,
      false,
      ...Array.from({ length: 63 }, () => true),
    ]);
    expect(access.isSession("")).toBe(false);
  });

  it("is compared in the same time whatever part of it is right", () => {
    // The comparison is of digests: a token that shares 42 characters has an unrelated digest.
    const access = new AccessControl(runtime);
    const token = access.createToken();
    const near = `${token.slice(0, 42)}${token.endsWith("A") ? "B" : "A"}`;
    expect(access.beginSession(near)).toBeUndefined();
    expect(access.beginSession(token)).toBeDefined();
  });
});

describe("a request", () => {
  const withSession = async () => ({ cookie: await cockpit.session() });

  it("needs the session's cookie for everything but the page itself", async () => {
    expect((await cockpit.get("/")).status).toBe(200);
    for (const headers of [
      {},
      { cookie: `marketwright_${cockpit.port}=wrong` },
      { cookie: "marketwright=1" },
    ] as Record<string, string>[]) {
      expect((await cockpit.get("/events", headers)).status).toBe(401);
      for (const path of ["/command", "/preview"])
        expect((await cockpit.post(path, {}, headers)).status).toBe(401);
    }
    // Two cookies of the name: one of them may be planted by another port of this machine.
    const { cookie } = await withSession();
    const planted = `${cookie}; marketwright_${cockpit.port}=planted`;
    expect((await cockpit.get("/events", { cookie: planted })).status).toBe(401);
  });

  it("of another host is refused, as after DNS rebinding", async () => {
    const { port } = cockpit;
    const headers = await withSession();
    for (const host of [
      "evil.example",
      `evil.example:${port}`,
      `127.0.0.1.evil.example:${port}`,
      "127.0.0.1",
      `127.0.0.1:${port + 1}`,
      `localhost.:${port}`,
      `user@127.0.0.1:${port}`,
    ]) {
      const refused = await cockpit.get("/", { ...headers, host });
      expect([host, refused.status]).toEqual([host, 403]);
      expect(refused.text).toContain(`ssh -L ${port}:127.0.0.1:${port}`);
      expect((await cockpit.post("/command", {}, { ...headers, host })).status).toBe(403);
    }
    for (const host of [
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      `LOCALHOST:${port}`,
      `[::1]:${port}`,
    ])
      expect([host, (await cockpit.get("/", { host })).status]).toEqual([host, 200]);
    // HTTP/1.0 may leave the header out.
    expect(await raw(port, "GET / HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1\.1 403 /);
  });

  it("of another site is refused, whatever it sends along", async () => {
    const headers = await withSession();
    for (const extra of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: `http://127.0.0.1:${cockpit.port + 1}` },
      { origin: `https://127.0.0.1:${cockpit.port}` },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ] as Record<string, string>[]) {
      for (const path of ["/session", "/command", "/preview"])
        expect((await cockpit.post(path, {}, { ...headers, ...extra })).status).toBe(403);
      expect((await cockpit.get("/events", { ...headers, ...extra })).status).toBe(403);
      expect((await cockpit.get("/assets/cockpit.js", { ...headers, ...extra })).status).toBe(403);
    }
    // A form of another site can send neither the header nor JSON.
    const form = await ask({
      port: cockpit.port,
      method: "POST",
      path: "/command",
      headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
      body: "id=1",
    });
    expect([form.status, form.text]).toEqual([403, expect.stringContaining("x-marketwright: 1")]);
    // No answer permits another site to read anything.
    const preflight = await ask({
      port: cockpit.port,
      method: "OPTIONS",
      path: "/command",
      headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
    });
    expect(preflight.status).toBe(403);
    expect(preflight.headers["access-control-allow-origin"]).toBeUndefined();
    // A link on another page opens the page.
    const followed = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    expect((await cockpit.get("/", followed)).status).toBe(200);
    expect((await cockpit.get("/", { origin: `http://127.0.0.1:${cockpit.port}` })).status).toBe(
      200,
    );
  });

  it("gets strict headers with every answer, and only files of the page", async () => {
    const page = await cockpit.get("/");
    expect(page.text).toContain("a page");
    for (const { headers } of [
      page,
      await cockpit.get("/assets/cockpit.js"),
      await cockpit.get("/nothing"),
      await cockpit.get("/", { host: "evil.example" }),
    ])
      expect(headers).toMatchObject({
        "content-security-policy":
          "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
      });
    expect((await cockpit.get("/cockpit.js")).headers["content-type"]).toBe(
      "text/javascript; charset=utf-8",
    );
    for (const path of [
      "/notes.txt",
      "/assets/../cockpit.js",
      "/%2e%2e/etc/passwd",
      "/../../etc/passwd",
      "//etc/passwd",
      "/assets/",
      "/__proto__",
    ])
      expect([path, (await cockpit.get(path)).status]).toEqual([path, 404]);
    for (const method of ["PUT", "DELETE", "PATCH"])
      expect((await ask({ port: cockpit.port, method })).status).toBe(405);
  });

  it("with too long a body is refused before it is read to its end", async () => {
    const headers = await withSession();
    const long = "x".repeat(16_385);
    expect((await cockpit.post("/command", long, headers)).status).toBe(413);
    const { sent, answered } = begin({
      port: cockpit.port,
      method: "POST",
      path: "/session",
      headers: { "x-marketwright": "1", "transfer-encoding": "chunked" },
    });
    sent.write(long);
    const response = await answered;
    expect([response.statusCode, response.headers.connection]).toEqual([413, "close"]);
    response.resume();
    sent.destroy();
    expect((await cockpit.post("/command", "{", headers)).status).toBe(400);
    expect((await cockpit.post("/command", "{}", headers)).status).toBe(400);
    const header = `GET / HTTP/1.1\r\nHost: 127.0.0.1:${cockpit.port}\r\nx: ${"y".repeat(20_000)}\r\n\r\n`;
    expect(await raw(cockpit.port, header)).toMatch(/^HTTP\/1\.1 431 /);
  });

  it("that never ends is closed", async () => {
    const slow = raw(cockpit.port, `GET / HTTP/1.1\r\nHost: 127.0.0.1:${cockpit.port}\r\n`);
    const { sent, answered } = begin({
      port: cockpit.port,
      method: "POST",
      path: "/session",
      headers: { "x-marketwright": "1", "content-length": "100" },
    });
    sent.write("{");
    expect(await slow).toMatch(/^HTTP\/1\.1 408 /);
    const ended = await answered.then(
      ({ statusCode }) => statusCode,
      () => "closed",
    );
    expect([408, "closed"]).toContain(ended);
    expect((await cockpit.get("/")).status).toBe(200);
  });
});

describe("the port", () => {
  it("is on this machine's loopback address alone, and a taken one is an error that says what to do", async () => {
    const options = {
      port: cockpit.port,
      env: {},
      runtime,
      pageFolder: mkdtempSync(join(tmpdir(), "mw-")),
    };
    await expect(startCockpitServer(options)).rejects.toThrow(
      `cockpit.port: is in use (got ${cockpit.port}); expected a free port, or 0 for any`,
    );
    const unbuilt = await startCockpitServer({ ...options, port: 0 });
    const answer = await ask({ port: unbuilt.port });
    expect([answer.status, answer.text]).toEqual([404, expect.stringContaining("npm run build")]);
    await unbuilt.close();
  });
});

/** Sends bytes and returns everything that comes back until the server closes. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: "127.0.0.1", port });
    let heard = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      heard += chunk;
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(heard));
    socket.write(text);
  });
}
