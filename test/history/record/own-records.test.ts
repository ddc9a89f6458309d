import { describe, expect, it } from "vitest";
import type { VenueOrder } from "#exchange/records.js";
import type { PlaceAction } from "#exchange/venue.js";
import { query } from "../scratch.js";
import { MARKET, MIDNIGHT, Session, up } from "./recorder-stage.js";

const HASH = `0x${"ab".repeat(32)}` as const;

describe("The recording of the own account", () => {
  it("contains each request when it is sent, its response, the order's updates, and its fills", async () => {
    const session = await new Session(MIDNIGHT + 1000).open();
    const { recorder } = session;
    const place = {
      kind: "place",
      actionId: 7,
      timestampMs: MIDNIGHT,
      marketId: MARKET,
      side: "BUY",
      type: "LIMIT",
      ticks: 1000,
      lots: 5,
      timeInForce: "POST_ONLY",
      expirationMs: 0,
      hash: HASH,
      order: {} as PlaceAction["order"],
    } as const satisfies PlaceAction;
    const order: VenueOrder = {
      id: "90",
      hash: HASH,
      info: "0x",
      marketId: MARKET,
      side: "BUY",
      type: "LIMIT",
      timeInForce: "POST_ONLY",
      ticks: 1000,
      lots: 5,
      availableLots: 5,
      pendingLots: 0,
      filledLots: 0,
      canceledLots: 0,
      expiredLots: 0,
      failedLots: 0,
      averagePrice: undefined,
      status: "NEW",
      createdAtMs: MIDNIGHT + 1000,
      expirationMs: 0,
    };
    const rest = { ...order, availableLots: 3, filledLots: 2, status: "PARTIAL_FILLED" };
    const fill = {
      id: "4",
      marketId: MARKET,
      side: "BUY",
      isMaker: true,
      ticks: 1000,
      lots: 2,
      quote: 200_000n,
      commission: -20n,
      timeMs: MIDNIGHT + 1002,
      status: "CREATED",
    } as const;
    const cancel = {
      kind: "cancel",
      actionId: 8,
      timestampMs: MIDNIGHT,
      marketId: MARKET,
      orderId: "90",
      hash: HASH,
    } as const;
    await session.hear(up("account"));
    recorder.recordAction(place, 1);
    recorder.recordAction({ ...place, actionId: 70, marketId: "ethusdc" });
    await session.hear({ type: "answer", actionId: 7, outcome: { result: "accepted", order } });
    await session.hear({ type: "answer", actionId: 70, outcome: { result: "accepted", order } });
    await session.hear(
      { type: "order-update", order: rest, timestampMs: MIDNIGHT + 1002 },
      { type: "trade-update", trade: fill },
    );
    recorder.recordAction(cancel);
    await session.hear({
      type: "answer",
      actionId: 8,
      outcome: { result: "rejected", code: -2011, codeText: "X", message: "gone", httpStatus: 400 },
    });
    await session.hear({ type: "trade-update", trade: { ...fill, status: "SETTLED" } });
    await recorder.close();
    const rows = await query(
      session.store,
      `SELECT what, (recvNs // 1000000)::INTEGER - ${MIDNIGHT % 1e9} AS heard, request::INTEGER AS request, isBuy, price::VARCHAR AS price, amount::VARCHAR AS amount, filled::VARCHAR AS filled, level::INTEGER AS level, code::INTEGER AS code FROM (SELECT * REPLACE (recvNs - ${MIDNIGHT - (MIDNIGHT % 1e9)}000000 AS recvNs) FROM read_parquet('${session.store.root}/${MARKET}/orders/*.parquet')) ORDER BY seq`,
    );
    const nothing = {
      price: null,
      amount: null,
      filled: null,
      level: null,
      code: null,
      isBuy: null,
    };
    const priced = { isBuy: true, price: "100", amount: "0.005", level: null, code: null };
    expect(rows).toEqual([
      { what: "place", heard: 1001, request: 7, ...priced, filled: null, level: 1 },
      { what: "accepted", heard: 1002, request: 7, ...priced, filled: "0.000" },
      { what: "update", heard: 1004, request: null, ...priced, filled: "0.002" },
      { what: "cancel", heard: 1005, request: 8, ...nothing },
      { what: "rejected", heard: 1006, request: 8, ...nothing, code: -2011 },
    ]);
    const fills = await query(
      session.store,
      `SELECT tradeId::INTEGER AS tradeId, isMaker, price::VARCHAR AS price, amount::VARCHAR AS amount, fee::VARCHAR AS fee, status FROM read_parquet('${session.store.root}/${MARKET}/fills/*.parquet')`,
    );
    const told = { tradeId: 4, isMaker: true, price: "100", amount: "0.002", fee: "-0.00002" };
    expect(fills).toEqual([
      { ...told, status: "CREATED" },
      { ...told, status: "SETTLED" },
    ]);
  });
});
