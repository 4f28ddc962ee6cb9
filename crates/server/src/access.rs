//! Who may call a route.

use domain::Scope;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Anybody who reaches the door.
    Public,
    /// A person: by a key of one of these scopes, or through the control socket.
    User(&'static [Scope]),
    /// Only through the control socket; elsewhere the route does not exist.
    Operator,
    /// As `Operator`, and also while the house has no owner yet.
    Founder,
}

/// What changes things beyond a conversation.
pub(crate) const MANAGE: Access = Access::User(&[Scope::Full]);
/// What only looks.
pub(crate) const LOOK: Access = Access::User(&[Scope::Full, Scope::Read]);
/// What looks at a conversation.
pub(crate) const LISTEN: Access = Access::User(&[Scope::Full, Scope::Read, Scope::Chat]);
/// What takes part in a conversation.
pub(crate) const TALK: Access = Access::User(&[Scope::Full, Scope::Chat]);

impl Access {
    /// Does a route with this access exist at the TCP door?
    pub(crate) fn is_public_door(self) -> bool {
        matches!(self, Self::Public | Self::User(_))
    }
}
