// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Products and quotients with 18-decimal numbers. What does not fit is cut off, toward zero for either sign.
/// @dev A division by ONE neither fails nor overflows, and is not checked.
library FixedPoint {
    uint256 internal constant ONE = 1e18;

    function mul(int256 a, int256 b) internal pure returns (int256) {
        int256 product = a * b;
        unchecked {
            return product / int256(ONE);
        }
    }

    function mul(uint256 a, uint256 b) internal pure returns (uint256) {
        uint256 product = a * b;
        unchecked {
            return product / ONE;
        }
    }

    function div(int256 a, int256 b) internal pure returns (int256) {
        return (a * int256(ONE)) / b;
    }
}
