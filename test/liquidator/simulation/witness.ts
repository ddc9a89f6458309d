import type { Takeover } from "#account/takeover.js";
import type { TransactionRecord } from "#chain/transaction-store.js";
import type { Hex, Ms } from "#core/units.js";
import type { Opportunity } from "#liquidator/opportunity.js";
import type { Violation } from "../../simulation/violation.js";
import { COIN, DEALER, type Ground, PERPETUAL, SOURCE } from "./ground.js";
import { type OwnTransaction, ownTransactions } from "./own-transactions.js";

/** The rules that a run is judged by after its end. */
type Rule = "paid-twice" | "price" | "safe" | "nonce" | "ledger" | "unwind" | "open";

/** Data left by the liquidator and its environment. */
export interface Remains {
  /** The first block of the run. */
  readonly fromBlock: number;
  /** End of the run: the instant of what only shows then. */
  readonly endMs: Ms;
  readonly firstNonce: number;
  readonly records: readonly TransactionRecord[];
  /** Newest state of every opportunity, from the ledger's file. */
  readonly opportunities: readonly Opportunity[];
  readonly acquired: ReadonlyMap<string, Takeover>;
  readonly toldTimes: ReadonlyMap<string, number>;
  readonly marginBufferBps: bigint;
}

/**
 * Checks a run by reading the chain with independent decoders. It shares no table with the
 * liquidator, and trusts only the liquidator's stated intentions.
 */
export async function judge(ground: Ground, remains: Remains): Promise<Violation[]> {
  const violations: Violation[] = [];
  const say: Say = (atMs, rule, text) => violations.push({ atMs, rule, text });
  const own = await ownTransactions(ground, remains.fromBlock);
  const jobOf = new Map<Hex, string | null>();
  for (const record of remains.records)
    if (record.kind === "attempt") jobOf.set(record.attempt.hash, record.job?.id ?? null);
  // A replacement's record need not repeat its job: it has its nonce.
  const jobOfNonce = new Map<number, string>();
  for (const record of remains.records)
    if (record.kind === "attempt" && record.job !== null)
      jobOfNonce.set(record.attempt.nonce, record.job.id);
  const intentOf = (transaction: OwnTransaction) => jobOfNonce.get(transaction.nonce);

  judgeNonces(ground, remains, own, jobOf, say);
  judgePayments(own, intentOf, say);
  judgePrices(own, remains, intentOf, say);
  await judgeSafety(ground, remains, own, intentOf, say);
  judgeLedger(remains, own, intentOf, say);
  judgeUnwinding(remains, own, say);
  return violations;
}

type Say = (atMs: Ms, rule: Rule, text: string) => void;
type IntentOf = (transaction: OwnTransaction) => string | undefined;

/**
 * Every nonce from the first on is used by something that was stored before it was sent, and
 * nothing waits any more.
 */
function judgeNonces(
  _: Ground,
  remains: Remains,
  own: readonly OwnTransaction[],
  jobOf: ReadonlyMap<Hex, string | null>,
  say: Say,
): void {
  own.forEach(({ nonce, hash, blockTimeMs: atMs }, i) => {
    if (nonce !== remains.firstNonce + i)
      say(atMs, "nonce", `nonce ${nonce} at place ${i}, expected ${remains.firstNonce + i}`);
    if (!jobOf.has(hash)) say(atMs, "nonce", `${hash} of nonce ${nonce} was never stored`);
  });
  const used = new Set(own.map(({ nonce }) => nonce));
  const ended = new Set(
    remains.records.flatMap((record) => (record.kind === "final" ? [record.nonce] : [])),
  );
  for (const record of remains.records) {
    if (record.kind !== "attempt") continue;
    const { nonce, atMs } = record.attempt;
    if (!used.has(nonce)) say(atMs, "nonce", `nonce ${nonce} was signed for and is not used`);
    if (!ended.has(nonce)) say(remains.endMs, "nonce", `nonce ${nonce} has no end in the store`);
  }
}

/** An intent is paid for once. */
function judgePayments(own: readonly OwnTransaction[], intentOf: IntentOf, say: Say): void {
  const paid = new Map<string, Hex>();
  for (const transaction of own) {
    if (transaction.isReverted || transaction.taken === undefined) continue;
    const intent = intentOf(transaction);
    if (intent === undefined) {
      say(
        transaction.blockTimeMs,
        "paid-twice",
        `${transaction.hash} took over a position without an intent`,
      );
      continue;
    }
    if (paid.has(intent))
      say(
        transaction.blockTimeMs,
        "paid-twice",
        `${intent} by ${paid.get(intent)} and by ${transaction.hash}`,
      );
    paid.set(intent, transaction.hash);
  }
}

/**
 * The price at inclusion is no worse than the intended one, and the sent transaction is the
 * intended one.
 */
function judgePrices(
  own: readonly OwnTransaction[],
  { opportunities }: Remains,
  intentOf: IntentOf,
  say: Say,
): void {
  const intended = new Map(
    opportunities.flatMap(({ intended: one }) =>
      one === undefined ? [] : [[one.jobId, one] as const],
    ),
  );
  for (const transaction of own) {
    const { call, taken, hash, blockTimeMs: atMs } = transaction;
    if (call === undefined) continue;
    const intent = intended.get(intentOf(transaction) ?? "");
    if (intent === undefined) {
      say(atMs, "ledger", `${hash} has no intent in the ledger`);
      continue;
    }
    if (call.paper !== intent.requestPaper || call.expectCredit !== intent.expectCredit) {
      say(
        atMs,
        "price",
        `${hash} asks for ${call.paper} at ${call.expectCredit}, intended ${intent.requestPaper} at ${intent.expectCredit}`,
      );
    }
    if (taken === undefined) continue;
    // Both are credit for paper: a long is paid for, a short is paid.
    const got = taken.credit * abs(intent.requestPaper);
    const least = intent.expectCredit * abs(taken.paper);
    if (got < least)
      say(
        atMs,
        "price",
        `${hash} got ${taken.credit} for ${taken.paper}, at least ${intent.expectCredit} for ${intent.requestPaper}`,
      );
    if (abs(taken.paper) > abs(intent.requestPaper))
      say(atMs, "price", `${hash} took ${taken.paper}, more than ${intent.requestPaper}`);
  }
}

/**
 * Right after each takeover the account is safe, and it has its buffer at the prices of one of the
 * blocks between decision and inclusion: no one controls the moves in between.
 */
async function judgeSafety(
  ground: Ground,
  remains: Remains,
  own: readonly OwnTransaction[],
  intentOf: IntentOf,
  say: Say,
): Promise<void> {
  const decided = new Map(
    remains.opportunities.flatMap(({ intended, confirmedBlock }) =>
      intended === undefined || confirmedBlock === undefined
        ? []
        : [[intended.jobId, confirmedBlock] as const],
    ),
  );
  for (const transaction of own) {
    if (transaction.taken === undefined) continue;
    const { block, hash, blockTimeMs: atMs } = transaction;
    const account = await holdingsAt(ground, block);
    const since = decided.get(intentOf(transaction) ?? "") ?? block;
    const slack: bigint[] = [];
    // After a reorg it may be included in a block before that of its decision.
    for (let at = Math.max(remains.fromBlock, Math.min(since, block) - 1); at <= block; at += 1) {
      const { net, maintenance } = margin(account, await pricesAt(ground, at));
      slack.push(net - (maintenance * (10_000n + remains.marginBufferBps)) / 10_000n);
    }
    const [isSafe] = await ground.view(
      ground.open.addresses.dealer,
      DEALER,
      "isSafe",
      [ground.cast.liquidator.address],
      block,
    );
    if (isSafe !== true) say(atMs, "safe", `${hash} left the account unsafe at block ${block}`);
    const best = slack.reduce((most, one) => (one > most ? one : most));
    // A unit for each position, by which two ways of rounding may differ.
    if (best < -4n)
      say(
        atMs,
        "safe",
        `${hash} left the account ${-best} short of its buffer at block ${block}, by every price since block ${since}`,
      );
  }
}

/** The ledger says what the chain says, to the unit. */
function judgeLedger(
  { opportunities, endMs }: Remains,
  own: readonly OwnTransaction[],
  intentOf: IntentOf,
  say: Say,
): void {
  const byIntent = new Map<string, OwnTransaction>();
  const gas = new Map<string, bigint>();
  for (const transaction of own) {
    const intent = intentOf(transaction);
    if (intent === undefined) continue;
    byIntent.set(intent, transaction);
    gas.set(intent, (gas.get(intent) ?? 0n) + transaction.gasWei);
  }
  for (const { id, outcome, intended, takenOver, gasWei } of opportunities) {
    if (intended === undefined) {
      if (outcome === "won") say(endMs, "ledger", `${id} is won, and was never intended`);
      continue;
    }
    // Nothing of it was ever sent: it may be, as long as the account is unsafe.
    if (outcome === "open" && !gas.has(intended.jobId)) continue;
    if (outcome === "open") {
      say(endMs, "open", `${id} has come to no end`);
      continue;
    }
    const transaction = byIntent.get(intended.jobId);
    const taken = transaction?.taken;
    const atMs = transaction?.blockTimeMs ?? endMs;
    if ((outcome === "won") !== (taken !== undefined))
      say(
        atMs,
        "ledger",
        `${id} is ${outcome}, and the chain has ${taken === undefined ? "no takeover" : "one"}`,
      );
    if (
      taken !== undefined &&
      (takenOver?.paper !== taken.paper ||
        takenOver.credit !== taken.credit ||
        takenOver.hash !== transaction?.hash)
    )
      say(
        atMs,
        "ledger",
        `${id}: ${takenOver?.paper} for ${takenOver?.credit}, the chain has ${taken.paper} for ${taken.credit}`,
      );
    if (outcome === "reverted" && transaction?.isReverted !== true)
      say(atMs, "ledger", `${id} is reverted, and the chain has no such transaction`);
    if ((gasWei ?? 0n) !== (gas.get(intended.jobId) ?? 0n))
      say(
        atMs,
        "ledger",
        `${id}: gas of ${gasWei}, the chain took ${gas.get(intended.jobId) ?? 0n}`,
      );
  }
}

/** In both markets. A rival's half may leave a fraction of a lot, and the bot sells whole lots. */
const PAPER_PER_LOT = 10n ** 15n;

/**
 * The inventory to sell is what the chain has: each takeover of at least a lot under its id and the
 * time of its block, nothing else.
 */
function judgeUnwinding(
  { acquired, endMs }: Remains,
  own: readonly OwnTransaction[],
  say: Say,
): void {
  const wanted = new Map<string, OwnTransaction>(
    own.flatMap((one) =>
      one.taken === undefined ? [] : [[`${one.hash}@${one.blockHash}`, one] as const],
    ),
  );
  for (const [id, { lots, credit, atMs }] of acquired) {
    const { taken, blockTimeMs } = wanted.get(id) ?? {};
    if (taken === undefined)
      say(endMs, "unwind", `${id} is being sold, and the chain has no such takeover`);
    else if (
      BigInt(lots) !== taken.paper / PAPER_PER_LOT ||
      credit !== taken.credit ||
      atMs !== blockTimeMs
    )
      say(
        blockTimeMs ?? endMs,
        "unwind",
        `${id}: ${lots} lots for ${credit} at ${atMs}, the chain has ${taken.paper} for ${taken.credit} at ${blockTimeMs}`,
      );
  }
  for (const [id, { taken, blockTimeMs }] of wanted)
    if (taken !== undefined && taken.paper / PAPER_PER_LOT !== 0n && !acquired.has(id))
      say(blockTimeMs, "unwind", `${id} is not being sold`);
}

const abs = (value: bigint): bigint => (value < 0n ? -value : value);

interface Account {
  readonly credit: bigint;
  readonly positions: readonly {
    readonly paper: bigint;
    readonly credit: bigint;
    readonly threshold: bigint;
  }[];
}

async function holdingsAt(ground: Ground, block: number): Promise<Account> {
  const { dealer } = ground.open.addresses;
  const own = ground.cast.liquidator.address;
  const [primary, secondary] = (await ground.view(
    dealer,
    DEALER,
    "getCreditOf",
    [own],
    block,
  )) as unknown as [bigint, bigint];
  const positions = [];
  for (const { perp } of ground.markets) {
    const [paper, credit] = (await ground.view(
      perp,
      PERPETUAL,
      "balanceOf",
      [own],
      block,
    )) as unknown as [bigint, bigint];
    const [params] = (await ground.view(
      dealer,
      DEALER,
      "getRiskParams",
      [perp],
      block,
    )) as unknown as [readonly bigint[]];
    positions.push({ paper, credit, threshold: params[1] as bigint });
  }
  return { credit: primary + secondary, positions };
}

async function pricesAt(ground: Ground, block: number): Promise<bigint[]> {
  const prices: bigint[] = [];
  for (const { source } of ground.markets) {
    const [price] = (await ground.view(source, SOURCE, "getMarkPrice", [], block)) as unknown as [
      bigint,
    ];
    prices.push(price);
  }
  return prices;
}

/** Protocol 7.3, written out once more. */
function margin(
  { credit, positions }: Account,
  prices: readonly bigint[],
): { readonly net: bigint; readonly maintenance: bigint } {
  let net = credit;
  let maintenance = 0n;
  positions.forEach(({ paper, credit: held, threshold }, i) => {
    if (paper === 0n) return;
    const value = (paper * (prices[i] ?? 0n)) / COIN;
    net += value + held;
    maintenance += (abs(value) * threshold) / COIN;
  });
  return { net, maintenance };
}
