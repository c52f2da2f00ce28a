//! Detection of the vector instructions of this processor. The set is chosen once per process: see
//! [`InstructionSet::chosen`].
//!
//! The kernels are in the folders of the games. They are the only `unsafe` code, and they work on plain
//! numbers. Tests compare each kernel bit for bit with its definition in portable code. This module must not
//! contain a kernel.

use std::sync::LazyLock;

/// The supported instruction sets, from the narrowest to the widest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InstructionSet {
    /// Instructions that every processor has. The portable code is the definition of all other paths.
    Portable,
    /// AVX2 with BMI1, BMI2, LZCNT and POPCNT.
    Avx2,
    /// The instructions of [`InstructionSet::Avx2`] and AVX-512 (F, BW, VL, DQ).
    Avx512,
}

/// The environment variable that names the widest set to use.
pub const VARIABLE: &str = "TILETUNE_SIMD";

impl InstructionSet {
    /// All sets, the narrowest first.
    pub const ALL: [InstructionSet; 3] = [
        InstructionSet::Portable,
        InstructionSet::Avx2,
        InstructionSet::Avx512,
    ];

    /// Name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            InstructionSet::Portable => "portable",
            InstructionSet::Avx2 => "avx2",
            InstructionSet::Avx512 => "avx512",
        }
    }

    /// True if this processor supports the set.
    pub fn is_available(self) -> bool {
        self <= Self::widest()
    }

    /// The set that searches use: the widest set of the processor, or the narrower set named by [`VARIABLE`].
    /// Games are identical with every set.
    pub fn chosen() -> Self {
        static CHOSEN: LazyLock<InstructionSet> = LazyLock::new(|| {
            let widest = InstructionSet::widest();
            let named = InstructionSet::named().ok().flatten();
            named.map_or(widest, |named| named.min(widest))
        });
        *CHOSEN
    }

    /// The set named by [`VARIABLE`]; `None` if the variable is not set.
    ///
    /// # Errors
    /// The value of the variable, if it is not the name of a set.
    pub fn named() -> Result<Option<Self>, String> {
        let Some(name) = std::env::var_os(VARIABLE) else {
            return Ok(None);
        };
        let set = Self::ALL.into_iter().find(|set| name == set.name());
        set.map(Some)
            .ok_or_else(|| name.to_string_lossy().into_owned())
    }

    #[cfg(target_arch = "x86_64")]
    fn widest() -> Self {
        let has_avx2 = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        let has_avx512 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512dq");
        match (has_avx2, has_avx512) {
            (true, true) => InstructionSet::Avx512,
            (true, false) => InstructionSet::Avx2,
            (false, _) => InstructionSet::Portable,
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn widest() -> Self {
        InstructionSet::Portable
    }
}

/// The sets that this processor supports. Prints the sets whose tests are skipped.
#[cfg(test)]
pub(crate) fn testable_sets() -> Vec<InstructionSet> {
    let (here, skipped): (Vec<_>, Vec<_>) = InstructionSet::ALL
        .into_iter()
        .partition(|set| set.is_available());
    for set in skipped {
        eprintln!("skipped: this processor has no {}", set.name());
    }
    here
}
