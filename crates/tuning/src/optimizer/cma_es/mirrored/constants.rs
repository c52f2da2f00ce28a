//! The constants of CMA-ES, which follow from the dimension and the population (Hansen, arXiv:1604.00772, table
//! 1, with c_1 and c_mu for alpha_cov = 2). They are those of the crate `cmaes`.

/// The constants of one restart.
#[derive(Clone, Debug)]
pub(super) struct Constants {
    /// Number of coordinates, n.
    pub dimension: usize,
    /// Number of candidates, lambda.
    pub population: usize,
    /// Number of selected candidates, mu.
    pub selected: usize,
    /// Weight of each rank, best first. Those of the selected candidates have the sum 1, the others are not
    /// positive and only used for the covariance matrix.
    pub weights: Vec<f64>,
    /// Reciprocal of the variance of the recombined step if ranks are random, in steps of one candidate: mu_eff
    /// of independent samples, more for mirrored ones ([`Constants::of_mirrored`]).
    pub mass: f64,
    /// Learning rate of the variance of recombined steps ([`Constants::of_mirrored`]); 0: it is not measured.
    pub variance_rate: f64,
    /// Learning rate of the path of the step size, c_sigma.
    pub path_rate: f64,
    /// Damping of the step size, d_sigma.
    pub damping: f64,
    /// Learning rate of the path of the covariance matrix, c_c.
    pub path_rate_covariance: f64,
    /// Learning rate of the rank-one update, c_1.
    pub rank_one: f64,
    /// Learning rate of the rank-mu update, c_mu.
    pub rank_mu: f64,
    /// Learning rates of the scale of each coordinate, as those of the rank-one and the rank-mu update
    /// ([`Constants::with_scales`]).
    pub of_scales: Option<[f64; 2]>,
    /// Learning rate of the mean, c_m.
    pub mean_rate: f64,
    /// Expected length of a vector of N(0, I).
    pub expected_length: f64,
    /// Number of generations from one eigendecomposition to the next.
    pub generations_per_decomposition: usize,
}

impl Constants {
    /// The constants for independent samples; `dimension` >= 1, `population` >= 2.
    pub fn new(dimension: usize, population: usize, mean_rate: f64) -> Self {
        let (n, lambda) = (dimension as f64, population as f64);
        let selected = population / 2;
        let raw = |rank: usize| libm::log((lambda + 1.0) / 2.0) - libm::log(rank as f64);
        let mut weights: Vec<f64> = (1..=population).map(raw).collect();
        let mass = |weights: &[f64]| {
            let squares: f64 = weights.iter().map(|w| w * w).sum();
            weights.iter().sum::<f64>().powi(2) / squares
        };
        let (mu_eff, negative_mass) = (mass(&weights[..selected]), mass(&weights[selected..]));
        let rank_one = 2.0 / ((n + 1.3).powi(2) + mu_eff);
        let rank_mu = 2.0 * (mu_eff - 2.0 + 1.0 / mu_eff) / ((n + 2.0).powi(2) + mu_eff);
        let rank_mu = rank_mu.min(1.0 - rank_one);
        // The negative weights: the smallest of three limits (equations 50 to 52).
        let limits = [
            1.0 + rank_one / rank_mu,
            1.0 + 2.0 * negative_mass / (mu_eff + 2.0),
            (1.0 - rank_one - rank_mu) / (n * rank_mu),
        ];
        let limit = limits.into_iter().fold(f64::INFINITY, f64::min);
        let sum = |sign: f64| -> f64 { weights.iter().map(|w| (sign * w).max(0.0)).sum() };
        let (positive, negative) = (sum(1.0), sum(-1.0));
        for weight in &mut weights {
            *weight /= if *weight > 0.0 {
                positive
            } else {
                negative / limit
            };
        }
        let path_rate = (mu_eff + 2.0) / (n + mu_eff + 5.0);
        let excess = ((mu_eff - 1.0) / (n + 1.0)).sqrt() - 1.0;
        Constants {
            dimension,
            population,
            selected,
            weights,
            mass: mu_eff,
            variance_rate: 0.0,
            path_rate,
            damping: 1.0 + path_rate + 2.0 * excess.max(0.0),
            path_rate_covariance: (4.0 + mu_eff / n) / (n + 4.0 + 2.0 * mu_eff / n),
            rank_one,
            rank_mu,
            of_scales: None,
            mean_rate,
            expected_length: n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n)),
            generations_per_decomposition: between_decompositions(n, lambda, rank_one + rank_mu),
        }
    }

    /// The constants of a search that also learns a scale for each coordinate (Akimoto and Hansen 2019,
    /// arXiv:1905.05885). A scale is one number, so it is learned (n + 2) / 3 times as fast as the n (n + 1) / 2
    /// numbers of C: the rates are those of CMA-ES with a diagonal matrix (Ros and Hansen 2008).
    #[must_use]
    pub fn with_scales(self) -> Self {
        if self.dimension == 1 {
            return self; // The step size is the scale.
        }
        let n = self.dimension as f64;
        let faster = (n + 2.0) / 3.0;
        let rank_one = (faster * self.rank_one).min(0.5);
        let rank_mu = (faster * self.rank_mu).min(1.0 - rank_one);
        let population = self.population as f64;
        Constants {
            of_scales: Some([rank_one, rank_mu]),
            generations_per_decomposition: between_decompositions(
                n,
                population,
                rank_one + rank_mu,
            ),
            ..self
        }
    }

    /// The constants for mirrored samples, in which each step has its opposite.
    ///
    /// If ranks are random, a selected step is partly undone by its opposite: two different ranks are of one
    /// pair with the probability 1 / (lambda - 1). The variance of the recombined step is then
    ///
    /// ```text
    /// sum w_i^2 - sum_(i != j) w_i w_j / (lambda - 1) = (lambda / mu_eff - 1) / (lambda - 1)
    /// ```
    ///
    /// With the mass of independent samples the paths would be too short, so the step size would shrink where
    /// fitness is only noise (Auger, Brockhoff and Hansen 2011, who select one of each pair instead).
    ///
    /// Steps can also be longer than with random ranks although nothing is learned. All candidates play the same seeds, and
    /// where luck is smooth in the parameters (a row of data, a scenario, an opening), one of a pair is good where the
    /// other is bad. So the variance of steps is measured, over four times as many generations as the path of the step size has.
    #[must_use]
    pub fn of_mirrored(self) -> Self {
        let lambda = self.population as f64;
        // At most half of the candidates are selected, so the mass is below lambda.
        Constants {
            mass: (lambda - 1.0) / (lambda / self.mass - 1.0),
            variance_rate: 0.25 * self.path_rate,
            ..self
        }
    }
}

/// Number of generations in which a matrix with this learning rate changes little.
fn between_decompositions(n: f64, population: f64, rate: f64) -> usize {
    let evaluations = 0.5 * n * population / (rate * n * n);
    (evaluations.ceil() / population).ceil() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constants_are_those_of_the_crate() {
        for (dimension, population) in [(1, 2), (2, 5), (6, 27), (14, 33), (80, 51)] {
            let constants = Constants::new(dimension, population, 1.0);
            let theirs = cmaes::CMAESOptions::new(vec![0.0; dimension], 1.0)
                .population_size(population)
                .build(|_: &cmaes::DVector<f64>| 0.0)
                .unwrap();
            let parameters = theirs.parameters();
            assert_eq!(constants.selected, parameters.mu());
            let close = |one: f64, other: f64| {
                let are_close = (one - other).abs() <= 1e-12 * other.abs();
                assert!(are_close || one.is_nan() && other.is_nan(), "{one} {other}");
            };
            close(constants.mass, parameters.mu_eff());
            close(constants.path_rate, parameters.cs());
            close(constants.damping, parameters.damp_s());
            close(constants.path_rate_covariance, parameters.cc());
            close(constants.rank_one, parameters.c1());
            close(constants.rank_mu, parameters.cmu());
            for (one, other) in constants.weights.iter().zip(parameters.weights().iter()) {
                close(*one, *other);
            }
            assert_eq!(
                constants.generations_per_decomposition,
                theirs.generations_per_eigen_update()
            );
        }
    }

    #[test]
    fn the_recombined_step_of_random_ranks_has_the_stated_mass() {
        // The definition: the mean of the squared recombined step over all rankings of two pairs z, -z.
        let constants = Constants::new(1, 4, 1.0);
        let weights = &constants.weights[..constants.selected];
        let steps = [1.0, -1.0, 1.0, -1.0];
        let (mut sum, mut rankings) = (0.0, 0.0);
        for one in 0..4 {
            for other in (0..4).filter(|other| *other != one) {
                sum += (weights[0] * steps[one] + weights[1] * steps[other]).powi(2);
                rankings += 1.0;
            }
        }
        // Steps of different pairs have independent signs, so that their products cancel on average.
        let mass = constants.clone().of_mirrored().mass;
        let within: f64 = 1.0 / 3.0;
        let expected =
            weights.iter().map(|w| w * w).sum::<f64>() - 2.0 * within * weights[0] * weights[1];
        assert!((1.0 / mass - expected).abs() < 1e-12);
        // With signs fixed as above the products of different pairs cancel exactly, too.
        assert!((sum / rankings - expected).abs() < 1e-12);
    }
}
