// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Products and quotients with 18-decimal numbers. What does not fit is cut off, toward zero for either sign.
library FixedPoint {
    uint256 internal constant ONE = 1e18;

    function mul(int256 a, int256 b) internal pure returns (int256) {
        return (a * b) / int256(ONE);
    }

    function mul(uint256 a, uint256 b) internal pure returns (uint256) {
        return (a * b) / ONE;
    }

    function div(int256 a, int256 b) internal pure returns (int256) {
        return (a * int256(ONE)) / b;
    }
}
