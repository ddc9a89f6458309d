import { ConfigError } from "../errors.js";
import {
  log2Share,
  logShare,
  power2Share,
  power3Share,
  powerShare,
  probabilisticQueue,
  type ShareBehind,
} from "./probabilistic-queue.js";
import { type QueueModel, type QueuePlace, riskAverseQueue } from "./queue-models.js";

/** Description of the queue model names in a configuration. */
export const QUEUE_MODEL_NAMES =
  "risk-averse, log, log2, or power-N, power2-N or power3-N with N above 0 and at most 100, such as power-2";

/** The same as a regular expression, for editors; only the program checks the bounds of N. */
export const QUEUE_MODEL_PATTERN = "^(risk-averse|log2?|power[23]?-\\d{1,3}(\\.\\d{1,6})?)$";

const POWERS: Readonly<Record<string, (exponent: number) => ShareBehind>> = {
  power: powerShare,
  power2: power2Share,
  power3: power3Share,
};

/** Returns true if a queue model has this name. */
export function isQueueModelName(name: string): boolean {
  return name === "risk-averse" || shareNamed(name, 1) !== undefined;
}

/**
 * Creates the queue model that a configuration names.
 * @param lotBase a lot in base units, which the logarithmic models use.
 * @throws ConfigError for an unknown name
 */
export function createQueueModel(name: string, lotBase: number): QueueModel<QueuePlace> {
  if (name === riskAverseQueue.name) return riskAverseQueue;
  const share = shareNamed(name, lotBase);
  if (share === undefined)
    throw new ConfigError("unknown queue model", {
      field: "queue",
      value: name,
      expected: QUEUE_MODEL_NAMES,
    });
  return probabilisticQueue(name, share);
}

function shareNamed(name: string, lotBase: number): ShareBehind | undefined {
  if (name === "log") return logShare(lotBase);
  if (name === "log2") return log2Share(lotBase);
  const [, kind, written] = /^(power[23]?)-(\d{1,3}(?:\.\d{1,6})?)$/.exec(name) ?? [];
  const exponent = Number(written);
  return kind === undefined || !(exponent > 0 && exponent <= 100)
    ? undefined
    : POWERS[kind]?.(exponent);
}
