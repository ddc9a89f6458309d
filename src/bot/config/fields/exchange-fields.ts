import { z } from "zod";
import { needs } from "../../../core/config/key-rules.js";
import { addressField, durationField, rateField } from "./config-fields.js";

/** The exchange, and the options of its protocol. */
export const exchangeShape = z
  .strictObject({
    rest: addressField("REST address with its version prefix", ["http:", "https:"]),
    stream: addressField("Websocket address with its version prefix", ["ws:", "wss:"]),
    requestTimeoutMs: durationField(
      "How long one REST request may take before its outcome counts as unknown.",
      {
        min: 50,
        max: 60_000,
      },
    ).default(2000),
    connectWithinMs: durationField(
      "How long `run` and `guard` wait at their start for an exchange that does not listen yet; 0 does not wait. They do not wait for an unknown name, or an address where something else answers.",
      { min: 0, max: 3_600_000 },
    ).default(20_000),
    signatureWindowMs: durationField(
      "How long after its timestamp the exchange still accepts a request: its receive window.",
      {
        max: 60_000,
      },
    ).default(5000),
    placement: z
      .enum(["local", "server"])
      .describe(
        "Who builds the order that is signed: this machine, or the exchange's build endpoint (one more request per order).",
      )
      .default("local"),
    buyRounding: z
      .enum(["up", "down"])
      .describe("How a BUY's credit is rounded to its smallest unit: up in magnitude, or down.")
      .default("up"),
    rulesRefreshMs: durationField(
      "How often exchangeInfo is read again; a change halts the markets it touches. An order that is refused because of a filter or a wrong fee triggers a read within ten seconds.",
      { min: 1000 },
    ).default(300_000),
    reconcileMs: durationField(
      "How often orders, trades, positions and balances are compared with the exchange's.",
      { min: 1000 },
    ).default(30_000),
    maxClockOffsetMs: durationField(
      "Quotes are cancelled when the clock is further from the exchange's than this.",
      { max: 60_000 },
    ).default(1000),
    rateBuckets: z
      .enum(["overlapping", "disjoint"])
      .describe(
        "The limits that builds, places and cancels count against: the exchange's COMMON limit too, or ORDER alone.",
      )
      .default("overlapping"),
    waiverUnit: z
      .enum(["quote", "base"])
      .describe(
        "Quantity that exchangeInfo's waiveGasFeeMinimumAmount is compared with: an order's value, or its amount. An order below it is built by the exchange, whatever placement says.",
      )
      .default("quote"),
    maxGasFeeRate: rateField(
      "The most that the exchange's build may add to both fee rates of such an order",
    ).default("0.01"),
    makerFeeRate: rateField(
      "Maker fee rate to sign instead of exchangeInfo's; negative is a rebate",
    ).optional(),
    takerFeeRate: rateField("Taker fee rate to sign instead of exchangeInfo's").optional(),
  })
  .meta({
    description: "The exchange that the bot trades on.",
    allOf: [needs("makerFeeRate", "takerFeeRate")],
  });
