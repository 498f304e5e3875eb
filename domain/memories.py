"""What another system remembered: one memory as an importer hands it over, before it is evidence and a claim."""

from dataclasses import dataclass

from affidavit.domain.claims import Tone
from affidavit.domain.policy import ONE
from affidavit.domain.proposals import Form, Kind


@dataclass(frozen=True, slots=True)
class Legacy:
    """One memory of another system, as it was kept there.

    `key` is its natural key inside the store, as `fact/<id>`, `reflection/<id>` or `persona/<entity>/<id>`; one without an
    id has `text-` and a digest of its text in place of it. `entity` is `user`, `agent`, `relationship` or a name. `status`
    is active, pending, confirmed, promoted, merged, promote_blocked, quarantined, denied, forgotten or archived; `kind` is
    None where that follows from the form. `namespace` is the label it had there, "" for none. `protected` says
    that it comes from the character's card. `parents` are keys of the facts that a reflection was made of, or of the
    reflections that a persona entry came from or took in; they may name what the folder holds no more. Times are
    microseconds since 1970 UTC; `assumed` tells that a zone was put in for `created_at`, and `since` is when it came to its
    status, None where the folder does not say. Counters are millionths, and None where neither the entry nor the journal
    has any: `seed` gives what its status stands for. `importance` is 1 to 10. `place` is where it stands, as
    `reflections.json[3]`. `confirmed_at` is when it was last seen to hold, where that is later than its words are old;
    `tone` and `expires_at` are a narrative's.
    """

    key: str
    form: Form
    text: str
    entity: str
    status: str
    protected: bool
    importance: int | None
    created_at: int | None
    assumed: bool
    since: int | None
    parents: tuple[str, ...]
    reinforcement: int | None
    disputation: int | None
    rein_last_signal_at: int | None
    disp_last_signal_at: int | None
    sub_zero_days: int
    user_fact_reinforce_count: int
    absorbed: bool
    place: str
    kind: Kind | None = None
    namespace: str = ""
    confirmed_at: int | None = None
    tone: Tone = ""
    expires_at: int | None = None


def seed(status: str) -> tuple[int, int]:
    """Returns the reinforcement and disputation, in millionths, that a status stands for where no evidence was kept.

    Confirmed 1 and 0, promoted 2 and 0, denied 0 and 2, every other 0 and 0 (seed 000's migration).
    """
    return _SEEDS.get(status, (0, 0))


_SEEDS = {"confirmed": (ONE, 0), "promoted": (2 * ONE, 0), "denied": (0, 2 * ONE)}
