import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { checkMapping } from "#history/mapping.js";
import { fileOf, scratchFolder, take } from "../scratch.js";

const HYPERLIQUID =
  '{"time":"2024-06-01T00:00:00.1","ver_num":1,"raw":{"channel":"l2Book","data":{"coin":"SOL","time":1717200000100,"levels":[[{"px":"165.1","sz":"10.5","n":2}],[]]}}}\n';
const FLAT = checkMapping({ kind: "trades", columns: { time: "t", price: "p", amount: "q" } });

async function refusal(content: string, mapping?: typeof FLAT): Promise<string> {
  const folder = scratchFolder();
  const path = fileOf(folder, "t.ndjson", content);
  const options = mapping === undefined ? {} : { mapping };
  const error = await take(new HistoryStore(join(folder, "history")), [path], options).catch(
    (thrown: unknown) => thrown,
  );
  return error instanceof Error ? error.message : "nothing";
}

describe("A record with records or lists within it", () => {
  it.each([
    ["Hyperliquid's order book", HYPERLIQUID],
    [
      "Binance's order book",
      '{"e":"depthUpdate","E":1717200000100,"U":1,"u":2,"b":[["1","2"]],"a":[]}\n',
    ],
    [
      "Bybit's order book",
      '{"topic":"orderbook.50.BTCUSDT","type":"delta","ts":1,"data":{"s":"BTCUSDT","b":[],"a":[]}}\n',
    ],
    [
      "OKX's stream",
      '{"arg":{"channel":"books","instId":"BTC-USDT"},"data":[{"asks":[],"bids":[]}]}\n',
    ],
    [
      "Deribit's stream",
      '{"jsonrpc":"2.0","method":"subscription","params":{"channel":"book.BTC","data":{}}}\n',
    ],
  ])(
    "is reported as %s, without advice to use a mapping that cannot exist",
    async (name, content) => {
      const said = await refusal(content);
      expect(said).toContain(`is ${name}`);
      expect(said).toContain("which no shape and no mapping can read");
      expect(said).not.toContain("--mapping");
      expect(await refusal(content, FLAT)).toContain(`is ${name}`);
    },
  );

  it("is read where a mapping names its plain fields", async () => {
    expect(await refusal('{"t":1723161600000,"p":"5","q":"1","more":{"x":[1]}}\n', FLAT)).toBe(
      "nothing",
    );
  });
});

describe("A JSON list", () => {
  it.each([
    [
      "of lists",
      "[[1609459200000,28900.0],[1609462800000,29000.0]]",
      /is one JSON list of lists.*jq -r '.\[\] \| @csv'.*--columns time=0/,
    ],
    ["of records", '[{"id":1},{"id":2}]', /is one JSON list .*jq -c '.\[\]'/],
    ["over several lines", '[\n{"id":1}\n]', /is one JSON list .*jq -c '.\[\]'/],
    [
      "a line",
      "[1609459200000,28900.0]\n[1609462800000,29000.0]\n",
      /has a JSON list on each line.*jq -r '@csv'/,
    ],
  ])("is refused with advice on converting it: %s", async (_what, content, said) => {
    expect(await refusal(content)).toMatch(said);
  });
});
