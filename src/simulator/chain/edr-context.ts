import { EdrContext, L1_CHAIN_TYPE, l1ProviderFactory } from "@nomicfoundation/edr";

let context: Promise<EdrContext> | undefined;

/**
 * The context in which every EVM of this process is created. The library allows one for each
 * process.
 */
export function edrContext(): Promise<EdrContext> {
  context ??= (async () => {
    const made = new EdrContext();
    await made.registerProviderFactory(L1_CHAIN_TYPE, l1ProviderFactory());
    return made;
  })();
  return context;
}
