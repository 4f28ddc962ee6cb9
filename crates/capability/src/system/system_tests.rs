use super::*;
use crate::{Registry, ability::read};

#[test]
fn every_file_is_a_process_of_the_house() {
    assert_eq!(all().len(), FILES.len());
    let registry = Registry::builtin().unwrap();
    for (stem, text) in FILES {
        let file = read(stem, text).unwrap();
        assert_eq!(file.warnings, Vec::<String>::new(), "{stem}");
        let name = if stem.starts_with('_') { stem.to_owned() } else { format!("_{stem}") };
        let view = registry.get(&name).unwrap_or_else(|| panic!("{name} is not there"));
        assert_eq!(view.info.source, CapabilitySource::System);
        assert!(!view.info.description.is_empty() && view.info.category.is_some());
    }
}
