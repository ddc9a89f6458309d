import { scaledToDecimal } from "../../core/instrument.js";
import { instantText } from "../../history/day.js";
import type { AccountEntry, EntryKind } from "../account-entry.js";
import type { AccountLedger } from "../account-ledger.js";
import { intervalText } from "../reconcile-balances.js";

/** Sum of one kind of lines in one asset. */
export interface KindSum {
  readonly kind: EntryKind;
  readonly venue: string;
  readonly asset: string;
  readonly lines: number;
  /** Signed, in 10^-decimals of the asset. */
  readonly amount: bigint;
  readonly decimals: number;
}

/** Sums the lines of an export while they pass. */
export class KindSums {
  readonly #sums = new Map<string, KindSum>();

  /** Passes lines on, and counts each. */
  *counting(entries: Iterable<AccountEntry>): Generator<AccountEntry, void> {
    for (const entry of entries) {
      const { kind, venue, asset, decimals, amount } = entry;
      const key = `${kind} ${venue} ${asset}`;
      const known = this.#sums.get(key);
      this.#sums.set(key, {
        kind,
        venue,
        asset,
        decimals,
        lines: (known?.lines ?? 0) + 1,
        amount: (known?.amount ?? 0n) + amount,
      });
      yield entry;
    }
  }

  get all(): readonly KindSum[] {
    return [...this.#sums.values()];
  }

  get lines(): number {
    return this.all.reduce((sum, { lines }) => sum + lines, 0);
  }
}

/** The result of an export, for people and programs. Amounts are exact decimals. */
export interface LedgerSummary {
  readonly lines: number;
  readonly sums: readonly {
    kind: string;
    venue: string;
    asset: string;
    lines: number;
    amount: string;
  }[];
  /** Null if the exchange was not read. */
  readonly differences:
    | readonly {
        readonly asset: string;
        readonly amount: string;
        readonly from: string | null;
        readonly to: string;
        /** Both as a sentence's end. */
        readonly arose: string;
      }[]
    | null;
  readonly findings: AccountLedger["findings"];
  /** Times of which no file has funding and transfers; null if the exchange was read. */
  readonly unrecorded: readonly { readonly from: string; readonly to: string }[] | null;
  readonly isReconciled: boolean | null;
}

/** Summarises an export. */
export function summariseLedger(ledger: AccountLedger, sums: KindSums): LedgerSummary {
  const { units, differences, findings } = ledger;
  return {
    lines: sums.lines,
    sums: sums.all.map(({ kind, venue, asset, lines, amount, decimals }) => ({
      kind,
      venue,
      asset,
      lines,
      amount: scaledToDecimal(amount, decimals),
    })),
    differences:
      differences?.map(({ asset, amount, fromMs, toMs }) => ({
        arose: intervalText({ fromMs, toMs }),
        asset: asset === "credit" ? units.creditAsset : `${units.baseAsset(asset)} of ${asset}`,
        amount: scaledToDecimal(
          amount,
          asset === "credit" ? units.creditDecimals : units.paperDecimals,
        ),
        from: fromMs === undefined ? null : instantText(fromMs),
        to: instantText(toMs),
      })) ?? null,
    findings,
    unrecorded:
      ledger.unrecorded?.map(({ fromMs, toMs }) => ({
        from: instantText(fromMs),
        to: instantText(toMs),
      })) ?? null,
    isReconciled: differences === undefined ? null : ledger.isReconciled,
  };
}

/** The limits of a ledger from the bot's files alone. */
const OFFLINE_TEXT =
  "offline: from the bot's files alone. Funding, deposits and withdrawals are sums of the day files. Own liquidations, transfers before a run's start and trades from before the bot's first run are not in them, and no balance was compared.";

/** Most contradictions to print; `--json` has all. */
const MOST_FINDINGS = 20;

/** A summary as rows of text and sentences. */
export function formatSummary(summary: LedgerSummary): {
  readonly rows: readonly (readonly string[])[];
  readonly sentences: readonly string[];
} {
  const rows = [
    ["kind", "venue", "asset", "lines", "amount"],
    ...summary.sums.map(({ kind, venue, asset, lines, amount }) => [
      kind,
      venue,
      asset,
      String(lines),
      amount,
    ]),
  ];
  if (summary.differences === null) {
    const { unrecorded } = summary;
    const gaps = (unrecorded ?? []).map(({ from, to }) => `${from} to ${to}`);
    const named = gaps.slice(0, MOST_FINDINGS).map((gap) => `no funding and no transfers: ${gap}`);
    const more = gaps.length - named.length;
    return {
      rows,
      sentences: [OFFLINE_TEXT, ...named, ...(more > 0 ? [`and ${more} more (--json)`] : [])],
    };
  }
  const differences = summary.differences.map(
    ({ asset, amount, arose }) =>
      `difference: the exchange has ${amount} ${asset} more than the ledger explains; it ${arose}`,
  );
  const findings = summary.findings
    .slice(0, MOST_FINDINGS)
    .map(({ kind, id, detail }) => `${kind}: ${id}: ${detail}`);
  const more = summary.findings.length - findings.length;
  return {
    rows,
    sentences: [
      ...differences,
      ...findings,
      ...(more > 0 ? [`and ${more} more (--json)`] : []),
      ...(summary.isReconciled === true
        ? ["reconciled: the ledger and the exchange agree to the unit"]
        : []),
    ],
  };
}
