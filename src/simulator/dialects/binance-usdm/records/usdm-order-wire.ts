import type { Side } from "../../../../core/units.js";

/** The status of an order. */
export type UsdmOrderStatus = "NEW" | "PARTIALLY_FILLED" | "FILLED" | "CANCELED" | "EXPIRED";

/** An order, as every endpoint returns it. */
export interface UsdmOrder {
  readonly orderId: number;
  readonly symbol: string;
  readonly status: UsdmOrderStatus;
  readonly clientOrderId: string;
  readonly price: string;
  readonly avgPrice: string;
  readonly origQty: string;
  readonly executedQty: string;
  readonly cumQty: string;
  readonly cumQuote: string;
  readonly timeInForce: string;
  readonly type: string;
  readonly reduceOnly: boolean;
  readonly closePosition: false;
  readonly side: Side;
  readonly positionSide: "BOTH";
  readonly stopPrice: string;
  readonly workingType: "CONTRACT_PRICE";
  readonly priceProtect: false;
  readonly origType: string;
  readonly priceMatch: "NONE";
  readonly selfTradePreventionMode: string;
  readonly goodTillDate: number;
  readonly time: number;
  readonly updateTime: number;
}

/** GET /fapi/v1/userTrades. */
export interface UsdmUserTrade {
  readonly symbol: string;
  readonly id: number;
  readonly orderId: number;
  readonly side: Side;
  readonly price: string;
  readonly qty: string;
  readonly realizedPnl: string;
  readonly quoteQty: string;
  readonly commission: string;
  readonly commissionAsset: string;
  readonly time: number;
  readonly positionSide: "BOTH";
  readonly buyer: boolean;
  readonly maker: boolean;
}
