import { readAccountKey } from "../../bot/config/account-key.js";
import { findLensAddress, openChainRpc, readRpcUrls } from "../../bot/run/chain-access.js";
import { readCreditPerEth, readRiskyAccounts } from "../../bot/run/liquidator-venue.js";
import { planRulesFor } from "../../bot/run/run-liquidator.js";
import { accountLimitsFor, marketLimitsFor } from "../../bot/safety/configured-limits.js";
import { nextBaseFeeWei, parseRequestedBlock } from "../../chain/blocks/block-header.js";
import { DealerReader } from "../../chain/contracts/dealer-reader.js";
import { LensReader } from "../../chain/contracts/lens-reader.js";
import { blockTag, type ChainRpc } from "../../chain/rpc/chain-rpc.js";
import { ecdsaScheme } from "../../core/crypto/signing.js";
import { ConfigError } from "../../core/errors.js";
import { decimalToScaled, scaledToDecimal } from "../../core/instrument.js";
import { loadOptional } from "../../core/optional-part.js";
import type { Hex } from "../../core/units.js";
import { createInstruments } from "../../exchange/protocol/decode-rules.js";
import type { VenueRules } from "../../exchange/records.js";
import { Confirmer } from "../../liquidator/watch/confirmer.js";
import { HolderScan } from "../../liquidator/watch/holder-scan.js";
import { rankCandidates } from "../../liquidator/watch/rank-candidates.js";
import type { VenueMarket } from "../../liquidator/watch/victims.js";
import type { Level } from "../../market/book/readable-book.js";
import { forkEvm } from "../../simulator/chain/forked-evm.js";
import type { CliContext } from "../cli-context.js";
import { DEFAULT_DRILL_ACCOUNTS } from "../drill-default.js";
import { type BotAccess, openBot, withExchange } from "../exchange-access.js";
import { type DrillResult, LiquidationDrill } from "../liquidation-drill.js";
import { jsonText, table } from "../process/output.js";

export interface DrillCommandOptions {
  readonly most?: string;
  readonly json?: boolean;
}

/** Gas of a takeover that a plan assumes, with room for several positions. */
const GAS = 330_000n;
const BOOK_LEVELS = 500;

/** Simulates liquidations on a copy of the chain. */
export async function drillCommand(
  context: CliContext,
  file: string,
  options: DrillCommandOptions,
): Promise<void> {
  const most = options.most === undefined ? DEFAULT_DRILL_ACCOUNTS : countOf(options.most);
  await loadOptional("@nomicfoundation/edr");
  await withExchange(openBot(context, file), async (access) => {
    const { rehearsed, creditDecimals, blockNumber } = await drill(context, access, most);
    const rows = rehearsed.map((one) => rowOf(one, creditDecimals));
    context.stdout.write(
      options.json === true
        ? jsonText({ blockNumber, accounts: rows }, 2)
        : report(rows, blockNumber),
    );
  });
}

async function drill(context: CliContext, access: BotAccess, most: number) {
  const { config, client, signer, syncClock, clockOffsetMs } = access;
  const { chain, liquidator } = config;
  if (chain === undefined || liquidator === undefined)
    throw new ConfigError("has no liquidator to rehearse", {
      field: "liquidator",
      expected: "chain and liquidator, as in config/liquidator.yaml",
    });
  const { clock } = context.runtime;
  const urls = readRpcUrls(chain, context.env);
  await syncClock();
  const rules = await client.exchangeInfo(Object.keys(config.markets));
  const { chainId, verifyingContract } = rules.eip712;
  const dealer = verifyingContract.toLowerCase();
  const rpc = openChainRpc(chain, urls, {
    chainId,
    clock,
    nowMs: () => clock.nowMs() + clockOffsetMs(),
  });
  try {
    const head = await rpc.head();
    const lens = await findLensAddress(chain, client);
    const reader = new LensReader({ rpc, lens, dealer, gasCap: chain.gasCap });
    const account = signer.address.toLowerCase();
    const known = new Set((await readRiskyAccounts(client)).map((risky) => risky.account));
    if (liquidator.watchFromBlock !== undefined) {
      const scan = new HolderScan({ rpc, dealer, fromBlock: liquidator.watchFromBlock });
      const perps = (await reader.markets(head)).list.map(({ perp }) => perp);
      for (let from = -1; scan.nextBlock <= head.number && scan.nextBlock !== from; ) {
        from = scan.nextBlock;
        for (const found of await scan.step(head.number, perps)) known.add(found);
      }
    }
    const confirmation = await new Confirmer({ rpc, lens: reader }).confirm(
      [...known],
      account,
      head,
    );
    const readBlock = (block: unknown) => parseRequestedBlock(block, head);
    const latest = await rpc.request(
      "eth_getBlockByNumber",
      [blockTag(head.number), false],
      readBlock,
      { atBlock: head.number },
    );
    const url = urlToCopy(rpc, urls, head.number);
    const fork = await forkEvm({
      url,
      blockNumber: head.number,
      chainId,
      blockGasLimit: Number(latest.gasLimit),
    });
    const rehearsal = new LiquidationDrill({
      fork,
      chainId,
      clock,
      dealer,
      lens,
      gasCap: chain.gasCap,
      account,
      sender: ecdsaScheme.signer(readAccountKey(config.account, context.env)).address,
      venue: await venueOf(access, rules),
      plan: {
        gas: {
          gasPerTakeover: GAS,
          feePerGasWei: nextBaseFeeWei(latest) + decimalToScaled(liquidator.tipGwei, 9),
          extraWei: decimalToScaled(liquidator.l1FeeEth, 18),
          creditPerEth: await readCreditPerEth(client, rules.creditDecimals),
        },
        rules: planRulesFor(liquidator, rules.creditDecimals),
        limits: accountLimitsFor(config, rules.creditDecimals),
        maxNotionalCredit:
          liquidator.maxNotionalQuote === undefined
            ? undefined
            : decimalToScaled(liquidator.maxNotionalQuote, rules.creditDecimals),
        maxPositionAmount: await new DealerReader(rpc, dealer).maxPositionAmount(),
      },
    });
    try {
      const rehearsed: DrillResult[] = [];
      for (const candidate of rankCandidates(confirmation).slice(0, most))
        rehearsed.push(await rehearsal.run(candidate, confirmation.markets));
      return { rehearsed, creditDecimals: rules.creditDecimals, blockNumber: head.number };
    } finally {
      await rehearsal.close();
      fork.close();
    }
  } finally {
    await rpc.close();
  }
}

/**
 * The first RPC of the file that is trusted and has reported the block. One that is down or behind
 * would take more than a minute.
 */
function urlToCopy(rpc: ChainRpc, urls: readonly string[], blockNumber: number): string {
  const at = rpc
    .report()
    .findIndex(
      ({ distrustReason, headNumber = -1 }) =>
        distrustReason === undefined && headNumber >= blockNumber,
    );
  return urls[Math.max(0, at)] ?? "";
}

/** The bot's markets with the exchange's current books. */
async function venueOf(
  { config, client }: BotAccess,
  rules: VenueRules,
): Promise<Map<Hex, VenueMarket>> {
  const markets = new Map<Hex, VenueMarket>();
  for (const [marketId, instrument] of createInstruments(rules)) {
    const [market, own] = [rules.markets[marketId], config.markets[marketId]];
    if (market === undefined || own === undefined) continue;
    const { bids, asks } = await client.orderbook(marketId, BOOK_LEVELS);
    markets.set(market.perp.toLowerCase(), {
      marketId,
      instrument,
      bids: levelsOf(bids),
      asks: levelsOf(asks),
      takerFeeRate: market.takerFeeRate,
      makerFeeRate: market.makerFeeRate,
      pendingUnwindLots: 0,
      workingLots: { buy: 0, sell: 0 },
      reservedLots: { buy: 0, sell: 0 },
      unsettledLots: { buy: 0, sell: 0 },
      positionLots: undefined,
      limits: marketLimitsFor(own, instrument),
    });
  }
  return markets;
}

function levelsOf(flat: readonly number[]): Level[] {
  return Array.from({ length: flat.length / 2 }, (_, i) => ({
    ticks: flat[2 * i] ?? 0,
    lots: flat[2 * i + 1] ?? 0,
  }));
}

function rowOf(one: DrillResult, creditDecimals: number) {
  const quote = (units: bigint | undefined): string | null =>
    units === undefined ? null : scaledToDecimal(units, creditDecimals);
  const { account, marketId, movedBps, outcome, detail, gasUsed } = one;
  return {
    account,
    marketId,
    breaksAtQuote: quote(one.brokenAtPrice),
    movedBps,
    outcome,
    detail,
    requestBase: one.requestPaper === undefined ? null : scaledToDecimal(one.requestPaper, 18),
    expectedProfitQuote: quote(one.expectedProfit),
    earnedQuote: quote(one.earned),
    gasUsed: gasUsed === undefined ? null : Number(gasUsed),
  };
}

function report(rows: readonly ReturnType<typeof rowOf>[], blockNumber: number): string {
  const head = ["account", "market", "breaks at", "move", "takes", "outcome", "earns", "why"];
  const lines = rows.map((row) => [
    row.account,
    row.marketId,
    row.breaksAtQuote ?? "",
    `${row.movedBps.toFixed(1)} bps`,
    row.requestBase ?? "",
    row.outcome,
    row.earnedQuote ?? row.expectedProfitQuote ?? "",
    row.detail,
  ]);
  const won = rows.filter(({ outcome }) => outcome === "won").length;
  return `${table([head, ...lines])}${rows.length} accounts rehearsed on a copy of block ${blockNumber}, ${won} would be won; nothing was sent\n`;
}

function countOf(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new ConfigError("is not a count", {
    field: "--most",
    value: text,
    expected: "a whole number from 1 to 9999",
  });
}
