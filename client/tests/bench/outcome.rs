//! The error that a test expects, or the story of what came instead.

use std::fmt::Debug;

use client::{ApiError, ApiHttpError, ApiTransportError, ContractError, ResponseProblem};

macro_rules! expect_class {
    ($(#[$doc:meta])* $name:ident: $variant:ident($error:ident) => $take:expr, $kind:ty) => {
        $(#[$doc])*
        #[track_caller]
        pub fn $name<T: Debug>(result: Result<T, ApiError>) -> $kind {
            match result {
                Err(ApiError::$variant($error)) => $take,
                other => panic!("{} was expected, not {other:?}", stringify!($variant)),
            }
        }
    };
}

expect_class! {
    /// The error of a response without a success status.
    http_error: Http(error) => error, ApiHttpError
}
expect_class! {
    /// The problem of a success.
    response_problem: Response(error) => error.problem, ResponseProblem
}
expect_class! {
    /// The error of a request without a complete response.
    transport_error: Transport(error) => error, ApiTransportError
}
expect_class! {
    /// The error of a listing.
    contract_error: Contract(error) => error, ContractError
}
