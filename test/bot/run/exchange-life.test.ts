import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { adoptExchangeInstance, type ExchangeInstance, LIFE_FILE } from "#bot/exchange-instance.js";
import { CorruptStateError, FileStateStore } from "#bot/state-dir.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { createLog } from "#monitoring/log.js";

const NOW_MS = 1_790_000_000_000;
const CREATED_MS = 1_780_000_000_000;
const GENESIS = `0x${"a".repeat(64)}` as const;
const OTHER_GENESIS = `0x${"b".repeat(64)}` as const;

/** Files that belong to one instance of the account at the exchange, and to one chain. */
const OF_ACCOUNT = [
  "built-orders.json",
  "contracts.json",
  "fills.jsonl",
  "found-halts.json",
  "ledger-balances.jsonl",
  "peak-equity.json",
  "record-begins.json",
  "takeovers.json",
  "untold-trades.json",
];
const OF_CHAIN = ["liquidations.jsonl", "transactions.jsonl"];
/**
 * Other files: the owner of the folder, manual halts, the rate limits of this address, the process.
 */
const STAYING = [
  "account.json",
  "budget.json",
  "heartbeat.json",
  "key",
  "manual-halt-btcusdc.json",
  "manual-halt.json",
];

/** A state folder as a run left it, and a start's changes to it at this exchange instance. */
function stateFolder(names: readonly string[] = [...OF_ACCOUNT, ...OF_CHAIN, ...STAYING]) {
  const directory = join(mkdtempSync(join(tmpdir(), "mw-")), "state");
  const store = new FileStateStore(directory);
  for (const name of names) store.write(name, `${name} of before`);
  const starts = (life: Partial<ExchangeInstance>): string[] => {
    const lines: string[] = [];
    const log = createLog(
      { write: (line) => lines.push(line) },
      { level: "info", clock: new VirtualClock(NOW_MS) },
    );
    adoptExchangeInstance({ isNewAccount: false, ...life }, { store, log, nowMs: NOW_MS });
    return lines.map((line) => JSON.parse(line).msg);
  };
  const files = () =>
    readdirSync(directory, { withFileTypes: true })
      .flatMap((entry) => (entry.isFile() && entry.name !== LIFE_FILE ? [entry.name] : []))
      .sort();
  return { directory, store, starts, files };
}

describe("the state of a bot whose exchange was reset", () => {
  it("is set aside if the exchange did not know the account: its peak would halt the bot for a loss that never happened", () => {
    const { directory, starts, files } = stateFolder();
    const said = starts({ createdAtMs: CREATED_MS, isNewAccount: true });
    expect(said).toEqual([
      expect.stringMatching(
        /^the exchange was reset .*earlier-account-until-1790000000000 .*Manual halts stay$/,
      ),
    ]);
    expect(files()).toEqual([...STAYING, ...OF_CHAIN].sort());
    const aside = join(directory, "earlier-account-until-1790000000000");
    expect(readdirSync(aside).sort()).toEqual(OF_ACCOUNT);
    expect(readFileSync(join(aside, "peak-equity.json"), "utf8")).toBe(
      "peak-equity.json of before",
    );
  });

  it("is set aside if another program registered the account before the bot: its creation time differs", () => {
    const { directory, starts, files } = stateFolder();
    expect(starts({ createdAtMs: CREATED_MS }), "nothing is known of a life before").toEqual([]);
    expect(files()).toEqual([...OF_ACCOUNT, ...OF_CHAIN, ...STAYING].sort());
    expect(starts({ createdAtMs: CREATED_MS + 1 })).toHaveLength(1);
    expect(readdirSync(join(directory, `earlier-account-${CREATED_MS}`)).sort()).toEqual(
      OF_ACCOUNT,
    );
  });

  it("stays if the exchange reports the same account and an RPC another chain: one lying node must not lift a halt", () => {
    const { starts, files } = stateFolder();
    starts({ createdAtMs: CREATED_MS, genesis: GENESIS });
    expect(starts({ createdAtMs: CREATED_MS, genesis: OTHER_GENESIS })).toEqual([
      expect.not.stringContaining("earlier-account"),
    ]);
    expect(files()).toEqual([...OF_ACCOUNT, ...STAYING].sort());
  });

  it("is set aside with the chain's transactions if the chain has another first block", () => {
    const { directory, starts, files } = stateFolder();
    starts({ createdAtMs: CREATED_MS, genesis: GENESIS });
    expect(starts({ genesis: OTHER_GENESIS })).toEqual([
      expect.stringMatching(/earlier-account-1780000000000-a{16} and earlier-chain-a{16}/),
    ]);
    expect(files()).toEqual([...STAYING].sort());
    expect(readdirSync(join(directory, `earlier-chain-${"a".repeat(16)}`)).sort()).toEqual(
      OF_CHAIN,
    );
  });

  it("keeps the chain's transactions if only the account is new: the chain still has them", () => {
    const { starts, files } = stateFolder();
    starts({ createdAtMs: CREATED_MS, genesis: GENESIS });
    starts({ createdAtMs: CREATED_MS + 1, genesis: GENESIS });
    expect(files()).toEqual([...STAYING, ...OF_CHAIN].sort());
  });

  it("stays if the exchange or the chain does not answer, and the missing answer is not stored", () => {
    const { starts, files } = stateFolder();
    const all = [...OF_ACCOUNT, ...OF_CHAIN, ...STAYING].sort();
    starts({ createdAtMs: CREATED_MS, genesis: GENESIS });
    for (const life of [
      {},
      { createdAtMs: CREATED_MS },
      { genesis: GENESIS },
      { createdAtMs: CREATED_MS, genesis: GENESIS },
    ]) {
      expect(starts(life)).toEqual([]);
      expect(files()).toEqual(all);
    }
    expect(
      starts({ genesis: OTHER_GENESIS }),
      "what was remembered before the silence still counts",
    ).toHaveLength(1);
  });

  it("keeps the account's present state if a run without a chain saw the new account and a later run sees the new chain", () => {
    const { store, starts, files } = stateFolder();
    starts({ createdAtMs: CREATED_MS, genesis: GENESIS });
    starts({ createdAtMs: CREATED_MS + 1 });
    store.write("peak-equity.json", "of the new account");
    starts({ createdAtMs: CREATED_MS + 1, genesis: OTHER_GENESIS });
    expect(store.read("peak-equity.json")).toBe("of the new account");
    expect(files()).toEqual([...STAYING, "peak-equity.json"].sort());
  });

  it("is restored if the previous exchange comes back: a run elsewhere must not erase its drawdown", () => {
    const { store, starts, files } = stateFolder();
    starts({ createdAtMs: CREATED_MS, genesis: GENESIS });
    starts({ createdAtMs: CREATED_MS + 1, genesis: OTHER_GENESIS });
    store.write("peak-equity.json", "of the exchange elsewhere");
    expect(starts({ createdAtMs: CREATED_MS, genesis: GENESIS })).toEqual([
      expect.stringContaining("was reset"),
      expect.stringContaining("the bot restored its state"),
    ]);
    expect(files()).toEqual([...OF_ACCOUNT, ...OF_CHAIN, ...STAYING].sort());
    expect(store.read("peak-equity.json")).toBe("peak-equity.json of before");
    starts({ createdAtMs: CREATED_MS + 1, genesis: OTHER_GENESIS });
    expect(store.read("peak-equity.json")).toBe("of the exchange elsewhere");
  });

  it("takes the day files with it: a report would add the profit of another exchange to this one's", () => {
    const { directory, starts } = stateFolder();
    const write = (text: string): void => {
      mkdirSync(join(directory, "days"));
      writeFileSync(join(directory, "days", "2026-09-21.jsonl"), text);
    };
    const days = (folder: string) =>
      readFileSync(join(directory, folder, "days", "2026-09-21.jsonl"), "utf8");
    starts({ createdAtMs: CREATED_MS });
    write("of before");
    starts({ createdAtMs: CREATED_MS + 1 });
    expect(days(`earlier-account-${CREATED_MS}`)).toBe("of before");
    write("of the exchange elsewhere");
    starts({ createdAtMs: CREATED_MS });
    expect(days(".")).toBe("of before");
    expect(days(`earlier-account-${CREATED_MS + 1}`)).toBe("of the exchange elsewhere");
  });

  it("is never overwritten by state that is set aside later", () => {
    const { directory, store, starts } = stateFolder();
    starts({ isNewAccount: true });
    store.write("peak-equity.json", "a second one");
    starts({ isNewAccount: true });
    const peaks = readdirSync(directory).filter((name) => name.startsWith("earlier-"));
    expect(
      peaks.map((name) => readFileSync(join(directory, name, "peak-equity.json"), "utf8")),
    ).toEqual(["peak-equity.json of before", "a second one"]);
  });

  it("reports nothing and creates no folder at a first start, and refuses a corrupt file", () => {
    const { directory, store, starts } = stateFolder(["account.json"]);
    expect(starts({ createdAtMs: CREATED_MS, isNewAccount: true })).toEqual([]);
    expect(readdirSync(directory).sort()).toEqual(["account.json", LIFE_FILE]);
    store.write(LIFE_FILE, "{");
    expect(() => starts({})).toThrow(CorruptStateError);
  });
});
