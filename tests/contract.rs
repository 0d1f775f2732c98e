//! What client and service agree on, and neither could hold alone.
//!
//! The rows of the endpoint table and of the error table are the service's own: its
//! tests stand beside each route, and in `server/tests/` for what only a real
//! connection can show.
//!
//! | what is held | where |
//! |---|---|
//! | what both read, they read alike | `bytes` |
//! | the client counts what the service saw, and never comes early | `counts` |
//! | what both trace and count is in their catalogues, and all of it | `names` |

mod contract {
    mod bytes;
    mod counts;
    mod names;
}
