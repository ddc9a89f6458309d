// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {Owned} from "./Owned.sol";

/// @title A dollar of 6 decimals that its owner mints, in place of USDC where nothing is worth anything.
contract TestToken is ERC20, Owned {
    constructor(string memory name_, string memory symbol_) ERC20(name_, symbol_) Owned(msg.sender) {}

    function decimals() public pure override returns (uint8) {
        return 6;
    }

    /// @param amount Smallest units (1e-6).
    function mint(address to, uint256 amount) external onlyOwner {
        _mint(to, amount);
    }
}
