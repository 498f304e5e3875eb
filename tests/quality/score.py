"""Scores an extractor against the labels of this folder, by the rule of the guide's last section."""

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from affidavit.domain.proposals import Extractor, Passage, Proposal, Span

ROOT = Path(__file__).resolve().parents[2]
LOCOMO = "locomo10.json"


@dataclass(frozen=True, slots=True)
class Label:
    """What a careful reader would want remembered: a clause, its kind and its polarity."""

    span: Span
    kind: str
    polarity: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One labelled turn."""

    id: str
    lang: str
    split: str
    text: str
    labels: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """How well the predictions meet the labels."""

    precision: float
    recall: float
    hits: int
    predicted: int
    labelled: int


def locomo_folder() -> Path | None:
    """The folder that holds LoCoMo, or None where this machine has none."""
    named = os.environ.get("AFFIDAVIT_TEST_DATA")
    folder = Path(named) if named else ROOT.parent / "shared" / "data"
    return folder if (folder / LOCOMO).is_file() else None


@cache
def _locomo_texts() -> dict[str, str]:
    """Every turn of LoCoMo by "sample_id/dia_id"."""
    folder = locomo_folder()
    if folder is None:
        raise FileNotFoundError(f"{LOCOMO} is needed for turns that carry no text; name its folder in AFFIDAVIT_TEST_DATA")
    texts: dict[str, str] = {}
    for sample in json.loads((folder / LOCOMO).read_text(encoding="utf-8")):
        for session in sample["conversation"].values():
            if isinstance(session, list):
                texts.update({f"{sample['sample_id']}/{turn['dia_id']}": turn["text"] for turn in session})
    return texts


def _turn(line: str) -> Turn:
    """Reads one line of a labels file."""
    record = json.loads(line)
    text = record["text"] if "text" in record else _locomo_texts()[record["id"]]
    labels = tuple(Label(Span(label["start"], label["end"]), label["kind"], label["polarity"]) for label in record["labels"])
    return Turn(record["id"], record["lang"], record["split"], text, labels)


def load(path: Path) -> tuple[Turn, ...]:
    """Reads a file of labelled turns."""
    return tuple(_turn(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip())


def is_hit(proposal: Proposal, label: Label) -> bool:
    """Tells whether kind and polarity agree and the overlap is at least half of the longer span."""
    if (proposal.kind, proposal.polarity) != (label.kind, label.polarity):
        return False
    overlap = min(proposal.span.end, label.span.end) - max(proposal.span.start, label.span.start)
    longer = max(proposal.span.end - proposal.span.start, label.span.end - label.span.start)
    return overlap * 2 >= longer and overlap > 0


def _hits(proposals: tuple[Proposal, ...], labels: tuple[Label, ...]) -> int:
    """Counts the proposals that hit a label, each label at most once."""
    free = list(labels)
    for proposal in proposals:
        hit = next((label for label in free if is_hit(proposal, label)), None)
        if hit is not None:
            free.remove(hit)
    return len(labels) - len(free)


def predict(extractor: Extractor, turn: Turn) -> tuple[Proposal, ...]:
    """Shows one turn to the extractor as a user's message in one chunk."""
    return extractor.extract(Passage(turn.text, Span(0, len(turn.text)), "user"))


def score(extractor: Extractor, turns: Iterable[Turn]) -> Score:
    """Precision and recall over all the turns; a precision of nothing predicted, or recall of nothing labelled, is 1."""
    hits = predicted = labelled = 0
    for turn in turns:
        proposals = predict(extractor, turn)
        hits += _hits(proposals, turn.labels)
        predicted += len(proposals)
        labelled += len(turn.labels)
    return Score(hits / predicted if predicted else 1.0, hits / labelled if labelled else 1.0, hits, predicted, labelled)


def main() -> None:
    """Prints precision and recall of the rules for each file of turns that was never shown, and for all of them."""
    from affidavit.rebuild.extractors.rules import Rules  # noqa: PLC0415 - only the table needs it

    here = Path(__file__).resolve().parent
    held = ("english_held", "locomo_held", "chinese_held")
    for names in (*((name,) for name in held), held, ("locomo_draw",)):
        turns = [turn for name in names for turn in load(here / f"{name}.jsonl")]
        found = score(Rules(), turns)
        counts = f"{found.hits} / {found.predicted} / {found.labelled}"
        print(f"{' + '.join(names):<40} precision {found.precision:.2f}  recall {found.recall:.2f}  {counts}")


if __name__ == "__main__":
    main()
