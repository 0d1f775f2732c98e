mod pictures;
mod properties;

use evidence::trace::testing::{id, span, trace, tree};

use super::*;
