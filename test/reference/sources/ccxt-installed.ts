/** False in an installation without ccxt: the tests of its sources are then skipped. */
export const IS_CCXT_INSTALLED = isInstalled();

function isInstalled(): boolean {
  try {
    import.meta.resolve("ccxt");
    return true;
  } catch {
    process.stderr.write("ccxt is not installed: the tests of its sources are skipped\n");
    return false;
  }
}
