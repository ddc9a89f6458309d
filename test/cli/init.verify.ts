import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type StartedRun, startCli } from "./captured-cli.js";
import { ALL_CHOICES, expectAcceptedFile } from "./init-choices.js";

const folder = mkdtempSync(join(tmpdir(), "mw-init-"));
let exchange: StartedRun;
let rest: string;

beforeAll(async () => {
  exchange = startCli(["exchange", "--port", "0", "--rpc-port", "0", "--json"]);
  rest = JSON.parse(await exchange.firstLine).restUrl;
});

afterAll(async () => {
  exchange.interrupt();
  expect(await exchange.done).toMatchObject({ code: 0 });
});

describe.concurrent("marketwright init writes files that check passes", () => {
  it.each(ALL_CHOICES)("%s, %s, %s", (strategy, market, risk) =>
    expectAcceptedFile(join(folder, `${strategy}-${market}-${risk}.yaml`), rest, [
      strategy,
      market,
      risk,
    ]),
  );
});
