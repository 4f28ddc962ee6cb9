//! Packages for a script, brought by the real `uv` in the cage: from a wheel that lies among the files, so that nobody outside has to
//! be asked.

use crate::world::run;
use sandbox::process::{Exit, ProcessOutcome, Spec};
use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    time::Duration,
};

/// What `scripts/setup-test.sh` has put there, or what the machine has.
fn uv() -> Option<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/uv/bin/uv");
    [own, "/usr/local/bin/uv".into(), "/usr/bin/uv".into()].into_iter().find(|path| path.exists())
}

/// A package of one module.
const WHEEL: &str = r#"
import os, zipfile
os.mkdir("wheels")
about = "tiny_greeting-1.0.dist-info"
files = {
    "tiny_greeting.py": "def hello(): return 'hello from a wheel'\n",
    f"{about}/METADATA": "Metadata-Version: 2.1\nName: tiny-greeting\nVersion: 1.0\n",
    f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
}
files[f"{about}/RECORD"] = "".join(f"{name},,\n" for name in [*files, f"{about}/RECORD"])
with zipfile.ZipFile("wheels/tiny_greeting-1.0-py3-none-any.whl", "w") as wheel:
    for name, text in files.items(): wheel.writestr(name, text)
"#;

/// As `run_python` calls it, but with the wheel in the place of the index.
const LINE: &str = "python3 -c \"$WHEEL\" </dev/null && exec env UV_CACHE_DIR=/tmp/uv UV_PYTHON_DOWNLOADS=never UV_OFFLINE=1 UV_NO_INDEX=1 \
    UV_FIND_LINKS=wheels uv run --quiet -";

/// The program is copied to where everybody can read it: the folder of the project may be somebody's own.
async fn with_packages(uv: &Path, script: &str) -> ProcessOutcome {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::copy(uv, folder.path().join("uv")).unwrap();
    let mut spec = Spec::shell(LINE);
    for (name, value) in &mut spec.environment {
        if name == "PATH" {
            value.insert_str(0, &format!("{}:", folder.path().display()));
        }
    }
    spec.environment.push(("WHEEL".to_owned(), WHEEL.to_owned()));
    spec.readable = vec![folder.path().to_owned()];
    spec.input = script.as_bytes().to_vec();
    (spec.limits.wall, spec.limits.cpu) = (Duration::from_secs(120), Duration::from_secs(120));
    run(spec).await
}

#[tokio::test]
async fn packages_are_there_for_the_script_and_nobody_outside_is_asked() {
    let Some(uv) = uv() else {
        return testkit::left_out(
            "packages of Python scripts: there is no uv, which scripts/setup-test.sh brings",
        );
    };
    let script = "import tiny_greeting; print(tiny_greeting.hello())";
    let told =
        with_packages(&uv, &format!("# /// script\n# dependencies = [\"tiny-greeting\"]\n# ///\n{script}"))
            .await;
    assert_eq!(
        (told.exit, told.output.text().as_str()),
        (Exit::Code(0), "hello from a wheel\n"),
        "{}",
        told.errors.text()
    );
    // The control: who asks for nothing has nothing.
    let told = with_packages(&uv, script).await;
    assert!(told.errors.text().contains("ModuleNotFoundError"), "{}", told.errors.text());
    let told = with_packages(&uv, "# /// script\n# dependencies = [\"no-such-package\"]\n# ///\n").await;
    assert!(matches!(told.exit, Exit::Code(code) if code != 0), "{told:?}");
    assert!(told.errors.text().contains("no-such-package"), "{}", told.errors.text());
}
