//! The names that a listing has for its parameters and members.

use std::collections::BTreeSet;

use crate::error::ConfigError;

/// The names that the service uses for the parameters and the members of a listing.
///
/// ```
/// use reliable_api_client::{ApiClient, ListingNames};
///
/// let names = ListingNames::new().limit("per_page").items("data").next_cursor("next");
/// let client = ApiClient::builder("https://api.example.com").listing_names(names).build()?;
/// # Ok::<(), reliable_api_client::ConfigError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListingNames {
    pub(crate) limit: &'static str,
    pub(crate) cursor: &'static str,
    pub(crate) items: &'static str,
    pub(crate) next_cursor: &'static str,
}

impl ListingNames {
    /// The parameters `limit` and `cursor`, the members `items` and `next_cursor`.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            limit: "limit",
            cursor: "cursor",
            items: "items",
            next_cursor: "next_cursor",
        }
    }

    /// The parameter of the query with the number of items to request.
    #[must_use]
    pub const fn limit(mut self, name: &'static str) -> Self {
        self.limit = name;
        self
    }

    /// The parameter of the query with the cursor.
    #[must_use]
    pub const fn cursor(mut self, name: &'static str) -> Self {
        self.cursor = name;
        self
    }

    /// The member of a page with its items.
    #[must_use]
    pub const fn items(mut self, name: &'static str) -> Self {
        self.items = name;
        self
    }

    /// The member of a page with the cursor of the next page.
    #[must_use]
    pub const fn next_cursor(mut self, name: &'static str) -> Self {
        self.next_cursor = name;
        self
    }

    /// The rule that no name is empty, and that a name means one thing.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        for pair in [[self.limit, self.cursor], [self.items, self.next_cursor]] {
            let names = BTreeSet::from(pair);
            if names.len() < pair.len() || names.contains("") {
                return Err(ConfigError::ListingNames { names: pair });
            }
        }
        Ok(())
    }
}

impl Default for ListingNames {
    fn default() -> Self {
        Self::new()
    }
}
