//! The grammar of expressions: text to a syntax tree without meaning. The terms of heuristic files and the conditions
//! of campaigns share it. It must not know which names there are.

mod parser;
mod syntax;

pub use parser::{ExpressionError, KEYWORDS, parse};
pub use syntax::{Argument, Binary, Syntax, SyntaxKind, Unary, power, truth};
