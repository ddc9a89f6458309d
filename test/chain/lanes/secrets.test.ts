import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FileTransactionStore } from "#chain/file-transaction-store.js";
import { ecdsaScheme } from "#core/signing.js";
import type { Hex } from "#core/units.js";
import { LaneLife } from "./lane-life.js";
import { CHAIN_ID, type LaneFaults, LaneWorld } from "./lane-world.js";

let world: LaneWorld;
let folder = "";
beforeAll(async () => {
  world = await LaneWorld.start();
  folder = mkdtempSync(join(tmpdir(), "lanes-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const keys = fc
  .bigInt({ min: 2n ** 200n, max: 2n ** 255n })
  .map((key): Hex => `0x${key.toString(16).padStart(64, "0")}`);
const faults = fc.constantFrom<LaneFaults>(
  {},
  { isDead: () => true },
  { refuses: () => "internal error" },
  { losesAnswer: (method) => method === "eth_sendRawTransaction" },
);

describe("the key", () => {
  it("is in no event, no error, no file and no dump, whatever goes wrong", async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        keys,
        faults,
        fc.string({ minLength: 1, maxLength: 20 }),
        fc.boolean(),
        async (key, wrong, id, isFunded) => {
          run += 1;
          await world.reset();
          const signer = ecdsaScheme.signer(key);
          if (isFunded)
            await world.chain.request("hardhat_setBalance", signer.address, "0x56bc75e2d63100000");
          const path = join(folder, `${run}.jsonl`);
          const store = new FileTransactionStore(path, {
            chainId: CHAIN_ID,
            account: signer.address,
          });
          const life = new LaneLife(world, store, { signer, confirmations: 1 });
          const errors: unknown[] = [];
          for (const job of [
            world.job(id, { data: "0x", to: signer.address }),
            world.job(id),
            world.job("other", { to: "0x" as Hex }),
          ]) {
            try {
              life.lanes.submit(job);
            } catch (error) {
              errors.push(error);
            }
          }
          world.faults = wrong;
          await world.run(1500);
          life.lanes.cancel(id);
          await world.block();
          const shown = [life.events, errors, life.lanes.jobs(), life.lanes.nonces(), life.lanes]
            .map((value) => inspect(value, { depth: 10, showHidden: true }))
            .join("\n");
          const text = `${shown}\n${readFileSync(path, "utf8")}`.toLowerCase();
          expect(errors).toHaveLength(2);
          expect(text).not.toContain(key.slice(2).replace(/^0+/, ""));
          expect(text).not.toContain(String(BigInt(key)));
          life.kill();
          store.close();
        },
      ),
      { numRuns: 25 },
    );
  });
});
