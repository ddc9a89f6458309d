// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Owned} from "./Owned.sol";
import {IPriceSource} from "./interfaces/IPriceSource.sol";

/// @title A mark price that its owner sets, and that goes stale as a feed's does.
contract SettablePriceSource is IPriceSource, Owned {
    event AnswerUpdated(int256 indexed current, bytes32 indexed feedID, uint256 indexed roundId, uint256 updatedAt, string name);
    event SetHeartbeat(uint256 oldHeartbeat, uint256 newHeartbeat);

    string public name;

    /// @notice Seconds for which a price counts; it is stale from the next one on.
    uint256 public heartbeat;

    /// @notice Block time of the last price, and how many there have been.
    uint256 public updatedAt;
    uint256 public roundId;
    uint256 private _price;

    constructor(string memory name_, uint256 heartbeat_) Owned(msg.sender) {
        name = name_;
        heartbeat = heartbeat_;
    }

    /// @param price Credit units per 1e18 paper.
    function setMarkPrice(uint256 price) external onlyOwner {
        require(price > 0 && price <= uint256(type(int256).max), "NO_VALID_DATA");
        _price = price;
        updatedAt = block.timestamp;
        roundId += 1;
        emit AnswerUpdated(int256(price), keccak256(bytes(name)), roundId, block.timestamp, name);
    }

    function setHeartbeat(uint256 newHeartbeat) external onlyOwner {
        emit SetHeartbeat(heartbeat, newHeartbeat);
        heartbeat = newHeartbeat;
    }

    /// @inheritdoc IPriceSource
    function getMarkPrice() public view returns (uint256) {
        require(_price > 0, "NO_VALID_DATA");
        require(block.timestamp - updatedAt <= heartbeat, "ORACLE_HEARTBEAT_FAILED");
        return _price;
    }

    /// @notice The same under the name that other callers of such feeds use.
    function getAssetPrice() external view returns (uint256) {
        return getMarkPrice();
    }
}
