//! The URLs of a client's endpoints, each joined once.

use std::{
    collections::HashMap,
    sync::{PoisonError, RwLock},
};

use url::Url;

use crate::{endpoint::Endpoint, error::ConfigError, target::Target};

/// The base URL of a client, and the URLs of its endpoints below it.
pub(crate) struct EndpointUrls {
    pub(crate) base: Url,
    /// By template, of endpoints without parameters. Joining two URLs parses the second one,
    /// which costs more than a copy. A program has a fixed number of endpoints.
    joined: RwLock<HashMap<&'static str, Url>>,
}

impl EndpointUrls {
    pub(crate) fn below(base: Url) -> Self {
        Self {
            base,
            joined: RwLock::default(),
        }
    }

    /// The URL of a target. Fails if its values do not fit the template.
    pub(crate) fn url(&self, target: &Target) -> Result<Url, ConfigError> {
        if target.has_path_values() {
            return target.url(&self.base);
        }
        let mut url = self.joined(target.endpoint())?;
        target.add_query_to(&mut url);
        Ok(url)
    }

    fn joined(&self, endpoint: Endpoint) -> Result<Url, ConfigError> {
        let template = endpoint.template();
        let known = self.joined.read();
        if let Some(url) = known.unwrap_or_else(PoisonError::into_inner).get(template) {
            return Ok(url.clone());
        }
        let url = Target::from(endpoint).url(&self.base)?;
        let known = self.joined.write();
        known
            .unwrap_or_else(PoisonError::into_inner)
            .insert(template, url.clone());
        Ok(url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDERS: Endpoint = Endpoint::new("orders", "/orders");
    const ORDER: Endpoint = Endpoint::new("order", "/orders/{id}");
    const STOCK: Endpoint = Endpoint::new("stock", "/stock");

    #[test]
    fn a_url_is_the_same_each_time_and_belongs_to_its_target_alone() {
        let base = Url::parse("http://service.test/v1/").expect("a URL");
        let urls = EndpointUrls::below(base.clone());
        let targets = [
            ORDERS.into(),
            ORDERS.query("open", true),
            ORDERS.into(),
            ORDERS.query("open", false),
            ORDER.path("id", 1).query("open", true),
            ORDER.path("id", 2),
            // Without a value, it has no URL.
            ORDER.into(),
            ORDER.into(),
            STOCK.into(),
        ];

        for target in targets {
            assert_eq!(urls.url(&target).ok(), target.url(&base).ok(), "{target:?}");
        }
    }
}
