import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { buildLiquidatorStatus } from "#bot/liquidator-status.js";
import { ChainRpc } from "#chain/chain-rpc.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { LiquidationLedger } from "#liquidator/liquidation-ledger.js";
import type { Opportunity } from "#liquidator/opportunity.js";

const address = (n: number) => `0x${n.toString(16).padStart(40, "0")}`;
const PERP = address(0xee);

/**
 * A ledger with this many ended opportunities, each of another account, and this many open ones
 * after them.
 */
function ledgerWith(clock: VirtualClock, ended: number, open: number): LiquidationLedger {
  const ledger = new LiquidationLedger({ read: () => undefined, append: () => {} }, clock);
  for (let i = 0; i < ended; i += 1)
    ledger.end(ledger.recordSeen(address(i), PERP, "btcusdc").id, "cured");
  for (let i = ended; i < ended + open; i += 1) ledger.recordSeen(address(i), PERP, "btcusdc");
  return ledger;
}

function statusOf(clock: VirtualClock, ledger: LiquidationLedger) {
  const rpc = new ChainRpc({
    urls: [{ name: "node", call: async () => ({ result: null }) }],
    chainId: 1,
    clock,
  });
  const view = {
    paused: "manual: lunch",
    blockNumber: 12,
    watched: 40,
    decidedBlock: 12,
    nearest: [
      {
        account: address(3),
        nearness: { distanceBps: 12.5, slackCredit: 5n, liquidationPrices: new Map() },
        papers: new Map(),
        discountCredit: 1_500_000n,
      },
    ],
    inFlight: [],
  };
  const liquidator = { view: () => view };
  const scale = { creditDecimals: 6, baseOf: (_: string, lots: number) => String(lots / 1_000) };
  return buildLiquidatorStatus(
    { liquidator, ledger, rpc, dryRun: false, creditPerEth: () => 3_000_000_000n },
    scale,
  );
}

describe("the liquidator's part of a status", () => {
  it("lists the open opportunities and the last few that ended, and counts all", () => {
    const clock = new VirtualClock(0);
    const { open, ended, counts } = statusOf(clock, ledgerWith(clock, 30, 3));
    expect(open.map(({ victim }) => victim)).toEqual([30, 31, 32].map(address));
    expect(ended.map(({ victim, outcome }) => [victim, outcome])).toEqual(
      [25, 26, 27, 28, 29].map((i) => [address(i), "cured"]),
    );
    expect(counts).toMatchObject({ seen: 33, cured: 30, open: 3 });
  });

  it("limits the open ones too: the newest, and the count of all", () => {
    const clock = new VirtualClock(0);
    const { open, counts } = statusOf(clock, ledgerWith(clock, 0, 50));
    expect([open.length, open.at(-1)?.victim, counts.open]).toEqual([20, address(49), 50]);
  });

  it("is text in base, quote and ether, with the reason why nothing is taken over now", () => {
    const clock = new VirtualClock(1_000);
    const ledger = ledgerWith(clock, 0, 0);
    const { id } = ledger.recordSeen(address(7), PERP, "btcusdc");
    const won: Partial<Opportunity> = {
      takenOver: {
        id: "t",
        hash: "0xaa",
        blockNumber: 9,
        paper: 10n ** 18n,
        credit: -55_440_000_000n,
        lots: 1_000,
      },
      gasWei: 10n ** 14n,
      gasQuote: 300_000n,
    };
    ledger.update(id, won, "mined");
    ledger.end(id, "won");
    ledger.recordUnwound("t", { state: "open", remainingLots: 250, earnedCredit: 12_000_000n });
    const status = JSON.parse(JSON.stringify(statusOf(clock, ledger)));
    const text = stringify(status)
      .split("\n")
      .map((line) => line.trim());
    for (const line of [
      'paused: "manual: lunch"',
      "blockNumber: 12",
      "watched: 40",
      "distanceBps: 12.5",
      'discountQuote: "1.5"',
      "won: 1",
      'profitQuote: "11.7"',
      'gasEth: "0.0001"',
      'gasQuote: "0.3"',
      'remainingBase: "0.25"',
      "outcome: won",
    ])
      expect(text).toContain(line);
  });
});
