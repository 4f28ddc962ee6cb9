//! Money that was held back when everything was cut off.

use crate::{Trap, world::World};
use domain::Budget;
use fail::FailScenario;
use testkit::model::Reply;

/// What the one answer costs: a hundred tokens read, ten written.
const REAL: u64 = 200;

/// HOUSE-12
#[tokio::test]
async fn no_less_than_was_spent_and_no_more_than_that_and_what_was_under_way() {
    let scenario = FailScenario::setup();
    for (point, held) in [("reserve_before_commit", false), ("reserve_after_commit", true)] {
        let budget = Budget { per_day_microusd: Some(1_000_000), ..Budget::NONE };
        let mut world = World::with(|setup| setup.settings.budget.default = budget).await;
        world.model.respond(|_| Reply::text("Soup.").usage(100, 10, 0));
        let trap = Trap::set(point, 1);
        let accepted = world.post("What is for dinner?").await;
        trap.sprung().await;
        trap.disarm();
        world.crash().await;
        let events = world.ended(accepted).await;
        assert_eq!(crate::shown(&events).last().unwrap(), "turn_ended completed", "{point}");
        assert_eq!(world.model.requests().len(), 1, "{point}: the dead one had not asked");
        let left = world.engine().budget_left(world.user).await.unwrap();
        assert_eq!(left.reserved_microusd, 0, "{point}");
        match held {
            false => assert_eq!(left.spent_microusd, REAL, "{point}"),
            true => assert!((REAL + 81_920..REAL + 90_000).contains(&left.spent_microusd), "{left:?}"),
        }
        world.check(&["What is for dinner?"]).await;
    }
    scenario.teardown();
}
