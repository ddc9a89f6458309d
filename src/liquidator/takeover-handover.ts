import type { TransactionReceipt } from "../chain/blocks/transaction-receipt.js";
import type { JoinLiquidation } from "../chain/events/liquidation-events.js";
import { scaledToDecimal } from "../core/instrument.js";
import type { Hex, MarketId, PaperUnits } from "../core/units.js";
import type { Opportunity } from "./ledger/opportunity.js";
import { computeSubLotRemainder, findTakeover, takeoverIdFor } from "./receipt-takeover.js";
import type { TakeoverDeps } from "./takeover-deps.js";

/** Hands acquired positions to the bot that sells them, and reverts them after a reorg. */
export class TakeoverHandover {
  readonly #options: TakeoverDeps;
  readonly #inBlock: (jobId: string, minedBlock: number | undefined) => void;

  /**
   * @param inBlock is called with the block of a takeover, and with undefined once it is in no
   * block.
   */
  constructor(
    options: TakeoverDeps,
    inBlock: (jobId: string, minedBlock: number | undefined) => void,
  ) {
    this.#options = options;
    this.#inBlock = inBlock;
  }

  /**
   * The takeover is in a block. The position is ours and must be sold, whether the block stays or
   * not. Until the bot has it, its room stays reserved.
   */
  onMined(jobId: string, receipt: TransactionReceipt): void {
    const { settings, log } = this.#options;
    const joined = findTakeover(receipt, settings.dealer, settings.account);
    if (joined === undefined)
      return log("error", "a takeover was mined, but acquired no position", {
        hash: receipt.hash,
        blockNumber: receipt.blockNumber,
      });
    this.#handOver(jobId, receipt, joined);
    this.#inBlock(jobId, receipt.blockNumber);
  }

  #handOver(jobId: string, receipt: TransactionReceipt, joined: JoinLiquidation): void {
    const { ledger, unwind, venue, log, clock } = this.#options;
    const marketId = venue.marketIdFor(joined.perp);
    const instrument = [...venue.markets().values()].find(
      (market) => market.marketId === marketId,
    )?.instrument;
    if (marketId === undefined || instrument === undefined)
      return log(
        "error",
        "the bot acquired a position in a market that it does not trade: it does not sell it",
        { perp: joined.perp },
      );
    const opportunity =
      this.#opportunityOf(jobId) ?? this.#adopted(jobId, joined.victim, joined.perp, marketId);
    const id = takeoverIdFor(receipt);
    if (opportunity.inheritedId === id) return;
    // The same job in another block, or by a replacement: the first acquisition did not happen.
    if (opportunity.inheritedId !== undefined) unwind.revert(opportunity.inheritedId);
    const { paper, credit } = joined;
    const lots = Number(paper / instrument.paperPerLot);
    const odd = computeSubLotRemainder(paper % instrument.paperPerLot, (rest) =>
      venue.markValue(joined.perp, rest),
    );
    const { hash, blockNumber } = receipt;
    ledger.update(
      opportunity.id,
      { takenOver: { id, jobId, hash, blockNumber, paper, credit, lots, ...odd } },
      "mined",
    );
    const base = (held: PaperUnits): string => scaledToDecimal(held, instrument.paperDecimals);
    const creditQuote = instrument.creditToDecimal(credit);
    log("info", "took a position over", {
      marketId,
      victim: joined.victim,
      amountBase: base(paper),
      creditQuote,
      hash,
    });
    if (odd !== undefined)
      log("warn", "a takeover acquired less than a lot: the account keeps it, unsold", {
        marketId,
        amountBase: base(odd.odd.paper),
        markQuote:
          odd.odd.markCredit === undefined
            ? undefined
            : instrument.creditToDecimal(odd.odd.markCredit),
      });
    if (lots !== 0)
      unwind.acquire({ id, marketId, lots, credit, atMs: receipt.blockTimeMs ?? clock.nowMs() });
    // Recorded only now. If the process dies in between, the next run reports to the bot again,
    // which knows the positions that it has.
    ledger.update(opportunity.id, { inheritedId: id });
  }

  /** The block has left the chain: the position is no longer ours. */
  onUnmined(jobId: string): void {
    const { ledger, unwind, log } = this.#options;
    this.#inBlock(jobId, undefined);
    const opportunity = ledger.findByJob(jobId);
    if (opportunity?.inheritedId === undefined || (opportunity.takenOver?.jobId ?? jobId) !== jobId)
      return;
    unwind.revert(opportunity.inheritedId);
    ledger.update(opportunity.id, {
      takenOver: undefined,
      inheritedId: undefined,
      unwound: undefined,
    });
    log("warn", "the chain reverted a takeover", {
      victim: opportunity.victim,
      marketId: opportunity.marketId,
    });
  }

  /**
   * The opportunity of a job. Undefined if the ledger has none, or if it has the completed takeover
   * of another job.
   */
  #opportunityOf(jobId: string): Opportunity | undefined {
    const { ledger } = this.#options;
    const opportunity = ledger.findByJob(jobId);
    const takenBy = opportunity?.takenOver?.jobId ?? jobId;
    if (opportunity === undefined || takenBy === jobId) return opportunity;
    const { id, intended } = opportunity;
    ledger.end(
      id,
      "won",
      intended === undefined ? {} : { intended: { ...intended, jobId: takenBy } },
    );
    return undefined;
  }

  /**
   * The ledger of an earlier run lacks it: the state directory was lost, or the process died
   * between two files.
   */
  #adopted(jobId: string, victim: Hex, perp: Hex, marketId: MarketId): Opportunity {
    const { ledger } = this.#options;
    const { id } = ledger.recordSeen(victim, perp, marketId);
    const intended = {
      jobId,
      requestPaper: 0n,
      expectCredit: 0n,
      expectedProfitQuote: 0n,
      worstProfitQuote: 0n,
      maxCostWei: 0n,
    };
    return ledger.update(id, { intended }) ?? ledger.recordSeen(victim, perp, marketId);
  }
}
