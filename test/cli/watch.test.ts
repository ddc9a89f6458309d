import { createConnection, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { sendControlRequest } from "#bot/control-client.js";
import { LineReader } from "#bot/control-protocol.js";
import { controlSocketPath } from "#bot/control-server.js";
import type { Frame } from "#bot/frame.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { captureCli, startCli } from "./captured-cli.js";
import { CommandedExchange, openOrders, untilQuoting } from "./commanded-exchange.js";
import { until } from "./until.js";

const exchange = new CommandedExchange();
const { clock } = createLiveRuntime();

interface Line {
  readonly ok: boolean;
  readonly data: unknown;
  readonly error?: { readonly message: string };
}

/** A connection to a bot, and the lines that it has sent. */
function connected(socketPath: string): { socket: Socket; lines: Line[] } {
  const socket = createConnection(socketPath);
  const reader = new LineReader();
  const lines: Line[] = [];
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    for (const line of reader.push(chunk) ?? []) lines.push(JSON.parse(line));
  });
  socket.on("error", () => {});
  return { socket, lines };
}

const frameOf = (line: Line | undefined): Frame => line?.data as Frame;

describe("watch, on a bot of the embedded exchange", () => {
  it("sends a frame at once and at the interval, each with the status of its turn, until the connection ends", async () => {
    const { file, env, stateDir } = exchange.bot({
      params: "{ halfSpreadBps: 0.2, sizeBase: 0.05 }",
      extra: "cockpit: { port: 0, control: true }",
    });
    const running = startCli(["run", file, "--json"], env);
    await untilQuoting(file, env);
    const path = controlSocketPath(stateDir(), env);
    const { socket, lines } = connected(path);
    // Both are answered before the bot runs another turn.
    socket.write('{"command":"status"}\n{"command":"watch","everyMs":100}\n');
    await until(
      () => lines.length,
      (count) => count >= 5,
    );
    expect(lines.every(({ ok }) => ok)).toBe(true);
    const [status, frame] = [lines[0]?.data, frameOf(lines[1])];
    expect(frame.status).toEqual(status);
    expect(frame.control).toBe(true);
    const market = frame.markets.btcusdc;
    expect(market).toMatchObject({
      tickSize: "0.1",
      stepSize: "0.001",
      params: { halfSpreadBps: 0.2, sizeBase: 0.05 },
    });
    expect(market?.bids[0]?.price).toBe(frame.status.markets.btcusdc?.bestBid);
    expect(market?.asks[0]?.price).toBe(frame.status.markets.btcusdc?.bestAsk);
    expect(market?.bids.length).toBeLessThanOrEqual(20);
    const prices = market?.asks.map(({ price }) => Number(price)) ?? [];
    expect(prices).toEqual([...prices].sort((a, b) => a - b));
    expect(JSON.stringify(lines)).not.toContain(env.BOT_KEY.slice(2));

    // Fills are those of the exchange, with their sides, prices and fees.
    await until(
      () => frameOf(lines.at(-1)).markets.btcusdc?.fills.length ?? 0,
      (count) => count >= 2,
    );
    await sendControlRequest(path, { command: "halt" }, clock);
    await until(
      () => openOrders(file, env),
      ({ length }) => length === 0,
    );
    // Without an order there are no further trades.
    const trades: readonly Record<string, unknown>[] = JSON.parse(
      (await captureCli(["call", "userTrades", "--bot", file, "marketId=btcusdc"], env)).out,
    );
    const fills = await until(
      () => frameOf(lines.at(-1)).markets.btcusdc?.fills ?? [],
      ({ length }) => length >= trades.length,
    );
    const text = (values: readonly unknown[]) => values.map(String).join(" ");
    expect(
      fills
        .map(({ atMs, side, price, amountBase }) =>
          text([atMs, side, Number(price), Number(amountBase)]),
        )
        .sort(),
    ).toEqual(
      trades
        .map(({ time, isBuyer, price, amount }) =>
          text([time, isBuyer === true ? "BUY" : "SELL", Number(price), Number(amount)]),
        )
        .sort(),
    );
    expect(fills.filter(({ isMaker }) => isMaker).every(({ level }) => level === 0)).toBe(true);
    expect(frameOf(lines.at(-1)).notices.at(-1)?.text).toBeTruthy();

    const before = lines.length;
    await until(
      () => lines.length,
      (count) => count > before + 2,
    );
    socket.destroy();
    running.interrupt();
    expect(await running.done).toMatchObject({ code: 0 });
  });

  it("refuses a ninth reader and an interval that would cost too much, and goes on with the others", async () => {
    const { file, env, stateDir } = exchange.bot();
    const running = startCli(["run", file, "--json"], env);
    await untilQuoting(file, env);
    const path = controlSocketPath(stateDir(), env);
    const readers = Array.from({ length: 9 }, () => connected(path));
    for (const { socket, lines } of readers) {
      socket.write('{"command":"watch"}\n');
      await until(
        () => lines.length,
        (count) => count > 0,
      );
    }
    expect(readers.map(({ lines }) => lines[0]?.ok)).toEqual([
      ...Array.from({ length: 8 }, () => true),
      false,
    ]);
    expect(readers[8]?.lines[0]?.error?.message).toContain("too many connections watch this bot");
    await expect(
      sendControlRequest(path, { command: "watch", everyMs: 10 }, clock),
    ).rejects.toThrow("everyMs");
    // A place is free again once a reader has gone.
    readers[0]?.socket.destroy();
    const late = connected(path);
    await until(
      () => {
        late.socket.write('{"command":"watch"}\n');
        return late.lines;
      },
      (lines) => lines.some(({ ok }) => ok),
    );
    for (const { socket } of [...readers, late]) socket.destroy();
    running.interrupt();
    expect(await running.done).toMatchObject({ code: 0 });
  });
});
