//! What the reader has solved, kept in `.warpbook/` of the checkout.
