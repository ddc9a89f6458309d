import { existsSync } from "node:fs";
import { type ClientRequest, request } from "node:http";
import { setTimeout as after } from "node:timers/promises";
import { type Bench, BenchUnavailable } from "./bench.js";
import { type BenchServer, forkBenchServer } from "./bench-server.js";
import type { CockpitBotLoad } from "./cockpit-pages-bot.js";
import { effort } from "./effort.js";
import { interleaved } from "./rounds.js";

const PAGES = 10;
const MARKETS = 2;
const ROUNDS = effort(5, 1);
/** Until the bot quotes in every market and its code is compiled. */
const WARM_UP_MS = effort(5_000, 1_000);
const MEASURED_MS = effort(5_000, 1_000);
/** Until open pages get frames, and closed ones none. */
const SETTLE_MS = effort(1_000, 500);

/** The bot's thread with ten open pages of its cockpit, in turn with none. */
export const bench: Bench = {
  about:
    "processor time of a turn of the bot's thread with ten open pages of its cockpit, against none",
  ceiling: 1.3,
  async run() {
    if (!existsSync("/proc/self/task"))
      throw new BenchUnavailable("this system does not tell a thread's processor time in /proc");
    const exchange = await forkBenchServer("many-markets-exchange.ts", [String(MARKETS)]);
    const markets = Array.from({ length: MARKETS }, (_, place) => `btc${place}usdc`);
    const bot = await forkBenchServer("cockpit-pages-bot.ts", [
      String(exchange.ports[0]),
      markets.join(","),
    ]);
    try {
      await after(WARM_UP_MS);
      let frames = 0;
      let seconds = 0;
      const result = await interleaved({
        rounds: ROUNDS,
        ours: async () => {
          const pages = await openPages(bot, (bytes) => {
            frames += bytes;
          });
          await after(SETTLE_MS);
          const from = performance.now();
          frames = 0;
          const usATurn = await measured(bot);
          seconds = (performance.now() - from) / 1000;
          for (const page of pages) page.destroy();
          return usATurn;
        },
        reference: async () => {
          await after(SETTLE_MS);
          return measured(bot);
        },
      });
      return {
        ...result,
        unit: "us a turn",
        referenceIs: `the same bot of ${MARKETS} markets without an open page, in turn with it`,
        details: {
          "open pages": PAGES,
          "kB a page and second": frames / 1000 / PAGES / seconds,
        },
      };
    } finally {
      bot.end();
      exchange.end();
    }
  },
};

async function measured(bot: BenchServer): Promise<number> {
  const before = await bot.query<CockpitBotLoad>();
  await after(MEASURED_MS);
  const now = await bot.query<CockpitBotLoad>();
  return ((now.cpuMs - before.cpuMs) * 1000) / (now.turns - before.turns);
}

/** Opens pages of one session, which read everything. */
async function openPages(
  bot: BenchServer,
  onBytes: (bytes: number) => void,
): Promise<readonly ClientRequest[]> {
  const {
    link: { port, token },
  } = await bot.query<CockpitBotLoad>();
  const cookie = await new Promise<string>((resolve, reject) => {
    const session = request({
      host: "127.0.0.1",
      port,
      path: "/session",
      method: "POST",
      headers: { "x-marketwright": "1" },
    });
    session.on("error", reject);
    session.on("response", (response) => {
      response.resume();
      resolve(response.headers["set-cookie"]?.[0]?.split(";")[0] ?? "");
    });
    session.end(JSON.stringify({ token }));
  });
  return Array.from({ length: PAGES }, () => {
    const page = request({
      host: "127.0.0.1",
      port,
      path: "/events",
      headers: { cookie },
      agent: false,
    });
    // It is destroyed at the end of the round.
    page.on("error", () => {});
    page.on("response", (response) => {
      response.on("data", (chunk: Buffer) => onBytes(chunk.length));
      response.on("error", () => {});
    });
    page.end();
    return page;
  });
}
