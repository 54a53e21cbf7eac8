//! Reads and writes at computed places.

mod gather;
mod one_hot;
mod scatter;
mod select;

pub use gather::ROWS as GATHER;
pub use one_hot::ROWS as ONE_HOT;
pub use scatter::ROWS as SCATTER;
pub use select::ROWS as SELECT;
