// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {IDealer} from "../interfaces/IDealer.sol";
import {Errors} from "./Errors.sol";
import {Margin} from "./Margin.sol";
import {Account, Allowance, DealerState} from "./Types.sol";

/// @notice Credit in and out.
library Funds {
    using SafeCast for uint256;
    using SafeERC20 for IERC20;
    using Margin for DealerState;

    function deposit(DealerState storage self, uint256 primaryAmount, uint256 secondaryAmount, address to) internal {
        if (primaryAmount > 0) {
            IERC20(self.primaryAsset).safeTransferFrom(msg.sender, address(this), primaryAmount);
            self.accounts[to].primaryCredit += primaryAmount.toInt256();
        }
        if (secondaryAmount > 0) {
            IERC20(self.secondaryAsset).safeTransferFrom(msg.sender, address(this), secondaryAmount);
            self.accounts[to].secondaryCredit += secondaryAmount;
        }
        emit IDealer.Deposit(to, msg.sender, primaryAmount, secondaryAmount);
    }

    function requestWithdraw(DealerState storage self, address from, uint256 primaryAmount, uint256 secondaryAmount) internal {
        Account storage account = self.accounts[from];
        require(_maySpend(account, from, primaryAmount, secondaryAmount), Errors.WITHDRAW_INVALID);
        account.pendingPrimaryWithdraw = primaryAmount;
        account.pendingSecondaryWithdraw = secondaryAmount;
        account.executionTimestamp = block.timestamp + self.withdrawTimeLock;
        emit IDealer.RequestWithdraw(from, primaryAmount, secondaryAmount, account.executionTimestamp);
    }

    function executeWithdraw(DealerState storage self, address from, address to, bool isInternal, bytes calldata param)
        internal
    {
        Account storage account = self.accounts[from];
        require(account.executionTimestamp <= block.timestamp, Errors.WITHDRAW_PENDING);
        uint256 primaryAmount = account.pendingPrimaryWithdraw;
        uint256 secondaryAmount = account.pendingSecondaryWithdraw;
        account.pendingPrimaryWithdraw = 0;
        account.pendingSecondaryWithdraw = 0;
        _withdraw(self, from, to, primaryAmount, secondaryAmount, isInternal);
        _callReceiver(self, to, param);
    }

    function fastWithdraw(
        DealerState storage self,
        address from,
        address to,
        uint256 primaryAmount,
        uint256 secondaryAmount,
        bool isInternal,
        bytes calldata param
    ) internal {
        require(!self.fastWithdrawDisabled || self.fastWithdrawals[msg.sender], Errors.FAST_WITHDRAW_NOT_ALLOWED);
        _withdraw(self, from, to, primaryAmount, secondaryAmount, isInternal);
        _callReceiver(self, to, param);
    }

    function _withdraw(
        DealerState storage self,
        address from,
        address to,
        uint256 primaryAmount,
        uint256 secondaryAmount,
        bool isInternal
    ) private {
        Account storage account = self.accounts[from];
        require(_maySpend(account, from, primaryAmount, secondaryAmount), Errors.WITHDRAW_INVALID);
        if (msg.sender != from) {
            Allowance storage allowance = account.allowances[msg.sender];
            allowance.primary -= primaryAmount;
            allowance.secondary -= secondaryAmount;
            emit IDealer.FundOperatorAllowedChange(from, msg.sender, allowance.primary, allowance.secondary);
        }
        account.primaryCredit -= primaryAmount.toInt256();
        account.secondaryCredit -= secondaryAmount;
        if (isInternal) {
            self.accounts[to].primaryCredit += primaryAmount.toInt256();
            self.accounts[to].secondaryCredit += secondaryAmount;
            emit IDealer.TransferIn(to, primaryAmount, secondaryAmount);
            emit IDealer.TransferOut(from, primaryAmount, secondaryAmount);
        } else {
            if (primaryAmount > 0) {
                IERC20(self.primaryAsset).safeTransfer(to, primaryAmount);
            }
            if (secondaryAmount > 0) {
                IERC20(self.secondaryAsset).safeTransfer(to, secondaryAmount);
            }
            emit IDealer.Withdraw(to, from, primaryAmount, secondaryAmount);
        }
        require(primaryAmount > 0 ? self.isSolid(from) : self.isInitialMarginSafe(from), Errors.ACCOUNT_NOT_SAFE);
    }

    /// @dev Nothing without `param`. What the receiver refuses undoes the withdrawal, with the receiver's reason.
    function _callReceiver(DealerState storage self, address to, bytes calldata param) private {
        if (param.length == 0) {
            return;
        }
        require(to.code.length > 0, Errors.WITHDRAW_TARGET_NOT_CONTRACT);
        require(self.withdrawalTargets[to], Errors.WITHDRAW_TARGET_NOT_LISTED);
        (bool ok, bytes memory reason) = to.call(param);
        if (!ok) {
            assembly ("memory-safe") {
                revert(add(reason, 0x20), mload(reason))
            }
        }
    }

    /// @dev Somebody else needs an allowance above zero for any amount, zero included: no stranger replaces a request.
    function _maySpend(Account storage account, address from, uint256 primaryAmount, uint256 secondaryAmount)
        private
        view
        returns (bool)
    {
        if (msg.sender == from) {
            return true;
        }
        Allowance storage allowance = account.allowances[msg.sender];
        (uint256 primary, uint256 secondary) = (allowance.primary, allowance.secondary);
        return (primary > 0 || secondary > 0) && primaryAmount <= primary && secondaryAmount <= secondary;
    }
}
