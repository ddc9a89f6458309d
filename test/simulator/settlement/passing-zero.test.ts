import { afterEach, describe, expect, it } from "vitest";
import { ChainWorld } from "./chain-world.js";

const BASE = 10n ** 18n;
let world: ChainWorld;
afterEach(() => world.open.close());

/** An account's position as matched, and as settled. */
function positionOf(address: string) {
  const account = world.exchange.account(address);
  if (account === undefined) throw new Error(`${address} is not registered`);
  return account.inMarket("btcusdc").position;
}

describe("a transaction in which a position passes through zero", () => {
  it.each(["taker", "maker"])(
    "realises nothing there, as matched at once and as settled later, of the %s",
    async (role) => {
      world = await ChainWorld.open();
      await world.setMark(30_000);
      const [alice, bob, carol] = await world.clients();
      alice.place("SELL", "30000", "1");
      bob.place("BUY", "30000", "1");
      await world.open.waitUntilSettled();
      // Bob goes from long 1 to short 0.5 by two matches of one order; the first brings him to
      // exactly zero.
      if (role === "taker") {
        carol.place("BUY", "29990", "1");
        alice.place("BUY", "29980", "0.5");
        bob.place("SELL", "29000", "1.5");
      } else {
        bob.place("SELL", "30010", "1");
        bob.place("SELL", "30020", "0.5");
        carol.place("BUY", "30030", "1.5");
      }
      expect(positionOf(bob.address).matched).toMatchObject({
        paper: -BASE / 2n,
        realizedCredit: 0n,
        serial: 0,
      });
      await world.open.waitUntilSettled();
      for (const { address } of [alice, bob, carol])
        expect(positionOf(address).settled).toEqual(positionOf(address).matched);
      expect(await world.ofChain(bob.address)).toEqual(world.ofExchange(bob.address));
    },
  );
});
