use super::*;

const CHEAP: u32 = 64;

#[tokio::test]
async fn a_password_fits_its_own_hash_only() {
    let passwords = Passwords::new(CHEAP);
    let hash = passwords.hash("correct horse".to_owned()).await.unwrap();
    assert!(hash.starts_with("$argon2id$v=19$m=64,t=3,p=1$"), "{hash}");
    for (password, fits) in [("correct horse", true), ("correct horsf", false), ("", false)] {
        assert_eq!(
            passwords.verify(password.to_owned(), Some(hash.clone())).await.unwrap(),
            fits,
            "{password}"
        );
    }
    assert!(!passwords.verify("x".repeat(1_001), Some(hash)).await.unwrap());
}

#[tokio::test]
async fn nobodys_hash_is_one_that_is_really_checked() {
    let passwords = Passwords::new(CHEAP);
    let nobodys = passwords.nobodys();
    argon2::PasswordHash::new(&nobodys).unwrap();
    let (before, refused) =
        (passwords.operations(), passwords.verify("correct horse".to_owned(), None).await);
    assert_eq!((refused.unwrap(), passwords.operations() - before), (false, 1));
}

#[tokio::test]
async fn passwords_are_neither_short_nor_endless() {
    let passwords = Passwords::new(CHEAP);
    for bad in ["1234567", &"x".repeat(1_001)] {
        let refused = passwords.hash(bad.to_owned()).await.unwrap_err();
        assert!(matches!(refused, Error::Invalid { code: "bad_password", .. }), "{refused:?}");
    }
    assert_eq!(passwords.operations(), 0);
    passwords.hash("pässwörd".to_owned()).await.unwrap();
}

#[tokio::test]
async fn a_flood_waits_in_a_short_line() {
    let passwords = std::sync::Arc::new(Passwords::new(CHEAP));
    let held = passwords.places.acquire_many(2).await.unwrap();
    let ask = || {
        let passwords = passwords.clone();
        tokio::spawn(async move { passwords.verify("correct horse".to_owned(), None).await })
    };
    let asked: Vec<_> = (0..IN_LINE + 8).map(|_| ask()).collect();
    while passwords.line.available_permits() > 0 {
        tokio::task::yield_now().await;
    }
    // Those who are known have a line of their own then: the person who is in, and the one who chooses a password.
    let known = {
        let (one, other) = (passwords.clone(), passwords.clone());
        let verified = async move { one.verify_known("correct horse".to_owned(), None).await.map(drop) };
        let hashed = async move { other.hash("correct horse".to_owned()).await.map(drop) };
        tokio::spawn(async move { tokio::join!(verified, hashed) })
    };
    while passwords.known_line.available_permits() > KNOWN_IN_LINE - 2 {
        tokio::task::yield_now().await;
    }
    drop(held);
    assert!(matches!(known.await.unwrap(), (Ok(()), Ok(()))));
    let (mut served, mut sent_away) = (0, 0);
    for outcome in asked {
        match outcome.await.unwrap() {
            Ok(_) => served += 1,
            Err(Error::TooMany { code: "too_many_logins", .. }) => sent_away += 1,
            Err(other) => panic!("{other:?}"),
        }
    }
    assert_eq!((served, sent_away), (IN_LINE, 8));
}
