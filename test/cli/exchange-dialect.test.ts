import { describe, expect, it } from "vitest";
import { chooseDialect } from "#cli/exchange-dialect.js";
import { maskSecrets } from "#core/secrets.js";
import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { type ExchangeConfigInput, parseExchangeConfig } from "#simulator/config.js";

const runtime = { clock: new VirtualClock(0), random: seededRandom("cli") };
const choose = (
  input: Partial<ExchangeConfigInput>,
  options: { dialect?: string; dialectPort?: string },
  env: Record<string, string> = {},
) =>
  chooseDialect(parseExchangeConfig({ markets: { btcusdc: {} }, ...input }), options, {
    env,
    runtime,
  });
const named = {
  dialects: { "binance-usdm": { port: 1, apiKeys: { "some-api-key": { secretEnv: "SOME" } } } },
};

describe("the dialect of the command exchange", () => {
  it("is none unless the flag or the file names it", () => {
    expect(choose({}, {})).toBeNull();
    expect(() => choose({}, { dialect: "kraken" })).toThrow(/--dialect.*kraken.*binance-usdm/s);
    expect(() => choose({}, { dialectPort: "0" })).toThrow(/--dialect-port/);
  });

  it("makes one key for the run where the file names none", () => {
    const chosen = choose({}, { dialect: "binance-usdm", dialectPort: "0" });
    expect(chosen?.config.port).toBe(0);
    expect(chosen?.credentials).toEqual([chosen?.demoKey]);
    expect(chosen?.demoKey?.secret).not.toBe(
      choose({}, { dialect: "binance-usdm" })?.demoKey?.secret,
    );
  });

  it("reads the secrets of the file's keys from the environment, and masks them everywhere", () => {
    const chosen = choose(named, {}, { SOME: "a-secret-of-the-environment" });
    expect(chosen).toMatchObject({
      demoKey: null,
      config: { port: 1 },
      credentials: [{ apiKey: "some-api-key", secret: "a-secret-of-the-environment" }],
    });
    expect(maskSecrets("it is a-secret-of-the-environment")).not.toContain("a-secret-of");
    expect(() => choose(named, {})).toThrow(/secretEnv.*export SOME=/s);
  });
});
