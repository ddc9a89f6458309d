import { expect, it } from "vitest";
import { ChainRpc } from "#chain/chain-rpc.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { LiquidationLedger } from "#liquidator/liquidation-ledger.js";
import type { TakeoverDeps } from "#liquidator/takeover-deps.js";
import { TakeoverOutcomes } from "#liquidator/takeover-outcomes.js";

const address = (digit: string) => `0x${digit.repeat(40)}`;
const NOW_MS = 1_800_000_000_000;
const HEAD = {
  number: "0x9",
  hash: `0x${"9".repeat(64)}`,
  timestamp: `0x${(NOW_MS / 1000).toString(16)}`,
};

it("a position that becomes ours during the search for a rival is won, and never cured or lost as well", async () => {
  const clock = new VirtualClock(NOW_MS);
  const ledger = new LiquidationLedger({ read: () => undefined, append: () => {} }, clock);
  const seen = ledger.recordSeen(address("1"), address("2"), "btcusdc");
  ledger.update(seen.id, { confirmedBlock: 7 }, "confirmed");
  // An earlier run's transaction is found in its block, and is final, before the search for a rival
  // has ended.
  const answers: Readonly<Record<string, () => unknown>> = {
    eth_chainId: () => "0x1",
    eth_getBlockByNumber: () => HEAD,
    eth_getLogs: () => {
      const takenOver = {
        id: "0xaa@0xbb",
        hash: "0xaa",
        blockNumber: 8,
        paper: 10n ** 18n,
        credit: -55_440_000_000n,
        lots: 1_000,
      };
      ledger.update(seen.id, { takenOver, inheritedId: takenOver.id }, "mined");
      ledger.end(seen.id, "won");
      return [];
    },
  };
  const rpc = new ChainRpc({
    urls: [{ name: "node", call: async (method) => ({ result: answers[method]?.() }) }],
    chainId: 1,
    clock,
  });
  const settings = { dealer: address("d"), account: address("a") } as TakeoverDeps["settings"];
  const venue = {} as TakeoverDeps["venue"];
  const endings = new TakeoverOutcomes({ ledger, rpc, settings, venue, log: () => {} });
  await endings.closeOpportunity(seen, 9, {});
  expect(ledger.get(seen.id)?.outcome).toBe("won");
  await endings.closeOpportunity(seen, 9, {});
  expect(ledger.counts()).toMatchObject({ seen: 1, won: 1, cured: 0, lost: 0, open: 0 });
  await rpc.close();
});
