"""A failed extraction backs off and becomes a dead letter in the end; the evidence stays."""

from spec import RULES, Outcome, Story, at, extractor, saying

from affidavit.domain.readings import ExtractionFailed, Fail, fail
from affidavit.domain.times import SECOND

TEA = saying("User likes tea.")


def fails(story: Story, item: bytes, revision: int = 1) -> Outcome:
    """Notes that the extractor gave no answer."""
    who = {"actor": extractor, "at": at(), "new_id": story.new_id}
    command = Fail(**who, item=item, revision=revision, extractor=RULES, error="no answer")  # type: ignore[arg-type]
    return story.keep(fail(command, story.index.items[item], story.index.policy))


def test_failures_back_off_and_the_fifth_is_a_dead_letter() -> None:
    story = Story()
    item = story.says("I like tea.")
    failed = [fails(story, item).then(ExtractionFailed).the(ExtractionFailed).state.readings[0] for _ in range(5)]
    assert [reading.attempts for reading in failed] == [1, 2, 3, 4, 5]
    assert [reading.retry_at for reading in failed[:4]] == [at() + wait * SECOND for wait in (60, 300, 900, 3600)]
    assert [reading.outcome for reading in failed] == ["failed"] * 4 + ["dead letter"]
    assert failed[4].retry_at is None


def test_a_failure_of_what_was_read_meanwhile_stays_quiet() -> None:
    story = Story()
    item = story.says("I like tea.")
    story.reads(item, TEA)
    fails(story, item).then_nothing()


def test_another_revision_starts_counting_again() -> None:
    story = Story()
    item = story.says("I like tea.", message="1")
    fails(story, item)
    story.says("I like cake.", message="1")
    assert fails(story, item, revision=2).the(ExtractionFailed).state.readings[0].attempts == 1


def test_an_answer_about_another_revision_starts_counting_again() -> None:
    story = Story()
    item = story.says("I like tea.", message="1")
    for _ in range(2):
        fails(story, item)
    story.says("I like cake.", message="1")
    story.reads(item)
    reading = story.index.items[item].reading(RULES)
    assert reading is not None
    assert (reading.outcome, reading.revision, reading.attempts) == ("completed", 2, 1)


def test_an_answer_after_failures_completes_the_reading() -> None:
    story = Story()
    item = story.says("I like tea.")
    fails(story, item)
    story.reads(item, TEA)
    reading = story.index.items[item].reading(RULES)
    assert reading is not None
    assert (reading.outcome, reading.attempts, reading.retry_at) == ("completed", 2, None)


def test_a_failure_forgets_no_refusal() -> None:
    story = Story()
    item = story.says("You like tea.", by="assistant")
    story.reads(item, TEA)
    story.says("You like it.", by="assistant", message="message 0")
    fails(story, item, revision=2)
    reading = story.index.items[item].reading(RULES)
    assert reading is not None
    assert len(reading.refused) == 1


def test_the_error_text_is_not_public() -> None:
    assert "error" not in ExtractionFailed.public
