// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {SignedMath} from "@openzeppelin/contracts/utils/math/SignedMath.sol";
import {IDealer} from "../interfaces/IDealer.sol";
import {FixedPoint} from "../math/FixedPoint.sol";
import {Errors} from "./Errors.sol";
import {Margin} from "./Margin.sol";
import {Orders} from "./Orders.sol";
import {Account, DealerState, Order} from "./Types.sol";

/// @notice Orders that an order sender matched, the taker first: are they good, and what do they move?
library Matching {
    using Margin for DealerState;
    using Orders for Order;
    using SignedMath for int256;

    /// @param amounts Paper that each order trades, unsigned.
    struct Match {
        Order[] orders;
        bytes32[] hashes;
        uint256[] amounts;
    }

    /// @param traders The taker, then each maker once.
    /// @param fees What the order sender gains; negative when rebates exceed fees.
    struct Outcome {
        address[] traders;
        int256[] paperChanges;
        int256[] creditChanges;
        int256 fees;
    }

    function approve(DealerState storage self, bytes32 domainSeparator, address orderSender, bytes calldata tradeData)
        internal
        returns (Outcome memory outcome)
    {
        require(self.orderSenders[orderSender], Errors.INVALID_ORDER_SENDER);
        Match memory matched;
        bytes[] memory signatures;
        (matched.orders, signatures, matched.amounts) = abi.decode(tradeData, (Order[], bytes[], uint256[]));
        _fillOrders(self, domainSeparator, matched, signatures);
        _checkMatch(matched);
        outcome = _priceMatch(self, matched);
        self.accounts[orderSender].primaryCredit += outcome.fees;
        if (outcome.fees < 0) {
            require(self.isSolid(orderSender), Errors.ORDER_SENDER_NOT_SAFE);
        }
    }

    /// @dev What each signer agreed to, order by order.
    function _fillOrders(
        DealerState storage self,
        bytes32 domainSeparator,
        Match memory matched,
        bytes[] memory signatures
    ) private {
        uint256 count = matched.orders.length;
        matched.hashes = new bytes32[](count);
        for (uint256 i = 0; i < count; ++i) {
            Order memory order = matched.orders[i];
            bytes32 orderHash = MessageHashUtils.toTypedDataHash(domainSeparator, order.structHash());
            matched.hashes[i] = orderHash;
            require(_isSignedFor(self, order.signer, orderHash, signatures[i]), Errors.INVALID_ORDER_SIGNATURE);
            require(order.expiration() >= block.timestamp, Errors.ORDER_EXPIRED);
            require(
                order.paperAmount > 0 ? order.creditAmount < 0 : (order.paperAmount < 0 && order.creditAmount > 0),
                Errors.ORDER_PRICE_NEGATIVE
            );
            require(order.perp == msg.sender, Errors.PERP_MISMATCH);
            require(i == 0 || order.signer != matched.orders[0].signer, Errors.ORDER_SELF_MATCH);
            uint256 amount = matched.amounts[i];
            require(amount > 0, Errors.ORDER_MATCH_AMOUNT_ZERO);
            uint256 filled = self.filled[orderHash] + amount;
            require(filled <= int256(order.paperAmount).abs(), Errors.ORDER_FILLED_OVERFLOW);
            self.filled[orderHash] = filled;
        }
    }

    /// @dev The zero address signs nothing, although a signature that recovers to nobody yields it.
    function _isSignedFor(DealerState storage self, address signer, bytes32 orderHash, bytes memory signature)
        private
        view
        returns (bool)
    {
        (address recovered, ECDSA.RecoverError failure,) = ECDSA.tryRecover(orderHash, signature);
        if (failure != ECDSA.RecoverError.NoError || signer == address(0)) {
            return false;
        }
        return recovered == signer || self.accounts[signer].operators[recovered];
    }

    /// @dev Whether the orders go together: sorting, amounts, prices.
    function _checkMatch(Match memory matched) private pure {
        Order[] memory orders = matched.orders;
        require(orders.length >= 2, Errors.AT_LEAST_TWO_TRADERS);
        uint256 makerAmount = 0;
        for (uint256 i = 1; i < orders.length; ++i) {
            require(i == 1 || orders[i - 1].signer <= orders[i].signer, Errors.ORDER_WRONG_SORTING);
            makerAmount += matched.amounts[i];
        }
        require(matched.amounts[0] == makerAmount, Errors.TAKER_TRADE_AMOUNT_WRONG);
        for (uint256 i = 1; i < orders.length; ++i) {
            require(_crosses(orders[0], orders[i]), Errors.ORDER_PRICE_NOT_MATCH);
        }
    }

    /// @dev Compares credit to paper crosswise, so that no division rounds a price.
    function _crosses(Order memory taker, Order memory maker) private pure returns (bool) {
        int256 makerSide = int256(maker.creditAmount) * taker.paperAmount;
        int256 takerSide = int256(taker.creditAmount) * maker.paperAmount;
        return taker.paperAmount > 0
            ? maker.paperAmount < 0 && makerSide <= takerSide
            : maker.paperAmount > 0 && makerSide >= takerSide;
    }

    /// @dev Each maker trades at its own price; the taker takes the other side of all of them.
    function _priceMatch(DealerState storage self, Match memory matched) private returns (Outcome memory outcome) {
        _listTraders(matched.orders, outcome);
        uint256 trader = 0;
        for (uint256 i = 1; i < matched.orders.length; ++i) {
            Order memory maker = matched.orders[i];
            if (i == 1 || maker.signer != matched.orders[i - 1].signer) {
                ++trader;
            }
            // The amount is at most the order's paper, an int128.
            int256 paper = maker.paperAmount > 0 ? int256(matched.amounts[i]) : -int256(matched.amounts[i]);
            int256 credit = (paper * maker.creditAmount) / maker.paperAmount;
            int256 fee = FixedPoint.mul(int256(credit.abs()), maker.makerFeeRate());
            outcome.paperChanges[trader] += paper;
            outcome.creditChanges[trader] += credit - fee;
            outcome.paperChanges[0] -= paper;
            outcome.creditChanges[0] -= credit;
            outcome.fees += fee;
            _emitFilled(self, maker.signer, matched.hashes[i], paper, credit - fee, fee);
        }
        int256 takerFee = FixedPoint.mul(int256(outcome.creditChanges[0].abs()), matched.orders[0].takerFeeRate());
        outcome.creditChanges[0] -= takerFee;
        outcome.fees += takerFee;
        _emitFilled(
            self, outcome.traders[0], matched.hashes[0], outcome.paperChanges[0], outcome.creditChanges[0], takerFee
        );
    }

    function _listTraders(Order[] memory orders, Outcome memory outcome) private pure {
        uint256 count = 2;
        for (uint256 i = 2; i < orders.length; ++i) {
            if (orders[i].signer != orders[i - 1].signer) {
                ++count;
            }
        }
        outcome.traders = new address[](count);
        outcome.paperChanges = new int256[](count);
        outcome.creditChanges = new int256[](count);
        outcome.traders[0] = orders[0].signer;
        uint256 trader = 0;
        for (uint256 i = 1; i < orders.length; ++i) {
            if (i == 1 || orders[i].signer != orders[i - 1].signer) {
                ++trader;
                outcome.traders[trader] = orders[i].signer;
            }
        }
    }

    /// @param credit After the fee.
    function _emitFilled(
        DealerState storage self,
        address trader,
        bytes32 orderHash,
        int256 paper,
        int256 credit,
        int256 fee
    ) private {
        Account storage account = self.accounts[trader];
        emit IDealer.OrderFilled(orderHash, trader, msg.sender, paper, credit, account.positionSerialNum[msg.sender], fee);
    }
}
