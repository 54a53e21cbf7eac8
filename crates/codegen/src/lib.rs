//! Machine code for tensor processing primitives.
