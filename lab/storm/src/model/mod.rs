//! The model: a load of calls, a service with a capacity, an incident, and the services before
//! it, in a time that jumps from one event to the next.

pub(crate) mod chance;
pub(crate) mod layers;
pub(crate) mod load;
pub(crate) mod service;
pub(crate) mod timeline;
