import type { EdrContext } from "@nomicfoundation/edr";
import { loadOptional } from "../../core/optional-part.js";

let context: Promise<EdrContext> | undefined;

/**
 * The context in which every EVM of this process is created. The library allows one for each
 * process.
 */
export function edrContext(): Promise<EdrContext> {
  context ??= (async () => {
    const { EdrContext, L1_CHAIN_TYPE, l1ProviderFactory } =
      await loadOptional("@nomicfoundation/edr");
    const made = new EdrContext();
    await made.registerProviderFactory(L1_CHAIN_TYPE, l1ProviderFactory());
    return made;
  })();
  return context;
}
