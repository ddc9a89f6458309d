// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SignedMath} from "@openzeppelin/contracts/utils/math/SignedMath.sol";
import {Owned} from "./Owned.sol";
import {IDealer} from "./interfaces/IDealer.sol";
import {FixedPoint} from "./math/FixedPoint.sol";

/// @title The dealer's funding keeper, which lets no rate run away.
contract FundingRateLimiter is Owned {
    using SignedMath for int256;

    IDealer public immutable dealer;

    /// @notice How many times its maintenance margin a position may pay in funding a day.
    uint256 public immutable speedMultiplier;

    /// @notice Seconds; 0 before the first update, which is thereby in effect unlimited.
    mapping(address perp => uint256) public fundingRateUpdateTimestamp;

    constructor(IDealer dealer_, uint256 speedMultiplier_) Owned(msg.sender) {
        dealer = dealer_;
        speedMultiplier = speedMultiplier_;
    }

    /// @param rateList New cumulative values, one a market.
    function updateFundingRate(address[] calldata perpList, int256[] calldata rateList) external onlyOwner {
        require(perpList.length == rateList.length, "JOJO_ARRAY_LENGTH_NOT_SAME");
        for (uint256 i = 0; i < perpList.length; ++i) {
            address perp = perpList[i];
            int256 change = rateList[i] - dealer.getFundingRate(perp);
            require(change.abs() <= getMaxChange(perp), "FUNDING_RATE_CHANGE_TOO_MUCH");
            fundingRateUpdateTimestamp[perp] = block.timestamp;
        }
        dealer.updateFundingRate(perpList, rateList);
    }

    /// @return How far the rate may move now, credit units per 1e18 paper.
    function getMaxChange(address perp) public view returns (uint256) {
        uint256 elapsed = block.timestamp - fundingRateUpdateTimestamp[perp];
        uint256 ratio = (speedMultiplier * elapsed * dealer.getRiskParams(perp).liquidationThreshold) / 1 days;
        return FixedPoint.mul(ratio, dealer.getMarkPrice(perp));
    }
}
