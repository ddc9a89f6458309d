import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CancelBudget } from "#bot/cancel-budget.js";
import { HEARTBEAT_FILE } from "#bot/heartbeat.js";
import { fetchGuardRules } from "#cli/guard-rules.js";
import { ecdsaScheme } from "#core/signing.js";
import type { VenueRules } from "#exchange/records.js";
import { RestClient } from "#exchange/rest-client.js";
import { SILENT } from "../bot/recorded-run.js";
import type { Fate } from "./fates.js";
import { ScriptedNetwork } from "./scripted-network.js";
import { BOT_KEY, MARKET, Stage } from "./stage.js";

/** A guard's start at an exchange to which something is the matter for its first half minute. */
async function guardStarts(
  fate: Fate,
  { left, thenMs = 60_000 }: { readonly left: boolean; readonly thenMs?: number },
) {
  const stage = new Stage();
  const { clock, exchange } = stage;
  const stateDir = mkdtempSync(join(tmpdir(), "mw-"));
  const beat = { atMs: 0, lastRequestMs: 0, state: "running", markets: [MARKET], pid: 1 };
  if (left) writeFileSync(join(stateDir, HEARTBEAT_FILE), JSON.stringify(beat));
  const network = new ScriptedNetwork(exchange, clock, "10.0.0.2");
  const signer = ecdsaScheme.signer(BOT_KEY);
  const client = new RestClient({
    transport: network,
    nowMs: () => clock.nowMs(),
    signer,
    timeoutMs: 2_000,
  });
  const ends = (["time", "exchangeInfo"] as const).map((what) => network.every(what, fate));
  const access = {
    config: { ...stage.config, stateDir },
    signer,
    client,
    syncClock: async () => ({ offsetMs: (await client.time()) - clock.nowMs(), roundTripMs: 0 }),
  };
  let came: VenueRules | Error | undefined;
  const budget = new CancelBudget({ clock, fraction: 0.05 });
  fetchGuardRules(access, {
    clock,
    budget,
    log: { ...SILENT, destination: "", close: () => {} },
    isOver: () => false,
  }).then(
    (rules) => {
      came = rules;
    },
    (error: Error) => {
      came = error;
    },
  );
  await stage.passes(30_000);
  const duringMs = network.sent.map(({ atMs }) => atMs);
  const during = came;
  for (const end of ends) end();
  await stage.passes(thenMs);
  return { during, after: came, asked: duringMs.length, budget };
}

describe("a guard that is started where a bot may have left orders", () => {
  it.each<readonly [string, Fate, number]>([
    ["is silent", { is: "request lost" }, 15],
    ["is down", { is: "answered by a wall", status: 503, body: "" }, 20],
    [
      "shows a maintenance page as a success",
      { is: "answered by a wall", status: 200, body: "<html>We are back at nine.</html>" },
      20,
    ],
    [
      "bans this address",
      { is: "answered by a wall", status: 418, body: "", retryAfterMs: 10_000 },
      5,
    ],
    ["bans it and says no time", { is: "answered by a wall", status: 418, body: "" }, 1],
  ])(
    "and the exchange %s asks on, no oftener than helps: nobody else takes them down",
    async (_, fate, most) => {
      const { during, after, asked } = await guardStarts(fate, { left: true });
      expect(during).toBeUndefined();
      expect(after).toMatchObject({ markets: { [MARKET]: {} } });
      expect(asked).toBeLessThanOrEqual(most);
    },
  );

  it("counts in its share what it asks before it watches", async () => {
    const { budget } = await guardStarts({ is: "request late", byMs: 5 }, { left: true });
    expect(budget.hasRoomFor("time", 120)).toBe(true);
    const { budget: busy } = await guardStarts(
      { is: "answered by a wall", status: 503, body: "" },
      { left: true, thenMs: 3_000 },
    );
    expect(busy.hasRoomFor("time", 120)).toBe(false);
  });

  it("ends where to ask again will not help, and a guard that nothing waits for ends at any failure", async () => {
    const elsewhere: Fate = { is: "answered by a wall", status: 404, body: "<html>" };
    expect((await guardStarts(elsewhere, { left: true })).during).toMatchObject({
      httpStatus: 404,
    });
    const page: Fate = { is: "answered by a wall", status: 200, body: "<html>" };
    expect((await guardStarts(page, { left: false })).during).toMatchObject({ httpStatus: 200 });
  });
});
