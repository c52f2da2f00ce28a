//! The declaration of the rows of tables. [`row!`](crate::row) makes a type of a row from one list of fields with
//! their meanings and units. Writer, reader, the description in the files and the page `docs/tables.md` follow
//! from it. This module must not know how a table is stored.

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
    /// Texts.
    Text,
    /// Yes or no.
    Boolean,
}

impl ValueType {
    /// The name that the documentation uses.
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

/// The declaration of a column, or of a column for each of some names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnInfo {
    /// Its name. A part in angle brackets stands for each of the names, for example `center_<parameter>`.
    pub name: &'static str,
    /// The type of its values.
    pub kind: ValueType,
    /// The unit of its values; empty if they have none.
    pub unit: &'static str,
    /// What its values mean, as the doc comment of the field has it.
    meaning: &'static str,
}

impl ColumnInfo {
    /// A declaration, for [`row!`](crate::row).
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

    /// What its values mean.
    pub fn meaning(&self) -> &'static str {
        self.meaning.trim_start()
    }

    /// What its name has before and behind the part in angle brackets; `None` if it has no such part.
    fn around(&self) -> Option<[&'static str; 2]> {
        let (before, rest) = self.name.split_once('<')?;
        Some([before, rest.split_once('>').map_or("", |(_, after)| after)])
    }

    /// The name of its column for one of the names.
    fn of(&self, name: &str) -> String {
        let [before, after] = self.around().unwrap_or([self.name, ""]);
        format!("{before}{name}{after}")
    }
}

/// Names as those of the columns that a row has for them. A name that another column has, or that ends as the name of
/// a column that follows from a name, gets a `_` behind it, and so does one that has some already: no two columns are
/// called alike, whatever the names are.
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

/// The name that a column is for: the inverse of [`column_names`].
pub fn name_of_column<'a>(column: &'a str, columns: &[ColumnInfo]) -> &'a str {
    if is_taken(column, columns) {
        column.strip_suffix('_').unwrap_or(column)
    } else {
        column
    }
}

/// Whether a name without the `_` at its end is that of another column.
fn is_taken(name: &str, columns: &[ColumnInfo]) -> bool {
    // Where every name has something before or behind it, no other column can have the whole.
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
    /// Of [`ValueType::U32`].
    U32(Vec<u32>),
    /// Of [`ValueType::U64`].
    U64(Vec<u64>),
    /// Of [`ValueType::F64`].
    F64(Vec<f64>),
    /// Of [`ValueType::Text`].
    Text(Vec<Arc<str>>),
    /// Of [`ValueType::Boolean`].
    Boolean(Vec<bool>),
}

/// Floating-point numbers are equal if all of their bits are.
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
    /// A value for each row.
    pub values: Values,
}

/// A table that rows are read from.
pub trait RowSource {
    /// Why a column cannot be read.
    type Error;

    /// Number of rows.
    fn height(&self) -> usize;

    /// Whether it has a column of this name.
    fn has(&self, name: &str) -> bool;

    /// A value for each row.
    ///
    /// # Errors
    /// If there is no column of this name and type.
    fn values(&self, name: &str, kind: ValueType) -> Result<Values, Self::Error>;
}

/// A row that [`row!`](crate::row) has declared.
pub trait Row: Sized {
    /// Its columns, in order.
    const COLUMNS: &'static [ColumnInfo];

    /// The columns of some rows. `names` are those that a part in angle brackets stands for.
    fn columns(rows: &[Self], names: &[&str]) -> Vec<Column>;

    /// The rows of a table.
    ///
    /// # Errors
    /// If it lacks a column.
    fn read<From: RowSource>(source: &From, names: &[&str]) -> Result<Vec<Self>, From::Error>;
}

/// A field of a row: a column, a column that only some tables have, or a column for each name.
pub trait Field: Sized {
    /// The type of its values.
    const KIND: ValueType;

    /// Adds its columns, with the field of each row.
    fn write(info: &'static ColumnInfo, fields: &[&Self], names: &[&str], to: &mut Vec<Column>);

    /// The field of each row.
    ///
    /// # Errors
    /// If the table lacks a column.
    fn read<From: RowSource>(
        info: &'static ColumnInfo,
        names: &[&str],
        source: &From,
    ) -> Result<Vec<Self>, From::Error>;
}

/// A type of values.
pub trait ColumnValue: Clone {
    /// Its name.
    const KIND: ValueType;

    /// As values of a column.
    fn pack(values: Vec<Self>) -> Values;

    /// From the values of a column; nothing if they have another type.
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

/// A column that a table has if its rows have the value: all of them, or none.
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

/// A column for each of the names, in their order.
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

/// Declares the type of a row: a struct whose fields are the columns of a table, in order. The doc comment of a
/// field is the meaning of its column, the text behind `=>` its unit. A field of type `Option` is a column that
/// only some tables have; a `Vec` is a column for each parameter (or other name), and its column is named in
/// parentheses. Columns behind `also` are written and not read: they follow from the fields. Fields behind
/// `beside` are no columns: another table has them.
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
        // The names of all columns, and what follows from them.
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
        // Usual names stay.
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
