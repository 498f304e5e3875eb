"""What ships: with rules alone the loops do what can be known, say what cannot, and invent nothing; and the mode."""

import pytest
from mechanism import CALM, FIVE, QUIET, World
from reasoners import FRESH, Scripted, every

from affidavit.rebuild.extractors.rules import Rules

CITIES = ("Lisbon", "Porto", "Faro", "Braga", "Evora")


@pytest.fixture
def ships(world: World) -> World:
    world.model = Rules()
    return world


def test_a_question_that_rules_cannot_answer_is_noted_once_and_shown_in_the_funnel(ships: World) -> None:
    ships.say(*(f"I like {thing}." for thing in FIVE), "Let's change the subject.")
    ships.tick()
    noted = ships.funnel("questions without an answer")
    assert noted == {"reflect: no answer": 1, "relate: no answer": 1, "targets: no answer": 1}
    ships.ticks(5, minutes=60)
    assert ships.funnel("questions without an answer") == noted
    position = ships.ledger.position
    ships.ticks(3, minutes=60)
    assert ships.ledger.position == position


def test_no_answer_spends_no_attempt_and_nothing_is_invented(ships: World) -> None:
    ships.like(*FIVE)
    ships.ticks(5, minutes=60)
    said = {f"I like {thing}." for thing in FIVE}
    assert {item.text for item in ships.ledger.evidence()} == said
    assert {claim.form for claim in ships.ledger.claims(every=True)} == {"fact"}
    assert {ships.state(f"likes {thing}")["attempts"] for thing in FIVE} == {0}
    assert ships.ledger.inbox() == []


def test_a_fact_that_the_user_says_again_and_again_is_promoted_freshly(ships: World) -> None:
    ships.say(*["I like tea."] * 5)
    ships.tick()
    assert ships.the("likes tea", "fact").status == "promoted"
    persona = ships.the("likes tea", "persona")
    assert (persona.status, ships.state("likes tea", "persona")["attempts"]) == ("active", 0)
    assert len(ships.ledger.why(persona.id).sources) == 5


def test_fifty_repetitions_in_one_session_promote_nothing(ships: World) -> None:
    ships.say(*["I like tea."] * 50, session="one")
    ships.tick()
    assert ships.score("likes tea") > 10
    assert ships.the("likes tea").status == "active"


def test_a_second_fact_on_the_same_attribute_waits_in_the_inbox_once(ships: World) -> None:
    ships.say(*["I like tea."] * 5)
    ships.tick()
    ships.say(*["I like jazz."] * 5)
    ships.ticks(4, minutes=60)
    assert ships.waiting() == [("review", "promotion")]
    assert ships.types("likes jazz").count("review-required") == 1
    assert ships.state("likes jazz")["attempts"] == 0
    ships.ledger.reject(ships.the("likes tea", "persona").id)
    ships.tick()
    assert ships.the("likes jazz", "persona").status == "active"  # Nothing stands in its way any more.
    assert ships.waiting() == []


def test_a_newer_value_takes_the_persona_claims_place_without_a_rejection(ships: World) -> None:
    ships.say(*["I live in Lisbon."] * 5)
    ships.tick()
    ships.clock.now += 1
    ships.say("I live in Porto.")
    ships.tick()
    live = [(claim.form, claim.text) for claim in ships.ledger.claims()]
    assert live == [("fact", "User lives in Porto.")]
    assert not [one for one in ships.ledger.timeline() if one["type"] == "value-rejected"]


def test_statements_against_a_claim_dispute_it_and_in_the_end_archive_it(ships: World) -> None:
    ships.say("I like tea.")
    ships.clock.now += 1
    ships.say("I don't like tea.")
    ships.tick()
    assert ships.score("User likes tea") < 0
    for _ in range(13):  # The first day was counted at once.
        assert ships.the("User likes tea").status == "active"
        ships.tick(days=1, minutes=0)
    assert ships.the("User likes tea").status == "archived"
    assert [one["text"] for one in ships.ledger.archive()] == ["User likes tea."]


def test_off_asks_nothing_but_for_reflections(world: World) -> None:
    world.confirmed()
    world.persona("mint")
    world.persona("chai")
    world.ledger.switch_mode(powerful=False, now=world.clock.now)
    world.like("lakes", "moss", "woods", "hills", "snow")
    world.say("Let's change the subject.", *["I like water."] * 5)
    world.model = Scripted(
        relate=every("reinforces", CALM), targets=(), merge=FRESH, resolve=None, refine=(), reflect=QUIET, judge_reply=None
    )
    world.ticks(3, minutes=40)
    assert {question for question, _ in world.model.asked} == {"reflect"}


def test_off_the_ladder_is_seven_days_and_seven_more(world: World) -> None:
    world.pending()
    world.ledger.switch_mode(powerful=False, now=world.clock.now)
    world.tick(days=6)
    assert world.the(CALM).status == "pending"
    world.tick(days=1)
    assert world.the(CALM).status == "confirmed"
    world.tick(days=6)
    assert world.the(CALM).status == "confirmed"
    world.tick(days=1)
    assert world.the(CALM, "reflection").status == "promoted"
    decided = world.ledger.show(world.the(CALM, "reflection").id, now=world.clock.now).decisions
    assert [(one["what"], one["by"], one["required"]) for one in decided] == [
        ("claim-confirmed", "age", 7),
        ("claim-promoted", "age", 7),
    ]
    assert all(one["actual"] >= one["required"] for one in decided)


def test_switching_off_begins_the_second_step_of_the_ladder_anew(world: World) -> None:
    world.confirmed()
    world.tick(days=20)
    world.ledger.switch_mode(powerful=False, now=world.clock.now)
    world.tick(days=6)
    assert world.the(CALM).status == "confirmed"
    world.tick(days=2)
    assert world.the(CALM, "reflection").status == "promoted"


def test_a_long_absence_is_still_two_steps(world: World) -> None:
    world.pending()
    world.ledger.switch_mode(powerful=False, now=world.clock.now)
    world.tick(days=100)
    assert world.the(CALM).status == "confirmed"


def test_facts_that_came_while_it_was_off_are_not_weighed_when_it_is_on_again(world: World) -> None:
    world.confirmed()
    world.ledger.switch_mode(powerful=False, now=world.clock.now)
    world.like("books")
    world.model = Scripted(relate=every("reinforces", CALM))
    world.tick()
    world.ledger.switch_mode(powerful=True, now=world.clock.now + 1)
    world.tick()
    assert world.model.asked == []
    world.like("lakes")
    world.tick()
    assert [fact.text for fact in world.model.last("relate")[0]] == ["User likes lakes."]


def test_the_mode_is_read_anew_at_every_step(world: World) -> None:
    world.confirmed()
    world.model = Scripted(relate=every("reinforces", CALM))
    for number, powerful in enumerate((False, True, False, True)):
        world.clock.now += 1
        world.ledger.switch_mode(powerful=powerful, now=world.clock.now)
        world.like(f"thing{number}")
        world.tick()
        assert (world.the(f"thing{number}").id in _weighed(world)) is powerful


def _weighed(world: World) -> set[str]:
    asked = (shown[0] for question, shown in world.model.asked if question == "relate")  # type: ignore[attr-defined]
    return {fact.id for facts in asked for fact in facts}


def test_retries_of_a_failed_reading_are_judged_at_the_moment_of_the_tick(world: World) -> None:
    from extractors import Failing  # noqa: PLC0415

    model = Failing("tea")
    world.model = model
    world.like("tea")
    assert world.tick().failed == 1
    assert world.tick(minutes=0).failed == 0  # It backs off for a minute.
    model.word = "nothing"
    later = world.clock.now + 2 * 60_000_000
    assert world.ledger.tick(now=later, extractor=model).read == 1  # The ledger's own clock stands still.
    assert world.the("likes tea").status == "active"
