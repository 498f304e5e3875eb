"""The demo: the whole journey of a memory, on a conversation that is shipped beside this file.

A step is a function. It runs commands of the product, prints what they answered, and holds its own prose to it: what a
sentence says is asked of the ledger with `holds`, and the first thing that is not so ends the demo with exit code 1. No
answer is written down here: this file knows the story (who said what), and not the product's words for it.

Commands go through the real command line, in this process, so what is shown is what a person would get; only the options
that name the ledger are left out of what is shown. Memories age, so the play takes place on the day after the last
message, whatever the machine's clock says: answers are judged then, and that is when Lin corrects.
"""

import argparse
import io
import os
import shutil
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from affidavit.domain.errors import AffidavitError
from affidavit.domain.messages import Message
from affidavit.domain.roles import Actor
from affidavit.domain.times import SECOND
from affidavit.projections.answers import Claim, Item
from affidavit.scripts.cli import app
from affidavit.scripts.importers import Options, chat
from affidavit.scripts.ledger import Ledger, open_ledger

CONVERSATION = Path(__file__).with_name("demo_conversation.jsonl")
SCOPE = "lin"
LIN = Actor("user", "lin")
CORRECTED = "User's birthday is 9 May."
SHOWN = ("m01", "m04", "m05", "m07", "m20", "m35")
"""Messages that are shown to begin with."""
NOT_BELIEVED = {
    "m05": ("你对花生过敏", "the assistant repeats what Lin said"),
    "m32": ("You live in Lisbon", "the assistant is out of date"),
    "m16": ("You love Kyoto, don't you?", "the assistant supposes"),
    "m07": ("I love their peanut brittle", "a tool brings a stranger's review"),
    "m10": ("I grew up above a bakery in Kyoto", "pasted, in a fence"),
    "m12": ("I have three dogs", "pasted, and marked so in the file"),
    "m13": ("我住在京都，我每天画到天亮", "quoted, with >"),
    "m15": ("If I moved to Kyoto", "a hypothetical"),
    "m17": ("要是我住在海边", "a hypothetical"),
    "m18": ("Do I like durian? 我喜欢榴莲吗？", "questions"),
    "m19": ("My sister lives in Chengdu", "somebody else's life"),
}
"""Messages of the story that must support no claim: some words of each, and why, as a person would say it."""
OUT_OF_DATE = "m32"
CANARIES = ("jasmine", "花生")
"""Words that Lin wrote, and that no file but the views may hold."""

WIDTH, PROSE, ANSWER = 100, 4, 6
"""The most columns, and how far prose and answers stand in."""


class Broken(Exception):
    """The journey did not hold: a sentence of the demo turned out not to be true."""


def holds(condition: object, otherwise: str) -> None:
    """Raises Broken with the sentence where the condition is not met."""
    if not condition:
        raise Broken(otherwise)


# -- how it looks ------------------------------------------------------------------------------------------------------


class Stage:
    """Where the demo is printed: colour on a terminal that wants it, plain text elsewhere, never wider than 100."""

    def __init__(self) -> None:
        wanted = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        width = min(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns)
        self._console = Console(
            width=width,
            color_system="auto" if wanted else None,
            highlight=False,
            markup=False,
            emoji=False,
        )
        self.coloured = self._console.color_system is not None
        self._steps = 0

    def step(self, heading: str) -> None:
        """Prints the heading of the next step."""
        self._steps += 1
        self.gap()
        self._print(Text(f"{self._steps:>2}  {heading}", style="bold cyan"), 0)

    def heading(self, text: str) -> None:
        """Prints a heading that is no step."""
        self.gap()
        self._print(Text(text, style="bold"), 0)

    def say(self, text: str, *, after: bool = False) -> None:
        """Prints a sentence or two of explanation; `after` an answer, with an empty line between."""
        if after:
            self.gap()
        self._print(Text(text), PROSE)

    def call(self, sign: str, said: str, answer: Iterable[str], notes: Iterable[str] = ()) -> None:
        """Prints a command or a call as a person would type it, its answer, and what it noted on stderr."""
        self.gap()
        self._print(Text.assemble((f"{sign} ", "dim"), (said, "green")), PROSE)
        for line in answer:
            self._print(Text.from_ansi(line), ANSWER)
        for note in notes:
            self._print(Text(note, style="dim"), ANSWER)

    def table(self, rows: Iterable[Sequence[str]], head: Sequence[str] = (), style: str = "") -> None:
        """Prints aligned columns; a Chinese character is two columns wide."""
        lines = [tuple(head), *map(tuple, rows)] if head else [*map(tuple, rows)]
        widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
        for place, line in enumerate(lines):
            cells = (set_cell_size(cell, width) for cell, width in zip(line, widths, strict=True))
            self._print(Text("   ".join(cells), style="dim" if head and place == 0 else style), ANSWER)

    def gap(self) -> None:
        """Prints an empty line."""
        self._console.print()

    def _print(self, line: Text, indent: int) -> None:
        """Prints a line; where it is too long it is wrapped, and goes on where it began."""
        line.rstrip()
        margin = indent + len(line.plain) - len(line.plain.lstrip())
        parts = line[margin - indent :].wrap(self._console, self._console.width - margin) if line else [line]
        for part in parts:
            part.rstrip()
            self._console.print(Text(" " * margin) + part if part else part, soft_wrap=True)


class _Captured(io.StringIO):
    """Takes what a command prints, and passes for a terminal where the demo's own output is one."""

    def __init__(self, *, coloured: bool) -> None:
        super().__init__()
        self._coloured = coloured

    def isatty(self) -> bool:
        """Tells commands whether they may use colour."""
        return self._coloured


@dataclass(slots=True)
class Journey:
    """One play of the demo: where its ledger lies, what was said, the noon of the day after, and what steps hand on."""

    stage: Stage
    folder: Path
    messages: list[Message]
    noon: datetime
    before: int = 0
    prompt_before: str = ""

    @property
    def now(self) -> str:
        """Returns the moment that answers are judged at, as the command line takes it."""
        return f"{self.noon:%Y-%m-%dT%H:%MZ}"

    def open(self) -> Ledger:
        """Opens the ledger from Python, as Lin, at noon; with its own keys, whatever the environment names."""
        keys, now = self.folder / "keys.db", int(self.noon.timestamp()) * SECOND
        return open_ledger(self.folder, scope=SCOPE, actor=LIN, keys=keys, clock=lambda: now)

    def run(self, *arguments: str, code: int = 0, copy: Path | None = None) -> list[str]:
        """Runs a command, prints it with its answer, and returns the answer. `copy` is another ledger than ours.

        Raises Broken where its exit code is another than `code`.
        """
        place = copy or self.folder
        where = ["--ledger", str(place), "--keys", str(place / "keys.db")]
        out, err = _Captured(coloured=self.stage.coloured), _Captured(coloured=False)
        with redirect_stdout(out), redirect_stderr(err):
            done = app.main([*arguments, *where], prog_name="affidavit", standalone_mode=False)
        answer = out.getvalue().splitlines()
        shown = ["affidavit", *arguments, *(["--ledger", copy.name] if copy else [])]
        self.stage.call("$", " ".join(shown), answer, err.getvalue().splitlines())
        got = done if isinstance(done, int) else 0
        holds(got == code, f"`affidavit {arguments[0]}` ended with exit code {got}, {code} was expected")
        return answer


# -- the steps ---------------------------------------------------------------------------------------------------------


def what_was_said(journey: Journey) -> None:
    """Imports the conversation, and shows whose words it holds."""
    stage = journey.stage
    stage.step("What was said")
    stage.say(
        "Lin draws picture books, and talks with her assistant Mira in English and Chinese. We make a ledger and import "
        "their conversation: every message becomes evidence, word for word. (Commands are shown as you would type them "
        "with AFFIDAVIT_LEDGER naming the ledger.)"
    )
    journey.run("init", "--scope", SCOPE, "--time-zone", "Europe/Lisbon")
    journey.run("import", _from_here(CONVERSATION.resolve()), "--scope", SCOPE)
    with journey.open() as ledger:
        items = {item.message: item for item in ledger.evidence()}
    kept, said = {item.message: item.text for item in items.values()}, {one.id: one.text for one in journey.messages}
    holds(kept == said, "the evidence is not word for word what the conversation says")
    counts = Counter(item.role for item in items.values())
    holds(set(counts) == {"user", "assistant", "tool"}, f"the voices are {', '.join(sorted(counts))}")
    sessions, months = {item.session for item in items.values()}, {item.occurred_at[:7] for item in items.values()}
    stage.say(f"{len(sessions)} sessions between {min(months)} and {max(months)}, and three kinds of voices:", after=True)
    stage.table([(role, f"{count:>8}") for role, count in counts.most_common()], ("voice", "messages"))
    stage.gap()
    stage.table(_said(items[message]) for message in SHOWN)


def what_is_believed(journey: Journey) -> None:
    """Lists the claims, and messages that support none."""
    stage = journey.stage
    stage.step("What came to be believed, and what did not")
    stage.say(
        "The rules extractor has read it; no model was asked. A claim is one sentence, in the language it was said in, and "
        "stands on Lin's own words alone."
    )
    journey.run("claims", "--all")
    with journey.open() as ledger:
        items = {item.message: item for item in ledger.evidence()}
        sources = [(claim, source) for claim in ledger.claims(every=True) for source in ledger.why(claim.id).sources]
    holds(sources, "no claim was derived")
    for claim, source in sources:
        holds(source.role == "user", f"it stands on the {source.role}'s words: {claim.text}")
        holds(source.extractor.startswith("rules@"), f"{source.extractor}, not the rules, derived: {claim.text}")
        holds(_is_chinese(claim.text) == _is_chinese(source.quote), f"it is in another language: {claim.text}")
    idle = [item for item in items.values() if not item.claims]
    stage.say(f"{len(idle)} of the {len(items)} messages support no claim. Some of them, and why:", after=True)
    for message, (words, reason) in NOT_BELIEVED.items():
        holds(words in items[message].text, f"message {message} does not say {words!r}; the story has changed")
        holds(not items[message].claims, f"message {message} supports a claim, though it is {reason}: {words}")
    stage.table(NOT_BELIEVED.values())


def what_goes_to_a_model(journey: Journey) -> None:
    """Shows the prompt and its manifest."""
    stage = journey.stage
    stage.step("What would go to a model")
    stage.say("The prompt is the ledger seen at a moment. Its manifest names all that is in it, and all that is not.")
    answer = journey.run("prompt", "--now", journey.now)
    with journey.open() as ledger:
        manifest = ledger.prompt(now=journey.now).manifest
        live = {claim.id: claim.text for claim in ledger.claims()}
    shown = [claim["id"] for section in manifest["sections"] for claim in section["claims"]]
    omitted = {claim["id"]: claim["reason"] for section in manifest["sections"] for claim in section["omitted"]}
    lines = [line for line in answer if line.startswith("- ")]
    holds(lines == [f"- {live[claim]}" for claim in shown], "the manifest does not name the claims of the prompt")
    holds(sorted([*shown, *omitted]) == sorted(live), "the manifest does not name every live claim once")
    holds("dormant" in omitted.values(), "nothing went dormant, though some of it is months old")
    stage.say("The manifest, in short:", after=True)
    rows = [
        ("position", str(manifest["position"])),
        ("judged at", manifest["now"]),
        ("policy", manifest["policy"][:16]),
        ("tokens", f"{manifest['tokens']}, counted by {manifest['counter']}"),
        ("claims", f"{len(shown)} in it, {len(omitted)} left out"),
    ]
    stage.table([*rows, *(("left out", f"{live[claim]}  ({reason})") for claim, reason in omitted.items())])
    stage.say(
        "What nothing has confirmed for its kind's time is dormant: still believed, and not worth the tokens.", after=True
    )


def why_it_is_believed(journey: Journey) -> None:
    """Traces two sentences of the prompt to the words they came from."""
    stage = journey.stage
    stage.step("Why is that believed?")
    stage.say(
        "Any sentence of the prompt can be traced to the words it came from, marked here in their sentence. These two were "
        "said in two sessions each: that made one claim firmer, and not two claims."
    )
    with journey.open() as ledger:
        prompt, items = ledger.prompt(now=journey.now).text, {item.id: item for item in ledger.evidence()}
        chosen = [_the(ledger.claims(), "likes", "jasmine"), _the(ledger.claims(), "allergy")]
        for claim in chosen:
            holds(f"- {claim.text}\n" in prompt, f"the prompt does not say: {claim.text}")
            sources = ledger.why(claim.id).sources
            holds(len({source.session for source in sources}) == 2, f"two sessions should support: {claim.text}")
            for source in sources:
                words = items[source.evidence].text[source.start : source.end]
                holds(source.quote == words, f"the span does not hold the words quoted for: {claim.text}")
            grown = [step.changed["confidence"] for step in ledger.history(claim.id) if "confidence" in step.changed]
            holds(len(grown) == 2 and grown[0] < grown[1], f"saying it again did not make it firmer: {claim.text}")
    for claim in chosen:
        journey.run("why", claim.id[:8])


def what_changed(journey: Journey) -> None:
    """Shows an update: a newer value superseded the older."""
    stage = journey.stage
    stage.step("Life moves on")
    with journey.open() as ledger:
        home = _the(ledger.claims(), "home")
        old = _the(ledger.claims(status="superseded"), "home")
        why, moved = ledger.why(old.id), ledger.why(home.id).sources[0]
        echo = next(item for item in ledger.evidence() if item.message == OUT_OF_DATE)
    holds(why.superseded_by and why.superseded_by["id"] == home.id, f"{old.text} is not superseded by: {home.text}")
    holds(old.value in echo.text and echo.role == "assistant", "the assistant does not name the old city")
    holds(why.sources, f"nothing tells any more why it was believed: {old.text}")
    stage.say(
        f"On {moved.occurred_at[:10]} Lin wrote: “{moved.quote}.” A person lives in one place at a time, so the newer "
        "statement superseded the older; what was believed before stays on record."
    )
    journey.run("why", old.id[:8])
    journey.run("history", old.id[:8])
    stage.say(
        f"On {echo.occurred_at[:10]} the assistant still says {old.value}. Its words have no say: {home.value} stands.",
        after=True,
    )


def a_person_corrects(journey: Journey) -> None:
    """Corrects a claim as the person remembered."""
    stage = journey.stage
    stage.step("A person says what is right")
    stage.say(
        "Lin had typed her birthday upside down. She does not argue with the assistant; she corrects the claim, this time "
        "through the Python API (`affidavit correct` does the same)."
    )
    with journey.open() as ledger:
        wrong = _the(ledger.claims(), "birthday")
        journey.before, journey.prompt_before = ledger.position, ledger.prompt(now=journey.now).text
        outcome = ledger.correct(wrong.id[:8], CORRECTED)
        told = f"position {outcome.position}, claim {outcome.claim[:8]}, events {', '.join(outcome.events)}"
        stage.call(">>>", f'ledger.correct("{wrong.id[:8]}", "{CORRECTED}")', [outcome.refused or told])
        right = _the(ledger.claims(), "birthday")
        decisions = [decision["what"] for decision in ledger.why(wrong.id).corrections]
    holds(right.text == CORRECTED and right.corrected, f"after the correction the ledger says: {right.text}")
    holds("rejected" in decisions, f"this was corrected, and is not rejected: {wrong.text}")
    journey.run("why", right.id[:8])
    stage.say("The old value is rejected now: nothing automatic may bring it back. The next step tries.", after=True)


def everything_again(journey: Journey) -> None:
    """Throws the views away, rebuilds them, and lets the extractor read everything again."""
    stage, views = journey.stage, journey.folder / "views"
    stage.step("Throw it all away, and derive it again")
    with journey.open() as ledger:
        wrong = ledger.show(_the(ledger.claims(status="superseded"), "birthday").id).claim
        before, prompt = _digests(ledger), ledger.prompt(now=journey.now).text
    files = len(list(views.iterdir()))
    shutil.rmtree(views)
    stage.say(
        f"Answers come from views, and views from the log alone. We deleted their folder, {files} files. Now they are "
        "built anew, and the extractor reads every message again, the mistyped birthday too."
    )
    journey.run("rebuild")
    with journey.open() as ledger:
        rebuilt = _digests(ledger)
    holds(rebuilt == before, "the rebuilt views differ from those that were deleted")
    journey.run("extract", "--all")
    journey.run("inbox", "--refusals")
    with journey.open() as ledger:
        again = _digests(ledger)
        refused = [matter for matter in ledger.inbox() if matter["text"] == wrong.text]
        holds(refused, f"the extractor read it again, and nothing was refused: {wrong.text}")
        live = [claim.text for claim in ledger.claims()]
        recalled = [claim.text for claim in ledger.context("birthday")]
        holds(CORRECTED in live and CORRECTED in recalled, "the correction did not survive")
        holds(not any(wrong.value in text for text in (*live, *recalled)), f"the old value {wrong.value} is back")
        holds(ledger.prompt(now=journey.now).text == prompt, "the prompt is another than before")
    holds(wrong.value not in prompt and f"- {CORRECTED}\n" in prompt, "the prompt does not follow the correction")
    stage.say("Digests of the views before they were deleted, rebuilt, and after everything was read again:", after=True)
    rows = [(name, before[name][:16], rebuilt[name][:16], again[name][:16]) for name in before]
    stage.table(rows, ("view", "before", "rebuilt", "read again"))
    moved = {name for name in before if before[name] != again[name]}
    holds(moved == {"inbox", "timeline"}, f"reading everything again moved {', '.join(sorted(moved)) or 'no view'}")
    stage.say(
        f"The correction holds: “{CORRECTED}” And {wrong.value} is in no live claim, no recall and no prompt. Only the "
        "timeline and the inbox moved, for the refusal is an event too.",
        after=True,
    )


def as_it_was(journey: Journey) -> None:
    """Reads the prompt as it was before the correction."""
    stage = journey.stage
    stage.step("As it was")
    stage.say(
        f"What would a model have seen before the correction? --as-of {journey.before} asks for the ledger as it was "
        "recorded then, and --now for the moment it is judged at."
    )
    answer = journey.run("prompt", "--as-of", str(journey.before), "--now", journey.now)
    holds("".join(f"{line}\n" for line in answer) == journey.prompt_before, "the prompt of back then is not what it was")
    with journey.open() as ledger:
        today = ledger.prompt(now=journey.now).text.splitlines()
    gone, come = sorted(set(answer) - set(today)), sorted(set(today) - set(answer))
    holds(len(gone) == len(come) == 1, f"{len(gone)} lines went from the prompt and {len(come)} came")
    stage.say("That is the prompt from before, byte for byte. In the prompt of today, one line is another:", after=True)
    stage.table([("then", gone[0])], style="red")
    stage.table([("now ", come[0])], style="green")


def tampering(journey: Journey) -> None:
    """Verifies the log, then flips one bit of one record in a copy."""
    stage = journey.stage
    stage.step("Can somebody change the past?")
    stage.say("Every record is chained to the one before it. The whole log can be checked:")
    journey.run("verify")
    with tempfile.TemporaryDirectory() as beside:
        copy = Path(shutil.copytree(journey.folder, Path(beside) / "copy"))
        with journey.open() as ledger:
            steps = ledger.history(_the(ledger.claims(), "birthday").id)
        position = next((step.position for step in steps if step.type == "claim-corrected"), 0)
        holds(position, "the correction is not in the history of what it corrected to")
        triggers = _flip_one_bit(copy / "log.db", position)
        stage.say(
            f"Now an attacker who has the files. In a copy of the ledger we drop the {triggers} triggers that guard it, and "
            f"flip one bit of record {position}: it holds Lin's correction.",
            after=True,
        )
        answer = journey.run("verify", code=3, copy=copy)
        holds(answer and f"position {position}:" in answer[0], f"verify does not name position {position}")
    with journey.open() as ledger:
        holds(ledger.verify().clean, "the ledger itself was harmed")
    stage.say("It names the record, with exit code 3. Our own ledger is untouched, and still verifies.", after=True)


def canary(journey: Journey) -> None:
    """Looks for words of the conversation in the bytes of every file."""
    stage = journey.stage
    stage.step("Who can read it?")
    stage.say(
        "In the log, words are sealed under keys that are kept in a file apart; only the views, which can be thrown away, "
        "hold them in the clear. So often do words that Lin wrote stand in the bytes of the files:"
    )
    files = [path for path in journey.folder.rglob("*") if path.is_file()]
    groups = {
        "log": [path for path in files if path.name.startswith("log.")],
        "keys": [path for path in files if path.name.startswith("keys.")],
        "views": [path for path in files if path.parent.name == "views"],
    }
    holds(sum(map(len, groups.values())) == len(files), "the ledger holds a file that is neither log, keys nor view")
    rows = []
    for word in CANARIES:
        holds(any(word in one.text for one in journey.messages if one.role == "user"), f"Lin did not write {word!r}")
        found = {name: sum(path.read_bytes().count(word.encode()) for path in paths) for name, paths in groups.items()}
        holds(not found["log"] and not found["keys"], f"{word!r} stands in the clear in the log or the keys")
        holds(found["views"], f"{word!r} is not even in the views, so the search proves nothing")
        rows.append((word, *(str(count) for count in found.values())))
    stage.table(rows, ("word", *(f"{name} ({len(paths)} files)" for name, paths in groups.items())))


STEPS = (
    what_was_said,
    what_is_believed,
    what_goes_to_a_model,
    why_it_is_believed,
    what_changed,
    a_person_corrects,
    everything_again,
    as_it_was,
    tampering,
    canary,
)


# -- what steps need ---------------------------------------------------------------------------------------------------


def _the(claims: Iterable[Claim], attribute: str, word: str = "") -> Claim:
    """Returns the one claim about an attribute that says a word. Raises Broken where there is none, or more."""
    found = [claim for claim in claims if claim.attribute == attribute and word in claim.text]
    holds(len(found) == 1, f"one claim was expected about {attribute} {word}".rstrip() + f", {len(found)} were found")
    return found[0]


def _digests(ledger: Ledger) -> dict[str, str]:
    """Returns the digest of each view, which must agree with one built anew in memory."""
    found = ledger.check_views()
    for one in found:
        holds(one.agree, f"the view {one.view} does not follow from the log")
    return {one.view: one.live for one in found}


def _flip_one_bit(log: Path, position: int) -> int:
    """Changes one bit of a record's body, dropping the triggers first; returns how many there were."""
    connection = sqlite3.connect(log, isolation_level=None)
    try:
        triggers = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for (name,) in triggers:
            connection.execute(f'DROP TRIGGER "{name}"')
        body = bytearray(connection.execute("SELECT body FROM records WHERE position = ?", (position,)).fetchone()[0])
        body[len(body) // 2] ^= 1
        connection.execute("UPDATE records SET body = ? WHERE position = ?", (bytes(body), position))
    finally:
        connection.close()
    return len(triggers)


def _is_chinese(text: str) -> bool:
    return any("\u4e00" <= character <= "\u9fff" for character in text)


def _said(item: Item) -> tuple[str, str, str]:
    """Returns a message as a row: the day, who said it, and its beginning on one line."""
    text = Text(" ".join(item.text.split()))
    text.truncate(60, overflow="ellipsis")
    return item.occurred_at[:10], f"{item.speaker} ({item.role})", text.plain


def _from_here(path: Path) -> str:
    """Returns a path as seen from where the person stands, if it is below."""
    path, here = Path(os.path.abspath(path)), Path.cwd()  # noqa: PTH100 - a virtual environment's links are not followed
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


# -- the play ----------------------------------------------------------------------------------------------------------


def _conversation() -> tuple[list[Message], datetime]:
    """Returns the messages of the conversation, and noon of the day after the last one."""
    lines = [line for part in chat.read(CONVERSATION, Options()) for line in part.lines]
    for line in lines:
        holds(line.message, f"{CONVERSATION.name}:{line.number}: {line.reason}")
    messages = [line.message for line in lines if line.message is not None]
    holds(messages, f"{CONVERSATION.name} is empty")
    day_after = datetime.fromtimestamp(messages[-1].at // SECOND, UTC) + timedelta(days=1)
    return messages, day_after.replace(hour=12, minute=0, second=0)


def _play(folder: Path, kept: Path | None) -> None:
    """Plays every step with a ledger in `folder`. Raises Broken where something is not as it is told."""
    stage = Stage()
    messages, noon = _conversation()
    stage.heading("Affidavit")
    stage.say("The memory ledger of an AI agent: what it believes, on what evidence, and what became of it.")
    journey = Journey(stage, folder, messages, noon)
    for step in STEPS:
        step(journey)
    installed = Path(sys.executable).with_name("affidavit")
    command = _from_here(installed) if installed.exists() else "affidavit"
    stage.heading("Where to go from here")
    stage.table(
        [
            (f"{command} --help", "every command; all of those above were real"),
            (f"{command} claims --ledger {kept}", "ask the ledger of this demo")
            if kept
            else ("scripts/demo --keep FOLDER", "play it again, and keep the ledger to look around in"),
            ("README.md", "what it is for, and the same from Python"),
        ]
    )
    stage.gap()


def main(arguments: Sequence[str] | None = None) -> int:
    """Plays the demo; returns 0 if all it told was so, else 1 after a sentence on stderr."""
    parser = argparse.ArgumentParser(prog="scripts/demo", description="The whole journey of a memory, in a few seconds.")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the ledger in this new folder")
    kept: Path | None = parser.parse_args(arguments).keep
    if kept is not None and kept.exists():
        parser.error(f"{kept} exists already; name a folder that does not")
    try:
        with tempfile.TemporaryDirectory(prefix="affidavit-demo-") as temporary:
            _play(kept or Path(temporary) / "ledger", kept)
    except (Broken, AffidavitError) as error:
        print(f"\nThe demo did not hold: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
