import type { Hex } from "#core/units.js";

/** A call for a contract to make. */
export interface Call {
  readonly to: Hex;
  readonly data: Hex;
}

/**
 * Calls the address in the first word of its data with the rest of the data, and reverts if that
 * reverts.
 */
export const FORWARDER_CODE =
  "0x602036038060206000376000600091600060006000355af1601f57600080fd5b00";
/**
 * Makes the calls in its data in turn, each written as address, length and data. A call that
 * reverts is skipped.
 */
export const BATCH_CODE =
  "0x5f5b368110600957005b806020013580826040015f375f5f825f5f86355af15001604001600156";

/** A call through a forwarder. */
export function forwarded(forwarder: Hex, { to, data }: Call): Call {
  return { to: forwarder, data: `0x${word(to)}${data.slice(2)}` };
}

/** Several calls by a contract with the code of a batch. */
export function batched(batch: Hex, ...calls: readonly Call[]): Call {
  return {
    to: batch,
    data: `0x${calls.map(({ to, data }) => word(to) + word(lengthOf(data)) + data.slice(2)).join("")}`,
  };
}

/** The data of a deployment whose constructor makes the call, and reverts if that reverts. */
export function constructorOf({ to, data }: Call): Hex {
  const length = `62${lengthOf(data).slice(2).padStart(6, "0")}`;
  const call = `5f5f${length}5f5f73${to.slice(2)}5af1`;
  const code = (size: number) =>
    `${length}60${byte(size)}5f39${call}60${byte(size - 2)}575f5ffd5b00`;
  const size = code(0).length / 2;
  return `0x${code(size)}${data.slice(2)}`;
}

function lengthOf(data: Hex): Hex {
  return `0x${((data.length - 2) / 2).toString(16)}`;
}

function word(hex: Hex): string {
  return hex.slice(2).padStart(64, "0");
}

function byte(value: number): string {
  return (value & 0xff).toString(16).padStart(2, "0");
}
