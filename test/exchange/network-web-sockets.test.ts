import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { freePort } from "../support/free-port.js";
import { until } from "./local-server.js";
import { ServedTransport } from "./served-transport.js";

const at = new ServedTransport();

describe("websockets", () => {
  function handlers() {
    const log: string[] = [];
    return {
      log,
      onOpen: () => log.push("open"),
      onMessage: (text: string) => log.push(`text ${text}`),
      onPing: () => log.push("ping"),
      onClose: (reason: string) => log.push(`close ${reason}`),
    };
  }

  it("open, talk, answer protocol pings, and close once and last", async () => {
    const ours = handlers();
    let pongs = 0;
    at.server.onSocket = (_, socket) => {
      socket.on("pong", () => {
        pongs += 1;
      });
      socket.send("hello");
      socket.ping();
    };
    const socket = at.transport.open("/v1/multiple?streams=a@b", ours);
    expect(ours.log).toEqual([]);
    await until(() => pongs === 1 && ours.log.length === 3);
    socket.send("hi");
    await until(() => at.server.sockets[0]?.received.length === 1);
    expect(at.server.sockets[0]).toMatchObject({
      url: "/v1/multiple?streams=a@b",
      received: ["hi"],
    });
    expect(at.server.sockets[0]?.headers["sec-websocket-extensions"]).toBeUndefined();
    socket.close("done");
    socket.close("again");
    await until(() => ours.log.includes("close done"));
    expect(ours.log).toEqual(["open", "text hello", "ping", "close done"]);
    socket.send("into the void");
  });

  it("unpack what the server has compressed, pass on bytes that do not unpack as they are, and end at more than they take", async () => {
    const ours = handlers();
    at.server.onSocket = (_, socket) => {
      socket.send(deflateSync('{"price":"5 €"}'));
      socket.send("ping");
      socket.send(Buffer.from("[not packed]"));
      socket.send(deflateSync("x".repeat(1001)));
      socket.send("late");
    };
    at.open({ maxMessageBytes: 1000 }).open("/v1/multiple?zip=1", ours);
    await until(() => ours.log.some((line) => line.startsWith("close")));
    expect(ours.log).toEqual([
      "open",
      'text {"price":"5 €"}',
      "text ping",
      "text [not packed]",
      "close a compressed message of more than 1000 bytes",
    ]);
  });

  it("say why they could not be opened: the address, what came instead, and where it is configured, but never a signature", async () => {
    const refused = handlers();
    const port = await freePort();
    at.open({ streamUrl: `ws://127.0.0.1:${port}/v1` }).open("/v1/x", refused);
    const rejected = handlers();
    at.server.admits = () => false;
    at.transport.open("/v1/single/account@0x?signature=bad", rejected);
    await until(() => refused.log.length === 1 && rejected.log.length === 1);
    expect(refused.log[0]).toMatch(
      new RegExp(
        `^close exchange\\.stream: no stream at ws://127\\.0\\.0\\.1:${port}/v1/x: .*ECONNREFUSED.*; expected an exchange that answers there$`,
      ),
    );
    expect(rejected.log[0]).toBe(
      `close exchange.stream: no stream at ws://${at.server.host}/v1/single/account@0x: HTTP 401`,
    );
  });

  it("say what a server answers at a path where it has no streams", async () => {
    const ours = handlers();
    at.server.refusal = "HTTP/1.1 404 Not Found\r\ncontent-length: 12\r\n\r\nno such\npath";
    at.server.admits = () => false;
    at.open({ streamUrl: `ws://${at.server.host}/v2` }).open("/v1/multiple?streams=a@b", ours);
    await until(() => ours.log.length === 1);
    expect(ours.log[0]).toBe(
      `close exchange.stream: no stream at ws://${at.server.host}/v2/v1/multiple: HTTP 404 no such path; expected the streams' address with its version prefix, such as ws://${at.server.host}/v1`,
    );
  });

  it("end when a message passes the limit", async () => {
    const ours = handlers();
    const small = at.open({ maxMessageBytes: 1000 });
    at.server.onSocket = (_, socket) => socket.send("x".repeat(2000));
    small.open("/v1/x", ours);
    await until(() => ours.log.length === 2);
    expect(ours.log).toEqual(["open", expect.stringMatching(/^close .*payload/i)]);
    small.close();
  });

  it("tell of the server's end with its code", async () => {
    const ours = handlers();
    at.server.onSocket = (_, socket) => socket.close(4001, "rotate");
    at.transport.open("/v1/x", ours);
    await until(() => ours.log.length === 2);
    expect(ours.log[1]).toBe("close closed by the exchange: 4001 rotate");
  });

  it("are cut when the closing handshake is not answered, and with the transport", async () => {
    const ours = handlers();
    const waiting = handlers();
    at.server.onSocket = (_, socket) => socket.pause();
    const socket = at.transport.open("/v1/x", ours);
    at.transport.open("/v1/y", waiting);
    await until(() => ours.log.length === 1 && waiting.log.length === 1);
    socket.close("x".repeat(200));
    await until(() => ours.log.length === 2);
    at.transport.close();
    await until(() => waiting.log.length === 2);
    expect(waiting.log[1]).toBe("close the transport is closed");
  });

  it("may be closed before they are open", async () => {
    const ours = handlers();
    at.transport.open("/v1/x", ours).close("changed my mind");
    await until(() => ours.log.length === 1);
    expect(ours.log).toEqual(["close changed my mind"]);
  });
});
