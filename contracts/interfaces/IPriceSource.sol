// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Where a market's mark price comes from.
interface IPriceSource {
    /// @return Credit units per 1e18 paper: with a 6-decimal asset, 30000e6 for a price of 30,000. Reverts when the price is stale.
    function getMarkPrice() external view returns (uint256);
}
