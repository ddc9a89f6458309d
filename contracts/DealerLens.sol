// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {RiskParams} from "./dealer/Types.sol";
import {IDealer} from "./interfaces/IDealer.sol";
import {IPerpetual} from "./interfaces/IPerpetual.sol";

/// @title Many accounts read in one call, at one block.
/// @notice A view that reverts (a stale price, say) fills its own entry with the reason and leaves the others alone. An
/// answer that is not of the expected shape counts as such a revert. Every view gets gasEach; a call whose gas runs too
/// low for that reverts as a whole with LENS_OUT_OF_GAS, so that a chunk too large is never taken for accounts that revert.
contract DealerLens {
    /// @dev Selectors as numbers, since that is what assembly takes.
    uint256 private constant GET_CREDIT_OF = 0xc97ab30c;
    uint256 private constant GET_POSITIONS = 0x3eeb530e;
    uint256 private constant BALANCE_OF = 0x70a08231;

    /// @param ok The risk was read; else every number is 0 and reason holds the revert's data.
    /// @param isSafe netValue >= maintenanceMargin, as the dealer judges.
    struct Risk {
        bool ok;
        bool isSafe;
        int256 netValue;
        uint256 exposure;
        uint256 initialMargin;
        uint256 maintenanceMargin;
        bytes reason;
    }

    /// @param priceOk The mark price was read; else priceReason holds the revert's data.
    struct Position {
        address perp;
        int256 paper;
        int256 credit;
        bool priceOk;
        uint256 markPrice;
        bytes priceReason;
    }

    /// @param ok The account was read; else the rest is empty. Its positions may have stale prices of their own.
    struct Holdings {
        bool ok;
        int256 primaryCredit;
        uint256 secondaryCredit;
        Position[] positions;
    }

    struct Request {
        address perp;
        address trader;
        int256 paper;
    }

    /// @param ok The liquidation would be granted; else reason holds the revert's data.
    struct Cost {
        bool ok;
        int256 paper;
        int256 credit;
        bytes reason;
    }

    struct Market {
        address perp;
        RiskParams params;
        int256 fundingRate;
        bool priceOk;
        uint256 markPrice;
        bytes priceReason;
    }

    /// @return blockNumber The block that all of this is true at.
    /// @return timestamp Its time, seconds.
    function risks(IDealer dealer, address[] calldata traders, uint256 gasEach)
        external
        view
        returns (uint256 blockNumber, uint256 timestamp, Risk[] memory list)
    {
        list = new Risk[](traders.length);
        for (uint256 i = 0; i < traders.length; ++i) {
            Risk memory risk = list[i];
            (risk.ok, risk.reason) =
                _read(address(dealer), abi.encodeCall(IDealer.getTraderRisk, (traders[i])), gasEach, 128);
            if (risk.ok) {
                (risk.netValue, risk.exposure, risk.initialMargin, risk.maintenanceMargin) =
                    abi.decode(risk.reason, (int256, uint256, uint256, uint256));
                risk.isSafe = risk.netValue >= 0 && uint256(risk.netValue) >= risk.maintenanceMargin;
                risk.reason = "";
            }
        }
        return (block.number, block.timestamp, list);
    }

    /// @notice Credit and positions of each account, with the mark price of each position.
    function holdings(IDealer dealer, address[] calldata traders, uint256 gasEach)
        external
        view
        returns (uint256 blockNumber, uint256 timestamp, Holdings[] memory list)
    {
        list = new Holdings[](traders.length);
        for (uint256 i = 0; i < traders.length; ++i) {
            list[i] = _holdingsOf(dealer, traders[i], gasEach);
        }
        return (block.number, block.timestamp, list);
    }

    /// @notice Credit and positions of each account and no price: the least that its margin can be reckoned from, when the
    /// markets were read at the same block.
    /// @dev `packed` is words without offsets, because encoding structs took most of the gas. Of each account: how many
    /// positions, primary credit, secondary credit, then of each position perp, paper and credit; or one word of all ones when
    /// a view reverted.
    function balances(IDealer dealer, address[] calldata traders, uint256 gasEach)
        external
        view
        returns (uint256 blockNumber, uint256 timestamp, bytes memory packed)
    {
        packed = _balances(address(dealer), traders, gasEach);
        return (block.number, block.timestamp, packed);
    }

    /// @notice What each request would get from IDealer.getLiquidationCost.
    function costs(IDealer dealer, Request[] calldata requests, uint256 gasEach)
        external
        view
        returns (uint256 blockNumber, uint256 timestamp, Cost[] memory list)
    {
        list = new Cost[](requests.length);
        for (uint256 i = 0; i < requests.length; ++i) {
            Request calldata request = requests[i];
            Cost memory cost = list[i];
            (cost.ok, cost.reason) = _read(
                address(dealer),
                abi.encodeCall(IDealer.getLiquidationCost, (request.perp, request.trader, request.paper)),
                gasEach,
                64
            );
            if (cost.ok) {
                (cost.paper, cost.credit) = abi.decode(cost.reason, (int256, int256));
                cost.reason = "";
            }
        }
        return (block.number, block.timestamp, list);
    }

    /// @notice Every registered market.
    function markets(IDealer dealer, uint256 gasEach)
        external
        view
        returns (uint256 blockNumber, uint256 timestamp, Market[] memory list)
    {
        address[] memory perps = dealer.getAllRegisteredPerps();
        list = new Market[](perps.length);
        for (uint256 i = 0; i < perps.length; ++i) {
            Market memory market = list[i];
            market.perp = perps[i];
            market.params = dealer.getRiskParams(perps[i]);
            market.fundingRate = IPerpetual(perps[i]).getFundingRate();
            (market.priceOk, market.markPrice, market.priceReason) = _markPrice(dealer, perps[i], gasEach);
        }
        return (block.number, block.timestamp, list);
    }

    /// @dev In one block of assembly: a node in the process of a bot records every step, and this is what a look takes most of.
    function _balances(address dealer, address[] calldata traders, uint256 gasEach)
        private
        view
        returns (bytes memory packed)
    {
        uint256 least = _leastGas(gasEach);
        uint256 end;
        assembly ("memory-safe") {
            packed := mload(0x40)
            end := add(packed, 0x20)
            let last := add(traders.offset, shl(5, traders.length))
            for { let at := traders.offset } lt(at, last) { at := add(at, 0x20) } {
                if lt(gas(), least) {
                    end := 0
                    break
                }
                // Each question is the four bytes before the second word, and that word: the account.
                mstore(0x20, calldataload(at))
                mstore(0, GET_CREDIT_OF)
                let ok := staticcall(gasEach, dealer, 0x1c, 0x24, add(end, 0x20), 0x40)
                ok := and(ok, eq(returndatasize(), 0xa0))
                mstore(0, GET_POSITIONS)
                ok := and(staticcall(gasEach, dealer, 0x1c, 0x24, 0, 0), ok)
                ok := and(ok, gt(returndatasize(), 0x3f))
                let next := 0
                if ok {
                    returndatacopy(end, 0x20, 0x20)
                    let place := add(end, 0x60)
                    // The list of markets lies behind the words that are made of it.
                    next := add(place, mul(mload(end), 0x60))
                    let perps := next
                    returndatacopy(perps, 0x40, sub(returndatasize(), 0x40))
                    mstore(0, BALANCE_OF)
                    for {} lt(place, next) { place := add(place, 0x60) } {
                        mstore(place, mload(perps))
                        ok := and(staticcall(gasEach, mload(perps), 0x1c, 0x24, add(place, 0x20), 0x40), ok)
                        ok := and(ok, eq(returndatasize(), 0x40))
                        perps := add(perps, 0x20)
                    }
                }
                if iszero(ok) {
                    mstore(end, not(0))
                    next := add(end, 0x20)
                }
                end := next
            }
        }
        require(end != 0, "LENS_OUT_OF_GAS");
        assembly ("memory-safe") {
            mstore(packed, sub(end, add(packed, 0x20)))
            mstore(0x40, end)
        }
    }

    function _holdingsOf(IDealer dealer, address trader, uint256 gasEach) private view returns (Holdings memory held) {
        (bool ok, bytes memory data) =
            _read(address(dealer), abi.encodeCall(IDealer.getCreditOf, (trader)), gasEach, 160);
        if (!ok) {
            return held;
        }
        (held.primaryCredit, held.secondaryCredit) = abi.decode(data, (int256, uint256));
        address[] memory perps = dealer.getPositions(trader);
        held.positions = new Position[](perps.length);
        for (uint256 i = 0; i < perps.length; ++i) {
            Position memory position = held.positions[i];
            position.perp = perps[i];
            (position.paper, position.credit) = IPerpetual(perps[i]).balanceOf(trader);
            (position.priceOk, position.markPrice, position.priceReason) = _markPrice(dealer, perps[i], gasEach);
        }
        held.ok = true;
    }

    function _markPrice(IDealer dealer, address perp, uint256 gasEach)
        private
        view
        returns (bool ok, uint256 price, bytes memory reason)
    {
        (ok, reason) = _read(address(dealer), abi.encodeCall(IDealer.getMarkPrice, (perp)), gasEach, 32);
        if (ok) {
            price = abi.decode(reason, (uint256));
            reason = "";
        }
    }

    /// @dev A low-level call, because an answer too short for `try` to decode would revert here, outside of its catch.
    function _read(address target, bytes memory question, uint256 gasEach, uint256 length)
        private
        view
        returns (bool ok, bytes memory data)
    {
        require(gasleft() > _leastGas(gasEach), "LENS_OUT_OF_GAS");
        (ok, data) = target.staticcall{gas: gasEach}(question);
        ok = ok && data.length == length;
    }

    /// @dev The EVM hands on at most 63/64 of what is left.
    function _leastGas(uint256 gasEach) private pure returns (uint256) {
        return (gasEach / 63) * 64 + 10_000;
    }
}
