//! Vector instructions: which of them this processor has. The set is chosen once a process: see
//! [`InstructionSet::chosen`]. The kernels written with them lie with their games; they are the only
//! `unsafe` code. They work on plain numbers, and tests hold each of them equal to the bit to its
//! definition in portable code.

use std::sync::LazyLock;

/// Instructions that the fast paths are written for, from the plainest to the widest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InstructionSet {
    /// What every processor has: the definition of all others.
    Portable,
    /// AVX2 with the bit manipulations of the same processors.
    Avx2,
    /// AVX-512 (F, BW, VL, DQ) on top.
    Avx512,
}

/// The variable of the environment that names the widest set to use.
pub const VARIABLE: &str = "TILETUNE_SIMD";

impl InstructionSet {
    /// All sets, the plainest first.
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

    /// Whether this processor has it.
    pub fn is_available(self) -> bool {
        self <= Self::widest()
    }

    /// The set that searches use: the widest that the processor has, or a plainer one where
    /// [`VARIABLE`] names it. Games are the same with each.
    pub fn chosen() -> Self {
        static CHOSEN: LazyLock<InstructionSet> = LazyLock::new(|| {
            let widest = InstructionSet::widest();
            let named = InstructionSet::named().ok().flatten();
            named.map_or(widest, |named| named.min(widest))
        });
        *CHOSEN
    }

    /// The set that [`VARIABLE`] names, if it is set.
    ///
    /// # Errors
    /// With its value, if that is no name of a set.
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

/// The sets that this processor has; prints which tests of the others are skipped.
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
