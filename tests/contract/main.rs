//! The agreements of client and service, which neither can test alone.
//!
//! The rows of the endpoint table and of the error table are the service's own. Their
//! tests stand beside each route, and in `server/tests/` where a real connection is
//! needed.
//!
//! | agreement | module |
//! |---|---|
//! | both read headers alike | `bytes` |
//! | the client counts the requests that the service saw, and never comes early | `counts` |
//! | both catalogues list every span and metric, and no others | `names` |

mod bytes;
mod counts;
mod names;
