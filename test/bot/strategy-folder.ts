import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach } from "vitest";

/** A strategy's file as in the README. */
export const WHOLE = `import { defineStrategy, quoteAround } from "marketwright";
import { map } from "rxjs";
import { z } from "zod";

export default defineStrategy({
  params: z.object({ halfSpreadBps: z.number().positive(), sizeBase: z.number().positive() }),
  create: ({ halfSpreadBps, sizeBase }) => (view$) =>
    view$.pipe(map((view) => quoteAround(view, view.microPrice, { halfSpreadBps, sizeBase }))),
});
`;

/** Path of a strategy in a bot's file, and of its parameters. */
export const FIELD = "markets.ethusdc.strategy";
export const PLACE = { at: ["markets", "ethusdc", "params"] };

/** A folder for a user's own strategy files, new for each test of the file that creates one. */
export class StrategyFolder {
  folder!: string;

  constructor() {
    beforeEach(() => {
      // Outside this checkout, so that no package above it is found by accident.
      this.folder = realpathSync(mkdtempSync(join(tmpdir(), "strategy-")));
    });
    afterEach(() => rmSync(this.folder, { recursive: true, force: true }));
  }

  write(name: string, text: string): void {
    mkdirSync(dirname(join(this.folder, name)), { recursive: true });
    writeFileSync(join(this.folder, name), text);
  }
}
