import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FileTransactionStore } from "#chain/file-transaction-store.js";
import type { JobOutcome } from "#chain/transaction-event.js";
import { TransactionLedger } from "#chain/transaction-ledger.js";
import type { StoredAttempt, TransactionRecord } from "#chain/transaction-store.js";
import { ConfigError, FormatError } from "#core/errors.js";
import { bytesToHex } from "#core/hex.js";
import type { Hex } from "#core/units.js";

const ACCOUNT = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const OWNER = { chainId: 31337, account: ACCOUNT };
let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lanes-"));
  path = join(folder, "deep", "lanes.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true }));

const bytes = (length: number): fc.Arbitrary<Hex> =>
  fc.uint8Array({ minLength: length, maxLength: length }).map(bytesToHex);
const wei = fc.bigInt({ min: 0n, max: 2n ** 200n });
const nonce = fc.nat(20);
const job = fc.record(
  {
    id: fc.string({ minLength: 1 }),
    lane: fc.string({ minLength: 1 }),
    to: bytes(20),
    data: bytes(7),
    valueWei: wei,
    gasLimit: fc.oneof(wei, fc.constant("estimate" as const)),
    maxCostWei: wei,
    deadlineMs: fc.maxSafeInteger(),
  },
  {
    requiredKeys: ["id", "lane", "to", "data", "gasLimit", "maxCostWei", "deadlineMs"],
    noNullPrototype: true,
  },
);
const attempt = fc.record({
  nonce,
  hash: bytes(32),
  purpose: fc.constantFrom("act" as const, "cancel" as const, "fill" as const),
  gasLimit: wei,
  maxFeeWei: wei,
  tipWei: wei,
  raw: bytes(40),
  atMs: fc.nat(),
});
const log = fc.record({
  address: bytes(20),
  topics: fc.array(bytes(32), { maxLength: 4 }),
  data: bytes(64),
  blockNumber: fc.nat(),
  blockHash: bytes(32),
  transactionHash: bytes(32),
  logIndex: fc.nat(),
});
const receipt = fc.record({
  hash: bytes(32),
  blockNumber: fc.nat(),
  blockHash: bytes(32),
  blockTimeMs: fc.nat(),
  isReverted: fc.boolean(),
  gasUsed: wei,
  effectiveGasPriceWei: wei,
  costWei: wei,
  logs: fc.array(log, { maxLength: 2 }),
});
const outcome: fc.Arbitrary<JobOutcome> = fc.oneof(
  fc.record({ kind: fc.constantFrom("mined" as const, "cancelled" as const), nonce, receipt }),
  fc.record({ kind: fc.constant("foreign" as const), nonce }),
  fc.record({
    kind: fc.constant("reverted" as const),
    nonce,
    receipt,
    revert: fc.oneof(
      fc.record({ kind: fc.constant("lost-race" as const), text: fc.string() }),
      fc.record({ kind: fc.constant("panic" as const), code: wei, text: fc.string() }),
    ),
  }),
);
const record: fc.Arbitrary<TransactionRecord> = fc.oneof(
  fc.record({ kind: fc.constant("attempt" as const), job: fc.option(job), attempt }),
  fc.record({
    kind: fc.constant("final" as const),
    nonce,
    jobId: fc.option(fc.string()),
    outcome: fc.option(outcome),
    atBlock: fc.nat(),
  }),
  fc.record({ kind: fc.constant("reopened" as const), nonce }),
);

/** Checks the records that a file returns after these were appended. */
function written(records: readonly TransactionRecord[]): void {
  rmSync(path, { force: true });
  const store = new FileTransactionStore(path, OWNER);
  for (const one of records) store.append(one);
  store.close();
}

function loaded(): readonly TransactionRecord[] {
  const store = new FileTransactionStore(path, OWNER);
  store.close();
  return store.load();
}

const plainAttempt = (
  at: number,
  id: string,
  purpose: StoredAttempt["purpose"] = "act",
): TransactionRecord => ({
  kind: "attempt",
  job:
    purpose === "act"
      ? { id, lane: id, to: ACCOUNT, data: "0x", gasLimit: 21_000n, maxCostWei: 1n, deadlineMs: 5 }
      : null,
  attempt: {
    nonce: at,
    hash: `0x${"1".repeat(64)}`,
    purpose,
    gasLimit: 1n,
    maxFeeWei: 1n,
    tipWei: 1n,
    raw: "0x02",
    atMs: 1,
  },
});
const plainFinal = (at: number, jobId: string): TransactionRecord => ({
  kind: "final",
  nonce: at,
  jobId,
  outcome: { kind: "foreign", nonce: at },
});

describe("a store's file", () => {
  it("gives back every record as it was", () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 6 }), (records) => {
        written(records);
        expect(loaded()).toEqual(records);
      }),
      { numRuns: 15 },
    );
  });

  it("that is cut short anywhere returns every complete record, and accepts more", () => {
    const records = [
      plainAttempt(0, "a"),
      plainAttempt(0, "a", "cancel"),
      plainFinal(0, "a"),
      plainAttempt(1, "b"),
    ];
    written(records);
    const whole = readFileSync(path);
    const ends = [...whole.entries()].flatMap(([at, byte]) => (byte === 0x0a ? [at + 1] : []));
    for (let length = whole.length; length >= 0; length -= 61) {
      writeFileSync(path, whole);
      truncateSync(path, length);
      const kept = records.slice(0, Math.max(0, ends.filter((end) => end <= length).length - 1));
      expect(loaded(), `cut to ${length} bytes`).toEqual(kept);
      const store = new FileTransactionStore(path, OWNER);
      store.append(plainAttempt(7, "new"));
      store.close();
      expect(loaded()).toEqual([...kept, plainAttempt(7, "new")]);
    }
  });

  it("is readable only by its owner", () => {
    written([]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("of another account or chain is refused, and so is any other file", () => {
    written([]);
    expect(() => new FileTransactionStore(path, { ...OWNER, chainId: 1 })).toThrow(ConfigError);
    expect(
      () => new FileTransactionStore(path, { ...OWNER, account: `0x${"1".repeat(40)}` }),
    ).toThrow(ConfigError);
    writeFileSync(path, "something else\n");
    expect(() => new FileTransactionStore(path, OWNER)).toThrow(FormatError);
    expect(() => new FileTransactionStore(folder, OWNER)).toThrow("EISDIR");
  });

  it.each([
    "no JSON",
    '{"kind":"attempt"}',
    '{"kind":"final","nonce":-1,"jobId":null,"outcome":null}',
    '{"secret":"shown"}',
  ])("with the line %j in it is refused by its place, and the line not shown", (line) => {
    written([plainAttempt(0, "a")]);
    appendFileSync(path, `${line}\n`);
    expect(() => new FileTransactionStore(path, OWNER)).toThrow(`${path}:3`);
    expect(() => new FileTransactionStore(path, OWNER)).not.toThrow("shown");
  });

  it("is rewritten when most of it is final, and loses no open transaction", () => {
    const store = new FileTransactionStore(path, { ...OWNER, compactAfter: 20, wholeEnds: 2 });
    store.append(plainAttempt(1000, "open"));
    for (let i = 0; i < 30; i += 1) {
      for (const one of [
        plainAttempt(i, `job ${i}`),
        plainAttempt(i, "", "cancel"),
        plainAttempt(i, "", "cancel"),
        plainFinal(i, `job ${i}`),
      ])
        store.append(one);
    }
    store.close();
    const records = loaded();
    expect(records.length).toBeLessThan(100);
    const ledger = new TransactionLedger(new FileTransactionStore(path, OWNER));
    expect(ledger.slots.map((slot) => [slot.nonce, slot.job?.id])).toEqual([[1000, "open"]]);
    expect(ledger.jobs().filter(({ state }) => state === "final")).toHaveLength(30);
    expect(ledger.hasEnded("job 0")).toBe(true);
    ledger.close();
  });
});
