//! Hostile PDFs.

use crate::{
    make::{pages_of, pdf, spaces},
    weigh::{alone, weighed},
};
use flate2::{Compression, write::ZlibEncoder};
use std::io::Write;

fn five_hundred() -> Vec<String> {
    let kids: String = (0..500).map(|number| format!("{} 0 R ", 4 + number * 2)).collect();
    pages_of(500, &kids)
}

#[test]
fn five_hundred_pages_are_read_also_without_a_list() {
    let _alone = alone();
    for broken in [false, true] {
        let document = weighed(&pdf(&five_hundred(), broken), "long.pdf").unwrap();
        assert_eq!(document.parts.len(), 500);
        assert_eq!(document.parts[499].text, "Words of page 499");
        assert_eq!(document.parts[499].title.as_deref(), Some("Page 500"));
    }
}

#[test]
fn a_tree_of_pages_that_leads_back_ends() {
    let _alone = alone();
    let mut objects = pages_of(1, "4 0 R 2 0 R 6 0 R 4 0 R");
    objects.push("<</Type/Pages/Kids[2 0 R 6 0 R 4 0 R]/Parent 6 0 R>>".to_owned());
    assert_eq!(weighed(&pdf(&objects, false), "cycle.pdf").unwrap().parts.len(), 1);
    // Objects that are only each other, and a form that shows itself.
    let mut objects = pages_of(1, "4 0 R");
    objects[2] = "3 0 R".to_owned();
    objects[4] = "<</Length 6 0 R>>\nstream\n/X Do\nendstream".to_owned();
    objects.push("7 0 R".to_owned());
    objects.push("6 0 R".to_owned());
    assert!(weighed(&pdf(&objects, false), "self.pdf").is_err());
    let mut objects = pages_of(1, "4 0 R");
    objects[1] = objects[1].replace("/Font", "/XObject<</X 6 0 R>>/Font");
    objects[4] = "<</Length 5>>\nstream\n/X Do\nendstream".to_owned();
    let content = "/X Do /X Do /X Do /X Do /X Do /X Do /X Do /X Do BT /F1 9 Tf (again) Tj ET";
    objects.push(format!(
        "<</Type/XObject/Subtype/Form/Length {}>>\nstream\n{content}\nendstream",
        content.len()
    ));
    let document = weighed(&pdf(&objects, false), "form.pdf").unwrap();
    assert!(document.cut && document.chars() <= 4 << 20, "eight to the twelfth forms are cut");
}

/// Packed content, packed twice, packed lists of objects: none unpacks beyond its bound.
#[test]
fn packed_streams_of_a_pdf_are_bounded() {
    let _alone = alone();
    let once = spaces(2_000, true);
    let twice = {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&once).unwrap();
        encoder.finish().unwrap()
    };
    for (packed, filter) in [
        (&once, "/FlateDecode"),
        (&twice, "[/FlateDecode/FlateDecode]"),
        (&once, "[/FlateDecode/LZWDecode]"),
        (&once, "[/FlateDecode/RunLengthDecode]"),
    ] {
        for dict in ["", "/Type/ObjStm/N 1000000/First 10", "/Type/XRef/W[1 1 1]/Size 100000000/Root 1 0 R"] {
            let mut file = pdf(&pages_of(1, "4 0 R"), true);
            let at = file.len();
            file.extend(
                format!("\n9 0 obj\n<<{dict}/Length {}/Filter {filter}>>\nstream\n", packed.len()).bytes(),
            );
            file.extend(packed.iter());
            file.extend(format!("\nendstream\nendobj\nstartxref\n{}\n%%EOF", at + 1).bytes());
            let document = weighed(&file, "packed.pdf");
            assert!(
                document.is_ok_and(|document| document.parts[0].text == "Words of page 0"),
                "{filter} {dict}"
            );
        }
    }
}
