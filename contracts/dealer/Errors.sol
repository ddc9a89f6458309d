// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Reasons of the dealer's reverts, as plain strings: callers tell them apart by their text.
library Errors {
    string internal constant PERP_NOT_REGISTERED = "JOJO_PERP_NOT_REGISTERED";

    string internal constant INVALID_ORDER_SENDER = "JOJO_INVALID_ORDER_SENDER";
    string internal constant INVALID_ORDER_SIGNATURE = "JOJO_INVALID_ORDER_SIGNATURE";
    string internal constant ORDER_EXPIRED = "JOJO_ORDER_EXPIRED";
    string internal constant ORDER_PRICE_NEGATIVE = "JOJO_ORDER_PRICE_NEGATIVE";
    string internal constant PERP_MISMATCH = "JOJO_PERP_MISMATCH";
    string internal constant ORDER_SELF_MATCH = "JOJO_ORDER_SELF_MATCH";
    string internal constant ORDER_MATCH_AMOUNT_ZERO = "JOJO_ORDER_MATCH_AMOUNT_ZERO";
    string internal constant ORDER_FILLED_OVERFLOW = "JOJO_ORDER_FILLED_OVERFLOW";
    string internal constant AT_LEAST_TWO_TRADERS = "JOJO_AT_LEAST_TWO_TRADERS";
    string internal constant ORDER_WRONG_SORTING = "JOJO_ORDER_WRONG_SORTING";
    string internal constant TAKER_TRADE_AMOUNT_WRONG = "JOJO_TAKER_TRADE_AMOUNT_WRONG";
    string internal constant ORDER_PRICE_NOT_MATCH = "JOJO_ORDER_PRICE_NOT_MATCH";
    string internal constant ORDER_SENDER_NOT_SAFE = "JOJO_ORDER_SENDER_NOT_SAFE";

    string internal constant INVALID_LIQUIDATION_EXECUTOR = "JOJO_INVALID_LIQUIDATION_EXECUTOR";
    string internal constant SELF_LIQUIDATION_NOT_ALLOWED = "JOJO_SELF_LIQUIDATION_NOT_ALLOWED";
    string internal constant ACCOUNT_IS_SAFE = "JOJO_ACCOUNT_IS_SAFE";
    string internal constant TRADER_HAS_NO_POSITION = "JOJO_TRADER_HAS_NO_POSITION";
    string internal constant LIQUIDATION_REQUEST_AMOUNT_WRONG = "JOJO_LIQUIDATION_REQUEST_AMOUNT_WRONG";
    string internal constant POSITION_AMOUNT_REACH_UPPER_LIMIT = "JOJO_POSITION_AMOUNT_REACH_UPPER_LIMIT";

    string internal constant FAST_WITHDRAW_NOT_ALLOWED = "JOJO_FAST_WITHDRAW_NOT_ALLOWED";
    string internal constant WITHDRAW_PENDING = "JOJO_WITHDRAW_PENDING";
    string internal constant WITHDRAW_INVALID = "JOJO_WITHDRAW_INVALID";
    string internal constant WITHDRAW_TARGET_NOT_CONTRACT = "target is not a contract";
    string internal constant WITHDRAW_TARGET_NOT_LISTED = "target is not in whiteList";
    string internal constant REENTRANT_CALL = "ReentrancyGuard: reentrant call";
    string internal constant ACCOUNT_NOT_SAFE = "JOJO_ACCOUNT_NOT_SAFE";

    string internal constant INVALID_RISK_PARAM = "JOJO_INVALID_RISK_PARAM";
    string internal constant INVALID_FUNDING_RATE_KEEPER = "JOJO_INVALID_FUNDING_RATE_KEEPER";
    string internal constant ARRAY_LENGTH_NOT_SAME = "JOJO_ARRAY_LENGTH_NOT_SAME";
    string internal constant SECONDARY_ASSET_ALREADY_EXIST = "JOJO_SECONDARY_ASSET_ALREADY_EXIST";
    string internal constant SECONDARY_ASSET_DECIMAL_WRONG = "JOJO_SECONDARY_ASSET_DECIMAL_WRONG";
}
