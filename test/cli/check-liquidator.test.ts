import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { captureCli } from "./captured-cli.js";
import { LiquidationExchange } from "./liquidation-exchange.js";

let world: LiquidationExchange;
beforeAll(async () => {
  world = await LiquidationExchange.start();
});
afterAll(() => world.close());

describe("marketwright check --connect of a bot that liquidates", () => {
  const findings = async ({
    file,
    env,
  }: {
    readonly file: string;
    readonly env: Record<string, string>;
  }) => {
    const { out, code } = await captureCli(["check", file, "--connect", "--json"], env);
    const found: { readonly level: string; readonly subject: string; readonly text: string }[] =
      JSON.parse(out).findings;
    return { code, of: (subject: string) => found.filter((one) => one.subject === subject) };
  };

  it("looks at the RPC, the dealer, the lens, the own margin and the gas", async () => {
    const bot = world.bot();
    await world.registers(bot.key);
    const { code, of } = await findings(bot);
    expect(code).toBe(0);
    expect(of("chain.quorum")).toMatchObject([
      { level: "ok", text: "1 of 1 RPCs are usable, and 1 must agree" },
    ]);
    expect(of("chain")).toMatchObject([
      { level: "ok", text: expect.stringContaining(world.chain.addresses.dealer.toLowerCase()) },
    ]);
    expect(of("chain.lens")).toMatchObject([
      { level: "ok", text: expect.stringContaining("reads 1 markets") },
    ]);
    expect(of("liquidator.margin")).toMatchObject([
      { level: "ok", text: "net value 100000, maintenance margin 0 on the chain" },
    ]);
    expect(of("liquidator.gas")).toMatchObject([
      { level: "ok", text: expect.stringMatching(/has 1\.000 ETH, enough for \d{3,} takeovers/) },
    ]);
  });

  it("warns, no more, of a key without gas whose account the exchange does not know yet", async () => {
    const { code, of } = await findings(world.bot());
    expect(of("liquidator.gas")).toMatchObject([
      {
        level: "warning",
        text: expect.stringMatching(
          /enough for 0 takeovers .*; the exchange may give some when the account registers$/,
        ),
      },
    ]);
    expect(of("liquidator.pollMs")).toHaveLength(1);
    expect(code).toBe(0);
  });

  it("says that a key is no operator's, that an RPC is away, that nobody can pay for gas, and what else is missing", async () => {
    const owner = world.bot();
    await world.registers(owner.key);
    const bot = world.bot({
      account: `{ keyEnv: BOT_KEY, address: "${owner.address}" }`,
      chain: `{ rpc: ["${world.rpcUrl}", "http://127.0.0.1:1"], maxHeadAgeMs: 3600000, quorum: 2 }`,
    });
    const first = await findings(bot);
    expect(first.code).toBe(1);
    expect(first.of("account.address")).toMatchObject([
      {
        level: "error",
        text: expect.stringMatching(
          /own key has registered.*, with 0x[0-9a-fA-F]{40} as its operator \(setOperator\)/,
        ),
      },
    ]);
    expect(first.of("account"), "nothing that a start would do by itself").toEqual([]);
    expect(first.of("chain.rpc")).toMatchObject([
      {
        level: "error",
        text: expect.stringMatching(/no usable head .*127\.0\.0\.1:1: /),
      },
    ]);
    const second = await findings(
      world.bot({
        key: bot.key,
        account: `{ keyEnv: BOT_KEY, address: "${owner.address}" }`,
        chain: `{ rpc: ["${world.rpcUrl}", "http://127.0.0.1:1"], maxHeadAgeMs: 3600000 }`,
      }),
    );
    expect(second.of("chain.127.0.0.1:1")).toMatchObject([{ level: "warning" }]);
    expect(second.code).toBe(1);
    expect(second.of("account.address").map(({ text }) => text)).toContainEqual(
      expect.stringMatching(
        /is not an operator of 0x[0-9a-fA-F]{40} on the chain; expected setOperator by the account/,
      ),
    );
    expect(second.of("liquidator.gas")).toMatchObject([
      { level: "error", text: expect.stringContaining("enough for 0 takeovers") },
    ]);
    const lost = await findings(
      world.bot({
        key: owner.key,
        chain: `{ rpc: ["${world.rpcUrl}"], maxHeadAgeMs: 3600000, lens: "0x${"12".repeat(20)}" }`,
      }),
    );
    expect(lost.code).toBe(1);
  });
});
