import { afterEach, describe, expect, it } from "vitest";
import { createLiveRuntime } from "#core/live-runtime.js";
import { ecdsaScheme } from "#core/signing.js";
import { ExchangeClient } from "#exchange/exchange-client.js";
import { NetworkTransport } from "#exchange/network-transport.js";
import { BuiltOrderError, DomainError, OrderFilterError } from "#exchange/order-errors.js";
import { decodeInfo } from "#exchange/order-info.js";
import type { NewOrder, OrderSettings } from "#exchange/order-settings.js";
import type { HttpRequest, Transport } from "#exchange/transport.js";
import { type Embedded, KEYS, startEmbedded } from "./embedded.js";

const MARKET = "btcusdc";
const [OWNER_KEY, OPERATOR_KEY] = KEYS;
const OWNER = ecdsaScheme.signer(OWNER_KEY).address;
const OPERATOR = ecdsaScheme.signer(OPERATOR_KEY).address;
/** Unusual settings of an order, and its lifetime from its creation on. */
type OddOrder = Partial<NewOrder> & { readonly lifeMs?: number };
const BUY: NewOrder = { marketId: MARKET, side: "BUY", amount: "0.01", price: "20000" };

let embedded: Embedded;
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function start(config: Parameters<typeof startEmbedded>[0]): Promise<void> {
  embedded = await startEmbedded(config);
  closing.push(embedded.close);
}

/** Notes what is sent, and lets a test change what comes back. */
function spied(
  transport: Pick<Transport, "request">,
  change: (request: HttpRequest, body: string) => string = (_, body) => body,
) {
  const sent: string[] = [];
  const params: URLSearchParams[] = [];
  return {
    sent,
    params,
    request: (request: HttpRequest, done: Parameters<Transport["request"]>[1]): void => {
      sent.push(`${request.method} ${request.path}`);
      params.push(new URLSearchParams(request.params));
      transport.request(request, (result) =>
        done(result.ok ? { ...result, body: change(request, result.body) } : result),
      );
    },
  };
}

async function trading(
  orders: OrderSettings,
  change?: (request: HttpRequest, body: string) => string,
  choices: Record<string, unknown> = {},
) {
  await start({ choices: { waiveGasFeeMinimumAmount: "0", ...choices } });
  await embedded.trader(OWNER_KEY);
  const runtime = createLiveRuntime();
  const network = new NetworkTransport({
    restUrl: embedded.server.restUrl,
    streamUrl: embedded.server.streamUrl,
    clock: runtime.clock,
  });
  closing.unshift(() => network.close());
  const spy = spied(network, change);
  const client = new ExchangeClient({
    transport: spy,
    runtime,
    signer: ecdsaScheme.signer(OWNER_KEY),
    orders,
  });
  return { client, spy };
}

describe("both ways of placing", () => {
  it("builds here by default: one request, a hash that is known before it, the exchange's own fee rates", async () => {
    const { client, spy } = await trading({});
    const prepared = await client.prepare(BUY);
    const order = await client.send(prepared);
    expect(order.hash).toBe(prepared.hash);
    expect(decodeInfo(order.json.info)).toMatchObject({
      makerFeeRate: -(10n ** 14n),
      takerFeeRate: 3n * 10n ** 14n,
    });
    expect(spy.sent).toEqual(["GET /v1/exchangeInfo", "POST /v1/order"]);
    expect(spy.params[1]?.has("gasFeeQuotation")).toBe(false);
    await expect(client.send(prepared)).rejects.toMatchObject({ code: 2016 });
  });

  it("has the exchange build, checks what it built, and signs that", async () => {
    const { client, spy } = await trading({ placement: "server" });
    const order = await client.place({
      ...BUY,
      timeInForce: "GTT",
      expiration: Date.now() + 120_000,
    });
    expect(order).toMatchObject({ tif: "GTT", status: "NEW" });
    expect(order.expiration % 1000).toBe(0);
    expect(spy.sent).toEqual(["GET /v1/exchangeInfo", "POST /v1/order/build", "POST /v1/order"]);
    expect(spy.params[2]?.has("gasFeeQuotation")).toBe(false);
    const always = await trading({ placement: "server", gasFeeQuotation: "always" });
    await always.client.place(BUY);
    expect(always.spy.params[2]?.get("gasFeeQuotation")).not.toBe("");
  });

  it.each([
    ["another amount", /"paperAmount":"\d+"/, '"paperAmount":"20000000000000000"'],
    ["another side", /"paperAmount":"/, '"paperAmount":"-'],
    ["another contract", /"perp":"0x[0-9a-fA-F]{40}"/, `"perp":"0x${"12".repeat(20)}"`],
    ["another account", /"signer":"0x[0-9a-fA-F]{40}"/, `"signer":"0x${"12".repeat(20)}"`],
    [
      "a hash of something else",
      /"orderHash":"0x[0-9a-f]{64}"/,
      `"orderHash":"0x${"ab".repeat(32)}"`,
    ],
    ["other fees", /"info":"0x[0-9a-f]{16}/, '"info":"0x00ffa50cef85c000'],
  ])("does not sign what names %s", async (_, what, instead) => {
    const tamper = (request: HttpRequest, body: string): string =>
      request.path === "/v1/order/build" ? body.replace(what, instead) : body;
    const { client, spy } = await trading({ placement: "server" }, tamper);
    await expect(client.place(BUY)).rejects.toThrow(BuiltOrderError);
    expect(spy.sent).not.toContain("POST /v1/order");
  });

  it("takes no other order for its own", async () => {
    const { client } = await trading({}, (request, body) =>
      request.path === "/v1/order"
        ? body.replace(/"hash":"0x[0-9a-f]{64}"/, `"hash":"0x${"ab".repeat(32)}"`)
        : body,
    );
    await expect(client.place(BUY)).rejects.toThrow(/a different order/);
  });

  it("signs nothing under a domain that is not what its parts give", async () => {
    const { client, spy } = await trading({}, (_, body) =>
      body.replace(/"chainId":\d+/, '"chainId":1'),
    );
    await expect(client.place(BUY)).rejects.toThrow(DomainError);
    expect(spy.sent).toEqual(["GET /v1/exchangeInfo"]);
  });

  it.each([
    ["off the tick", { price: "20000.05" }, /off the market's grid|more decimals/],
    ["off the step", { amount: "0.0105" }, /off the market's grid|more decimals/],
    ["above the amount filter", { amount: "100000000" }, OrderFilterError],
    ["in a market that is not there", { marketId: "dogeusdc" }, /dogeusdc.*btcusdc/],
    ["GTT without an end", { timeInForce: "GTT" as const }, /expiration/],
    ["GTT for a minute", { timeInForce: "GTT" as const, lifeMs: 60_000 }, /1 minute/],
    [
      "GTT for more than a week",
      { timeInForce: "GTT" as const, lifeMs: 7 * 86_400_000 + 600_000 },
      /7 days/,
    ],
  ])("refuses an order %s before it is sent", async (_, { lifeMs, ...change }: OddOrder, error) => {
    const { client, spy } = await trading({});
    const expiration = lifeMs === undefined ? {} : { expiration: Date.now() + lifeMs };
    await expect(client.place({ ...BUY, ...change, ...expiration })).rejects.toThrow(error);
    expect(spy.sent).toEqual(["GET /v1/exchangeInfo"]);
  });
});

describe("small orders", () => {
  it("below the waiver go by the exchange's build with its token; others need none", async () => {
    const { client, spy } = await trading({ maxGasFeeRate: "0.5" }, undefined, {
      waiveGasFeeMinimumAmount: "500",
    });
    expect(await client.place(BUY)).toMatchObject({ status: "NEW" });
    expect(spy.sent).toEqual(["GET /v1/exchangeInfo", "POST /v1/order/build", "POST /v1/order"]);
    expect(spy.params[2]?.get("gasFeeQuotation")).toBeTruthy();
    await client.place({ ...BUY, amount: "0.025" });
    expect(spy.sent.slice(3)).toEqual(["POST /v1/order"]);
  });

  it("are judged by their amount where the exchange means base units", async () => {
    const { client, spy } = await trading({ waiverUnit: "base", maxGasFeeRate: "0.5" }, undefined, {
      waiveGasFeeMinimumAmount: "0.02",
      waiverUnit: "base",
    });
    await client.place(BUY);
    await client.place({ ...BUY, amount: "0.02" });
    expect(spy.sent).toEqual([
      "GET /v1/exchangeInfo",
      "POST /v1/order/build",
      "POST /v1/order",
      "POST /v1/order",
    ]);
  });
});

describe("trading for another account", () => {
  it("signs as its operator: orders, reads, cancels and the account's stream are the owner's", async () => {
    await start({ accounts: { [OWNER]: { operators: [OPERATOR] } } });
    await embedded.trader(OWNER_KEY);
    const { client, streams } = await embedded.connect({ key: OPERATOR_KEY, account: OWNER });
    const told = new Promise((resolve, reject) => {
      streams.account$().subscribe((event) => {
        if (event.type === "order") resolve(event.order);
        if (event.type === "down") reject(new Error(event.reason));
        if (event.type === "up") client.place(BUY).catch(reject);
      });
    });
    expect(await told).toMatchObject({
      account: OWNER.toLowerCase(),
      json: { signer: OWNER.toLowerCase() },
    });
    const [order] = await client.openOrders();
    await client.cancelOrder({ marketId: MARKET, orderId: order?.id ?? "" });
    expect(await client.openOrders()).toEqual([]);
    const built = await embedded.connect({
      key: OPERATOR_KEY,
      account: OWNER,
      orders: { placement: "server" },
    });
    expect((await built.client.place(BUY)).json.signer).toBe(OWNER.toLowerCase());
  });

  it("is rejected for a signer that is not its operator", async () => {
    await start({ accounts: { [OWNER]: { operators: [] } } });
    await embedded.trader(OWNER_KEY);
    const { client } = await embedded.connect({ key: OPERATOR_KEY, account: OWNER });
    await expect(client.balances()).rejects.toMatchObject({ code: 1012 });
    await expect(embedded.connect({ account: "me" })).rejects.toThrow(/40 hex/);
  });
});

describe("a special fee agreement", () => {
  it("is signed instead of the market's rates", async () => {
    await start({
      accounts: {
        [OWNER]: { feeRates: { [MARKET]: { makerFeeRate: "-0.0002", takerFeeRate: "0.0001" } } },
      },
    });
    await embedded.trader(OWNER_KEY);
    const plain = await embedded.connect({ key: OWNER_KEY });
    await expect(plain.client.place(BUY)).rejects.toMatchObject({ code: 4012 });
    const feeRates = { [MARKET]: { makerFeeRate: "-0.0002", takerFeeRate: "0.0001" } };
    for (const placement of ["local", "server"] as const) {
      const { client } = await embedded.connect({
        key: OWNER_KEY,
        orders: { feeRates, placement },
      });
      expect(decodeInfo((await client.place(BUY)).json.info).makerFeeRate).toBe(-2n * 10n ** 14n);
    }
  });
});
