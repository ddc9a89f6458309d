import { expect } from "vitest";
import { build, placeBuilt } from "../built-order.js";
import { type Cases, info, TERMS } from "./case.js";

/** The gas that small orders pay for their settlement, and how the exchange reports it. */
export const GAS_CHOICES = {
  waiverUnit: [
    {
      value: "quote",
      also: { waiveGasFeeMinimumAmount: "3000" },
      sees: ({ alice }) => {
        expect(alice.place("BUY", "29999.9", "0.1").json).toMatchObject({ code: 4012 });
        expect(alice.place("BUY", "30000", "0.1").status).toBe(200);
      },
    },
    {
      value: "base",
      also: { waiveGasFeeMinimumAmount: "0.1" },
      sees: ({ alice }) => {
        expect(alice.place("BUY", "30000", "0.099").json).toMatchObject({ code: 4012 });
        expect(alice.place("BUY", "29000", "0.1").status).toBe(200);
      },
    },
  ],
  waiveGasFeeMinimumAmount: [
    {
      value: "dynamic",
      config: {
        gasFee: {
          gasLimit: 100_000,
          minGasPriceWei: "1000000000",
          maxGasPriceWei: "1000000000",
          waiverMultiple: 100,
        },
      },
      sees: (world) => {
        // A hundred times 0.3 quote.
        expect(info(world).gasFeeInfo.waiveGasFeeMinimumAmount).toBe("30");
        expect(world.alice.place("BUY", "29999.9", "0.001").json).toMatchObject({ code: 4012 });
        expect(world.alice.place("BUY", "30000", "0.001").status).toBe(200);
      },
    },
    {
      value: "40.5",
      sees: (world) => {
        expect(info(world).gasFeeInfo.waiveGasFeeMinimumAmount).toBe("40.5");
        expect(world.alice.place("BUY", "40499.9", "0.001").json).toMatchObject({ code: 4012 });
      },
    },
  ],
  gasPriceUnit: [
    ["wei", "2500000000"],
    ["gwei", "2.5"],
    ["eth", "0.0000000025"],
  ].map(([value, gasPrice]) => ({
    value,
    config: { gasFee: { minGasPriceWei: "2500000000", maxGasPriceWei: "2500000000" } },
    sees: (world) => expect(info(world).gasFeeInfo).toMatchObject({ gasPrice }),
  })),
  gasFeeQuotationLifeMs: [60_000, 5000].map((value) => ({
    value,
    sees: async ({ alice, clock }) => {
      const [early, late] = [build(alice, TERMS), build(alice, TERMS)];
      await clock.runFor(value);
      expect(placeBuilt(alice, TERMS, early).status).toBe(200);
      await clock.runFor(1);
      expect(placeBuilt(alice, TERMS, late).json).toMatchObject({ code: 4012 });
    },
  })),
} satisfies Cases;
