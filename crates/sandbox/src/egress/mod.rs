//! The only way out for tools.
//!
//! One parser reads an address ([`Target`]), one place says which addresses are out of bounds ([`address`]), one place
//! resolves and looks at every answer (`resolve`), and one place opens connections, to exactly what was looked at
//! (`connect`). A redirect is a new target and goes through all of it again.
//!
//! **Invariant:** a connection is only ever opened to an address that [`address::class`] was asked about for this very
//! hop. There is no second resolution, no pool that outlives its policy, no proxy variable, no cookie.

pub mod address;
mod answer;
mod body;
mod connect;
mod exchange;
mod fetch_with_redirects;
mod host_list;
mod name;
mod policy;
pub mod proxy;
mod request;
mod resolve;
mod target;
mod unpack;

pub use answer::EgressResponse;
pub use body::{BodyEnd, ResponseBody, WholeBody};
pub use connect::{Dialer, SystemDialer};
pub use fetch_with_redirects::Egress;
pub use host_list::{HostList, HostPattern};
pub use policy::{Limits, Policy, Ports, PrivateHost};
pub use request::{Method, Request};
pub use resolve::{Resolver, SystemResolver};
pub use target::Target;
