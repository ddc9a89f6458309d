import { RunError } from "../../core/errors.js";
import type { HedgeAccountReport } from "../hedge-venue.js";
import type { CcxtHedgeVenue } from "./ccxt-hedge-venue.js";
import { RefusedRequest } from "./hedge-queries.js";
import { usdmAssetsModeShape, usdmKeyRightsShape } from "./usdm-records.js";
import type { ClockReading } from "./venue-time.js";

/** The state of an account at a hedge venue, for a check before a run. */
export interface HedgeInspection {
  readonly clock: ClockReading;
  /** Rights of the API key; undefined where the exchange does not tell them. */
  readonly rights:
    | { readonly canMoveFunds: boolean; readonly canTrade: boolean | undefined }
    | undefined;
  /** True if several assets are margin together. */
  readonly isMultiAsset: boolean;
  /** The account by symbol, each in the contract's quote asset. */
  readonly accounts: ReadonlyMap<string, HedgeAccountReport>;
  /** Open orders that are not the bot's. */
  readonly foreignOrders: readonly { readonly symbol: string; readonly clientId: string }[];
}

/**
 * Reads the account of an open venue. Sends only queries.
 * @param tellsRights true if the address is that of the exchange itself, which tells the rights of
 * a key
 * @throws RunError if the exchange refuses a query
 */
export async function inspectHedgeAccount(
  venue: CcxtHedgeVenue,
  tellsRights: boolean,
): Promise<HedgeInspection> {
  const { queries } = venue;
  try {
    const clock = await venue.readClock();
    const rights = tellsRights ? await queries.read("keyRights", usdmKeyRightsShape) : undefined;
    const { multiAssetsMargin } = await queries.read("assetsMode", usdmAssetsModeShape);
    const accounts = new Map<string, HedgeAccountReport>();
    const foreignOrders: { symbol: string; clientId: string }[] = [];
    for (const contract of venue.contracts.values()) {
      const { symbol } = contract;
      accounts.set(symbol, await queries.account(contract));
      for (const clientId of await queries.foreignOrders(contract))
        foreignOrders.push({ symbol, clientId });
    }
    return {
      clock,
      rights:
        rights === undefined
          ? undefined
          : {
              canMoveFunds:
                rights.enableWithdrawals === true ||
                rights.enableInternalTransfer === true ||
                rights.permitsUniversalTransfer === true,
              canTrade: rights.enableFutures,
            },
      isMultiAsset: multiAssetsMargin,
      accounts,
      foreignOrders,
    };
  } catch (error) {
    if (!(error instanceof RefusedRequest)) throw error;
    throw new RunError(`cannot read the account: ${error.refusal.message}`, { cause: error });
  }
}
