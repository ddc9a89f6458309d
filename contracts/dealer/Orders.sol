// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Order} from "./Types.sol";

/// @notice How an order is hashed, and what its info says.
library Orders {
    bytes32 internal constant ORDER_TYPEHASH =
        keccak256("Order(address perp,address signer,int128 paperAmount,int128 creditAmount,bytes32 info)");

    function structHash(Order memory order) internal pure returns (bytes32) {
        return keccak256(
            abi.encode(ORDER_TYPEHASH, order.perp, order.signer, order.paperAmount, order.creditAmount, order.info)
        );
    }

    function makerFeeRate(Order memory order) internal pure returns (int256) {
        return int64(uint64(uint256(order.info) >> 192));
    }

    function takerFeeRate(Order memory order) internal pure returns (int256) {
        return int64(uint64(uint256(order.info) >> 128));
    }

    /// @return Seconds; the order is good in a block of that very second.
    function expiration(Order memory order) internal pure returns (uint256) {
        return uint64(uint256(order.info) >> 64);
    }
}
