// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Order, RiskParams} from "../dealer/Types.sol";

/// @title The margin account of every trader, and the rules that each market's trades and liquidations obey.
/// @notice Paper has 18 decimals, credit those of the primary asset, every ratio 1e18.
interface IDealer {
    event Deposit(address indexed to, address indexed payer, uint256 primaryAmount, uint256 secondaryAmount);
    event Withdraw(address indexed to, address indexed payer, uint256 primaryAmount, uint256 secondaryAmount);
    event RequestWithdraw(address indexed payer, uint256 primaryAmount, uint256 secondaryAmount, uint256 executionTimestamp);
    event TransferIn(address trader, uint256 primaryAmount, uint256 secondaryAmount);
    event TransferOut(address trader, uint256 primaryAmount, uint256 secondaryAmount);
    event SetOperator(address indexed client, address indexed operator, bool isValid);
    event FundOperatorAllowedChange(address indexed client, address indexed operator, uint256 primaryAllowed, uint256 secondaryAllowed);

    /// @param filledCreditAmount After the fee; positionSerialNum counts the trader's positions in this market that were closed before.
    event OrderFilled(
        bytes32 indexed orderHash,
        address indexed trader,
        address indexed perp,
        int256 orderFilledPaperAmount,
        int256 filledCreditAmount,
        uint256 positionSerialNum,
        int256 fee
    );
    /// @param creditChange After the insurance fee.
    event BeingLiquidated(
        address indexed perp,
        address indexed liquidatedTrader,
        int256 paperChange,
        int256 creditChange,
        uint256 positionSerialNum
    );
    event JoinLiquidation(
        address indexed perp,
        address indexed liquidator,
        address indexed liquidatedTrader,
        int256 paperChange,
        int256 creditChange,
        uint256 positionSerialNum
    );
    event ChargeInsurance(address indexed perp, address indexed liquidatedTrader, uint256 fee);
    event HandleBadDebt(address indexed liquidatedTrader, int256 primaryCredit, uint256 secondaryCredit);

    event UpdateFundingRate(address indexed perp, int256 oldRate, int256 newRate);
    event UpdatePerpRiskParams(address indexed perp, RiskParams param);
    event SetOrderSender(address orderSender, bool isValid);
    event SetInsurance(address oldInsurance, address newInsurance);
    event SetFundingRateKeeper(address oldKeeper, address newKeeper);
    event SetMaxPositionAmount(uint256 oldMaxPositionAmount, uint256 newMaxPositionAmount);
    event SetWithdrawTimeLock(uint256 oldWithdrawTimeLock, uint256 newWithdrawTimeLock);
    event SetSecondaryAsset(address secondaryAsset);
    event FastWithdrawDisabled(bool disabled);
    /// @notice Of either list: setWithdrawlWhitelist emits it too.
    event SetFastWithdrawalWhitelist(address target, bool isValid);

    // ----- money in and out -----

    /// @notice Takes the amounts from the caller's tokens and credits them to `to`.
    function deposit(uint256 primaryAmount, uint256 secondaryAmount, address to) external;

    /// @notice Announces a withdrawal, in place of an earlier one. The caller is `from`, or a fund operator of it with the
    /// allowance, which must be above zero also for amounts of zero; so it is for every withdrawal.
    function requestWithdraw(address from, uint256 primaryAmount, uint256 secondaryAmount) external;

    /// @notice Pays the announced withdrawal out, once the time lock is over.
    /// @param isInternal Moves credit to another account of the dealer, and no token.
    /// @param param If not empty, what `to` is called with in the end: a contract on the list of setWithdrawlWhitelist.
    function executeWithdraw(address from, address to, bool isInternal, bytes calldata param) external;

    /// @notice Withdraws at once, while that is enabled, or when the caller is on the whitelist.
    function fastWithdraw(
        address from,
        address to,
        uint256 primaryAmount,
        uint256 secondaryAmount,
        bool isInternal,
        bytes calldata param
    ) external;

    /// @notice Lets `operator` sign orders and execute liquidations for the caller.
    function setOperator(address operator, bool isValid) external;

    /// @notice Lets `operator` withdraw up to these amounts from the caller's credit, in place of an earlier allowance.
    function approveFundOperator(address operator, uint256 primaryAmount, uint256 secondaryAmount) external;

    /// @notice Moves what a fully liquidated account owes to the insurance account. Anybody may call; nothing happens to any other account.
    function handleBadDebt(address liquidatedTrader) external;

    // ----- what registered markets ask -----

    /// @notice Checks matched orders, charges their fees, and says what each trader's balance in the calling market changes by.
    /// @return traderList The taker, then each maker once.
    function approveTrade(address orderSender, bytes calldata tradeData)
        external
        returns (address[] memory traderList, int256[] memory paperChangeList, int256[] memory creditChangeList);

    /// @notice Checks and prices a liquidation in the calling market, and charges the insurance fee.
    function requestLiquidation(address executor, address liquidator, address liquidatedTrader, int256 requestPaperAmount)
        external
        returns (
            int256 liqtorPaperChange,
            int256 liqtorCreditChange,
            int256 liqedPaperChange,
            int256 liqedCreditChange
        );

    /// @notice Notes that the trader holds a position in the calling market.
    function openPosition(address trader) external;

    /// @notice Notes that the trader's position in the calling market is closed, and books its profit or loss.
    function realizePnl(address trader, int256 pnl) external;

    // ----- risk -----

    /// @return Net value is at least the maintenance margin. Reverts when a price that the account needs is stale.
    function isSafe(address trader) external view returns (bool);

    /// @return Net value is at least the initial margin.
    function isIMSafe(address trader) external view returns (bool);

    /// @return Every one of them is safe.
    function isAllSafe(address[] calldata traders) external view returns (bool);

    function getTraderRisk(address trader)
        external
        view
        returns (int256 netValue, uint256 exposure, uint256 initialMargin, uint256 maintenanceMargin);

    /// @return The mark price of `perp` at which the account becomes unsafe, all else equal; 0 for never, already, or no position.
    /// Reverts when the mark price of another market that the account holds is stale.
    function getLiquidationPrice(address trader, address perp) external view returns (uint256);

    /// @notice What a liquidator would get for this request now; reverts as the liquidation would.
    function getLiquidationCost(address perp, address liquidatedTrader, int256 requestPaperAmount)
        external
        view
        returns (int256 liqtorPaperChange, int256 liqtorCreditChange);

    // ----- what is known -----

    function version() external pure returns (string memory);
    function domainSeparator() external view returns (bytes32);
    function state()
        external
        view
        returns (
            address primaryAsset,
            address secondaryAsset,
            uint256 withdrawTimeLock,
            bool fastWithdrawDisabled,
            address insurance,
            address fundingRateKeeper,
            uint256 maxPositionAmount
        );
    function getRiskParams(address perp) external view returns (RiskParams memory);
    function getAllRegisteredPerps() external view returns (address[] memory);
    function getMarkPrice(address perp) external view returns (uint256);
    function getFundingRate(address perp) external view returns (int256);
    function getPositions(address trader) external view returns (address[] memory);
    function getCreditOf(address trader)
        external
        view
        returns (
            int256 primaryCredit,
            uint256 secondaryCredit,
            uint256 pendingPrimaryWithdraw,
            uint256 pendingSecondaryWithdraw,
            uint256 executionTimestamp
        );
    function getOrderFilledAmount(bytes32 orderHash) external view returns (uint256 filledAmount);
    function isOrderSenderValid(address orderSender) external view returns (bool);
    function isFastWithdrawalValid(address target) external view returns (bool);
    function isOperatorValid(address client, address operator) external view returns (bool);
    function isCreditAllowed(address from, address spender)
        external
        view
        returns (uint256 primaryCreditAllowed, uint256 secondaryCreditAllowed);

    // ----- calls, encoded for contracts that make them for their account -----

    function getSetOperatorCallData(address operator, bool isValid) external pure returns (bytes memory);
    function getRequestWithdrawCallData(address from, uint256 primaryAmount, uint256 secondaryAmount)
        external
        pure
        returns (bytes memory);
    function getExecuteWithdrawCallData(address from, address to, bool isInternal, bytes calldata param)
        external
        pure
        returns (bytes memory);

    // ----- keeper and owner -----

    /// @param rateList New cumulative values, one a market.
    function updateFundingRate(address[] calldata perpList, int256[] calldata rateList) external;

    /// @notice Lists, changes or (isRegistered false) delists a market. A delisted market's positions still count in risk.
    function setPerpRiskParams(address perp, RiskParams calldata param) external;
    function setOrderSender(address orderSender, bool isValid) external;
    function setInsurance(address newInsurance) external;
    function setFundingRateKeeper(address newKeeper) external;

    /// @param newMaxPositionAmount How many markets one account may hold positions in; 0, as it is at first, lets nobody open one.
    function setMaxPositionAmount(uint256 newMaxPositionAmount) external;

    /// @param newWithdrawTimeLock Seconds from request to execution.
    function setWithdrawTimeLock(uint256 newWithdrawTimeLock) external;

    /// @notice Sets the second margin asset, once; its decimals must be the primary asset's.
    function setSecondaryAsset(address secondaryAsset) external;
    function disableFastWithdraw(bool disabled) external;

    /// @notice Lets `target` withdraw at once while that is disabled.
    function setFastWithdrawalWhitelist(address target, bool isValid) external;

    /// @notice Lets withdrawals call `target`, in the dealer's name. Spelt as the published contracts spell it.
    function setWithdrawlWhitelist(address target, bool isValid) external;
}
