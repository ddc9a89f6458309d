import type { Break } from "./break.js";
import { CLIENT_FORMAT_BREAKS } from "./breaks/client-formats.js";
import { CLIENT_LINK_BREAKS } from "./breaks/client-links.js";
import { CLIENT_ORDER_BREAKS } from "./breaks/client-orders.js";
import { CLIENT_RECORD_BREAKS } from "./breaks/client-records.js";
import { CLIENT_REQUEST_BREAKS } from "./breaks/client-requests.js";
import { EXCHANGE_DATA_BREAKS } from "./breaks/exchange-data.js";
import { EXCHANGE_FORMAT_BREAKS } from "./breaks/exchange-formats.js";
import { EXCHANGE_LINK_BREAKS } from "./breaks/exchange-links.js";
import { EXCHANGE_ORDER_BREAKS } from "./breaks/exchange-orders.js";
import { EXCHANGE_REQUEST_BREAKS } from "./breaks/exchange-requests.js";

/** Every rule switched off, on every side that has something to switch off. */
export const BREAKS: readonly Break[] = [
  ...CLIENT_FORMAT_BREAKS,
  ...CLIENT_RECORD_BREAKS,
  ...CLIENT_ORDER_BREAKS,
  ...CLIENT_REQUEST_BREAKS,
  ...CLIENT_LINK_BREAKS,
  ...EXCHANGE_FORMAT_BREAKS,
  ...EXCHANGE_DATA_BREAKS,
  ...EXCHANGE_ORDER_BREAKS,
  ...EXCHANGE_REQUEST_BREAKS,
  ...EXCHANGE_LINK_BREAKS,
];
