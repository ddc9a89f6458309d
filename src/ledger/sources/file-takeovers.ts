import type { CreditUnits, Hex, MarketId, Ms, PaperUnits } from "../../core/units.js";
import { decodeLedger } from "../../liquidator/ledger/ledger-lines.js";
import type { Opportunity } from "../../liquidator/ledger/opportunity.js";
import type { OutsideEvent } from "../ledger-event.js";

/** A takeover of `liquidations.jsonl`. */
export interface FileTakeover {
  readonly id: string;
  readonly marketId: MarketId;
  readonly timeMs: Ms;
  readonly paper: PaperUnits;
  readonly credit: CreditUnits;
  readonly hash: Hex;
  readonly victim: Hex;
}

/** Takeovers and gas of `liquidations.jsonl`. */
export interface FileTakeovers {
  readonly takeovers: readonly FileTakeover[];
  readonly gas: readonly OutsideEvent[];
}

/** Decimals of ether. */
const ETHER_DECIMALS = 18;

/**
 * Reads the liquidator's ledger, lines of earlier versions too. @throws FormatError naming a line
 * that cannot be read
 */
export function readFileTakeovers(text: string): FileTakeovers {
  const all = decodeLedger(text);
  return {
    takeovers: all.flatMap((opportunity): FileTakeover[] => {
      const { id, marketId, victim, takenOver } = opportunity;
      if (takenOver === undefined) return [];
      const { paper, credit, hash } = takenOver;
      return [{ id, marketId, timeMs: endMs(opportunity), paper, credit, hash, victim }];
    }),
    gas: all.flatMap((opportunity): OutsideEvent[] => {
      const { gasWei, id, marketId, outcome, takenOver } = opportunity;
      if (gasWei === undefined || gasWei === 0n) return [];
      return [
        {
          kind: "outside",
          entry: "gas",
          venue: "chain",
          timeMs: endMs(opportunity),
          marketId,
          asset: "ETH",
          decimals: ETHER_DECIMALS,
          amount: -gasWei,
          id: `${id}.gas`,
          hash: takenOver?.hash,
          detail: `takeover ${outcome}`,
        },
      ];
    }),
  };
}

/** The instant at which the transaction counted, as far as the entry says. */
function endMs({ atMs }: Opportunity): Ms {
  return atMs.mined ?? atMs.final ?? atMs.sent ?? atMs.seen ?? 0;
}
