//! The declaration of table rows. [`row!`](crate::row) declares the type of a row from one list of fields with
//! their meanings and units. The writer, the reader, the description in the files and the page `docs/tables.md`
//! are derived from it. This module must not know how tables are stored.

use std::sync::Arc;

/// The type of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// Whole numbers below 2^32.
    U32,
    /// Whole numbers below 2^64.
    U64,
    /// Floating-point numbers of 64 bits.
    F64,
    /// Text.
    Text,
    /// True or false.
    Boolean,
}

impl ValueType {
    /// Name of the type in the documentation.
    pub fn name(self) -> &'static str {
        match self {
            ValueType::U32 => "u32",
            ValueType::U64 => "u64",
            ValueType::F64 => "f64",
            ValueType::Text => "text",
            ValueType::Boolean => "boolean",
        }
    }
}

/// The declaration of a column, or of one column for each of several names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnInfo {
    /// Name of the column. A part in angle brackets is replaced by each of the names, as in
    /// `center_<parameter>`.
    pub name: &'static str,
    /// The type of its values.
    pub kind: ValueType,
    /// The unit of its values; empty if there is no unit.
    pub unit: &'static str,
    /// The meaning of its values: the doc comment of the field.
    meaning: &'static str,
}

impl ColumnInfo {
    /// Creates a declaration, for [`row!`](crate::row).
    #[doc(hidden)]
    pub const fn new(
        name: &'static str,
        kind: ValueType,
        unit: &'static str,
        meaning: &'static str,
    ) -> Self {
        ColumnInfo {
            name,
            kind,
            unit,
            meaning,
        }
    }

    /// The meaning of its values.
    pub fn meaning(&self) -> &'static str {
        self.meaning.trim_start()
    }

    /// The parts of its name before and after the angle brackets; `None` if it has no angle brackets.
    fn around(&self) -> Option<[&'static str; 2]> {
        let (before, rest) = self.name.split_once('<')?;
        Some([before, rest.split_once('>').map_or("", |(_, after)| after)])
    }

    /// Name of the column for one of the names.
    fn of(&self, name: &str) -> String {
        let [before, after] = self.around().unwrap_or([self.name, ""]);
        format!("{before}{name}{after}")
    }
}

/// Makes the names of columns unique. A name gets the suffix `_` if it equals the name of another column, or if
/// it has the form of a column that is derived from a name. The suffix is also added to such a name that
/// already ends with `_`. The resulting column names are always different.
#[doc(hidden)]
pub fn column_names(names: &[&str], columns: &[ColumnInfo]) -> Vec<String> {
    let column = |name: &&str| {
        if is_taken(name, columns) {
            format!("{name}_")
        } else {
            (*name).to_owned()
        }
    };
    names.iter().map(column).collect()
}

/// The name to which a column belongs: the inverse of [`column_names`].
pub fn name_of_column<'a>(column: &'a str, columns: &[ColumnInfo]) -> &'a str {
    if is_taken(column, columns) {
        column.strip_suffix('_').unwrap_or(column)
    } else {
        column
    }
}

/// True if the name, without trailing `_`, is the name of another column.
fn is_taken(name: &str, columns: &[ColumnInfo]) -> bool {
    // If all derived columns have a prefix or suffix, no column name can equal a plain name.
    let around = || columns.iter().map(ColumnInfo::around);
    if !around().any(|around| around == Some(["", ""])) {
        return false;
    }
    let base = name.trim_end_matches('_');
    let is_it = |info: &ColumnInfo| match info.around() {
        None => info.name == base,
        Some(["", ""]) => false,
        Some([before, after]) => base.starts_with(before) && base.ends_with(after),
    };
    columns.iter().any(is_it)
}

/// The values of a column.
#[derive(Clone, Debug)]
pub enum Values {
    /// Values of [`ValueType::U32`].
    U32(Vec<u32>),
    /// Values of [`ValueType::U64`].
    U64(Vec<u64>),
    /// Values of [`ValueType::F64`].
    F64(Vec<f64>),
    /// Values of [`ValueType::Text`].
    Text(Vec<Arc<str>>),
    /// Values of [`ValueType::Boolean`].
    Boolean(Vec<bool>),
}

/// Floating-point values are equal if they are bit-identical.
impl PartialEq for Values {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Values::U32(one), Values::U32(other)) => one == other,
            (Values::U64(one), Values::U64(other)) => one == other,
            (Values::F64(one), Values::F64(other)) => {
                let bits = |value: &f64| value.to_bits();
                one.iter().map(bits).eq(other.iter().map(bits))
            }
            (Values::Text(one), Values::Text(other)) => one == other,
            (Values::Boolean(one), Values::Boolean(other)) => one == other,
            _ => false,
        }
    }
}

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its declaration.
    pub info: &'static ColumnInfo,
    /// One value for each row.
    pub values: Values,
}

/// A table from which rows are read.
pub trait RowSource {
    /// The error of a column that cannot be read.
    type Error;

    /// Number of rows.
    fn height(&self) -> usize;

    /// True if the table has a column with this name.
    fn has(&self, name: &str) -> bool;

    /// The values of a column, one for each row.
    ///
    /// # Errors
    /// If there is no column with this name and type.
    fn values(&self, name: &str, kind: ValueType) -> Result<Values, Self::Error>;
}

/// A row type that [`row!`](crate::row) has declared.
pub trait Row: Sized {
    /// The declared columns, in order.
    const COLUMNS: &'static [ColumnInfo];

    /// Converts rows to columns. `names` replace the parts in angle brackets.
    fn columns(rows: &[Self], names: &[&str]) -> Vec<Column>;

    /// Reads rows from a table.
    ///
    /// # Errors
    /// If a column is missing.
    fn read<From: RowSource>(source: &From, names: &[&str]) -> Result<Vec<Self>, From::Error>;
}

/// A field of a row: one column, an optional column, or one column for each name.
pub trait Field: Sized {
    /// The type of its values.
    const KIND: ValueType;

    /// Adds its columns to `to`, with the field of each row.
    fn write(info: &'static ColumnInfo, fields: &[&Self], names: &[&str], to: &mut Vec<Column>);

    /// Reads the field of each row.
    ///
    /// # Errors
    /// If a column is missing.
    fn read<From: RowSource>(
        info: &'static ColumnInfo,
        names: &[&str],
        source: &From,
    ) -> Result<Vec<Self>, From::Error>;
}

/// A type of column values.
pub trait ColumnValue: Clone {
    /// The column type.
    const KIND: ValueType;

    /// Converts values to a column.
    fn pack(values: Vec<Self>) -> Values;

    /// Converts a column to values; empty if the column has another type.
    fn unpack(values: Values) -> Vec<Self>;
}

macro_rules! value {
    ($($Type:ty = $Kind:ident),*) => {$(
        impl ColumnValue for $Type {
            const KIND: ValueType = ValueType::$Kind;

            fn pack(values: Vec<Self>) -> Values {
                Values::$Kind(values)
            }

            fn unpack(values: Values) -> Vec<Self> {
                match values {
                    Values::$Kind(values) => values,
                    _ => Vec::new(),
                }
            }
        }

        impl Field for $Type {
            const KIND: ValueType = ValueType::$Kind;

            fn write(info: &'static ColumnInfo, fields: &[&Self], _: &[&str], to: &mut Vec<Column>) {
                let values = fields.iter().map(|&field| field.clone()).collect();
                let (name, values) = (info.name.to_owned(), Values::$Kind(values));
                to.push(Column { name, info, values });
            }

            fn read<From: RowSource>(
                info: &'static ColumnInfo,
                _: &[&str],
                source: &From,
            ) -> Result<Vec<Self>, From::Error> {
                Ok(<$Type>::unpack(source.values(info.name, ValueType::$Kind)?))
            }
        }
    )*};
}

value!(u32 = U32, u64 = U64, f64 = F64, Arc<str> = Text, bool = Boolean);

/// An optional column: a table has it if its rows have a value. Either all rows have one, or none.
impl<T: ColumnValue + Field> Field for Option<T> {
    const KIND: ValueType = <T as ColumnValue>::KIND;

    fn write(info: &'static ColumnInfo, fields: &[&Self], names: &[&str], to: &mut Vec<Column>) {
        let fields: Vec<&T> = fields.iter().filter_map(|field| field.as_ref()).collect();
        if !fields.is_empty() {
            T::write(info, &fields, names, to);
        }
    }

    fn read<From: RowSource>(
        info: &'static ColumnInfo,
        names: &[&str],
        source: &From,
    ) -> Result<Vec<Self>, From::Error> {
        if !source.has(info.name) {
            return Ok(vec![None; source.height()]);
        }
        let values = T::read(info, names, source)?;
        Ok(values.into_iter().map(Some).collect())
    }
}

/// One column for each of the names, in their order.
impl<T: ColumnValue> Field for Vec<T> {
    const KIND: ValueType = <T as ColumnValue>::KIND;

    fn write(info: &'static ColumnInfo, fields: &[&Self], names: &[&str], to: &mut Vec<Column>) {
        for (index, name) in names.iter().enumerate() {
            let values = fields.iter().map(|field| field[index].clone()).collect();
            let (name, values) = (info.of(name), T::pack(values));
            to.push(Column { name, info, values });
        }
    }

    fn read<From: RowSource>(
        info: &'static ColumnInfo,
        names: &[&str],
        source: &From,
    ) -> Result<Vec<Self>, From::Error> {
        let mut fields = vec![Vec::with_capacity(names.len()); source.height()];
        for name in names {
            let values = T::unpack(source.values(&info.of(name), <T as ColumnValue>::KIND)?);
            for (field, value) in fields.iter_mut().zip(values) {
                field.push(value);
            }
        }
        Ok(fields)
    }
}

/// Declares a row type: a struct whose fields are the columns of a table, in order. The doc comment of a field
/// is the meaning of its column, and the text after `=>` is its unit. A field of type `Option` is a column that
/// only some tables have. A field of type `Vec` has one column for each parameter (or other name); the name of
/// the columns is in parentheses. Columns after `also` are written but not read, because they are computed from
/// the fields. Fields after `beside` are not columns; they are stored in another table.
///
/// ```ignore
/// row! {
///     /// A candidate.
///     #[derive(Clone, Debug)]
///     pub struct CandidateRow {
///         /// Value of the objective over the candidate's games; larger is better.
///         fitness: f64 => "of the objective",
///         /// Value of the parameter.
///         values ("<parameter>"): Vec<f64> => "of the parameter",
///     }
///     also {
///         /// The same value as the bits of its 64-bit floating-point number.
///         "<parameter>_bits": Vec<u64> = |row| row.values.iter().map(|value| value.to_bits()).collect(),
///     }
/// }
/// ```
#[macro_export]
macro_rules! row {
    (
        $(#[$attribute:meta])*
        $visible:vis struct $Row:ident {
            $($(#[doc = $meaning:literal])+
            $field:ident $(($column:literal))? : $Type:ty $(=> $unit:literal)?,)*
        }
        $(also {
            $($(#[doc = $also_meaning:literal])+
            $also:literal : $Also:ty $(=> $also_unit:literal)? = $value:expr,)*
        })?
        $(beside {
            $($(#[doc = $beside_meaning:literal])+
            $beside:ident : $Beside:ty,)*
        })?
    ) => {
        $(#[$attribute])*
        $visible struct $Row {
            $($(#[doc = $meaning])+
            pub $field: $Type,)*
            $($($(#[doc = $beside_meaning])+
            pub $beside: $Beside,)*)?
        }

        impl $crate::results::Row for $Row {
            const COLUMNS: &'static [$crate::results::ColumnInfo] = &[
                $($crate::results::ColumnInfo::new(
                    $crate::row!(@first $($column,)? stringify!($field)),
                    <$Type as $crate::results::Field>::KIND,
                    $crate::row!(@first $($unit,)? ""),
                    concat!($($meaning),+),
                ),)*
                $($($crate::results::ColumnInfo::new(
                    $also,
                    <$Also as $crate::results::Field>::KIND,
                    $crate::row!(@first $($also_unit,)? ""),
                    concat!($($also_meaning),+),
                ),)*)?
            ];

            fn columns(rows: &[Self], names: &[&str]) -> Vec<$crate::results::Column> {
                let names = $crate::results::column_names(names, Self::COLUMNS);
                let names: &[&str] = &names.iter().map(String::as_str).collect::<Vec<_>>();
                let mut columns = Vec::new();
                let mut infos = Self::COLUMNS.iter();
                $(if let Some(info) = infos.next() {
                    let fields: Vec<&$Type> = rows.iter().map(|row| &row.$field).collect();
                    <$Type as $crate::results::Field>::write(info, &fields, names, &mut columns);
                })*
                $($(if let Some(info) = infos.next() {
                    let value: fn(&$Row) -> $Also = $value;
                    let fields: Vec<$Also> = rows.iter().map(value).collect();
                    let fields: Vec<&$Also> = fields.iter().collect();
                    <$Also as $crate::results::Field>::write(info, &fields, names, &mut columns);
                })*)?
                columns
            }

            fn read<From: $crate::results::RowSource>(
                source: &From,
                names: &[&str],
            ) -> Result<Vec<Self>, From::Error> {
                let names = $crate::results::column_names(names, Self::COLUMNS);
                let names: &[&str] = &names.iter().map(String::as_str).collect::<Vec<_>>();
                let mut infos = Self::COLUMNS.iter();
                $(let mut $field = match infos.next() {
                    Some(info) => <$Type as $crate::results::Field>::read(info, names, source)?,
                    None => Vec::new(),
                }
                .into_iter();)*
                let row = || {
                    Some($Row { $($field: $field.next()?,)* $($($beside: Default::default(),)*)? })
                };
                Ok(std::iter::from_fn(row).collect())
            }
        }
    };
    (@first $first:expr $(, $other:expr)?) => { $first };
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::results::{CandidateRow, FinalistRow, GenerationRow};

    fn check<Of: Row>(names: &[&str]) {
        let columns = column_names(names, Of::COLUMNS);
        for (name, column) in names.iter().zip(&columns) {
            assert_eq!(name_of_column(column, Of::COLUMNS), *name);
        }
        let all = Of::COLUMNS.iter().flat_map(|info| match info.around() {
            None => vec![info.name.to_owned()],
            Some(_) => columns.iter().map(|name| info.of(name)).collect(),
        });
        let all: Vec<String> = all.collect();
        let distinct: BTreeSet<&String> = all.iter().collect();
        assert_eq!(distinct.len(), all.len(), "{all:?}");
    }

    #[test]
    fn no_name_of_a_parameter_is_that_of_another_column() {
        // The names of all columns and the derived names.
        let columns = [
            CandidateRow::COLUMNS,
            FinalistRow::COLUMNS,
            GenerationRow::COLUMNS,
        ];
        let columns = columns
            .into_iter()
            .flatten()
            .map(|info| info.name.replace(['<', '>'], ""));
        let mut names: BTreeSet<String> = columns.collect();
        names.extend(["x", "x_", "x_bits", "x_bits_", "_bits", "_"].map(str::to_owned));
        let more = names.clone().into_iter().flat_map(|name| {
            [
                format!("{name}_"),
                format!("{name}__"),
                format!("{name}_bits"),
                format!("center_{name}"),
            ]
        });
        names.extend(more);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        check::<CandidateRow>(&names);
        check::<FinalistRow>(&names);
        check::<GenerationRow>(&names);
        // Ordinary names do not change.
        assert_eq!(
            column_names(&["a", "b_c"], CandidateRow::COLUMNS),
            ["a", "b_c"]
        );
        assert_eq!(
            column_names(&["restart"], CandidateRow::COLUMNS),
            ["restart_"]
        );
        assert_eq!(
            column_names(&["restart"], FinalistRow::COLUMNS),
            ["restart"]
        );
    }
}
