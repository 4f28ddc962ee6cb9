use super::*;

fn symbol(section: char, name: &str) -> Symbol {
    Symbol::parse(&format!("0000000000001000 0000000000000010 {section} {name}")).unwrap()
}

#[test]
fn a_symbol_belongs_to_the_first_crate_that_is_not_the_librarys() {
    for (name, owner) in [
        ("engine::worker::run", "engine"),
        ("<engine::Error as core::fmt::Display>::fmt", "engine"),
        ("core::ptr::drop_in_place<alloc::vec::Vec<domain::event::Event>>", "domain"),
        ("<alloc::vec::Vec<T> as serde_core::ser::Serialize>::serialize", "serde_core"),
        ("alloc::raw_vec::RawVec<T,A>::grow_one", "(Rust's library)"),
        ("sqlite3VdbeExec", "(sqlite3)"),
        ("ecp_nistz256_precomputed", "(C, assembly, constants)"),
        ("<&mut serde_json::de::Deserializer<R> as serde::Deserializer>::deserialize_any", "serde_json"),
    ] {
        assert_eq!(symbol('t', name).owner(), owner, "{name}");
    }
}

#[test]
fn the_kind_of_a_symbol_is_read_off_its_name() {
    for (section, name, kind) in [
        ('t', "core::ptr::drop_in_place<engine::Engine>", "drop glue"),
        ('T', "server::route::agents::create::create::{{closure}}", "closures and async bodies"),
        ('t', "domain::event::_::<impl serde_core::ser::Serialize for domain::Event>::serialize", "serde"),
        (
            't',
            "domain::event::_::<impl schemars::JsonSchema for domain::Event>::json_schema",
            "schemas of the API",
        ),
        ('t', "sqlite3Select", "C and assembly"),
        ('r', "chrono_tz::TIMEZONES", "data"),
        ('t', "engine::Engine::new", "functions"),
    ] {
        assert_eq!(symbol(section, name).kind(), kind, "{name}");
    }
}

#[test]
fn copies_of_one_function_have_one_name() {
    for name in ["tokio::task::spawn<engine::A>", "tokio::task::spawn<fn(u8) -> engine::B<u8>>"] {
        assert_eq!(symbol('t', name).plain_name(), "tokio::task::spawn");
    }
}

#[test]
fn what_is_not_loaded_does_not_count() {
    let table = "program  :\nsection  size  addr\n.text  100  4096\n.bss  900  9000\n.comment  50  0\n.rodata  200  5000\nTotal  1250\n";
    assert_eq!(sections(table), [(".rodata".to_owned(), 200), (".text".to_owned(), 100)]);
}

#[test]
fn lines_that_are_no_symbols_are_passed_over() {
    for line in ["", "                 U malloc", "0000000000001000 0000000000000010 B engine::STATE"] {
        assert!(Symbol::parse(line).is_none(), "{line}");
    }
}
