import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, expect, it } from "vitest";
import { WebSocket } from "ws";
import { FaultyVenues } from "./served-faults.js";

const venues = new FaultyVenues();

afterEach(() => venues.close());

/** All bytes of an answer; the date is the machine's. */
async function rawAnswer(port: number, line: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(`${line} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n`);
  let text = "";
  socket.setEncoding("latin1").on("data", (part) => {
    text += part;
  });
  await once(socket, "close");
  return text.replace(/^date: .*$/im, "");
}

/** Everything that a client sees of an exchange: bytes of answers, and frames of a session. */
async function session(faults: boolean): Promise<readonly string[]> {
  const { server, alice, bob } = await venues.open({ faults });
  const socket = new WebSocket(
    `${server.streamUrl}/multiple?streams=btcusdc@orderbook/btcusdc@trades`,
  );
  const frames: string[] = [];
  const ponged = new Promise<void>((resolve) => {
    socket.on("message", (data) => {
      if (String(data) === "pong") resolve();
      else frames.push(String(data));
    });
  });
  await once(socket, "open");
  await alice.place("BUY", "30000", "0.1", { nonce: 1n });
  await bob.place("SELL", "30000", "0.05", { nonce: 2n });
  socket.send("ping");
  await ponged;
  socket.terminate();
  const answers: string[] = [];
  for (const line of [
    "GET /v1/time",
    "GET /v1/exchangeInfo",
    "GET /v1/orderbook?marketId=btcusdc",
    "GET /v1/balances",
    "GET /nowhere",
    "PUT /v1/order",
    "OPTIONS /v1/time",
  ])
    answers.push(await rawAnswer(server.port, line));
  return [...frames, ...answers];
}

it("an exchange whose faults are open but none added sends the same bytes as one without", async () => {
  const [without, open] = [await session(false), await session(true)];
  expect(open).toEqual(without);
  expect(without.length).toBeGreaterThan(9);
  expect(without.at(-7)).toMatch(/^HTTP\/1.1 200 OK\r\n/);
});
