//! Numbers as text for people: thousands separators, typographic minus sign, few digits.

use std::time::Duration;

/// Rounds to `decimals` places and groups thousands: `-1234.5` is `−1,234.5`.
pub fn grouped(value: f64, decimals: usize) -> String {
    if value.is_nan() {
        return "–".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞" } else { "−∞" }.to_owned();
    }
    let plain = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
    // A value that rounds to zero gets no sign.
    let negative = value < 0.0 && plain.bytes().any(|byte| (b'1'..=b'9').contains(&byte));
    let sign = if negative { "−" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{}{point}{fraction}", group_thousands(whole))
}

/// [`grouped`] with a plus sign before positive values, for differences.
pub fn signed(value: f64, decimals: usize) -> String {
    let text = grouped(value, decimals);
    if value > 0.0 && text.bytes().any(|byte| (b'1'..=b'9').contains(&byte)) {
        format!("+{text}")
    } else {
        text
    }
}

/// A whole number with thousands separators.
pub fn count(value: impl Into<u64>) -> String {
    group_thousands(&value.into().to_string())
}

/// A count with its noun: `1 game`, `1,200 games`.
pub fn several(value: impl Into<u64>, what: &str) -> String {
    let value = value.into();
    let plural = if value == 1 { "" } else { "s" };
    format!("{} {what}{plural}", count(value))
}

/// A value of any magnitude with about four significant digits. Digits before the decimal point are never dropped.
pub fn compact(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() || size == 0.0 {
        return grouped(value, 0);
    }
    if !(1e-4..1e9).contains(&size) {
        return trim_zeros(&format!("{value:.3e}")).replace('-', "−");
    }
    let digits_before_point = size.log10().floor() as i32 + 1;
    trim_zeros(&grouped(value, (4 - digits_before_point).max(0) as usize))
}

/// A difference with its sign: in percent of the reference if there is one, otherwise in points.
pub fn difference(points: f64, reference: Option<f64>) -> String {
    match reference {
        Some(reference) => format!("{} %", signed(100.0 * points / reference, 1)),
        None => format!("{} points", signed_compact(points)),
    }
}

/// [`compact`] with a sign.
pub fn signed_compact(value: f64) -> String {
    if value > 0.0 {
        format!("+{}", compact(value))
    } else {
        compact(value)
    }
}

/// A share between 0 and 1 in percent, with a decimal unless it is 0 or 1.
pub fn percent(share: f64) -> String {
    let decimals = usize::from(share > 0.0 && share < 1.0);
    format!("{} %", grouped(share * 100.0, decimals))
}

/// A duration as `1 h 02 min`, `3 min 07 s` or `12 s`.
pub fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs_f64().round() as u64;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds:02} s"),
        (hours, minutes, _) => format!("{} h {minutes:02} min", count(hours)),
    }
}

/// A p value with four decimals, or in powers of ten if it is below 1e-4.
pub fn p_value(p: f64) -> String {
    match p {
        p if p < 1e-4 => format!("{p:.0e}"),
        p => format!("{p:.4}"),
    }
}

/// A tile as a power of two: `2¹¹` for 2048, `3·2⁹` for 1536; `None` for other numbers.
pub fn as_power(tile: u32) -> Option<String> {
    if tile == 0 {
        return None;
    }
    let exponent = tile.trailing_zeros();
    let base = match tile >> exponent {
        1 => "2",
        3 => "3·2",
        _ => return None,
    };
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digits = exponent.to_string();
    let raised = digits
        .bytes()
        .map(|digit| RAISED[usize::from(digit - b'0')]);
    Some(base.chars().chain(raised).collect())
}

fn group_thousands(digits: &str) -> String {
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Removes the trailing zeros of a decimal fraction, also before an exponent.
fn trim_zeros(text: &str) -> String {
    let (mantissa, exponent) = text
        .find('e')
        .map_or((text, ""), |place| text.split_at(place));
    let mantissa = if mantissa.contains('.') {
        mantissa.trim_end_matches('0').trim_end_matches('.')
    } else {
        mantissa
    };
    format!("{mantissa}{exponent}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_signed() {
        assert_eq!(grouped(-1234567.25, 1), "−1,234,567.2");
        assert_eq!(grouped(-0.001, 2), "0.00");
        assert_eq!(grouped(999.0, 0), "999");
        assert_eq!(count(1_000_u32), "1,000");
    }

    #[test]
    fn durations_are_short() {
        let text = |seconds| duration(Duration::from_secs(seconds));
        assert_eq!(text(12), "12 s");
        assert_eq!(text(187), "3 min 07 s");
        assert_eq!(text(3720), "1 h 02 min");
    }

    #[test]
    fn compact_keeps_four_digits() {
        assert_eq!(compact(0.012345), "0.01235");
        assert_eq!(compact(2.5), "2.5");
        assert_eq!(compact(100.0), "100");
        assert_eq!(compact(123456.7), "123,457");
        assert_eq!(compact(0.00001), "1e−5");
        assert_eq!(compact(f64::NAN), "–");
    }

    #[test]
    fn tiles_are_written_as_powers() {
        assert_eq!(as_power(2048).as_deref(), Some("2¹¹"));
        assert_eq!(as_power(1536).as_deref(), Some("3·2⁹"));
        assert_eq!(as_power(1).as_deref(), Some("2⁰"));
        assert_eq!(as_power(0), None);
        assert_eq!(as_power(10), None);
    }
}
