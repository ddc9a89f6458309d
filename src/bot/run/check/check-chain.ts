import { DealerReader } from "../../../chain/contracts/dealer-reader.js";
import { LensReader } from "../../../chain/contracts/lens-reader.js";
import type { ChainRpc } from "../../../chain/rpc/chain-rpc.js";
import { ChainError } from "../../../chain/rpc/rpc-errors.js";
import type { InProcessRpc } from "../../../chain/rpc/rpc-transport.js";
import { parseQuantity } from "../../../chain/rpc/rpc-values.js";
import { AccountReader } from "../../../chain/transactions/account-reader.js";
import { ConfigError } from "../../../core/errors.js";
import { decimalToScaled, scaledToDecimal } from "../../../core/instrument.js";
import type { Clock } from "../../../core/runtime/runtime.js";
import type { Hex, Ms } from "../../../core/units.js";
import type { VenueRules } from "../../../exchange/records.js";
import type { RestClient } from "../../../exchange/rest/rest-client.js";
import type { BotConfig } from "../../config/config.js";
import { findLensAddress, openChainRpc } from "../chain-access.js";
import { usesFeed } from "../references/prepare-sources.js";
import type { Finding } from "./finding.js";

/** Gas of one takeover with room for several positions (docs/reference/protocol.md#gas). */
const GAS = 400_000n;
/** Below this number `check` warns that few takeovers are affordable. */
const FEW_TAKEOVERS = 20n;

const MINUTE_MS: Ms = 60_000;
/** A larger share of the budget that it shares with the bot is a lot for one query. */
const LARGE_POLL_SHARE = 0.25;

/** Inputs of {@link checkChain}. */
export interface ChainCheck {
  readonly config: BotConfig;
  readonly client: RestClient;
  readonly rules: VenueRules;
  readonly rpcs: readonly (string | InProcessRpc)[];
  /** The account that would hold the positions, and the key that signs. */
  readonly account: Hex;
  readonly sender: Hex;
  /** True if the exchange knows the account. */
  readonly registered: boolean;
  readonly clock: Clock;
  /** Exchange time. */
  readonly nowMs: () => Ms;
}

/**
 * Checks everything of the chain that a liquidator depends on: its RPCs and their heads, that the
 * exchange settles on it, the lens, the operator, the account's margin there, and how many
 * takeovers the gas pays for. Empty without `liquidator`; sends nothing.
 */
export async function checkChain(check: ChainCheck): Promise<Finding[]> {
  const { config, rules, clock, nowMs } = check;
  if (config.chain === undefined) return [];
  if (config.liquidator === undefined && usesFeed(config)) return [];
  if (config.liquidator === undefined)
    return [
      {
        level: "warning",
        subject: "chain",
        text: "is not used: the file has no liquidator, and no market uses a price feed",
      },
    ];
  const rpc = openChainRpc(config.chain, check.rpcs, {
    chainId: rules.eip712.chainId,
    clock,
    nowMs,
  });
  const findings: Finding[] = checkPollRate(config.liquidator.pollMs, rules.rateLimits);
  try {
    await rpc.head();
    findings.push(...headFindings(rpc, config.chain.quorum), ...(await dealerFindings(check, rpc)));
  } catch (error) {
    if (!(error instanceof ChainError || error instanceof ConfigError)) throw error;
    findings.push({
      level: "error",
      subject: error instanceof ConfigError ? (error.field ?? "chain") : "chain.rpc",
      text: error.message,
    });
  } finally {
    await rpc.close();
  }
  return findings;
}

function headFindings(rpc: ChainRpc, quorum: number): Finding[] {
  const report = rpc.report();
  const believed = report.filter(({ distrustReason }) => distrustReason === undefined).length;
  const each = report.map(({ name, distrustReason, headNumber, headAgeMs }): Finding => {
    const text =
      distrustReason ?? `head ${headNumber}, ${((headAgeMs ?? 0) / 1000).toFixed(1)} s old`;
    return {
      level: distrustReason === undefined ? "ok" : "warning",
      subject: `chain.${name}`,
      text,
    };
  });
  const text = `${believed} of ${report.length} RPCs are usable, and ${quorum} must agree`;
  return [...each, { level: believed >= quorum ? "ok" : "error", subject: "chain.quorum", text }];
}

async function dealerFindings(check: ChainCheck, rpc: ChainRpc): Promise<Finding[]> {
  const { rules, config, client, account, sender } = check;
  const { eip712 } = rules;
  const dealer = new DealerReader(rpc, eip712.verifyingContract.toLowerCase());
  const separator = await dealer.domainSeparator();
  if (separator !== eip712.domainSeparator.toLowerCase()) {
    const text = `the dealer's EIP-712 domain is ${separator}; expected the exchange's, ${eip712.domainSeparator}`;
    return [{ level: "error", subject: "chain", text }];
  }
  const findings: Finding[] = [
    {
      level: "ok",
      subject: "chain",
      text: `chain ${eip712.chainId}, dealer ${eip712.verifyingContract}`,
    },
  ];
  if (config.chain === undefined) return findings;
  const lens = await findLensAddress(config.chain, client);
  const reader = new LensReader({
    rpc,
    lens,
    dealer: eip712.verifyingContract.toLowerCase(),
    gasCap: config.chain.gasCap,
  });
  const [markets, risks] = await Promise.all([reader.markets(), reader.risks([account])]);
  findings.push({
    level: "ok",
    subject: "chain.lens",
    text: `${lens} reads ${markets.list.length} markets`,
  });
  const listed = new Set(
    markets.list.filter(({ isRegistered }) => isRegistered).map(({ perp }) => perp),
  );
  for (const marketId of Object.keys(config.markets)) {
    const perp = rules.markets[marketId]?.perp.toLowerCase();
    if (perp === undefined || listed.has(perp)) continue;
    findings.push({
      level: "error",
      subject: `markets.${marketId}`,
      text: `its contract ${perp} is not listed at the dealer`,
    });
  }
  if (sender.toLowerCase() !== account.toLowerCase()) {
    const isValid = await dealer.isOperatorValid(account, sender);
    findings.push(
      isValid
        ? {
            level: "ok",
            subject: "account.address",
            text: `${sender} is an operator of ${account}`,
          }
        : {
            level: "error",
            subject: "account.address",
            text: `${sender} is not an operator of ${account} on the chain; expected setOperator by the account`,
          },
    );
  }
  const [risk] = risks.list;
  if (risk?.ok === true) {
    const quote = (units: bigint): string => scaledToDecimal(units, rules.creditDecimals);
    const text = `net value ${quote(risk.netValueCredit)}, maintenance margin ${quote(risk.maintenanceMarginCredit)} on the chain`;
    const level = !risk.isSafe ? "error" : risk.netValueCredit <= 0n ? "warning" : "ok";
    findings.push({
      level,
      subject: "liquidator.margin",
      text: risk.netValueCredit > 0n ? text : `${text}: nothing can be taken over`,
    });
  } else
    findings.push({
      level: "warning",
      subject: "liquidator.margin",
      text: `cannot be read: ${risk?.revert.text ?? "no answer"}`,
    });
  findings.push(await gasFinding(check, rpc));
  return findings;
}

async function gasFinding(
  { config, account, sender, registered }: ChainCheck,
  rpc: ChainRpc,
): Promise<Finding> {
  const [wei, perGas] = await Promise.all([
    new AccountReader(rpc, sender).balanceWei("latest"),
    rpc.request("eth_gasPrice", [], (price) => parseQuantity(price, "eth_gasPrice")),
  ]);
  const tip = decimalToScaled(config.liquidator?.tipGwei ?? "0", 9);
  const each = GAS * (perGas + tip) + decimalToScaled(config.liquidator?.l1FeeEth ?? "0", 18);
  const count = each === 0n ? undefined : wei / each;
  const text = `${sender} has ${Number(scaledToDecimal(wei, 18)).toPrecision(4)} ETH, enough for ${count ?? "any number of"} takeovers at the present price`;
  // An exchange may give the account its first ether at registration; an operator gets none of
  // that.
  if (count === 0n && !registered && sender.toLowerCase() === account.toLowerCase())
    return {
      level: "warning",
      subject: "liquidator.gas",
      text: `${text}; the exchange may give some when the account registers`,
    };
  const level =
    count === undefined || count >= FEW_TAKEOVERS ? "ok" : count === 0n ? "error" : "warning";
  return { level, subject: "liquidator.gas", text };
}

/**
 * Share of the exchange's COMMON limits that polling the list of risky accounts each `pollMs`
 * takes; empty if the exchange has no such limits.
 */
export function checkPollRate(pollMs: Ms, rateLimits: VenueRules["rateLimits"]): Finding[] {
  const limits = rateLimits
    .filter(({ name }) => name === "COMMON")
    .map(({ limit, intervalMs }) => (limit * MINUTE_MS) / intervalMs);
  if (limits.length === 0) return [];
  const least = Math.min(...limits);
  const asked = MINUTE_MS / pollMs;
  const text = `the list of risky accounts is read ${roundToTenth(asked)} times a minute, of the exchange's ${roundToTenth(least)} COMMON requests`;
  if (asked <= least * LARGE_POLL_SHARE)
    return [{ level: "ok", subject: "liquidator.pollMs", text }];
  const atLeastMs = Math.ceil(MINUTE_MS / (least * LARGE_POLL_SHARE));
  return [
    {
      level: "warning",
      subject: "liquidator.pollMs",
      text: `${text}: that may take from the bot's own; expected at least ${atLeastMs} ms`,
    },
  ];
}

function roundToTenth(value: number): number {
  return Math.round(value * 10) / 10;
}
