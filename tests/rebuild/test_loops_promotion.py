"""Promotion in the loops: the question how a claim becomes a persona claim, what spends an attempt, and late answers."""

import threading

import pytest
from mechanism import CALM, World, by_another
from reasoners import FRESH, Broken, Scripted, into, meanwhile

from affidavit.domain.questions import Merge, MergeClause, Refinement, Resolution

RETRY = 30


def personas(world: World) -> list[str]:
    return [one.text for one in world.ledger.claims() if one.form == "persona"]


def test_a_fresh_promotion_begins_a_persona_claim_and_ends_the_reflection(world: World) -> None:
    world.ready()
    world.model = Scripted(merge=FRESH)
    world.tick()
    assert world.the(CALM, "reflection").status == "promoted"
    assert world.score(CALM, "persona") > 2
    why = world.ledger.why(world.the(CALM, "persona").id)
    assert [(parent["form"], parent["status"]) for parent in why.parents] == [("reflection", "promoted")]
    assert "I like tea" in {source.quote for source in why.sources}
    (decision,) = [
        one
        for one in world.ledger.show(world.the(CALM, "reflection").id, now=world.clock.now).decisions
        if one["what"] == "claim-promoted"
    ]
    assert decision["actual"] > decision["required"] == 2
    assert decision["sessions"] > decision["sessions_required"] == 0  # The user confirmed it.


@pytest.mark.row("N25")
def test_a_question_that_raises_leaves_it_confirmed_with_one_attempt_spent_and_no_persona(world: World) -> None:
    world.ready()
    world.model = Scripted(merge=Broken())
    world.tick()
    assert world.the(CALM).status == "confirmed"
    assert world.state(CALM)["attempts"] == 1
    assert personas(world) == []


@pytest.mark.row("N26")
@pytest.mark.parametrize("junk", [{"action": "elope"}, "promote_fresh", {"action": "promote_fresh", "score": 9}, 7])
def test_an_unknown_action_leaves_it_confirmed(world: World, junk: object) -> None:
    world.ready()
    world.model = Scripted(merge=junk)
    world.tick()
    assert world.the(CALM).status == "confirmed"
    assert world.state(CALM)["attempts"] == 1
    assert personas(world) == []


@pytest.mark.row("N26")
@pytest.mark.parametrize("target", ["", "f" * 24, "persona.master.prom_x"])
def test_a_bad_target_leaves_it_confirmed(world: World, target: str) -> None:
    world.persona("mint")
    world.ready()
    clauses = (MergeClause("User likes mint", "target"), MergeClause("enjoys quiet evenings", "claim"))
    text = "User likes mint and enjoys quiet evenings."
    world.model = Scripted(merge=Merge("merge_into", target, text, clauses))
    world.tick()
    assert world.the(CALM).status == "confirmed"
    assert world.types(CALM)[-1] == "promotion-deferred"
    assert personas(world) == ["User likes mint."]


@pytest.mark.row("N27")
def test_it_is_asked_again_after_half_an_hour_and_blocked_after_five_attempts(world: World) -> None:
    world.ready()
    world.model = Scripted(merge=Broken())
    world.tick()
    world.tick(minutes=2)
    assert (world.model.times("merge"), world.state(CALM)["attempts"]) == (1, 1)
    world.ticks(4, minutes=RETRY)
    assert (world.model.times("merge"), world.state(CALM)["attempts"]) == (5, 5)
    assert world.the(CALM).status == "confirmed"
    world.tick(minutes=RETRY)
    assert world.the(CALM).status == "promote_blocked"
    (decision,) = [one for one in world.ledger.show(world.the(CALM).id).decisions if one["what"] == "promotion-blocked"]
    assert (decision["rule"], decision["actual"], decision["required"]) == ("llm_unavailable", 5, 5)
    assert world.waiting() == [("review", "promote_blocked")]
    world.ticks(3, minutes=RETRY)
    assert world.model.times("merge") == 5


def test_a_fact_whose_question_fails_five_times_stays_active_and_waits_for_a_person(world: World) -> None:
    world.like(*["mint"] * 5)
    world.model = Scripted(merge=Broken())
    world.ticks(7, minutes=RETRY)
    assert world.model.times("merge") == 5
    assert world.the("likes mint").status == "active"
    assert world.waiting() == [("review", "llm_unavailable")]


@pytest.mark.row("N28")
@pytest.mark.parametrize("answer", [FRESH, into("likes mint")], ids=["fresh", "merge"])
def test_what_was_denied_while_the_model_thinks_stays_denied(world: World, answer: object) -> None:
    world.persona("mint")
    world.ready()
    claim, before = world.the(CALM).id, world.state("likes mint", "persona")
    hook = by_another(world.folder, lambda other: other.reject(claim))
    world.model = Scripted(merge=meanwhile(hook, answer))
    world.tick()
    assert world.model.times("merge") == 1
    assert world.the(CALM).status == "denied"
    assert personas(world) == ["User likes mint."]
    assert world.state("likes mint", "persona") == before


def test_what_was_merged_into_a_claim_that_was_denied_meanwhile_is_not_merged(world: World) -> None:
    world.persona("mint")
    world.ready()
    target = world.the("likes mint", "persona").id
    hook = by_another(world.folder, lambda other: other.reject(target))
    answer = into("likes mint")
    world.model = Scripted(merge=meanwhile(hook, answer))
    world.tick()
    assert world.the(CALM).status == "confirmed"
    assert world.the("likes mint", "persona").status == "denied"


@pytest.mark.row("N29")
def test_while_one_asks_another_does_not(world: World) -> None:
    world.ready()
    other = Scripted(merge=FRESH)
    mine = world.ledger.loops(Scripted(merge=[meanwhile(lambda: _tick_apart(world, other), FRESH)]))
    mine.tick(world.clock.now)
    assert other.times("merge") == 0
    assert [step for step in world.types(CALM, "reflection") if step == "promotion-deferred"] == ["promotion-deferred"]
    assert world.the(CALM, "persona").status == "active"


def _tick_apart(world: World, model: Scripted) -> None:
    thread = threading.Thread(target=lambda: world.ledger.loops(model).tick(world.clock.now))
    thread.start()
    thread.join(20)
    assert not thread.is_alive()


@pytest.mark.row("N29")
def test_two_promotions_at_once_record_exactly_one_attempt(world: World) -> None:
    world.ready()
    models = [Scripted(merge=Broken()) for _ in range(2)]
    start = threading.Barrier(2)

    def promote(model: Scripted) -> None:
        loops = world.ledger.loops(model)
        start.wait(20)
        loops.tick(world.clock.now)

    threads = [threading.Thread(target=promote, args=(model,)) for model in models]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert sum(model.times("merge") for model in models) == 1
    assert world.state(CALM)["attempts"] == 1


@pytest.mark.row("N30")
def test_a_conflict_queues_a_correction_and_leaves_it_confirmed(world: World) -> None:
    world.assert_persona("User enjoys loud evenings.", card=False)
    world.ready()
    world.model = Scripted(merge=FRESH)
    world.tick()
    assert world.the(CALM).status == "confirmed"
    assert world.waiting() == [("review", "correction queued")]
    world.ticks(3, minutes=RETRY)
    assert world.model.times("merge") == 1


@pytest.mark.row("N30")
def test_a_conflict_with_the_character_card_denies_it_and_says_so(world: World) -> None:
    world.assert_persona("User enjoys loud evenings.", card=True)
    world.ready()
    world.model = Scripted(merge=FRESH)
    world.tick()
    assert world.the(CALM).status == "denied"
    events = [one for one in world.ledger.timeline() if one["type"] == "claim-denied"]
    assert [one["rule"] for one in events] == ["character card"]


@pytest.mark.row("N31")
def test_a_merge_that_is_rejected_denies_a_reflection_with_the_reason(world: World) -> None:
    world.ready()
    world.model = Scripted(merge=Merge("reject", reason="it is a mood, not a trait"))
    world.tick()
    assert world.the(CALM).status == "denied"
    with world.ledger.snapshot() as at:
        (event,) = [entry for entry in at.reader.entries() if entry.type == "claim-denied.v1"]
        assert at.reader.sealed(event.body.id)["reason"] == "it is a mood, not a trait"
    assert event.fields.rule == "merge"  # type: ignore[union-attr]


def test_a_model_denies_no_fact(world: World) -> None:
    world.like(*["mint"] * 5)
    world.model = Scripted(merge=Merge("reject", reason="no"))
    world.ticks(4, minutes=RETRY)
    assert world.the("likes mint").status == "active"
    assert world.waiting() == [("review", "promotion")]
    assert world.model.times("merge") == 1


def test_no_answer_spends_no_attempt_and_the_rules_decide_in_its_place(world: World) -> None:
    world.ready()
    world.model = Scripted(merge=[None])
    world.tick()
    assert world.state(CALM, "reflection")["attempts"] == 0
    assert world.the(CALM, "reflection").status == "promoted"  # Nothing of the kind is there.


def test_where_the_rules_cannot_know_either_it_waits_for_a_person(world: World) -> None:
    world.persona("mint")
    world.like(*["chai"] * 5)
    world.model = Scripted(merge=[None])
    world.tick()
    assert (world.the("likes chai").status, world.state("likes chai")["attempts"]) == ("active", 0)
    assert world.waiting() == [("review", "promotion")]
    assert personas(world) == ["User likes mint."]


@pytest.mark.row("N21")
def test_a_merge_keeps_both_contributions_clause_by_clause(world: World) -> None:
    world.persona("mint")
    world.ready()
    mine, theirs = world.state(CALM), world.state("likes mint", "persona")
    world.model = Scripted(merge=into("likes mint"))
    world.tick()
    assert world.the(CALM, "reflection").status == "merged"
    merged = world.the("likes mint", "persona")
    assert merged.text == "User likes mint; User enjoys quiet evenings."
    why = world.ledger.why(merged.id)
    assert [(clause["text"], clause["claim"]) for clause in why.clauses] == [
        ("User likes mint", merged.id),
        ("User enjoys quiet evenings", world.the(CALM, "reflection").id),
    ]
    assert {"I like tea", "I like books"} <= {source.quote for source in why.sources}
    after = world.state("likes mint", "persona")
    assert after["reinforcement"] == max(mine["reinforcement"], theirs["reinforcement"])
    assert after["rein_last_signal_at"] == max(mine["rein_last_signal_at"], theirs["rein_last_signal_at"])
    assert personas(world) == [merged.text]


def test_what_a_person_worded_is_not_reworded_by_a_merge(world: World) -> None:
    world.persona("mint")
    world.ledger.correct(world.the("likes mint", "persona").id, "User likes green mint.", value="green mint")
    world.ready()
    seen = world.the("green mint", "persona")
    clauses = (MergeClause("User likes mint", "target"), MergeClause("quiet evenings", "claim"))
    text = "User likes mint on quiet evenings."
    world.model = Scripted(merge=[Merge("merge_into", seen.id, text, clauses), FRESH])
    world.tick()
    assert world.model.last("merge")[1] == []
    assert sorted(personas(world)) == ["User likes green mint."]
    world.tick(minutes=RETRY)
    assert sorted(personas(world)) == ["User enjoys quiet evenings.", "User likes green mint."]


@pytest.mark.parametrize(
    ("keep", "expected"),
    [
        ("old", ["User enjoys loud evenings."]),
        ("new", ["User enjoys quiet evenings."]),
        ("both", ["User enjoys loud evenings.", "User enjoys quiet evenings."]),
    ],
)
def test_the_correction_queue_keeps_old_new_or_both(world: World, keep: str, expected: list[str]) -> None:
    world.assert_persona("User enjoys loud evenings.", card=False)
    world.ready()
    world.model = Scripted(merge=FRESH)
    world.tick()
    assert world.waiting() == [("review", "correction queued")]
    world.model = Scripted(merge=FRESH, resolve=Resolution(keep))  # type: ignore[arg-type]
    world.tick()
    new, old = world.model.last("resolve")
    assert (new.text, old.text) == ("User enjoys quiet evenings.", "User enjoys loud evenings.")
    assert sorted(personas(world)) == expected
    assert world.waiting() == []
    world.ticks(3, minutes=RETRY)
    assert world.model.times("resolve") == 1
    assert not [one for one in world.ledger.timeline() if one["type"] == "value-rejected"]


def test_refinement_merges_a_persona_claim_into_another_that_says_the_same(world: World) -> None:
    world.persona("mint")
    world.persona("chai")
    tea, chai = world.the("likes mint", "persona").id, world.the("likes chai", "persona").id
    text = "User likes mint, above all chai."
    clauses = (MergeClause("likes mint", "target"), MergeClause("above all chai", "claim"))
    world.model = Scripted(refine=[(Refinement(chai, Merge("merge_into", tea, text, clauses)),), ()])
    world.tick()
    assert personas(world) == [text]
    assert world.the("likes chai", "persona").status == "merged"
    assert [clause["claim"] for clause in world.ledger.why(tea).clauses] == [tea, chai]


def test_refinement_is_asked_only_when_something_changed(world: World) -> None:
    world.kept = True
    world.persona("mint")
    world.persona("chai")
    world.model = Scripted(refine=())
    world.ticks(5)
    assert world.model.times("refine") == 1


def test_refinement_leaves_alone_what_a_person_holds(world: World) -> None:
    world.persona("mint")
    world.persona("chai")
    world.ledger.pin(world.the("likes chai", "persona").id)
    world.model = Scripted(refine=())
    world.tick()
    assert world.model.asked == []


def test_a_killed_question_is_asked_again_at_once_by_whoever_is_alone(world: World) -> None:
    world.ready()

    class Killed(BaseException):
        pass

    def dies() -> None:
        raise Killed

    world.model = Scripted(merge=meanwhile(dies, FRESH))
    with pytest.raises(Killed):
        world.tick()
    assert (world.the(CALM).status, world.state(CALM)["attempts"]) == ("confirmed", 1)
    world.model = Scripted(merge=FRESH)
    world.tick(minutes=0)
    assert world.the(CALM, "reflection").status == "promoted"


def test_a_failed_question_waits_its_half_hour_after_a_restart_too(world: World) -> None:
    world.ready()
    world.model = Scripted(merge=Broken())
    world.tick()
    world.model = Scripted(merge=FRESH)
    world.tick(minutes=2)
    assert world.model.asked == []


def test_the_second_of_two_at_once_sees_what_became_of_the_first(world: World) -> None:
    world.like(*["mint"] * 5, *["chai"] * 5)
    shown: list[list[str]] = []

    def merge(claim: object, others: list[object]) -> Merge:
        shown.append([one.text for one in others])  # type: ignore[attr-defined]
        return FRESH

    world.model = Scripted(merge=merge)
    world.tick()
    assert [len(one) for one in shown] == [0, 1]


def test_confirmed_and_promoted_are_never_one_tick(world: World) -> None:
    policy = world.ledger.policy()
    low = type(policy.score)(confirmed=0, promoted=0)
    world.ledger.adopt_policy(type(policy)(score=low))
    world.pending()
    world.model = Scripted(merge=FRESH)
    world.tick(minutes=1)
    assert world.the(CALM).status == "confirmed"
    world.tick(minutes=0)
    assert world.the(CALM).status == "confirmed"
    world.tick(minutes=1)
    assert world.the(CALM, "reflection").status == "promoted"
