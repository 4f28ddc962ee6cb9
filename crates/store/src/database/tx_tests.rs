use super::placeholders;

#[test]
fn placeholders_number_the_values_row_after_row() {
    assert_eq!(placeholders(2, 4), "($1,$2),($3,$4)");
    assert_eq!(placeholders(1, 2), "($1),($2)");
    assert_eq!(placeholders(3, 3), "($1,$2,$3)");
}
