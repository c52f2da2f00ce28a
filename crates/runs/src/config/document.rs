//! A parsed TOML file: its values, their positions in the text, and the settings of the command line.
//!
//! The tree is that of the `toml` crate, whose keys and values have spans. A setting is parsed as if it followed the
//! text of the file. So the span of a value shows whether it comes from the file or from a setting, and from which one.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{ConfigError, Source, choices, toml_words};
use tiletune_engine::field_error::FieldError;
use tiletune_engine::suggestion::nearest;

pub(crate) struct Document<'a> {
    source: &'a Source,
    /// A table.
    root: Spanned<DeValue<'a>>,
    /// The keys of the whole file that are no tables, once it was read as one kind of file.
    outermost: OnceCell<Vec<String>>,
}

/// A setting of the command line: `key=value`, where the key is a dotted path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    /// The option as it was typed: `--set key=value`, or another one that stands for this setting.
    typed: String,
    /// The value as given.
    value: String,
    keys: Vec<String>,
    /// `v = <value>` after `start` spaces.
    text: String,
    /// Number of bytes of the file and of the earlier settings.
    start: usize,
}

impl Setting {
    /// # Errors
    /// If it is not of the form `key=value`.
    pub(super) fn new(given: &str, start: usize) -> Result<Self, ConfigError> {
        let typed = format!("--set {given}");
        let (path, value) = given
            .split_once('=')
            .ok_or_else(|| set_error(&typed, "not of the form key=value"))?;
        let keys = keys(path.trim()).map_err(|message| set_error(&typed, message))?;
        if keys.iter().any(String::is_empty) {
            return Err(set_error(&typed, "a part of the key is empty"));
        }
        let digits = value.trim().trim_start_matches(['-', '+']);
        let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if is_whole && value.trim().parse::<i64>().is_err() {
            let message = format!("too large: whole numbers go up to {}", i64::MAX);
            return Err(set_error(&typed, message));
        }
        Ok(Setting {
            typed,
            value: value.to_owned(),
            keys,
            text: format!("{}v = {}", " ".repeat(start), value.trim()),
            start,
        })
    }

    /// Names another option than `--set`, as it was typed.
    pub(super) fn name_option(&mut self, typed: &str) {
        typed.clone_into(&mut self.typed);
    }

    /// The start of the next setting.
    pub(super) fn end(&self) -> usize {
        self.text.len() + 1
    }

    fn span(&self) -> Range<usize> {
        self.start..self.text.len()
    }

    /// The value: TOML if it can be parsed, otherwise plain text.
    fn value(&self) -> Spanned<DeValue<'_>> {
        let parsed = DeTable::parse(&self.text).map(Spanned::into_inner);
        let table = parsed.ok().filter(|table| table.len() == 1);
        table
            .and_then(|mut table| table.remove("v"))
            .unwrap_or_else(|| {
                let text = &self.text[self.start + "v = ".len()..];
                Spanned::new(self.span(), DeValue::String(Cow::Borrowed(text)))
            })
    }
}

/// The parts of a dotted path. Quotes are as in TOML: `parameters."a.b".max`.
fn keys(path: &str) -> Result<Vec<String>, String> {
    if !path.contains(['"', '\'']) {
        return Ok(path.split('.').map(str::to_owned).collect());
    }
    let text = format!("{path} = 0");
    let parsed = DeTable::parse(&text).map_err(|error| error.message().trim_end().to_owned())?;
    let (mut next, mut keys) = (Some(parsed.into_inner()), Vec::new());
    while let Some((key, value)) = next.take().and_then(|table| table.into_iter().next()) {
        keys.push(key.into_inner().into_owned());
        if let DeValue::Table(inside) = value.into_inner() {
            next = Some(inside);
        }
    }
    Ok(keys)
}

/// The reason why a document cannot be resolved.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unresolved {
    /// A field is wrong.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// A file that the document names is wrong.
    #[error(transparent)]
    File(#[from] ConfigError),
}

impl Unresolved {
    /// The error of a file that a key names. An unreadable file is a mistake at the key. Any other error has its
    /// position in the file.
    pub(crate) fn of_file(error: ConfigError, at_key: impl FnOnce(String) -> FieldError) -> Self {
        match error {
            ConfigError::Unreadable { .. } => at_key(error.to_string()).into(),
            of_contents => of_contents.into(),
        }
    }
}

fn set_error(typed: &str, message: impl Into<String>) -> ConfigError {
    ConfigError::set(typed, &message.into(), None)
}

impl<'a> Document<'a> {
    /// Path or description of the file.
    pub(super) fn file_name(&self) -> &str {
        &self.source.name
    }

    /// Parses a file and applies its settings.
    ///
    /// # Errors
    /// If the text is not TOML, or a setting names a key of a value that is not a table.
    pub(crate) fn parse(source: &'a Source) -> Result<Self, ConfigError> {
        let root = DeTable::parse(&source.text).map_err(|error| {
            let span = error.span().unwrap_or_default();
            let (message, span) = toml_words::of_users(error.message(), &source.text, span);
            source.mistake(message, span, None)
        })?;
        let mut root = Spanned::new(root.span(), DeValue::Table(root.into_inner()));
        for setting in &source.settings {
            set(&mut root, "", &setting.keys, setting)
                .map_err(|message| set_error(&setting.typed, message))?;
        }
        let outermost = OnceCell::new();
        let mut document = Document {
            source,
            root,
            outermost,
        };
        choices::replace(&mut document.root)
            .map_err(|(span, message)| document.mistake(message, span, None))?;
        Ok(document)
    }

    /// Deserializes the document.
    ///
    /// # Errors
    /// With the position. For an unknown key also the most similar known key.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, ConfigError> {
        self.read_beside(&[])
    }

    /// The same for a file whose outermost table can also have the keys `others` of another schema. The message about
    /// an unknown key includes them.
    ///
    /// # Errors
    /// As [`Document::read`].
    pub(crate) fn read_beside<T: DeserializeOwned>(
        &self,
        others: &[&str],
    ) -> Result<T, ConfigError> {
        self.outermost.set(plain_keys::<T>()).ok();
        let deserializer = toml::de::ValueDeserializer::from(self.root.clone());
        T::deserialize(deserializer).map_err(|error| {
            let span = error.span().unwrap_or_default();
            let mut message = in_words_of_files(error.message().trim_end());
            if self.is_of_outermost_key(&message, &span) {
                for other in others.iter().map(|other| format!("`{other}`")) {
                    // If the other schema is not read, its key is the unknown key itself.
                    if !message.contains(&other) {
                        message += &format!(", {other}");
                    }
                }
            }
            let unknown = message.strip_prefix("unknown key `");
            let unknown = unknown.and_then(|rest| rest.split('`').next());
            let help = unknown.and_then(|key| self.place_of(key));
            let help = help.or_else(|| nearest_of_expected(&message));
            self.mistake(message, span, help)
        })
    }

    /// Where an unknown key of an inner table belongs, if it is a key of the whole file: in TOML all keys after the name of a
    /// table are keys of this table.
    fn place_of(&self, key: &str) -> Option<String> {
        let known = self.outermost.get()?;
        let is_known = known.iter().any(|known| known == key);
        is_known.then(|| {
            format!("`{key}` is a key of the whole file: it stands before the first [table]; `--set {key}=..` sets it")
        })
    }

    /// Whether an error is about an unknown key of the outermost table.
    fn is_of_outermost_key(&self, message: &str, span: &Range<usize>) -> bool {
        let (Some(unknown), DeValue::Table(table)) =
            (message.strip_prefix("unknown key `"), self.root.get_ref())
        else {
            return false;
        };
        let key = unknown.split('`').next().unwrap_or_default();
        let known = table.get_key_value(key);
        known.is_some_and(|(name, _)| name.span() == *span)
    }

    /// Whether the document has a value at exactly this path.
    pub(crate) fn has(&self, path: &[&str]) -> bool {
        self.locate(path).1 == path.len()
    }

    /// Whether the command line sets the value at exactly this path.
    pub(crate) fn is_set(&self, path: &[&str]) -> bool {
        let (span, depth, _) = self.locate(path);
        depth == path.len() && span.start > self.source.text.len()
    }

    /// Removes a key of the outermost table: a section with another schema.
    pub(crate) fn remove(&mut self, key: &str) {
        if let DeValue::Table(table) = self.root.get_mut() {
            table.remove(key);
        }
    }

    /// An error at the value of `path`, or at the innermost table on the path that exists.
    pub(crate) fn mistake_at(&self, path: &[&str], message: impl Into<String>) -> ConfigError {
        let (span, depth, _) = self.locate(path);
        self.mistake(message.into(), span, self.setting_within(&path[..depth]))
    }

    /// A note on an error of a table with a key that the command line has set.
    fn setting_within(&self, path: &[&str]) -> Option<String> {
        let is_within = |setting: &&Setting| {
            !path.is_empty()
                && setting.keys.len() > path.len()
                && setting.keys.iter().zip(path).all(|(key, part)| key == part)
        };
        let setting = self.source.settings.iter().find(is_within)?;
        Some(format!("the command line changes it: {}", setting.typed))
    }

    /// Adds the position to an error.
    pub(crate) fn place(&self, error: impl Into<Unresolved>) -> ConfigError {
        match error.into() {
            Unresolved::Field(FieldError { path, message, at }) => {
                let path: Vec<&str> = path.iter().map(String::as_str).collect();
                let (span, depth, value) = self.locate(&path);
                let part = at.filter(|_| depth == path.len());
                let part = part.and_then(|part| self.part_of_text(value, part));
                let message = in_words_of_files(&message);
                let is_of_key =
                    message.starts_with("unknown key `") && message.contains(", expected ");
                let nearest = nearest_of_expected(&message).filter(|_| is_of_key);
                let is_unknown = is_of_key || message.contains(" takes no ");
                let last = path.last().filter(|_| is_unknown && path.len() > 1);
                let help = last.and_then(|key| self.place_of(key)).or(nearest);
                let help = help.or_else(|| self.setting_within(&path[..depth]));
                self.mistake(message, part.unwrap_or(span), help)
            }
            Unresolved::File(error) => error,
        }
    }

    /// The position of a part of a text. `None` if the text has escapes, because its bytes then differ from those of
    /// the file.
    fn part_of_text(&self, value: &Spanned<DeValue>, part: Range<usize>) -> Option<Range<usize>> {
        let raw = self.source.text.get(value.span())?;
        let start = raw.find(value.get_ref().as_str()?)? + value.span().start;
        Some(start + part.start..start + part.end)
    }

    fn mistake(&self, message: String, span: Range<usize>, help: Option<String>) -> ConfigError {
        let mut settings = self.source.settings.iter();
        match settings.find(|setting| setting.span().contains(&span.start)) {
            Some(setting) => ConfigError::set(&setting.typed, &message, help),
            None => self.source.mistake(message, span, help),
        }
    }

    /// The value at the longest existing prefix of `path`: its position, the length of this prefix, and the value. The
    /// empty prefix is at the start of the text.
    fn locate(&self, path: &[&str]) -> (Range<usize>, usize, &Spanned<DeValue<'a>>) {
        let (mut span, mut value) = (0..0, &self.root);
        for (depth, key) in path.iter().enumerate() {
            let inner = match value.get_ref() {
                DeValue::Table(table) => table.get_key_value(*key).map(|(name, inner)| {
                    let last = if inner.get_ref().is_table() {
                        name.span()
                    } else {
                        inner.span()
                    };
                    (name.span().start..last.end, inner)
                }),
                DeValue::Array(array) => {
                    let inner = key.parse().ok().and_then(|index: usize| array.get(index));
                    inner.map(|inner| (inner.span(), inner))
                }
                _ => None,
            };
            let Some(inner) = inner else {
                return (span, depth, value);
            };
            (span, value) = inner;
        }
        (span, path.len(), value)
    }
}

/// Sets the value at the path `keys` within the value of `name`. Missing tables are created. An empty value removes the
/// key.
fn set<'a>(
    value: &mut Spanned<DeValue<'a>>,
    name: &str,
    keys: &'a [String],
    setting: &'a Setting,
) -> Result<(), String> {
    let Some((key, inner_keys)) = keys.split_first() else {
        if setting.value.trim().is_empty() {
            return Err("only a key can be removed, not an element of a list".into());
        }
        *value = setting.value();
        return Ok(());
    };
    let inner = match value.get_mut() {
        DeValue::Table(table) => {
            let has = |name: &str| table.get_key_value(name).is_some();
            if let Some(path) = with_quotes(has, keys, setting) {
                let value = &setting.value;
                return Err(format!(
                    "a name with dots stands in quotes: --set '{path}={value}'"
                ));
            }
            if inner_keys.is_empty() {
                // The key is removed first, because an existing key would keep its span.
                let existing = table.remove(key.as_str());
                if setting.value.trim().is_empty() {
                    let missing = || format!("there is no key `{key}` to remove");
                    return existing.map(|_| ()).ok_or_else(missing);
                }
            }
            let name = Spanned::new(setting.span(), Cow::Borrowed(key.as_str()));
            let new_table = || Spanned::new(setting.span(), DeValue::Table(DeTable::new()));
            table.entry(name).or_insert_with(new_table)
        }
        DeValue::Array(array) => {
            let count = array.len();
            let inner = key
                .parse()
                .ok()
                .and_then(|index: usize| array.get_mut(index));
            inner.ok_or_else(|| match count {
                0 => format!("`{name}` is an empty list"),
                _ => format!(
                    "`{name}` has no element `{key}`: 0 to {} are allowed",
                    count - 1
                ),
            })?
        }
        _ => return Err(format!("`{name}` is a value, not a table")),
    };
    set(inner, key, inner_keys, setting)
}

/// The path of a setting with quotes around several of its keys, if they are one name of a table: `has` is true for this
/// name, but not for the first of the keys.
fn with_quotes(has: impl Fn(&str) -> bool, keys: &[String], setting: &Setting) -> Option<String> {
    if has(&keys[0]) {
        return None;
    }
    let mut counts = 2..=keys.len();
    let count = counts.find(|&count| has(&keys[..count].join(".")))?;
    let (before, _) = setting.keys.split_at(setting.keys.len() - keys.len());
    let name = keys[..count].join(".");
    let all = before.iter().chain([&name]).chain(&keys[count..]);
    let quoted = all.map(|key| {
        if key.contains('.') {
            format!("\"{key}\"")
        } else {
            key.clone()
        }
    });
    Some(quoted.collect::<Vec<_>>().join("."))
}

/// Replaces terms of serde (fields, Rust types) by terms of files (keys, numbers).
fn in_words_of_files(message: &str) -> String {
    let message = message.replace(" field `", " key `");
    let Some((start, expected)) = message.rsplit_once(", expected ") else {
        return message;
    };
    let expected = match expected {
        "u8" => format!("a whole number from 0 to {}", u8::MAX),
        "u16" => format!("a whole number from 0 to {}", u16::MAX),
        "u32" => format!("a whole number from 0 to {}", u32::MAX),
        "u64" | "usize" => "a whole number, 0 or more".into(),
        "f64" => "a number".into(),
        "bool" => "true or false".into(),
        "a sequence" => "a list".into(),
        expected if expected.starts_with("struct ") => "a table".into(),
        _ => return message,
    };
    format!("{start}, expected {expected}")
}

/// The keys of the outermost table of a kind of file whose values are no tables. serde tells them: it lists the known keys
/// where one is unknown, and refuses a table where another value stands.
fn plain_keys<T: DeserializeOwned>() -> Vec<String> {
    let message = |text: &str| {
        toml::from_str::<T>(text)
            .err()
            .map(|error| error.message().to_owned())
    };
    let Some(listed) = message("'?' = 0") else {
        return Vec::new();
    };
    let known = listed.split('`').skip(3).step_by(2);
    let is_plain = |key: &&str| {
        let refused = message(&format!("{key} = {{}}"));
        refused.is_some_and(|message| message.starts_with("invalid type: map"))
    };
    known.filter(is_plain).map(str::to_owned).collect()
}

/// A suggestion for serde's message about an unknown key. The message quotes this key and then all known keys.
fn nearest_of_expected(message: &str) -> Option<String> {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let (true, Some(given)) = (message.starts_with("unknown "), quoted.next()) else {
        return None;
    };
    nearest(given, quoted).map(|name| format!("did you mean `{name}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_with_dots_stands_in_quotes() {
        let of = |path: &str| keys(path).unwrap();
        assert_eq!(
            of("parameters.\"lmr.base\".max"),
            ["parameters", "lmr.base", "max"]
        );
        assert_eq!(
            of("parameters.'lmr.base'.max"),
            ["parameters", "lmr.base", "max"]
        );
        assert_eq!(of("parameters.*.step"), ["parameters", "*", "step"]);
    }

    #[test]
    fn a_key_of_the_whole_file_in_a_table_is_told_where_it_belongs() {
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        #[expect(dead_code, reason = "only its keys matter")]
        struct File {
            require: Vec<String>,
            table: Inner,
            other: Inner,
        }
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        #[expect(dead_code, reason = "only its keys matter")]
        struct Inner {
            games: u32,
        }
        let help = |text: &str| {
            let source = Source::new("x.toml", text);
            let read = Document::parse(&source).unwrap().read::<File>();
            format!("{:?}", miette::Report::new(read.unwrap_err()))
        };
        let told = help("[table]\nrequire = ['a < b']\n");
        assert!(told.contains("stands before the first"), "{told}");
        let told = help("[table]\nother = 3\n");
        assert!(!told.contains("whole file"), "{told}");
        let told = help("[table]\ngame = 3\n");
        assert!(told.contains("did you mean `games`?"), "{told}");
    }

    #[test]
    fn places_are_found() {
        let text = "a = 1\n[b.c]\nd = [1, 2]\n[[e]]\nf = 1\n[[e]]\nf = 2\n";
        let source = Source::new("x.toml", text);
        let document = Document::parse(&source).unwrap();
        let place = |path: &[&str]| {
            let (span, depth, _) = document.locate(path);
            (&text[span], depth)
        };
        assert_eq!(place(&["a"]), ("a = 1", 1));
        assert_eq!(place(&["b", "c", "d"]), ("d = [1, 2]", 3));
        assert_eq!(place(&["b", "c", "missing"]), ("c", 2));
        assert_eq!(place(&["missing"]), ("", 0));
        assert_eq!(place(&["b", "c", "d", "1"]), ("2", 4));
        assert_eq!(place(&["e", "1", "f"]), ("f = 2", 3));
        assert_eq!(place(&["e", "1", "missing"]), ("[[e]]", 2));
    }

    #[test]
    fn a_mistake_in_a_part_of_a_text_has_its_place_unless_the_text_has_escapes() {
        let text = "a = 'x + y'\n[[b]]\nc = \"\"\"\nx +\n  y\"\"\"\nd = \"x\\u0020+ y\"\n";
        let source = Source::new("x.toml", text);
        let document = Document::parse(&source).unwrap();
        let place = |path: &[&str]| {
            let error = FieldError::new(path, "wrong").at(4..5);
            let ConfigError::Mistake { span, .. } = document.place(error) else {
                panic!("this stands in the file");
            };
            &text[span.offset()..span.offset() + span.len()]
        };
        assert_eq!(place(&["a"]), "y");
        assert_eq!(place(&["b", "0", "c"]), " ");
        assert_eq!(place(&["b", "0", "d"]), "d = \"x\\u0020+ y\"");
    }

    /// The document with settings as a table, or the message.
    fn set(text: &str, settings: &[&str]) -> Result<toml::Table, String> {
        let settings: Vec<String> = settings.iter().map(|&text| text.to_owned()).collect();
        let source = Source::new("x.toml", text).with_settings(&settings);
        let source = source.map_err(|error| error.to_string())?;
        let document = Document::parse(&source).map_err(|error| error.to_string())?;
        document.read().map_err(|error| error.to_string())
    }

    #[test]
    fn settings_replace_and_add() {
        let text = "a = 1\n[b]\nc = 2\n[[row]]\nd = 1\n[[row]]\nd = 2\n";
        let table = |settings| set(text, settings).unwrap();
        assert_eq!(table(&["b.c=3"])["b"]["c"].as_integer(), Some(3));
        assert_eq!(
            table(&["b.d.e=a word"])["b"]["d"]["e"].as_str(),
            Some("a word")
        );
        assert_eq!(table(&["row.1.d=5"])["row"][1]["d"].as_integer(), Some(5));
        assert_eq!(table(&["row.0={x=1}"])["row"][0]["x"].as_integer(), Some(1));
        let both = table(&["a=[1, 2]", "a.1=7"]);
        assert_eq!(
            both["a"].as_array().map(|a| a[1].as_integer()),
            Some(Some(7))
        );
        assert_eq!(
            table(&["b.c=", "row.1.d=", "row.1.e=1"])["b"],
            toml::Table::new().into()
        );
        let message = |setting| set(text, &[setting]).unwrap_err();
        assert_eq!(message("b.x="), "--set b.x=: there is no key `x` to remove");
        assert_eq!(
            message("row.0="),
            "--set row.0=: only a key can be removed, not an element of a list"
        );
        assert_eq!(message("b"), "--set b: not of the form key=value");
        assert!(message("a.\"b=1").starts_with("--set a.\"b=1: "));
        assert_eq!(message("a.b=1"), "--set a.b=1: `a` is a value, not a table");
        assert_eq!(
            message("a..b=1"),
            "--set a..b=1: a part of the key is empty"
        );
        assert_eq!(
            message("row.2.d=1"),
            "--set row.2.d=1: `row` has no element `2`: 0 to 1 are allowed"
        );
    }

    #[test]
    fn a_name_with_dots_is_recognized_without_its_quotes() {
        let text = "[parameters.\"lmr.base\"]\nmin = 0\n[parameters.lmr]\nmin = 0\n[parameters.\"a.b.c\"]\n";
        let set = |setting| set(text, &[setting]);
        let error = set("parameters.a.b.c.max=1").unwrap_err();
        assert_eq!(
            error,
            "--set parameters.a.b.c.max=1: a name with dots stands in quotes: --set 'parameters.\"a.b.c\".max=1'"
        );
        assert!(set("parameters.a.b.c=1").is_err());
        // The name before the dot is a table of its own.
        assert!(set("parameters.lmr.base=1").is_ok());
        assert!(set("parameters.a.b.max=1").is_ok());
    }

    #[test]
    fn a_file_of_any_length_takes_settings() {
        let text = format!("# {}\na = 1\n", "x".repeat(70_000));
        assert_eq!(set(&text, &["a=2"]).unwrap()["a"].as_integer(), Some(2));
    }

    #[test]
    fn a_mistake_is_attributed_to_the_file_or_to_its_setting() {
        let settings = ["a=1".to_owned(), "b.c=x".to_owned()];
        let source = Source::new("x.toml", "a = 0\n[b]\nc = 2\nd = 3\n");
        let source = source.with_settings(&settings).unwrap();
        let document = Document::parse(&source).unwrap();
        let message = |path: &[&str]| document.mistake_at(path, "wrong").to_string();
        assert_eq!(message(&["a"]), "--set a=1: wrong");
        assert_eq!(message(&["b", "c"]), "--set b.c=x: wrong");
        let help = |path: &[&str]| match document.mistake_at(path, "wrong") {
            ConfigError::Mistake { help, .. } => help,
            _ => panic!("this stands in the file"),
        };
        let changed = "the command line changes it: --set b.c=x";
        assert_eq!(help(&["b"]).as_deref(), Some(changed));
        assert_eq!([help(&[]), help(&["b", "d"])], [None, None]);
        let ConfigError::Mistake { span, .. } = document.mistake_at(&["b", "d"], "wrong") else {
            panic!("this stands in the file");
        };
        assert_eq!(
            &source.text[span.offset()..span.offset() + span.len()],
            "d = 3"
        );
    }
}
