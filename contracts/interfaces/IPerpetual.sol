// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title One perpetual market: who holds how much paper against how much credit.
/// @notice Paper has 18 decimals and is signed (long positive). Credit has the decimals of the primary asset and is signed.
interface IPerpetual {
    event BalanceChange(address indexed trader, int256 paperChange, int256 creditChange);
    event UpdateFundingRate(int256 oldFundingRate, int256 newFundingRate);

    /// @return The dealer, which alone may move the funding rate.
    function owner() external view returns (address);

    /// @notice Refused to everybody: the dealer never gives a market away.
    function transferOwnership(address newOwner) external;

    /// @notice Refused to everybody, as transferOwnership.
    function renounceOwnership() external;

    /// @return paper Signed size of the position.
    /// @return credit Its credit, funding up to now applied.
    function balanceOf(address trader) external view returns (int256 paper, int256 credit);

    /// @return Cumulative funding, credit units per 1e18 paper: what a long has received since the market began.
    function getFundingRate() external view returns (int256);

    /// @param newFundingRate The new cumulative value, not a difference.
    function updateFundingRate(int256 newFundingRate) external;

    /// @notice Settles orders that an order sender matched; all or nothing.
    /// @param tradeData abi.encode(Order[] orders, bytes[] signatures, uint256[] matchPaperAmounts), the taker first, then
    /// its makers by ascending signer.
    function trade(bytes calldata tradeData) external;

    /// @notice Takes a part or all of an unsafe account's position over, at the mark price less (long) or more (short) the market's discount.
    /// @param requestPaper Signed like the victim's position, which also caps it.
    /// @param expectCredit With requestPaper, the worst price that the liquidator accepts: credit it pays (negative) or receives.
    /// @return liqtorPaperChange What the liquidator got.
    /// @return liqtorCreditChange What it paid (negative) or received.
    function liquidate(address liquidator, address liquidatedTrader, int256 requestPaper, int256 expectCredit)
        external
        returns (int256 liqtorPaperChange, int256 liqtorCreditChange);
}
