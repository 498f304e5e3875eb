"""Relations and rebuttals in the loops: what new facts and messages do to confirmed reflections and persona claims."""

import pytest
from mechanism import CALM, FIVE, World, by_another
from reasoners import Broken, Scripted, every, meanwhile

from affidavit.domain.candidates import Relation

DROP = "Let's change the subject."


def test_a_fact_reinforces_a_confirmed_reflection(world: World) -> None:
    world.confirmed()
    world.like("books")
    world.model = Scripted(relate=every("reinforces", CALM))
    world.tick()
    assert world.score(CALM) == pytest.approx(1.5, abs=0.001)
    (why,) = [source for source in world.ledger.why(world.the(CALM).id).sources if "books" in source.quote]
    assert why.quote == "I like books"
    assert world.types("likes books")[-1] == "claim-related"
    assert world.state(CALM)["sessions"] == 6


def test_a_fact_negates_a_confirmed_reflection(world: World) -> None:
    world.confirmed()
    world.like("parties")
    world.model = Scripted(relate=every("negates", CALM))
    world.tick()
    assert world.state(CALM)["disputation"] == 1.0
    assert world.score(CALM) == pytest.approx(0, abs=0.001)


def test_a_fact_reinforces_and_negates_persona_claims(world: World) -> None:
    world.persona("tea")
    world.persona("silence")
    up, down = world.score("likes tea", "persona"), world.state("likes silence", "persona")["disputation"]
    world.like("teapots")
    both = every("reinforces", "likes tea."), every("negates", "silence")
    world.model = Scripted(relate=lambda *shown: both[0](*shown) + both[1](*shown))
    world.tick()
    assert world.score("likes tea", "persona") > up + 0.9  # The combo bonus was earned by the restatements.
    assert (down, world.state("likes silence", "persona")["disputation"]) == (0, 1.0)


def test_ids_that_were_not_shown_are_dropped(world: World) -> None:
    world.confirmed()
    world.like("books", "lakes")

    def answer(facts: list[object], shown: list[object]) -> tuple[Relation, ...]:
        fact, target = facts[0].id, shown[0].id  # type: ignore[attr-defined]
        return (
            Relation("f" * 24, target, "negates"),
            Relation(fact, "e" * 24, "negates"),
            Relation(target, target, "negates"),
        )

    world.model = Scripted(relate=answer)
    world.tick()
    assert world.state(CALM)["disputation"] == 0
    assert world.types("likes books")[-1] == "claim-related"  # It was weighed; nothing was found.


@pytest.mark.parametrize("answer", [Broken("User likes books."), "junk", (1, 2), ({"fact": "x"},)])
def test_a_question_that_fails_marks_nothing_and_the_facts_stay_eligible(world: World, answer: object) -> None:
    world.confirmed()
    world.like("books")
    world.model = Scripted(relate=[answer, every("reinforces", CALM)])
    world.tick()
    assert world.types("likes books") == ["claim-derived"]
    assert world.funnel("questions without an answer")["relate: failed"] == 1
    world.tick()  # The first back-off is a minute.
    assert world.score(CALM) == pytest.approx(1.5, abs=0.001)


def test_what_a_model_died_of_is_not_told(world: World, caplog: pytest.LogCaptureFixture) -> None:
    world.confirmed()
    world.like("books")
    world.model = Scripted(relate=Broken("User likes books."))
    world.tick()
    assert "Broken" in caplog.text
    assert "books" not in caplog.text


@pytest.mark.row("N46")
def test_four_failures_in_a_row_keep_the_facts_and_the_fifth_is_a_dead_letter_that_anyone_can_see(world: World) -> None:
    world.confirmed()
    world.like("books")
    world.model = Scripted(relate=[*[Broken()] * 5, every("reinforces", CALM)])
    waits = [0]
    for failures in range(1, 6):
        while world.model.times("relate") < failures:
            world.tick()
            waits[-1] += 1
        if failures < 5:
            assert world.ledger.inbox() == []
            waits.append(0)
    assert waits == [1, 1, 5, 15, 60]  # In minutes.
    (letter,) = world.ledger.inbox()
    assert (letter["class"], letter["rule"], letter["error"]) == ("dead letter", "relate", "Broken")
    world.ticks(2, minutes=100)
    assert world.model.times("relate") == 5
    world.like("lakes")
    world.tick()
    assert [fact.text for fact in world.model.last("relate")[0]] == ["User likes lakes."]
    assert world.score(CALM) > 1
    assert world.types("likes books") == ["claim-derived"]


def test_a_dead_letter_is_tried_once_more_after_five_hours_and_stays_in_sight_until_it_is_answered(world: World) -> None:
    world.confirmed()
    world.like("books")
    world.model = Scripted(relate=Broken())
    world.ticks(6, minutes=70)
    assert (world.model.times("relate"), world.waiting()) == (5, [("dead letter", "relate")])
    world.tick(minutes=240)
    assert world.model.times("relate") == 6
    world.tick(minutes=70)
    assert (world.model.times("relate"), world.waiting()) == (6, [("dead letter", "relate")])
    world.like("lakes")
    world.model = Scripted(relate=lambda facts, shown: _fails_on("books", facts))
    world.tick(minutes=300)
    assert [[fact.text for fact in shown[0]] for _, shown in world.model.asked] == [
        ["User likes lakes."],
        ["User likes books."],
    ]
    assert world.types("likes lakes")[-1] == "claim-related"
    world.model = Scripted(relate=every("reinforces", CALM))
    world.tick(minutes=300)
    assert world.waiting() == []
    assert world.types("likes books")[-1] == "claim-related"


def _fails_on(word: str, facts: list[object]) -> tuple[Relation, ...]:
    if any(word in fact.text for fact in facts):  # type: ignore[attr-defined]
        raise Broken
    return ()


def test_a_success_between_them_ends_a_row_of_failures(world: World) -> None:
    world.confirmed()
    world.model = Scripted(relate=[Broken(), Broken(), (), Broken(), Broken(), Broken(), Broken(), ()])
    world.like("books")
    world.ticks(4, minutes=100)
    world.like("lakes")
    world.ticks(6, minutes=100)
    assert world.model.times("relate") == 8
    assert world.ledger.inbox() == []


def test_without_observations_nobody_is_asked_and_the_facts_wait(world: World) -> None:
    world.model = Scripted(relate=every("reinforces", CALM))
    world.like("books")
    world.ticks(3)
    assert world.model.asked == []
    assert world.state("likes books")["form"] == "fact"


def test_pending_reflections_are_no_observations(world: World) -> None:
    world.pending()
    world.model = Scripted(relate=every("reinforces", CALM))
    world.like("books")
    world.tick()
    assert world.model.asked == []


def test_more_facts_than_one_question_shows_are_asked_about_in_parts(world: World) -> None:
    world.confirmed()
    world.like(*(f"thing{number}" for number in range(45)))
    world.model = Scripted(relate=())
    world.tick()
    assert [len(shown[0]) for _, shown in world.model.asked] == [20, 20, 5]
    world.tick()
    assert world.model.times("relate") == 3


def test_a_part_without_an_answer_does_not_stand_in_the_way_of_the_next(world: World) -> None:
    world.confirmed()
    world.like(*(f"thing{number}" for number in range(25)))
    world.model = Scripted(relate=[None, every("reinforces", CALM)])
    world.tick()
    assert world.model.times("relate") == 2
    assert world.score(CALM, "persona") > 2


def test_a_target_that_was_denied_meanwhile_gets_no_signal(world: World) -> None:
    world.confirmed()
    world.like("books")
    target = world.the(CALM).id
    hook = by_another(world.folder, lambda other: other.reject(target))
    world.model = Scripted(relate=meanwhile(hook, every("reinforces", CALM)))
    world.tick()
    assert world.the(CALM).status == "denied"
    assert world.types(CALM)[-1] == "value-rejected"


def test_only_a_message_with_a_negative_keyword_is_asked_about_and_only_once(world: World) -> None:
    world.confirmed()
    world.model = Scripted(targets=lambda messages, shown: tuple(one.id for one in shown if CALM in one.text))
    world.say("What a nice day.", "I heard a good song.")
    world.tick()
    assert world.model.asked == []
    world.say("Not my evenings again. Let's change the subject.")
    world.tick()
    assert world.model.times("targets") == 1
    assert [said.text for said in world.model.last("targets")[0]] == [
        "What a nice day.",
        "I heard a good song.",
        "Not my evenings again. Let's change the subject.",
    ]
    assert world.state(CALM)["disputation"] == 1.0
    world.ticks(5, minutes=10)
    assert world.model.times("targets") == 1
    assert world.state(CALM)["disputation"] == 1.0


def test_a_rebuttal_disputes_what_was_named_and_nothing_else(world: World) -> None:
    world.persona("tea")
    world.persona("jazz")
    world.model = Scripted(targets=lambda messages, shown: tuple(one.id for one in shown if "jazz" in one.text))
    world.say("No more jazz, let's change the subject.")
    world.tick()
    assert world.state("likes jazz", "persona")["disputation"] == 1.0
    assert world.state("likes tea", "persona")["disputation"] == 0


def test_a_rebuttal_is_asked_about_again_when_the_question_failed(world: World) -> None:
    world.confirmed()
    hit = Scripted(targets=[Broken(), lambda messages, shown: tuple(one.id for one in shown)])
    world.model = hit
    world.say(DROP)
    world.ticks(4)
    assert hit.times("targets") == 2
    assert world.state(CALM)["disputation"] == 1.0


def test_what_comes_later_is_not_rebutted_by_what_was_said_before(world: World) -> None:
    world.model = Scripted(targets=lambda messages, shown: tuple(one.id for one in shown))
    world.say(DROP)
    world.tick()
    world.confirmed()
    world.model = Scripted(targets=lambda messages, shown: tuple(one.id for one in shown))
    world.ticks(3)
    assert world.model.asked == []


def test_an_old_message_rebuts_nothing(world: World) -> None:
    world.confirmed()
    world.say(DROP)
    world.model = Scripted(targets=lambda messages, shown: tuple(one.id for one in shown))
    world.tick(days=2)
    assert world.model.asked == []


def test_the_agents_own_words_are_neither_weighed_nor_a_rebuttal(world: World) -> None:
    world.confirmed()
    before = world.state(CALM)
    world.model = Scripted(relate=every("reinforces", CALM), targets=lambda messages, shown: (shown[0].id,))
    world.say("You like evenings.", "I like evenings.", DROP, role="assistant")
    world.tick()
    assert world.model.asked == []
    assert world.state(CALM) == before


def test_a_reflection_does_not_weigh_on_itself_through_its_facts(world: World) -> None:
    world.confirmed()
    world.model = Scripted(relate=every("reinforces", CALM))
    world.like(*FIVE)  # Said again, which counts for the facts, and is no news of the reflection.
    world.tick()
    assert world.model.asked == []


def test_an_absorbed_fact_is_weighed_and_never_against_the_reflection_it_is_part_of(world: World) -> None:
    world.pending()
    world.ledger.surface(now=world.clock.now)
    world.ledger.reply("Yes.", verdict="confirms", now=world.clock.now)
    world.model = Scripted(relate=every("reinforces", CALM))
    before = world.state(CALM)
    world.tick()
    assert len(world.model.last("relate")[0]) == 5
    assert world.state(CALM) == before
    world.tick()
    assert world.model.times("relate") == 1
