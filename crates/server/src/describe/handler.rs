//! A handler's types, all of them.

use super::{gives::Gives, shape::Shape, takes::Takes};

/// A function whose arguments and result can be described. `I` and `O` only tell the implementations apart.
#[diagnostic::on_unimplemented(
    message = "this handler cannot be described",
    note = "derive `JsonSchema` for what it takes and gives; for a new kind of argument or result implement `Takes` or `Gives`"
)]
pub(crate) trait Described<I, O> {
    fn describe(shape: &mut Shape<'_>);
}

macro_rules! described {
    ($($argument:ident),*) => {
        impl<F, R, $($argument),*> Described<($($argument,)*), R::Output> for F
        where
            F: Fn($($argument),*) -> R,
            R: Future,
            R::Output: Gives,
            $($argument: Takes),*
        {
            fn describe(shape: &mut Shape<'_>) {
                $($argument::describe(shape);)*
                <R::Output as Gives>::describe(shape);
            }
        }
    };
}

described!();
described!(A);
described!(A, B);
described!(A, B, C);
described!(A, B, C, D);
described!(A, B, C, D, E);
described!(A, B, C, D, E, G);
described!(A, B, C, D, E, G, H);
described!(A, B, C, D, E, G, H, J);
