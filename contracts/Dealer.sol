// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {Owned} from "./Owned.sol";
import {Errors} from "./dealer/Errors.sol";
import {Funds} from "./dealer/Funds.sol";
import {Liquidations} from "./dealer/Liquidations.sol";
import {Margin} from "./dealer/Margin.sol";
import {Matching} from "./dealer/Matching.sol";
import {Account, Allowance, DealerState, RiskParams} from "./dealer/Types.sol";
import {IDealer} from "./interfaces/IDealer.sol";
import {IPerpetual} from "./interfaces/IPerpetual.sol";

/// @title The margin account of every trader; IDealer says what each function is.
contract Dealer is IDealer, Owned, EIP712 {
    using Funds for DealerState;
    using Liquidations for DealerState;
    using Margin for DealerState;
    using Matching for DealerState;

    DealerState private _state;
    bool private transient _isMovingFunds;

    /// @dev No way of money in or out is taken within another: a withdrawal may call its receiver.
    modifier nonReentrant() {
        require(!_isMovingFunds, Errors.REENTRANT_CALL);
        _isMovingFunds = true;
        _;
        _isMovingFunds = false;
    }

    modifier onlyRegisteredPerp(address perp) {
        require(_state.riskParams[perp].isRegistered, Errors.PERP_NOT_REGISTERED);
        _;
    }

    constructor(address primaryAsset) Owned(msg.sender) EIP712("JOJO", "1") {
        _state.primaryAsset = primaryAsset;
    }

    // ----- money in and out -----

    function deposit(uint256 primaryAmount, uint256 secondaryAmount, address to) external nonReentrant {
        _state.deposit(primaryAmount, secondaryAmount, to);
    }

    function requestWithdraw(address from, uint256 primaryAmount, uint256 secondaryAmount) external nonReentrant {
        _state.requestWithdraw(from, primaryAmount, secondaryAmount);
    }

    function executeWithdraw(address from, address to, bool isInternal, bytes calldata param) external nonReentrant {
        _state.executeWithdraw(from, to, isInternal, param);
    }

    function fastWithdraw(
        address from,
        address to,
        uint256 primaryAmount,
        uint256 secondaryAmount,
        bool isInternal,
        bytes calldata param
    ) external nonReentrant {
        _state.fastWithdraw(from, to, primaryAmount, secondaryAmount, isInternal, param);
    }

    function setOperator(address operator, bool isValid) external {
        _state.accounts[msg.sender].operators[operator] = isValid;
        emit SetOperator(msg.sender, operator, isValid);
    }

    function approveFundOperator(address operator, uint256 primaryAmount, uint256 secondaryAmount) external {
        _state.accounts[msg.sender].allowances[operator] = Allowance(primaryAmount, secondaryAmount);
        emit FundOperatorAllowedChange(msg.sender, operator, primaryAmount, secondaryAmount);
    }

    function handleBadDebt(address liquidatedTrader) external {
        _state.settleBadDebt(liquidatedTrader);
    }

    // ----- what registered markets ask -----

    function approveTrade(address orderSender, bytes calldata tradeData)
        external
        onlyRegisteredPerp(msg.sender)
        returns (address[] memory traderList, int256[] memory paperChangeList, int256[] memory creditChangeList)
    {
        Matching.Outcome memory outcome = _state.approve(_domainSeparatorV4(), orderSender, tradeData);
        return (outcome.traders, outcome.paperChanges, outcome.creditChanges);
    }

    function requestLiquidation(address executor, address liquidator, address liquidatedTrader, int256 requestPaperAmount)
        external
        onlyRegisteredPerp(msg.sender)
        returns (
            int256 liqtorPaperChange,
            int256 liqtorCreditChange,
            int256 liqedPaperChange,
            int256 liqedCreditChange
        )
    {
        Liquidations.Takeover memory takeover =
            _state.request(executor, liquidator, liquidatedTrader, requestPaperAmount);
        return (takeover.paper, takeover.credit, -takeover.paper, Liquidations.victimCredit(takeover));
    }

    function openPosition(address trader) external onlyRegisteredPerp(msg.sender) {
        address[] storage positions = _state.accounts[trader].positions;
        require(positions.length < _state.maxPositionAmount, Errors.POSITION_AMOUNT_REACH_UPPER_LIMIT);
        positions.push(msg.sender);
    }

    function realizePnl(address trader, int256 pnl) external onlyRegisteredPerp(msg.sender) {
        Account storage account = _state.accounts[trader];
        account.primaryCredit += pnl;
        account.positionSerialNum[msg.sender] += 1;
        _remove(account.positions, msg.sender);
    }

    // ----- risk -----

    function isSafe(address trader) external view returns (bool) {
        return _state.isSafe(trader);
    }

    function isIMSafe(address trader) external view returns (bool) {
        return _state.isInitialMarginSafe(trader);
    }

    function isAllSafe(address[] calldata traders) external view returns (bool) {
        for (uint256 i = 0; i < traders.length; ++i) {
            if (!_state.isSafe(traders[i])) {
                return false;
            }
        }
        return true;
    }

    function getTraderRisk(address trader)
        external
        view
        returns (int256 netValue, uint256 exposure, uint256 initialMargin, uint256 maintenanceMargin)
    {
        Margin.Risk memory risk = _state.riskOf(trader);
        return (risk.netValue, risk.exposure, risk.initialMargin, risk.maintenanceMargin);
    }

    function getLiquidationPrice(address trader, address perp) external view returns (uint256) {
        return _state.liquidationPrice(trader, perp);
    }

    function getLiquidationCost(address perp, address liquidatedTrader, int256 requestPaperAmount)
        external
        view
        onlyRegisteredPerp(perp)
        returns (int256 liqtorPaperChange, int256 liqtorCreditChange)
    {
        Liquidations.Takeover memory takeover = _state.cost(perp, liquidatedTrader, requestPaperAmount);
        return (takeover.paper, takeover.credit);
    }

    // ----- what is known -----

    function version() external pure returns (string memory) {
        return "JOJODealer V1.1";
    }

    function domainSeparator() external view returns (bytes32) {
        return _domainSeparatorV4();
    }

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
        )
    {
        return (
            _state.primaryAsset,
            _state.secondaryAsset,
            _state.withdrawTimeLock,
            _state.fastWithdrawDisabled,
            _state.insurance,
            _state.fundingRateKeeper,
            _state.maxPositionAmount
        );
    }

    function getRiskParams(address perp) external view returns (RiskParams memory) {
        return _state.riskParams[perp];
    }

    function getAllRegisteredPerps() external view returns (address[] memory) {
        return _state.registeredPerps;
    }

    function getMarkPrice(address perp) external view returns (uint256) {
        return _state.markPrice(perp);
    }

    function getFundingRate(address perp) external view returns (int256) {
        return IPerpetual(perp).getFundingRate();
    }

    function getPositions(address trader) external view returns (address[] memory) {
        return _state.accounts[trader].positions;
    }

    function getCreditOf(address trader)
        external
        view
        returns (
            int256 primaryCredit,
            uint256 secondaryCredit,
            uint256 pendingPrimaryWithdraw,
            uint256 pendingSecondaryWithdraw,
            uint256 executionTimestamp
        )
    {
        Account storage account = _state.accounts[trader];
        return (
            account.primaryCredit,
            account.secondaryCredit,
            account.pendingPrimaryWithdraw,
            account.pendingSecondaryWithdraw,
            account.executionTimestamp
        );
    }

    function getOrderFilledAmount(bytes32 orderHash) external view returns (uint256 filledAmount) {
        return _state.filled[orderHash];
    }

    function isOrderSenderValid(address orderSender) external view returns (bool) {
        return _state.orderSenders[orderSender];
    }

    function isFastWithdrawalValid(address target) external view returns (bool) {
        return _state.fastWithdrawals[target];
    }

    function isOperatorValid(address client, address operator) external view returns (bool) {
        return _state.accounts[client].operators[operator];
    }

    function isCreditAllowed(address from, address spender)
        external
        view
        returns (uint256 primaryCreditAllowed, uint256 secondaryCreditAllowed)
    {
        Allowance storage allowance = _state.accounts[from].allowances[spender];
        return (allowance.primary, allowance.secondary);
    }

    // ----- calls, encoded for contracts that make them for their account -----

    function getSetOperatorCallData(address operator, bool isValid) external pure returns (bytes memory) {
        return abi.encodeCall(IDealer.setOperator, (operator, isValid));
    }

    function getRequestWithdrawCallData(address from, uint256 primaryAmount, uint256 secondaryAmount)
        external
        pure
        returns (bytes memory)
    {
        return abi.encodeCall(IDealer.requestWithdraw, (from, primaryAmount, secondaryAmount));
    }

    function getExecuteWithdrawCallData(address from, address to, bool isInternal, bytes calldata param)
        external
        pure
        returns (bytes memory)
    {
        return abi.encodeCall(IDealer.executeWithdraw, (from, to, isInternal, param));
    }

    // ----- keeper and owner -----

    function updateFundingRate(address[] calldata perpList, int256[] calldata rateList) external {
        require(msg.sender == _state.fundingRateKeeper, Errors.INVALID_FUNDING_RATE_KEEPER);
        require(perpList.length == rateList.length, Errors.ARRAY_LENGTH_NOT_SAME);
        for (uint256 i = 0; i < perpList.length; ++i) {
            IPerpetual perp = IPerpetual(perpList[i]);
            int256 oldRate = perp.getFundingRate();
            perp.updateFundingRate(rateList[i]);
            emit UpdateFundingRate(perpList[i], oldRate, rateList[i]);
        }
    }

    function setPerpRiskParams(address perp, RiskParams calldata param) external onlyOwner {
        require(
            param.liquidationPriceOff + param.insuranceFeeRate <= param.liquidationThreshold, Errors.INVALID_RISK_PARAM
        );
        bool wasRegistered = _state.riskParams[perp].isRegistered;
        if (param.isRegistered && !wasRegistered) {
            _state.registeredPerps.push(perp);
        } else if (!param.isRegistered && wasRegistered) {
            _remove(_state.registeredPerps, perp);
        }
        _state.riskParams[perp] = param;
        emit UpdatePerpRiskParams(perp, param);
    }

    function setOrderSender(address orderSender, bool isValid) external onlyOwner {
        _state.orderSenders[orderSender] = isValid;
        emit SetOrderSender(orderSender, isValid);
    }

    function setInsurance(address newInsurance) external onlyOwner {
        emit SetInsurance(_state.insurance, newInsurance);
        _state.insurance = newInsurance;
    }

    function setFundingRateKeeper(address newKeeper) external onlyOwner {
        emit SetFundingRateKeeper(_state.fundingRateKeeper, newKeeper);
        _state.fundingRateKeeper = newKeeper;
    }

    function setMaxPositionAmount(uint256 newMaxPositionAmount) external onlyOwner {
        emit SetMaxPositionAmount(_state.maxPositionAmount, newMaxPositionAmount);
        _state.maxPositionAmount = newMaxPositionAmount;
    }

    function setWithdrawTimeLock(uint256 newWithdrawTimeLock) external onlyOwner {
        emit SetWithdrawTimeLock(_state.withdrawTimeLock, newWithdrawTimeLock);
        _state.withdrawTimeLock = newWithdrawTimeLock;
    }

    function setSecondaryAsset(address secondaryAsset) external onlyOwner {
        require(_state.secondaryAsset == address(0), Errors.SECONDARY_ASSET_ALREADY_EXIST);
        require(
            IERC20Metadata(secondaryAsset).decimals() == IERC20Metadata(_state.primaryAsset).decimals(),
            Errors.SECONDARY_ASSET_DECIMAL_WRONG
        );
        _state.secondaryAsset = secondaryAsset;
        emit SetSecondaryAsset(secondaryAsset);
    }

    function disableFastWithdraw(bool disabled) external onlyOwner {
        _state.fastWithdrawDisabled = disabled;
        emit FastWithdrawDisabled(disabled);
    }

    function setFastWithdrawalWhitelist(address target, bool isValid) external onlyOwner {
        _state.fastWithdrawals[target] = isValid;
        emit SetFastWithdrawalWhitelist(target, isValid);
    }

    function setWithdrawlWhitelist(address target, bool isValid) external onlyOwner {
        _state.withdrawalTargets[target] = isValid;
        emit SetFastWithdrawalWhitelist(target, isValid);
    }

    /// @dev The last takes the place of the one that leaves.
    function _remove(address[] storage list, address item) private {
        uint256 last = list.length - 1;
        for (uint256 i = 0; i < last; ++i) {
            if (list[i] == item) {
                list[i] = list[last];
                break;
            }
        }
        list.pop();
    }
}
