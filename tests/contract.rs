//! What client and service agree on, and neither could hold alone: the wire.
//!
//! | what is held | where |
//! |---|---|
//! | every row of the endpoint table, byte by byte | `endpoints` |
//! | every row of the error table, and what all responses share | `errors` |
//! | the client counts what the service saw, and never comes early | `counts` |
//! | what both trace and count is in their catalogues, and all of it | `names` |

mod contract {
    mod counts;
    mod endpoints;
    mod errors;
    mod names;
    mod wire;
}
