use crate::{json::Json, lists::List};
use provider::{VendorChoice, vendor_choices};

pub(crate) async fn vendors() -> Json<List<VendorChoice>> {
    List::whole(vendor_choices())
}
