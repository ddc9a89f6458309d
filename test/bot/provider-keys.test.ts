import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { maskProviderKeys } from "#bot/chain-access.js";
import { loadBotConfig } from "#bot/config.js";

it("a provider's key in an RPC's address is not written to the journal", () => {
  const config = loadBotConfig(
    fileURLToPath(new URL("../../config/liquidations.yaml", import.meta.url)),
    {},
    { key: "unused" },
  );
  if (config.chain === undefined) throw new Error("the example has no chain");
  const rpc = [
    "https://user:word@rpc.example.org:8545/v2/s3cr3t?key=s3cr3t",
    "http://127.0.0.1:8621",
  ];
  const shown = maskProviderKeys({ ...config, chain: { ...config.chain, rpc } });
  expect(shown.chain?.rpc).toEqual(["https://rpc.example.org:8545", "http://127.0.0.1:8621"]);
  expect({ ...shown, chain: undefined }).toEqual({ ...config, chain: undefined });
});
