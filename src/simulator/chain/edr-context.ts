import { EdrContext, L1_CHAIN_TYPE, l1ProviderFactory } from "@nomicfoundation/edr";

let context: Promise<EdrContext> | undefined;

/** What every EVM of this process is made in: the library allows one a process. */
export function edrContext(): Promise<EdrContext> {
  context ??= (async () => {
    const made = new EdrContext();
    await made.registerProviderFactory(L1_CHAIN_TYPE, l1ProviderFactory());
    return made;
  })();
  return context;
}
