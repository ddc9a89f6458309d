import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLiveRuntime } from "#core/live-runtime.js";
import type { Hex } from "#core/units.js";
import { CallBudget } from "#simulator/call-budget.js";
import type { OpenChain } from "#simulator/open-chain.js";
import { RpcFilters } from "#simulator/rpc-filters.js";
import { RpcSession } from "#simulator/rpc-session.js";
import { chainOf } from "./chains.js";

const MOST_BYTES = 25_000_000;
const [LARGE, REST] = ["aa", "bb"].map((end) => `0x${"0".repeat(38)}${end}`) as [Hex, Hex];
const TOO_LARGE = { code: -32003, message: "response too large" };

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: unknown;
}

let open: OpenChain;
let session: RpcSession;
beforeEach(async () => {
  open = await chainOf();
  const { callGasLimit } = open.chain.genesis;
  const policy = {
    devMethods: false,
    deployments: false,
    callGasLimit,
    foreignGas: 2_000_000,
    ownContracts: new Set<string>(),
  };
  const budget = new CallBudget({
    clock: createLiveRuntime().clock,
    mostMs: 600_000,
    share: 1,
    mostWaiting: 10,
  });
  session = new RpcSession(
    { chain: open.chain, policy, filters: new RpcFilters(open.chain), budget },
    () => {},
  );
});
afterEach(async () => {
  await session.close();
  await open.close();
});

const codeOf = (address: Hex) => ({ method: "eth_getCode", params: [address, "latest"] });
const sending = () => {
  const [from, to] = open.keys.accounts.map(({ signer }) => signer.address);
  return { method: "eth_sendTransaction", params: [{ from, to, value: "0x1" }] };
};
const sentCount = () =>
  open.chain.request("eth_getTransactionCount", open.keys.accounts[0]?.signer.address, "latest");

async function ask(
  ...requests: readonly object[]
): Promise<{ readonly bytes: number; readonly answers: readonly Answer[] }> {
  const text =
    (await session.answer(
      JSON.stringify(requests.map((request, id) => ({ jsonrpc: "2.0", id, ...request }))),
    )) ?? "";
  return { bytes: Buffer.byteLength(text), answers: JSON.parse(text) as Answer[] };
}

/** Deploys code of a size that gives a response of about this many bytes. */
async function giveCode(address: Hex, answerBytes: number): Promise<void> {
  await open.chain.request(
    "hardhat_setCode",
    address,
    `0x${"00".repeat(Math.floor((answerBytes - 50) / 2))}`,
  );
}

describe("the response to a batch", () => {
  it("has at most 25 MB, with an error under its id for each request beyond that", async () => {
    await giveCode(LARGE, 2_000_000);
    const { bytes, answers } = await ask(...Array.from({ length: 100 }, () => codeOf(LARGE)));
    expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
    expect(answers.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, id) => id));
    expect(answers.filter(({ result }) => result !== undefined)).toHaveLength(12);
    for (const { error } of answers.slice(12)) expect(error).toEqual(TOO_LARGE);
  });

  it("does not limit a single request of that length", async () => {
    await giveCode(LARGE, MOST_BYTES + 1000);
    const answer = await session.answer(
      JSON.stringify({ jsonrpc: "2.0", id: 1, ...codeOf(LARGE) }),
    );
    expect(answer?.length).toBeGreaterThan(MOST_BYTES);
  });

  it("never hides a transaction that was sent: it returns the hash, or nothing was sent", async () => {
    await giveCode(LARGE, 12_500_000);
    await giveCode(REST, 12_499_950);
    const { answers } = await ask(codeOf(LARGE), codeOf(REST), sending(), codeOf(REST), sending());
    expect(answers[2]?.result).toMatch(/^0x[0-9a-f]{64}$/);
    expect(answers.slice(3).map(({ error }) => error)).toEqual([TOO_LARGE, TOO_LARGE]);
    expect(await sentCount()).toBe("0x1");
  });
});
