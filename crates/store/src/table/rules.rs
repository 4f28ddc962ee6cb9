//! The rules of the gate: those of one person, and those of the house.

use crate::{
    Page, Paged, Result, Tx, Vault, args,
    crypto::seal::{CellPlace, from_json, to_json},
    database::{page::one_more, row::row},
};
use domain::{Permission, Rule, RuleArguments, RuleId, RuleScope, SessionId, Subject, Timestamp, UserId};

row! {
    struct RuleRow {
        id: RuleId,
        user_id: Option<UserId>,
        subject: Subject,
        tool: String,
        action: Permission,
        scope: RuleScope,
        expires_at: Option<Timestamp>,
        created_at: Timestamp,
        arguments: Option<Vec<u8>>,
    }
}

const IN_TIME: &str = "(expires_at IS NULL OR expires_at > $2)";
const COLUMNS: &str = "id, user_id, subject, tool, action, scope, expires_at, created_at, arguments";

/// Binds the arguments to what they are permitted for: moved to another rule, they do not open.
fn place(row: &Bound) -> CellPlace<'_> {
    CellPlace::new("rules", "arguments", row)
}

struct Bound(String);

impl Bound {
    fn new(rule: &RuleId, subject: &Subject, tool: &str, action: Permission) -> Self {
        Self(format!("{rule}/{subject}/{tool}/{}", action.as_str()))
    }
}

impl std::fmt::Display for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl RuleRow {
    fn open(self, vault: &Vault) -> Result<Rule> {
        let bound = Bound::new(&self.id, &self.subject, &self.tool, self.action);
        let arguments: Option<RuleArguments> = match &self.arguments {
            Some(sealed) => Some(from_json(place(&bound), &vault.open(place(&bound), sealed)?)?),
            None => None,
        };
        Ok(Rule {
            id: self.id,
            user_id: self.user_id,
            subject: self.subject,
            tool: self.tool,
            action: self.action,
            scope: self.scope,
            arguments,
            expires_at: self.expires_at,
            created_at: self.created_at,
        })
    }
}

pub fn insert(tx: &mut Tx, vault: &Vault, rule: &Rule) -> Result<()> {
    let bound = Bound::new(&rule.id, &rule.subject, &rule.tool, rule.action);
    let arguments = match &rule.arguments {
        Some(arguments) => Some(vault.seal(place(&bound), &to_json(arguments)?)?),
        None => None,
    };
    let (session, agent) = match rule.subject {
        Subject::Session(id) => (Some(id), None),
        Subject::Agent(id) => (None, Some(id)),
        Subject::Everybody | Subject::User(_) => (None, None),
    };
    tx.run(
        "INSERT INTO rules (id, user_id, subject, session_id, agent_id, tool, action, scope, expires_at, created_at, \
         arguments) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        args![
            rule.id,
            rule.user_id,
            rule.subject,
            session,
            agent,
            rule.tool.as_str(),
            rule.action,
            rule.scope,
            rule.expires_at,
            rule.created_at,
            arguments
        ],
    )?;
    Ok(())
}

/// What counts for a call in one of these sessions of this person: their own rules and those of the house, and of those
/// for a session the ones for these. What is over is left out; who is meant, and what by, is for the gate to say.
pub fn for_call(
    tx: &mut Tx,
    vault: &Vault,
    user: UserId,
    sessions: &[SessionId],
    now: Timestamp,
) -> Result<Vec<Rule>> {
    let mut values = args![user, now];
    let mut places = Vec::with_capacity(sessions.len());
    for session in sessions {
        values.extend(args![*session]);
        places.push(format!("${}", values.len()));
    }
    let of_sessions = match places.as_slice() {
        [] => String::new(),
        some => format!(
            "UNION ALL SELECT {COLUMNS} FROM rules WHERE user_id = $1 AND session_id IN ({}) AND {IN_TIME} ",
            some.join(", ")
        ),
    };
    let sql = format!(
        "SELECT {COLUMNS} FROM rules WHERE user_id = $1 AND session_id IS NULL AND {IN_TIME} \
         UNION ALL SELECT {COLUMNS} FROM rules WHERE user_id IS NULL AND session_id IS NULL AND {IN_TIME} \
         {of_sessions}ORDER BY 1"
    );
    tx.all::<RuleRow>(&sql, values)?.into_iter().map(|row| row.open(vault)).collect()
}

/// How many rules a person has, or the house; those for single sessions are counted there.
pub fn count(tx: &mut Tx, user: Option<UserId>) -> Result<u64> {
    let of_person = "SELECT COUNT(*) FROM rules WHERE user_id = $1 AND session_id IS NULL";
    let of_house = "SELECT COUNT(*) FROM rules WHERE user_id IS NULL AND session_id IS NULL";
    match user {
        Some(user) => tx.one(of_person, args![user]),
        None => tx.one(of_house, args![]),
    }
}

/// How many rules are for this session alone.
pub fn count_in(tx: &mut Tx, session: SessionId) -> Result<u64> {
    tx.one("SELECT COUNT(*) FROM rules WHERE session_id = $1", args![session])
}

/// Makes room for one more rule for a session where there are `most` or more: of what is allowed there without being asked, the
/// oldest is asked about again. What was forbidden, or is to be asked about, stays.
pub fn make_room(tx: &mut Tx, session: SessionId, most: u64) -> Result<()> {
    let surplus = count_in(tx, session)?.saturating_add(1).saturating_sub(most);
    if surplus > 0 {
        let sql = "DELETE FROM rules WHERE id IN (SELECT id FROM rules WHERE session_id = $1 AND action = 'allow' \
                   ORDER BY id LIMIT $2)";
        tx.run(sql, args![session, surplus])?;
    }
    Ok(())
}

/// Forgets rules whose time is over. Says how many.
pub fn prune(tx: &mut Tx, now: Timestamp) -> Result<u64> {
    tx.run("DELETE FROM rules WHERE expires_at <= $1", args![now])
}

/// Their own and those of the house, the oldest first.
pub fn list(tx: &mut Tx, vault: &Vault, user: UserId, page: &Page) -> Result<Paged<Rule>> {
    let counted = "SELECT (SELECT COUNT(*) FROM rules WHERE user_id = $1) + (SELECT COUNT(*) FROM rules WHERE user_id IS NULL)";
    let total = tx.one(counted, args![user])?;
    let after: Option<RuleId> = page.cursor_as()?;
    let sql = format!(
        "SELECT {COLUMNS} FROM rules WHERE user_id = $1 AND ($2 IS NULL OR id > $2) \
         UNION ALL SELECT {COLUMNS} FROM rules WHERE user_id IS NULL AND ($2 IS NULL OR id > $2) ORDER BY 1 LIMIT $3"
    );
    let piece = tx.piece::<RuleRow>(&sql, args![user, after, one_more(page.limit)])?;
    Paged::from_piece(piece, page.limit, total, |row| row.id.to_string()).try_map(|row| row.open(vault))
}

pub fn get(tx: &mut Tx, vault: &Vault, id: RuleId) -> Result<Option<Rule>> {
    let sql = format!("SELECT {COLUMNS} FROM rules WHERE id = $1");
    tx.maybe::<RuleRow>(&sql, args![id])?.map(|row| row.open(vault)).transpose()
}

/// `false` when it is not there (any more).
pub fn delete(tx: &mut Tx, id: RuleId) -> Result<bool> {
    Ok(tx.run("DELETE FROM rules WHERE id = $1", args![id])? > 0)
}

/// Uses a rule up, in the transaction that begins the call it permits; `false` when another call was first.
pub fn spend(tx: &mut Tx, id: RuleId) -> Result<bool> {
    let sql = "DELETE FROM rules WHERE id = $1 AND scope = 'once'";
    Ok(tx.run(sql, args![id])? > 0)
}
