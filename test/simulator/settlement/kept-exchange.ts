import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { VirtualClock } from "#core/virtual-clock.js";
import { openDataDir } from "#simulator/data-dir.js";
import { START_MS } from "../reference-client.js";
import { ChainWorld, type ChainWorldOptions } from "./chain-world.js";

/** The records of a `dataDir` by their keys, as written by the program of commit ae5908e1. */
const RECORDS = new URL("kept-exchange.json.gz", import.meta.url);

/**
 * Opens an exchange on a chain with the contracts of commit ae5908e1 (2026-11-26), a week after it
 * stopped. The three clients of {@link ChainWorld.clients} are registered there. At 60,000 Alice
 * has sold to Bob: 0.01 through the exchange, and 0.02 through Carol's wallet, which the owner made
 * an order sender (`tradeOutside`, taker 5 and maker 1 ten-thousandths). Bob has requested a
 * withdrawal of 50. The exchange had stopped before the last two blocks: 0.03 more through Carol's
 * wallet, and the owner's `setInsurance` to the same account.
 */
export async function openKept(config: ChainWorldOptions["config"] = {}): Promise<ChainWorld> {
  const dataDir = join(mkdtempSync(join(tmpdir(), "mw-")), "state");
  const { records, close } = await openDataDir(dataDir);
  const kept = JSON.parse(gunzipSync(readFileSync(RECORDS)).toString("utf8")) as Record<
    string,
    string
  >;
  records.commit({ puts: new Map(Object.entries(kept)), removed: new Set(), removedRanges: [] });
  await close();
  return ChainWorld.open({
    config: { ...config, dataDir },
    clock: new VirtualClock(START_MS + 7 * 86_400_000),
  });
}
