"""Rules for English clauses about the writer in the past and the perfect: what they did.

Each rule takes a predicate and returns a finding, or None. Here, unlike in the present, whatever the writer did is a
fact, unless the verb tells of a thought or a feeling, or the clause names nothing.
"""

from collections.abc import Callable

from affidavit.rebuild.extractors.rules.english_findings import fact, polarity
from affidavit.rebuild.extractors.rules.english_present import grow, have, live, moved
from affidavit.rebuild.extractors.rules.english_taste import like
from affidavit.rebuild.extractors.rules.english_values import (
    first_phrase,
    names_nothing,
    phrase,
    thing,
    without_article,
)
from affidavit.rebuild.extractors.rules.english_verbs import Predicate, is_past
from affidavit.rebuild.extractors.rules.lexicon import lexicon
from affidavit.rebuild.extractors.rules.lexicon_english import FEELINGS
from affidavit.rebuild.extractors.rules.lexicon_nouns import CODE_TALK, WORKS
from affidavit.rebuild.extractors.rules.lexicon_verbs import (
    COMPLETED,
    DECIDED,
    HABITS,
    REACTION_PARTICIPLES,
    REACTION_PAST,
    TROUBLESHOOTING,
)
from affidavit.rebuild.extractors.rules.statement import Finding


def past(predicate: Predicate) -> Finding | None:
    """What the writer did, unless it was only thought or felt."""
    verb, objects = predicate.verb, predicate.objects
    if verb == "grew":
        return grow(predicate)
    if verb == "had" or (verb == "did" and objects):
        return have(predicate)
    if predicate.auxiliary_did:
        return _not_done(predicate)
    if _seeks_help(predicate) or verb in REACTION_PAST or not is_past(verb) or _idle_past(verb, objects):
        return None
    return _done(predicate)


def _seeks_help(predicate: Predicate) -> bool:
    """Tells whether the clause recounts what was tried at the keyboard before help was asked for."""
    named = frozenset(first_phrase(predicate.objects))
    if predicate.verb == "ran" and not named.isdisjoint({"script", "program", "app", "tests", "test"}):
        return True
    return predicate.verb in TROUBLESHOOTING or (predicate.verb not in COMPLETED and not CODE_TALK.isdisjoint(named))


def _done(predicate: Predicate) -> Finding | None:
    """Something done that names its object: a choice, a work brought to an end, a move, or a plain fact."""
    verb, objects = predicate.verb, predicate.objects
    if verb in DECIDED and (verb != "picked" or objects[:1] != ("up",)):
        return Finding("decision", "decision", phrase(predicate.rest()), polarity=polarity(predicate))
    if verb == "went" and objects[:2] in (("with", "the"), ("for", "the")):
        return Finding("decision", "decision", phrase(predicate.rest(1)))
    if verb in COMPLETED and not WORKS.isdisjoint(first_phrase(objects)):
        return completion(predicate)
    if verb in ("moved", "relocated") and not predicate.negated:
        return moved(predicate)
    return acquired(predicate)


def acquired(predicate: Predicate) -> Finding:
    """A fact of the past, with an attribute where it tells how a thing became the writer's or ceased to be."""
    attribute = thing(predicate.objects) if predicate.verb in _ACQUIRED else ""
    return fact(predicate, "" if attribute == "partner" else attribute, without_article(phrase(predicate.rest())))


_ACQUIRED = lexicon("bought got gotten adopted sold bred inherited rescued rented leased ordered")


def completion(predicate: Predicate) -> Finding:
    """A piece of work that the writer brought to an end."""
    work_item = without_article(phrase(predicate.rest())).lower()
    return Finding("project_state", "status", predicate.verb, polarity=polarity(predicate), entity=work_item or "user")


def _not_done(predicate: Predicate) -> Finding | None:
    """What was not done, where the verb is one of doing."""
    if predicate.verb not in HABITS or names_nothing(predicate.objects):
        return None
    return fact(predicate)


_GOT_STATES = lexicon("married engaged divorced promoted hired fired accepted diagnosed laid robbed injured")
_IDLE_PAST = {
    "made": lexicon("it me sure us sense up him her them my"),
    "took": lexicon("it care me us"),
    "got": lexicon("it you me us this that them through over used so"),
    "gave": lexicon("me us it you"),
    "came": lexicon("out to"),
    "kept": lexicon("going"),
    "tried": lexicon("my it"),
    "found": lexicon("that it out"),
    "put": lexicon("in it my so a lots"),
    "read": lexicon("somewhere that about"),
    "saw": lexicon("how that potential"),
    "went": lexicon("through all"),
    "learned": lexicon("that how so"),
    "told": lexicon("him her them"),
    "talked": frozenset(),
    "chatted": frozenset(),
    "caught": lexicon("up"),
    "set": lexicon("my it"),
}


def _idle_past(verb: str, objects: tuple[str, ...]) -> bool:
    """Tells whether a past clause names nothing, or is a turn of phrase."""
    if verb == "got" and "time" in first_phrase(objects):
        return True
    if verb == "got" and objects and (objects[0] in FEELINGS or is_past(objects[0])):
        return objects[0] not in _GOT_STATES
    if objects and objects[0] in _IDLE_PAST.get(verb, ()) and not (verb == "found" and len(objects) > 2):
        return True
    relative = objects[:1] and objects[0] in ("is", "was", "are", "were")
    return bool(relative) or names_nothing(objects, 2)


def perfect(predicate: Predicate) -> Finding | None:
    """What the writer has done."""
    verb, objects = predicate.verb, predicate.objects
    rule = _PERFECTS.get(verb)
    if rule is not None and (rule is not like or "always" in predicate.adverbs):
        return rule(predicate)
    thought = verb in REACTION_PARTICIPLES or (verb in REACTION_PAST and verb != "used")
    undecided = verb in DECIDED and objects in ((), ("yet",))
    if thought or undecided or _idle_past(verb, objects):
        return None
    return _done(predicate)


_PERFECTS: dict[str, Callable[[Predicate], Finding | None]] = {
    "had": have,
    "got": have,
    "lived": live,
    **dict.fromkeys(("loved", "liked", "enjoyed", "hated"), like),
}
