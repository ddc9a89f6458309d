import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Ms } from "#core/units.js";
import { recordedDataFolder } from "#simulator/data-folder.js";
import { CapturedPrice } from "./captured-price.js";
import { LONGEST_MARKOUT_MS, RUN_MS } from "./value-run.js";

/** The recorded markets whose prices are the true ones; seed after seed takes the next. */
const CAPTURES = [
  "btcusdt-perp_20230404-05",
  "btcusdt-perp_20240718-19",
  "btcusdt-perp_20240808",
] as const;

/** Seeds of one capture begin this much after each other, and again at its beginning. */
const STEP_MS: Ms = 37_000;

const read = new Map<string, Promise<CapturedPrice>>();

/** The name of a seed's capture. */
export function captureOf(seed: number): string {
  return CAPTURES[(seed - 1) % CAPTURES.length] as string;
}

/** The stretch of a capture that a seed trades; each file is read once. */
export async function capturedPriceOf(seed: number): Promise<CapturedPrice> {
  const tag = captureOf(seed);
  const reading = read.get(tag) ?? CapturedPrice.read(recordedDataFolder(), tag);
  read.set(tag, reading);
  const price = await reading;
  const turn = Math.floor((seed - 1) / CAPTURES.length);
  return price.from((turn * STEP_MS) % (price.durationMs - RUN_MS - LONGEST_MARKOUT_MS));
}

/** The files that are not on this machine. */
export function missingCaptures(): readonly string[] {
  const files = CAPTURES.map((tag) => join(recordedDataFolder(), "bbo", `${tag}.csv.gz`));
  return files.filter((file) => !existsSync(file));
}
