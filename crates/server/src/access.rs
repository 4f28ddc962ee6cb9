//! Who may call a route. Each line of the table says it with one of the words below, perhaps narrowed or widened:
//! `LOOK`, `MANAGE.admins()`, `MANAGE.admins().confirmed()`.

use domain::{Scope, UserRole};

/// The least that a caller must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Anybody who reaches the door.
    Public,
    /// A client with the set-up link, while the house has no owner. The handler checks it: it is in the body.
    Setup,
    /// Any person of the house, guests too.
    User,
    Member,
    Admin,
    Owner,
    /// The operator at the control socket; elsewhere the route does not exist.
    Operator,
}

impl Class {
    pub fn admits(self, role: UserRole) -> bool {
        match self {
            Self::Public | Self::Setup | Self::User => true,
            Self::Member => role != UserRole::Guest,
            Self::Admin => role.is_admin(),
            Self::Owner | Self::Operator => role == UserRole::Owner,
        }
    }
}

/// What a route asks of its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    pub class: Class,
    /// With a key, its scope must be one of these; none means that no key opens it, only a login.
    pub scopes: &'static [Scope],
    /// A login must have been confirmed within the last minutes.
    pub confirmed: bool,
    /// The key may also be the password of HTTP Basic, which is all that some programs can send.
    pub basic: bool,
    /// Through the control socket it may be called while the house has no owner.
    pub founding: bool,
    /// A client on the machine itself needs no proof, as long as no other machine can reach it.
    pub nearby: bool,
}

/// What anybody may call.
pub(crate) const OPEN: Access = with(Class::Public, &[]);
/// The first minute of a house.
pub(crate) const SETUP: Access = with(Class::Setup, &[]);
/// What a person does themself, with a login and never with a key.
pub(crate) const SELF: Access = with(Class::User, &[]);
/// What is done at the machine itself.
pub(crate) const OPERATOR: Access = with(Class::Operator, &[]);
/// What changes things beyond a conversation.
pub(crate) const MANAGE: Access = with(Class::Member, &[Scope::Full]);
/// What only looks.
pub(crate) const LOOK: Access = with(Class::Member, &[Scope::Full, Scope::Read]);
/// What looks at a conversation.
pub(crate) const LISTEN: Access = with(Class::User, &[Scope::Full, Scope::Read, Scope::Chat]);
/// What takes part in a conversation.
pub(crate) const TALK: Access = with(Class::User, &[Scope::Full, Scope::Chat]);

/// What takes part in a conversation for another person, or with no more than a password.
pub(crate) const CHAT: Access =
    Access { basic: true, ..with(Class::Member, &[Scope::Full, Scope::Chat, Scope::Bridge]) };

const fn with(class: Class, scopes: &'static [Scope]) -> Access {
    Access { class, scopes, confirmed: false, basic: false, founding: false, nearby: false }
}

impl Access {
    /// Guests may, too.
    pub(crate) const fn guests(self) -> Self {
        Self { class: Class::User, ..self }
    }

    /// Only admins and the owner may.
    pub(crate) const fn admins(self) -> Self {
        Self { class: Class::Admin, ..self }
    }

    pub(crate) const fn owner(self) -> Self {
        Self { class: Class::Owner, ..self }
    }

    pub(crate) const fn confirmed(self) -> Self {
        Self { confirmed: true, ..self }
    }

    pub(crate) const fn founding(self) -> Self {
        Self { founding: true, ..self }
    }

    pub(crate) const fn nearby(self) -> Self {
        Self { nearby: true, ..self }
    }

    /// Does it ask who is there?
    pub fn is_open(self) -> bool {
        matches!(self.class, Class::Public | Class::Setup)
    }
}
