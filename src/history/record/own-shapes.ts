import { ndjsonSql } from "../import/text/reading-sql.js";

const STAMPS = { time: "MILLISECONDS", recvTimeNs: "BIGINT", line: "BIGINT" };
const ORDER = {
  what: "VARCHAR",
  request: "BIGINT",
  hash: "VARCHAR",
  orderId: "VARCHAR",
  isBuy: "BOOLEAN",
  type: "VARCHAR",
  timeInForce: "VARCHAR",
  price: "VARCHAR",
  amount: "VARCHAR",
  available: "VARCHAR",
  filled: "VARCHAR",
  canceled: "VARCHAR",
  expired: "VARCHAR",
  failed: "VARCHAR",
  status: "VARCHAR",
  expirationMs: "BIGINT",
  level: "BIGINT",
  code: "BIGINT",
  message: "VARCHAR",
};
const FILL = {
  tradeId: "BIGINT",
  isBuy: "BOOLEAN",
  isMaker: "BOOLEAN",
  price: "VARCHAR",
  amount: "VARCHAR",
  fee: "VARCHAR",
  status: "VARCHAR",
};

/**
 * SQL of the own orders of a recording, decimals as text; the exchange's stamp is null if there is
 * none.
 */
export function ordersSql(path: string): string {
  return ownSql(path, ORDER);
}

/** SQL of the own fills of a recording, decimals as text. */
export function fillsSql(path: string): string {
  return ownSql(path, FILL);
}

/** SQL of the recorded prices of a reference source, decimals as text. */
export function referenceSql(path: string): string {
  const fields = {
    recvTimeNs: "BIGINT",
    line: "BIGINT",
    sourceNs: "BIGINT",
    bid: "VARCHAR",
    ask: "VARCHAR",
    down: "VARCHAR",
  };
  return `SELECT CAST(recvTimeNs AS BIGINT) AS timeNs, CAST(line AS BIGINT) AS seq, CAST(sourceNs AS BIGINT) AS sourceNs, bid, ask, down FROM ${ndjsonSql(path, fields)}`;
}

function ownSql(path: string, fields: Readonly<Record<string, string>>): string {
  const stamps = `CAST("time" AS BIGINT) * 1000000 AS timeNs, CAST(recvTimeNs AS BIGINT) AS recvNs, CAST(line AS BIGINT) AS seq`;
  return `SELECT ${stamps}, ${Object.keys(fields).join(", ")} FROM ${ndjsonSql(path, { ...STAMPS, ...fields })}`;
}
