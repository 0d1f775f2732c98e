mod pictures;
mod properties;

use super::*;
use crate::trace::testing::{id, span, trace, tree};
