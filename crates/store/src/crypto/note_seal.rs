//! Words that one node sends to another through the database: sealed with the key of the house, which every node has and no change
//! of the master key touches.

use crate::{Result, Vault, crypto::seal::CellPlace};
use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};

impl Vault {
    /// Seals words for one journey, which `journey` names: from whom, to whom, and the how-manieth. They open under no other.
    pub fn seal_note(&self, journey: &str, plain: &[u8]) -> Result<String> {
        Ok(STANDARD_NO_PAD.encode(self.seal(place(&journey), plain)?))
    }

    pub fn open_note(&self, journey: &str, sealed: &str) -> Result<Vec<u8>> {
        let place = place(&journey);
        let sealed = STANDARD_NO_PAD.decode(sealed).map_err(|_| place.refused())?;
        self.open(place, &sealed)
    }

    /// A name of the house that says nothing of it, the same at every node.
    pub(crate) fn house_mark(&self) -> String {
        let digest = self.digests().of("bus", &[]);
        digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }
}

fn place<'a>(journey: &'a &'a str) -> CellPlace<'a> {
    CellPlace::new("bus", "live", journey)
}
