import { expect } from "vitest";
import { filterUnsafeOnChain } from "#exchange/confirm-unsafe.js";
import { conforms } from "../conforms.js";
import { trade, worlds } from "../exchange/world.js";
import { POSITION_INSIDE, RISKY_ACCOUNT, text } from "./examples.js";
import { connections, expectRead, scripted } from "./world.js";

const world = worlds();
const connected = connections();

conforms(
  "RA1",
  "client",
  "reads accounts at risk with their positions, and the exchange's own",
  async () => {
    const { client } = scripted({ "GET /v1/riskyAccounts": text([RISKY_ACCOUNT]) });
    const [risky] = await client.riskyAccounts();
    expectRead(risky ?? {}, RISKY_ACCOUNT, "riskyAccount");
    expectRead(risky?.positions[0] ?? {}, POSITION_INSIDE, "positionInside");
    const venue = await world(
      {
        creditOnRegistration: "2000",
        markets: { btcusdc: { makerFeeRate: "0", takerFeeRate: "0" } },
      },
      { steadyMark: true },
    );
    await trade(venue.alice, venue.bob, "BUY", "30000", "1");
    venue.setMark(29_000);
    const live = await connected(venue);
    expect(await live.client.riskyAccounts()).toMatchObject([
      { account: venue.alice.address.toLowerCase(), isSafe: true, positions: [{ side: "LONG" }] },
    ]);
  },
);

conforms(
  "RA2",
  "client",
  "acts on those alone whom the chain itself calls unsafe, whatever the list said",
  async () => {
    const addresses = [
      "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      "0x5FbDB2315678afecb367f032d93F642f64180aa3",
      "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0",
    ];
    const listed = addresses.map((account, place) => ({
      ...RISKY_ACCOUNT,
      account,
      isSafe: place === 1,
    }));
    const { client } = scripted({ "GET /v1/riskyAccounts": text(listed) });
    const asked: string[] = [];
    const onChain = new Set([addresses[0]?.toLowerCase()]);
    const chain = {
      isSafe: async (account: string) => {
        asked.push(account);
        return onChain.has(account);
      },
    };
    const unsafe = await filterUnsafeOnChain(await client.riskyAccounts(), chain);
    expect(asked).toEqual(addresses.map((address) => address.toLowerCase()));
    expect(unsafe.map(({ account }) => account)).toEqual(
      addresses.slice(1).map((address) => address.toLowerCase()),
    );
  },
);

conforms("RA2", "client", "leaves alone an account of which the chain gave no answer", async () => {
  const { client } = scripted({ "GET /v1/riskyAccounts": text([RISKY_ACCOUNT]) });
  const candidates = await client.riskyAccounts();
  const silent = { isSafe: () => Promise.reject(new Error("no node")) };
  await expect(filterUnsafeOnChain(candidates, silent)).rejects.toThrow("no node");
  expect(await filterUnsafeOnChain([], silent)).toEqual([]);
});
