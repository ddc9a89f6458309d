import { ConfigError, RunError } from "../../../core/errors.js";
import { scaledToDecimal } from "../../../core/instrument.js";
import type { CcxtHedgeVenue } from "../../../hedge/ccxt/ccxt-hedge-venue.js";
import type { HedgeInspection } from "../../../hedge/ccxt/inspect-hedge-account.js";
import { inspectHedgeAccount } from "../../../hedge/ccxt/inspect-hedge-account.js";
import { HEDGE_DECIMALS, type HedgeContract } from "../../../hedge/hedge-venue.js";
import type { HedgeVenueConfig } from "../../config/config.js";
import {
  type HedgedMarketConfig,
  type HedgeVenuesStart,
  hedgedMarkets,
  openHedgeVenue,
  usedHedgeVenues,
} from "../hedge/open-hedge-venues.js";
import type { Finding } from "./finding.js";

/**
 * Checks every hedge venue of a file: clock, API key, contracts, sizes, margin, and orders and
 * positions there that are not the bot's. Sends only queries.
 */
export async function checkHedgeVenues(start: HedgeVenuesStart): Promise<Finding[]> {
  const { config } = start;
  const used = usedHedgeVenues(config);
  const names = used.map(([name]) => name);
  const unused = Object.keys(config.hedgeVenues ?? {}).filter((name) => !names.includes(name));
  const findings: Finding[] = unused.map((name) => ({
    level: "warning",
    subject: `hedgeVenues.${name}`,
    text: "no market uses it",
  }));
  for (const [name, venueConfig] of used)
    findings.push(...(await checkOne(name, venueConfig, start)));
  return findings;
}

async function checkOne(
  name: string,
  venueConfig: HedgeVenueConfig,
  start: HedgeVenuesStart,
): Promise<Finding[]> {
  const subject = `hedgeVenues.${name}`;
  let venue: CcxtHedgeVenue | undefined;
  try {
    venue = await openHedgeVenue(name, venueConfig, start);
    const inspection = await inspectHedgeAccount(venue, venueConfig.urls === undefined);
    const { contracts } = venue;
    return [
      clockFinding(subject, inspection, venueConfig),
      ...keyFindings(subject, inspection),
      ...hedgedMarkets(start.config, name).flatMap((market) => {
        const contract = contracts.get(market.hedge.symbol);
        return contract === undefined ? [] : marketFindings(market, contract, inspection, start);
      }),
    ];
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof RunError)) throw error;
    return [{ level: "error", subject: error.field ?? subject, text: error.message }];
  } finally {
    venue?.close();
  }
}

function clockFinding(
  subject: string,
  { clock: { offsetMs, roundTripMs } }: HedgeInspection,
  { acceptanceWindowMs }: HedgeVenueConfig,
): Finding {
  const text = `its clock is ${Math.abs(offsetMs)} ms ${offsetMs < 0 ? "behind" : "ahead of"} this machine's, which requests allow for; an answer takes ${Math.ceil(roundTripMs)} ms`;
  return roundTripMs < acceptanceWindowMs / 2
    ? { level: "ok", subject: `${subject} clock`, text }
    : {
        level: "warning",
        subject: `${subject} clock`,
        text: `${text}: many requests would reach it after acceptanceWindowMs, ${acceptanceWindowMs}`,
      };
}

function keyFindings(subject: string, { rights, isMultiAsset }: HedgeInspection): Finding[] {
  const findings: Finding[] = [];
  const at = `${subject} key`;
  if (rights === undefined)
    findings.push({
      level: "ok",
      subject: at,
      text: "accepted; this address does not report its rights",
    });
  else if (rights.canMoveFunds)
    findings.push({
      level: "warning",
      subject: at,
      text: "can withdraw or transfer: whoever gets it can take the funds. A hedge needs the right to trade futures alone",
    });
  else
    findings.push({
      level: "ok",
      subject: at,
      text: "can trade, and neither withdraw nor transfer",
    });
  if (rights?.canTrade === false)
    findings.push({
      level: "error",
      subject: at,
      text: "cannot trade futures; expected that right, which the exchange's page of API keys gives",
    });
  if (isMultiAsset)
    findings.push({
      level: "warning",
      subject,
      text: "the account uses several assets as margin: the bot counts only the quote asset's",
    });
  return findings;
}

function marketFindings(
  { marketId, hedge }: HedgedMarketConfig,
  contract: HedgeContract,
  { accounts, foreignOrders }: HedgeInspection,
  { rules }: HedgeVenuesStart,
): Finding[] {
  const subject = `markets.${marketId}.hedge`;
  const { instrument, minLots, minNotional, symbol, quoteAsset } = contract;
  const smallest = instrument.formatAmount(minLots);
  const money = (units: bigint): string => scaledToDecimal(units, HEDGE_DECIMALS);
  const findings: Finding[] = [
    {
      level: "ok",
      subject,
      text: `${symbol}: tick ${instrument.tickSize}, step ${instrument.stepSize}, smallest order ${smallest} and ${money(minNotional)} ${quoteAsset}`,
    },
  ];
  if (Number(hedge.maxUnhedgedBase) < Number(smallest))
    findings.push({
      level: "warning",
      subject: `${subject}.maxUnhedgedBase`,
      text: `${hedge.maxUnhedgedBase} is below the venue's smallest order, ${smallest}: that much may stay unhedged`,
    });
  const step = rules.markets[marketId]?.stepSize;
  if (step !== undefined && Number(step) < Number(instrument.stepSize))
    findings.push({
      level: "warning",
      subject,
      text: `the market trades in steps of ${step} and the hedge in steps of ${instrument.stepSize}: the rest stays unhedged`,
    });
  const account = accounts.get(symbol);
  if (account !== undefined) {
    const fraction = account.initialMarginFraction[symbol];
    const leverage = fraction === undefined ? "unknown" : (1 / fraction).toFixed(0);
    const isFunded = account.availableMargin > 0n;
    findings.push({
      level: isFunded ? "ok" : "error",
      subject: `${subject} margin`,
      text: `${money(account.availableMargin)} ${quoteAsset} available at leverage ${leverage}${isFunded ? "" : "; expected some, or no hedge can be placed"}`,
    });
    const lots = account.positionLots[symbol] ?? 0;
    if (lots !== 0)
      findings.push({
        level: "warning",
        subject,
        text: `there is a position of ${instrument.formatAmount(lots)} already; the bot counts it as a hedge only if its own fills explain it`,
      });
  }
  const foreign = foreignOrders.filter((order) => order.symbol === symbol);
  if (foreign.length > 0)
    findings.push({
      level: "warning",
      subject,
      text: `${foreign.length} open orders there were not placed by this bot (${foreign.map(({ clientId }) => clientId).join(", ")}): their fills change the same position`,
    });
  return findings;
}
