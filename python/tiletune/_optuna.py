"""A campaign as a study of Optuna. Optuna is imported only here."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Optional

from . import _frames
from ._errors import Error

if TYPE_CHECKING:
    from ._run import Run

# The columns of candidates that are no parameters. A parameter with such a name has a column with `_` behind it.
_ROW = ("generation", "restart", "candidate", "fitness", "standard_error", "rank_value", "failed_games")


def study(run: Run, storage: Any, study_name: Optional[str]) -> Any:
    """A study with a trial for each candidate of a campaign."""
    if find_spec("optuna") is None:
        raise Error("to_optuna needs Optuna: install it, as in `pip install optuna`")
    if run.kind != "campaign":
        raise Error(f"{run} is of the kind {run.kind}: only the candidates of a campaign make a study")
    optuna: Any = import_module("optuna")
    is_loss = bool(run.plan.get("heuristic", {}).get("minimise"))
    made = optuna.create_study(
        storage=storage, study_name=study_name or run.path.name, direction="minimize" if is_loss else "maximize"
    )
    parameters = {name: one for name, one in run.plan["parameters"].items() if not one["fixed"]}
    domains = {name: _distribution(optuna.distributions, one) for name, one in parameters.items()}
    made.add_trials([_trial(optuna.trial, domains, row, is_loss) for row in _rows(run)])
    made.set_user_attr("run", str(run.path))
    if run.state == "complete":
        made.set_user_attr("best", run.best)
        made.set_user_attr("verdict", run.verdict)
    return made


def _rows(run: Run) -> list[dict[str, Any]]:
    table = _frames.read(run.path, "candidates", None)
    rows: list[dict[str, Any]] = table.to_dicts() if hasattr(table, "to_dicts") else table.to_dict("records")
    return rows


def _distribution(distributions: Any, parameter: dict[str, Any]) -> Any:
    low, high, is_log = parameter["min"], parameter["max"], parameter["scale"] == "log"
    if parameter.get("choices"):
        return distributions.CategoricalDistribution(parameter["choices"])
    if parameter["integer"]:
        return distributions.IntDistribution(int(low), int(high), log=is_log)
    return distributions.FloatDistribution(low, high, log=is_log)


def _trial(trial: Any, domains: dict[str, Any], row: dict[str, Any], is_loss: bool) -> Any:
    # A refused candidate has the fitness minus infinity.
    has_value = abs(row["fitness"]) < float("inf")
    value = -row["fitness"] if is_loss else row["fitness"]
    notes = {key: row[key] for key in ("generation", "restart", "candidate", "standard_error", "failed_games")}
    return trial.create_trial(
        state=trial.TrialState.COMPLETE if has_value else trial.TrialState.FAIL,
        value=value if has_value else None,
        params={name: _inside(row[_column(name)], domain) for name, domain in domains.items()},
        distributions=domains,
        user_attrs={key: note for key, note in notes.items() if note == note},
    )


def _column(parameter: str) -> str:
    return f"{parameter}_" if parameter in _ROW or parameter.endswith("_bits") else parameter


def _inside(value: float, domain: Any) -> Any:
    """The value; on a logarithmic scale rounding can put it a little outside of its bounds. A choice is its text."""
    if hasattr(domain, "choices"):
        return domain.choices[int(value)]
    value = min(max(value, domain.low), domain.high)
    return round(value) if isinstance(domain.low, int) else value
