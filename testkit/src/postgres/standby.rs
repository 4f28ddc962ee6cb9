//! A second server that follows the first, and the name under which clients reach the one of them that counts.

use super::{Cluster, USER, output, path_text};
use std::io;

impl Cluster {
    /// As [`database`](Self::database), under a name that [`switch_name`](Self::switch_name) gives to the other server.
    pub fn named_database(&self) -> io::Result<String> {
        let url = self.database()?;
        let (socket, name) = (path_text(&self.folder)?.to_owned(), self.name()?);
        output(&["ln", "-sfn", &socket, &name])?;
        let escaped = |path: &str| path.replace('/', "%2F");
        Ok(url.replace(&escaped(&socket), &escaped(&name)))
    }

    /// Starts a server that has everything the first one has. From now on nothing is acknowledged that it lacks.
    pub fn follow(&self) -> io::Result<()> {
        let socket = path_text(&self.folder)?;
        let (home, data) = (format!("{socket}/standby"), format!("{socket}/standby/data"));
        output(&["mkdir", "-m", "700", &home])?;
        let copy = self.binary("pg_basebackup")?;
        output(&[&copy, "-h", socket, "-U", USER, "-D", &data, "-R", "-X", "stream", "-c", "fast"])?;
        let options = format!("{} -c unix_socket_directories={home}", self.settings);
        let (pg_ctl, log) = (self.binary("pg_ctl")?, format!("{home}/log"));
        output(&[&pg_ctl, "-D", &data, "-l", &log, "-o", &options, "-w", "-t", "60", "start"])?;
        let psql = self.binary("psql")?;
        let psql = [&psql, "-qAt", "-h", socket, "-U", USER, "-d", "postgres", "-c"];
        let ask = |sql: &str| output(&[psql.as_slice(), &[sql]].concat());
        ask("ALTER SYSTEM SET synchronous_standby_names = '*'")?;
        ask("SELECT pg_reload_conf()")?;
        let follows = "SELECT COUNT(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
        for _ in 0..600 {
            if ask(follows)? == "1" {
                return Ok(());
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        Err(io::Error::other("the second server does not follow"))
    }

    /// The name leads to the server that follows, which takes no changes yet.
    pub fn switch_name(&self) -> io::Result<()> {
        let standby = format!("{}/standby", path_text(&self.folder)?);
        output(&["ln", "-sfn", &standby, &self.name()?]).map(drop)
    }

    /// The server that follows takes changes from now on.
    pub fn promote(&self) -> io::Result<()> {
        let data = format!("{}/standby/data", path_text(&self.folder)?);
        let pg_ctl = self.binary("pg_ctl")?;
        output(&[&pg_ctl, "-D", &data, "-w", "-t", "60", "promote"]).map(drop)
    }

    fn name(&self) -> io::Result<String> {
        Ok(format!("{}/name", path_text(&self.folder)?))
    }
}
