import { describe, expect, it } from "vitest";
import { seededRandom } from "#core/seeded-random.js";
import type { Hex } from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { ExchangeAccount } from "#simulator/account.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { DepositWaiter } from "#simulator/deposit-waiter.js";
import { PendingRequests } from "#simulator/pending-requests.js";
import { START_MS } from "../reference-client.js";

const { retention } = parseExchangeConfig({ markets: { btcusdc: {} } });
const deposit = (id: number, about: Hex) => ({
  id,
  kind: "deposit",
  from: about,
  to: about,
  data: "0x" as Hex,
  value: "0",
  gas: 0,
  details: { about },
});

describe("many accounts that wait for their credit", () => {
  it("are checked only when their own credit arrives, so that one account's block does not delay the others", async () => {
    const clock = new VirtualClock(START_MS);
    const requests = new PendingRequests();
    let looks = 0;
    const isIncoming = ({ address }: ExchangeAccount) => {
      looks += 1;
      return requests.hasRequestFor("deposit", address);
    };
    const runtime = { clock, random: seededRandom("waits") };
    const waits = new DepositWaiter({
      runtime,
      credit: { hasPendingDeposit: isIncoming },
      maxWaitMs: 1500,
      nextBlockMs: () => null,
    });
    const accounts = Array.from({ length: 500 }, (_, place) => {
      return new ExchangeAccount(`0x${String(place).padStart(40, "0")}`, START_MS, retention);
    });
    const answered: Hex[] = [];
    for (const [id, account] of accounts.entries()) {
      requests.add(deposit(id, account.address));
      void waits
        .waitFor({ account, sinceMs: START_MS })
        ?.then(() => answered.push(account.address));
      waits.releaseArrived();
    }
    const [first, second] = accounts as [ExchangeAccount, ExchangeAccount];
    // A second deposit to the first account is pending.
    requests.add(deposit(500, first.address));
    for (const [id, { address }] of [first, second].entries()) {
      requests.remove(deposit(id, address));
      waits.markArrived(address);
      waits.releaseArrived();
    }
    await Promise.resolve();
    expect(answered).toEqual([second.address]);
    expect(looks).toBeLessThanOrEqual(accounts.length + 2);
    requests.remove(deposit(500, first.address));
    waits.markArrived(first.address);
    waits.releaseArrived();
    await clock.runFor(1499);
    expect(answered).toEqual([second.address, first.address]);
    await clock.runFor(1);
    expect(answered).toHaveLength(accounts.length);
  });
});
