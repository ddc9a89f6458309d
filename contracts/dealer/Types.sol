// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice What a trader signs. Paper and credit are the order's whole size with opposite signs: their ratio is the worst price accepted.
/// @param info Four big-endian 64-bit words: maker and taker fee rate (signed, 1e18), expiration (seconds), nonce.
struct Order {
    address perp;
    address signer;
    int128 paperAmount;
    int128 creditAmount;
    bytes32 info;
}

/// @notice How a market counts in risk. Ratios are 1e18.
/// @param liquidationThreshold Maintenance margin ratio.
/// @param liquidationPriceOff Discount at which a liquidator takes a position over.
/// @param insuranceFeeRate Part of the credit of a liquidation that the victim pays to the insurance account.
struct RiskParams {
    uint256 initialMarginRatio;
    uint256 liquidationThreshold;
    uint256 liquidationPriceOff;
    uint256 insuranceFeeRate;
    address markPriceSource;
    string name;
    bool isRegistered;
}

struct Allowance {
    uint256 primary;
    uint256 secondary;
}

struct Account {
    int256 primaryCredit;
    uint256 secondaryCredit;
    uint256 pendingPrimaryWithdraw;
    uint256 pendingSecondaryWithdraw;
    uint256 executionTimestamp;
    // Markets with an open position, in the order that swap-and-pop leaves.
    address[] positions;
    mapping(address perp => uint256 closed) positionSerialNum;
    mapping(address operator => bool isValid) operators;
    mapping(address operator => Allowance) allowances;
}

/// @notice The dealer's storage, handed to the libraries that hold its rules.
struct DealerState {
    address primaryAsset;
    address secondaryAsset;
    address insurance;
    address fundingRateKeeper;
    uint256 maxPositionAmount;
    uint256 withdrawTimeLock;
    bool fastWithdrawDisabled;
    address[] registeredPerps;
    mapping(address perp => RiskParams) riskParams;
    mapping(address trader => Account) accounts;
    mapping(bytes32 orderHash => uint256 paper) filled;
    mapping(address sender => bool isValid) orderSenders;
    mapping(address target => bool isValid) fastWithdrawals;
    // Contracts that a withdrawal may call.
    mapping(address target => bool isValid) withdrawalTargets;
}
