use super::*;

#[test]
fn the_limit_of_open_files_is_read_from_its_line() {
    let table = "Limit      Soft Limit   Hard Limit   Units\nMax processes  10 20 processes\n\
                 Max open files            1024                 524288               files\n";
    assert_eq!(soft_limit(table), Some(1_024));
    assert_eq!(soft_limit("Max open files  unlimited unlimited files"), Some(u64::MAX));
    assert_eq!(soft_limit("nothing of the kind"), None);
}
