// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {IDealer} from "./interfaces/IDealer.sol";
import {IPerpetual} from "./interfaces/IPerpetual.sol";
import {FixedPoint} from "./math/FixedPoint.sol";

/// @title One perpetual market; IPerpetual says what each function is.
contract Perpetual is IPerpetual {
    using SafeCast for int256;

    /// @dev credit = paper * funding rate + reducedCredit: an update of the one rate moves every balance.
    struct Balance {
        int128 paper;
        int128 reducedCredit;
    }

    string private constant NOT_OWNER = "Ownable: caller is not the owner";

    address public immutable owner;
    int256 private _fundingRate;
    mapping(address trader => Balance) private _balances;

    constructor(address dealer) {
        owner = dealer;
    }

    function transferOwnership(address) external pure {
        revert(NOT_OWNER);
    }

    function renounceOwnership() external pure {
        revert(NOT_OWNER);
    }

    function balanceOf(address trader) external view returns (int256 paper, int256 credit) {
        Balance storage balance = _balances[trader];
        paper = balance.paper;
        unchecked {
            // A product cut by ONE is below 2^196.
            credit = FixedPoint.mul(paper, _fundingRate) + balance.reducedCredit;
        }
    }

    function getFundingRate() external view returns (int256) {
        return _fundingRate;
    }

    function updateFundingRate(int256 newFundingRate) external {
        require(msg.sender == owner, NOT_OWNER);
        emit UpdateFundingRate(_fundingRate, newFundingRate);
        _fundingRate = newFundingRate;
    }

    function trade(bytes calldata tradeData) external {
        (address[] memory traders, int256[] memory paperChanges, int256[] memory creditChanges) =
            IDealer(owner).approveTrade(msg.sender, tradeData);
        for (uint256 i = 0; i < traders.length; ++i) {
            _settle(traders[i], paperChanges[i], creditChanges[i]);
        }
        require(IDealer(owner).isAllSafe(traders), "TRADER_NOT_SAFE");
    }

    function liquidate(address liquidator, address liquidatedTrader, int256 requestPaper, int256 expectCredit)
        external
        returns (int256 liqtorPaperChange, int256 liqtorCreditChange)
    {
        int256 victimPaperChange;
        int256 victimCreditChange;
        (liqtorPaperChange, liqtorCreditChange, victimPaperChange, victimCreditChange) =
            IDealer(owner).requestLiquidation(msg.sender, liquidator, liquidatedTrader, requestPaper);

        // Both sides times the other's paper: a request that was capped is judged by its price, not by its size.
        int256 offered = liqtorCreditChange * requestPaper;
        int256 worst = expectCredit * liqtorPaperChange;
        require(liqtorPaperChange > 0 ? offered >= worst : offered <= worst, "LIQUIDATION_PRICE_PROTECTION");

        _settle(liquidatedTrader, victimPaperChange, victimCreditChange);
        _settle(liquidator, liqtorPaperChange, liqtorCreditChange);
        require(IDealer(owner).isSafe(liquidator), "LIQUIDATOR_NOT_SAFE");
        if (_balances[liquidatedTrader].paper == 0) {
            IDealer(owner).handleBadDebt(liquidatedTrader);
        }
    }

    function _settle(address trader, int256 paperChange, int256 creditChange) private {
        Balance storage balance = _balances[trader];
        int256 oldPaper = balance.paper;
        int256 newPaper = oldPaper + paperChange;
        int256 credit = FixedPoint.mul(oldPaper, _fundingRate) + balance.reducedCredit + creditChange;
        int128 reducedCredit = (credit - FixedPoint.mul(newPaper, _fundingRate)).toInt128();
        balance.paper = newPaper.toInt128();
        balance.reducedCredit = newPaper == 0 ? int128(0) : reducedCredit;
        emit BalanceChange(trader, paperChange, creditChange);
        if (oldPaper == 0) {
            IDealer(owner).openPosition(trader);
        }
        if (newPaper == 0) {
            IDealer(owner).realizePnl(trader, reducedCredit);
        }
    }
}
