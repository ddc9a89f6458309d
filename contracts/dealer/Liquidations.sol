// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {SignedMath} from "@openzeppelin/contracts/utils/math/SignedMath.sol";
import {IDealer} from "../interfaces/IDealer.sol";
import {IPerpetual} from "../interfaces/IPerpetual.sol";
import {FixedPoint} from "../math/FixedPoint.sol";
import {Errors} from "./Errors.sol";
import {Margin} from "./Margin.sol";
import {Account, DealerState, RiskParams} from "./Types.sol";

/// @notice Who may be liquidated, at what price, and what becomes of a debt that is left.
library Liquidations {
    using SafeCast for uint256;
    using SignedMath for int256;
    using Margin for DealerState;

    /// @param paper What the liquidator gets.
    /// @param credit What it pays (negative) or receives.
    /// @param insuranceFee What the victim pays on top.
    struct Takeover {
        int256 paper;
        int256 credit;
        uint256 insuranceFee;
    }

    function request(
        DealerState storage self,
        address executor,
        address liquidator,
        address victim,
        int256 requestPaper
    ) internal returns (Takeover memory takeover) {
        require(
            executor == liquidator || self.accounts[liquidator].operators[executor],
            Errors.INVALID_LIQUIDATION_EXECUTOR
        );
        require(liquidator != victim, Errors.SELF_LIQUIDATION_NOT_ALLOWED);
        takeover = cost(self, msg.sender, victim, requestPaper);
        self.accounts[self.insurance].primaryCredit += takeover.insuranceFee.toInt256();
        emit IDealer.BeingLiquidated(
            msg.sender,
            victim,
            -takeover.paper,
            victimCredit(takeover),
            self.accounts[victim].positionSerialNum[msg.sender]
        );
        emit IDealer.JoinLiquidation(
            msg.sender,
            liquidator,
            victim,
            takeover.paper,
            takeover.credit,
            self.accounts[liquidator].positionSerialNum[msg.sender]
        );
        emit IDealer.ChargeInsurance(msg.sender, victim, takeover.insuranceFee);
    }

    /// @notice What a request gets at the present mark price.
    function cost(DealerState storage self, address perp, address victim, int256 requestPaper)
        internal
        view
        returns (Takeover memory takeover)
    {
        require(!self.isSafe(victim), Errors.ACCOUNT_IS_SAFE);
        (int256 position,) = IPerpetual(perp).balanceOf(victim);
        require(position != 0, Errors.TRADER_HAS_NO_POSITION);
        require(requestPaper * position > 0, Errors.LIQUIDATION_REQUEST_AMOUNT_WRONG);
        takeover.paper = requestPaper.abs() > position.abs() ? position : requestPaper;
        RiskParams storage params = self.riskParams[perp];
        uint256 markPrice = self.markPrice(perp);
        uint256 discount = FixedPoint.mul(markPrice, params.liquidationPriceOff);
        uint256 price = position > 0 ? markPrice - discount : markPrice + discount;
        takeover.credit = -FixedPoint.mul(takeover.paper, price.toInt256());
        takeover.insuranceFee = FixedPoint.mul(takeover.credit.abs(), params.insuranceFeeRate);
    }

    function victimCredit(Takeover memory takeover) internal pure returns (int256) {
        return -takeover.credit - takeover.insuranceFee.toInt256();
    }

    /// @notice An account that lost every position and still owes leaves its debt to the insurance account.
    function settleBadDebt(DealerState storage self, address victim) internal {
        Account storage account = self.accounts[victim];
        if (account.positions.length > 0 || self.isSafe(victim)) {
            return;
        }
        int256 primaryCredit = account.primaryCredit;
        uint256 secondaryCredit = account.secondaryCredit;
        account.primaryCredit = 0;
        account.secondaryCredit = 0;
        Account storage insurance = self.accounts[self.insurance];
        insurance.primaryCredit += primaryCredit;
        insurance.secondaryCredit += secondaryCredit;
        emit IDealer.HandleBadDebt(victim, primaryCredit, secondaryCredit);
    }
}
