import { request as httpRequest } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { Metrics } from "#monitoring/metrics.js";
import { type MetricsServer, startMetricsServer } from "#monitoring/metrics-server.js";

const open: MetricsServer[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function serve(allowedHosts: readonly string[] = []): Promise<MetricsServer> {
  const readiness = () => ({ ready: true, reasons: [] });
  const server = await startMetricsServer({
    host: "127.0.0.1",
    port: 0,
    metrics: new Metrics(),
    readiness,
    allowedHosts,
  });
  open.push(server);
  return server;
}

/**
 * A connection that sends `bytes` and then nothing; resolves with all that came once the server has
 * closed it.
 */
function silent({ port }: MetricsServer, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    sockets.push(socket);
    socket.on("data", (data) => {
      text += data.toString("latin1");
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(text));
  });
}

function statusFor(
  { port }: MetricsServer,
  host: string,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: "127.0.0.1", port, path: "/metrics", headers: { host } },
      (answer) => {
        let body = "";
        answer.on("data", (data) => {
          body += String(data);
        });
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body }));
      },
    );
    request.on("error", reject);
    request.end();
  });
}

describe("the metrics endpoint under attack", () => {
  it("holds a bounded number of connections, so that no reader takes the descriptors that the bot trades with", async () => {
    const server = await serve();
    const opened: Promise<"held" | "closed">[] = [];
    const held: Socket[] = [];
    for (let count = 0; count < 100; count++) {
      const socket = connect(server.port, "127.0.0.1");
      sockets.push(socket);
      socket.on("error", () => {});
      opened.push(new Promise((resolve) => socket.once("close", () => resolve("closed"))));
      held.push(socket);
    }
    await Promise.all(opened.slice(64).map((end) => end));
    expect(held.filter(({ closed }) => !closed).length).toBeLessThanOrEqual(64);
  });

  it("ends a request whose headers never end", { timeout: 120_000 }, async () => {
    const server = await serve();
    expect(await silent(server, "GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: y")).toMatch(
      /^(HTTP\/1\.1 408|$)/,
    );
  });

  it("refuses headers of 20,000 characters", async () => {
    const server = await serve();
    expect(
      await silent(
        server,
        `GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: ${"y".repeat(20_000)}\r\n\r\n`,
      ),
    ).toContain("431");
  });

  it.each(["localhost", "bot.localhost:9464", "127.0.0.1:9464", "[::1]:9464", "10.1.2.3"])(
    "answers a reader that names %s",
    async (host) => {
      expect((await statusFor(await serve(), host)).status).toBe(200);
    },
  );

  it.each([
    "attacker.example",
    "attacker.example:9464",
    "localhost.attacker.example",
    "127.0.0.1.attacker.example",
  ])("refuses a page of the web that has its own name %s lead here", async (host) => {
    const { status, body } = await statusFor(await serve(), host);
    expect(status).toBe(403);
    expect(body).toContain("metrics.allowedHosts");
    expect(body).not.toContain("marketwright_");
  });

  it("answers a reader that names a host which the file allows", async () => {
    const server = await serve(["prometheus.internal"]);
    expect((await statusFor(server, "Prometheus.Internal:9464")).status).toBe(200);
  });
});
