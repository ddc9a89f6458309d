// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {SignedMath} from "@openzeppelin/contracts/utils/math/SignedMath.sol";
import {IPerpetual} from "../interfaces/IPerpetual.sol";
import {IPriceSource} from "../interfaces/IPriceSource.sol";
import {FixedPoint} from "../math/FixedPoint.sol";
import {Account, DealerState, RiskParams} from "./Types.sol";

/// @notice What an account is worth, and what its positions demand.
library Margin {
    using SafeCast for uint256;
    using SignedMath for int256;

    /// @param netValue Both credits and every position at its mark price.
    /// @param exposure Absolute notional of all positions.
    struct Risk {
        int256 netValue;
        uint256 exposure;
        uint256 initialMargin;
        uint256 maintenanceMargin;
    }

    function riskOf(DealerState storage self, address trader) internal view returns (Risk memory) {
        return _riskWithout(self, trader, address(0));
    }

    function isSafe(DealerState storage self, address trader) internal view returns (bool) {
        Risk memory risk = riskOf(self, trader);
        return risk.netValue >= risk.maintenanceMargin.toInt256();
    }

    function isInitialMarginSafe(DealerState storage self, address trader) internal view returns (bool) {
        Risk memory risk = riskOf(self, trader);
        return risk.netValue >= risk.initialMargin.toInt256();
    }

    /// @return Safe by initial margin, and worth something without its secondary credit: what leaves may be primary credit.
    function isSolid(DealerState storage self, address trader) internal view returns (bool) {
        Risk memory risk = riskOf(self, trader);
        return risk.netValue >= risk.initialMargin.toInt256()
            && risk.netValue >= self.accounts[trader].secondaryCredit.toInt256();
    }

    function markPrice(DealerState storage self, address perp) internal view returns (uint256) {
        return IPriceSource(self.riskParams[perp].markPriceSource).getMarkPrice();
    }

    /// @return The price P of `perp` where netValue(P) equals maintenanceMargin(P), 0 when there is none above zero or no
    /// position. Reverts when the price of another position's market is stale, whichever of these it is.
    function liquidationPrice(DealerState storage self, address trader, address perp) internal view returns (uint256) {
        Risk memory others = _riskWithout(self, trader, perp);
        (int256 paper, int256 credit) = IPerpetual(perp).balanceOf(trader);
        if (paper == 0) {
            return 0;
        }
        int256 ratio = self.riskParams[perp].liquidationThreshold.toInt256();
        int256 one = int256(FixedPoint.ONE);
        int256 missing = others.maintenanceMargin.toInt256() - others.netValue - credit;
        int256 price = FixedPoint.div(FixedPoint.div(missing, paper), paper > 0 ? one - ratio : one + ratio);
        return price > 0 ? uint256(price) : 0;
    }

    /// @dev One market left out entirely: neither its balance nor its price source is asked.
    function _riskWithout(DealerState storage self, address trader, address left)
        private
        view
        returns (Risk memory risk)
    {
        Account storage account = self.accounts[trader];
        risk.netValue = account.primaryCredit + account.secondaryCredit.toInt256();
        uint256 count = account.positions.length;
        for (uint256 i = 0; i < count; ++i) {
            address perp = account.positions[i];
            if (perp == left) {
                continue;
            }
            (int256 paper, int256 credit) = IPerpetual(perp).balanceOf(trader);
            RiskParams storage params = self.riskParams[perp];
            int256 value = FixedPoint.mul(paper, IPriceSource(params.markPriceSource).getMarkPrice().toInt256());
            uint256 notional = value.abs();
            risk.netValue += value + credit;
            risk.exposure += notional;
            risk.initialMargin += FixedPoint.mul(notional, params.initialMarginRatio);
            risk.maintenanceMargin += FixedPoint.mul(notional, params.liquidationThreshold);
        }
    }
}
