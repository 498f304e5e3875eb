"""English turns and what the rules make of them."""

import pytest

from affidavit.domain.proposals import Passage, Proposal, Span
from affidavit.rebuild.extractors.rules import Rules


def heard(text: str) -> tuple[Proposal, ...]:
    return Rules().extract(Passage(text, Span(0, len(text)), "user"))


def only(text: str) -> Proposal:
    (proposal,) = heard(text)
    return proposal


@pytest.mark.parametrize(
    ("turn", "text", "attribute", "value"),
    [
        ("I live in Porto now", "User lives in Porto.", "home", "Porto"),
        ("well, I'm living in Porto these days", "User lives in Porto.", "home", "Porto"),
        ("I moved to Porto", "User lives in Porto.", "home", "Porto"),
        ("I moved from Lisbon to Porto", "User lives in Porto.", "home", "Porto"),
        ("I'm based in Porto", "User lives in Porto.", "home", "Porto"),
        ("My sister and I live in Rome", "User lives in Rome.", "home", "Rome"),
        ("Actually, my name is Ana", "User's name is Ana.", "name", "Ana"),
        ("hi, I'm Wei", "User's name is Wei.", "name", "Wei"),
        ("I'm from Naples", "User is from Naples.", "origin", "Naples"),
        ("I work at Acme", "User works at Acme.", "employer", "Acme"),
        ("I work as a nurse at St Mary's", "User works as a nurse at St Mary's.", "job", "nurse"),
        ("I'm a nurse", "User is a nurse.", "job", "nurse"),
        ("I'm 34", "User is 34 years old.", "age", "34"),
        ("my birthday is on 3 May", "User's birthday is on 3 May.", "birthday", "3 May"),
        ("My wife is called Ana", "User's wife is called Ana.", "partner", "Ana"),
        ("my wife's name is Ana", "User's wife is called Ana.", "partner", "Ana"),
        ("I have two kids", "User has two kids.", "child", "two kids"),
        ("I've got two brothers", "User has two brothers.", "sibling", "two brothers"),
        ("We adopted a cat", "User and others adopted a cat.", "pet", "cat"),
        ("I have a PhD in physics", "User has a PhD in physics.", "education", "PhD in physics"),
        ("I speak Portuguese", "User speaks Portuguese.", "language", "Portuguese"),
        ("Polish is my first language", "Polish is User's first language.", "language", "Polish"),
        ("I'm Portuguese", "User is Portuguese.", "nationality", "Portuguese"),
        ("I'm allergic to nuts", "User is allergic to nuts.", "allergy", "nuts"),
        ("I'm a vegetarian", "User is a vegetarian.", "diet", "vegetarian"),
        ("I have type 2 diabetes", "User has type 2 diabetes.", "health", "type 2 diabetes"),
        ("I can speak German", "User can speak German.", "language", "German"),
        ("I'm using Neovim these days", "User is using Neovim these days.", "uses", "Neovim"),
        ("I bought a bike yesterday", "User bought a bike yesterday.", "possession", "bike"),
        ("my email is ana@example.com", "User's email is ana@example.com.", "contact", "ana@example.com"),
        ("I'm in UTC+1", "User is in the UTC+1 time zone.", "timezone", "UTC+1"),
        ("my port is 7777 now, not 8080", "User's port is 7777.", "setting: port", "7777"),
        ("the database port is 5432 now", "User's database port is 5432.", "setting: database port", "5432"),
    ],
)
def test_a_fact_with_an_attribute(turn: str, text: str, attribute: str, value: str) -> None:
    proposal = only(turn)
    assert (proposal.text, proposal.kind, proposal.attribute, proposal.value) == (text, "fact", attribute, value)
    assert (proposal.polarity, proposal.entity) == ("positive", "user")


@pytest.mark.parametrize(
    ("turn", "text"),
    [
        (
            "I went to a pottery class last week with my sister",
            "User went to a pottery class last week with their sister.",
        ),
        ("Went to the gym yesterday", "User went to the gym yesterday."),
        ("Been sober for 400 days", "User has been sober for 400 days."),
        ("I've been painting for seven years", "User has been painting for seven years."),
        ("I used to smoke", "User used to smoke."),
        ("I usually wake up at 6", "User usually wakes up at 6."),
        ("We usually watch a few movies", "User and others usually watch a few movies."),
        ("My gaming pals and I played chess", "User and their gaming pals played chess."),
        ("I'm learning Rust because I like it", "User is learning Rust."),
        ("Last week I hurt my back when I was lifting boxes", "User hurt their back when they were lifting boxes."),
        ("I carved out some me-time", "User carved out some me-time."),
        ("my rent went up to 1150 a month", "User's rent went up to 1150 a month."),
    ],
)
def test_a_fact_without_a_template_is_the_clause_in_the_third_person(turn: str, text: str) -> None:
    assert [proposal.text for proposal in heard(turn) if proposal.kind == "fact"] == [text]


@pytest.mark.parametrize(
    ("turn", "text", "attribute", "value"),
    [
        ("I don't live in Lisbon anymore", "User no longer lives in Lisbon.", "home", "Lisbon"),
        ("I no longer work at Acme", "User no longer works at Acme.", "employer", "Acme"),
        ("I don't have a car", "User doesn't have a car.", "possession", "car"),
        ("I can't swim", "User can't swim.", "skill", ""),
        ("I haven't done pottery yet", "User hasn't done pottery yet.", "", ""),
        ("I have never been to Boston", "User has never been to Boston.", "", ""),
    ],
)
def test_a_negated_fact(turn: str, text: str, attribute: str, value: str) -> None:
    proposal = only(turn)
    assert (proposal.text, proposal.attribute, proposal.value) == (text, attribute, value)
    assert (proposal.kind, proposal.polarity) == ("fact", "negative")


@pytest.mark.parametrize(
    ("turn", "text", "attribute", "value", "polarity"),
    [
        ("I love hiking", "User likes hiking.", "likes", "hiking", "positive"),
        ("I really enjoy hiking", "User likes hiking.", "likes", "hiking", "positive"),
        ("I'm really into hiking", "User likes hiking.", "likes", "hiking", "positive"),
        ("I'm a big fan of hiking", "User likes hiking.", "likes", "hiking", "positive"),
        ("I love tea, cake, and milk", "User likes tea, cake, and milk.", "likes", "tea, cake, and milk", "positive"),
        ("I love my job", "User likes their job.", "likes", "my job", "positive"),
        ("I really can't stand coriander", "User dislikes coriander.", "likes", "coriander", "negative"),
        ("I hate coriander", "User dislikes coriander.", "likes", "coriander", "negative"),
        ("I don't like coriander", "User dislikes coriander.", "likes", "coriander", "negative"),
        ("I'm not a fan of coriander", "User dislikes coriander.", "likes", "coriander", "negative"),
        ("I prefer tea to coffee", "User prefers tea to coffee.", "prefers", "tea to coffee", "positive"),
        ("I'd rather read on paper", "User would rather read on paper.", "prefers", "read on paper", "positive"),
        ("My favourite tea is sencha", "User's favourite tea is sencha.", "favourite", "sencha", "positive"),
        ("sencha is my favourite tea", "Sencha is User's favourite tea.", "favourite", "sencha", "positive"),
        ("I don't eat meat", "User doesn't eat meat.", "diet", "meat", "negative"),
    ],
)
def test_a_preference(turn: str, text: str, attribute: str, value: str, polarity: str) -> None:
    proposal = only(turn)
    assert (proposal.text, proposal.attribute, proposal.value) == (text, attribute, value)
    assert (proposal.kind, proposal.polarity) == ("preference", polarity)


@pytest.mark.parametrize(
    ("turn", "text", "attribute", "polarity"),
    [
        ("I decided to use Postgres", "User decided to use Postgres.", "decision", "positive"),
        ("we went with the blue tiles", "User and others went with the blue tiles.", "decision", "positive"),
        ("I'll go with the blue one", "User will go with the blue one.", "decision", "positive"),
        ("I'm going to move in May", "User is going to move in May.", "plan", "positive"),
        ("I'm going to Tokyo next month", "User is going to Tokyo next month.", "plan", "positive"),
        ("I want to become a counsellor", "User wants to become a counsellor.", "plan", "positive"),
        ("I'm not going to renew my lease", "User isn't going to renew their lease.", "plan", "negative"),
    ],
)
def test_a_decision(turn: str, text: str, attribute: str, polarity: str) -> None:
    proposal = only(turn)
    assert (proposal.text, proposal.attribute) == (text, attribute)
    assert (proposal.kind, proposal.polarity) == ("decision", polarity)


@pytest.mark.parametrize(
    ("turn", "text", "entity", "value", "polarity"),
    [
        ("the migration is done", "The migration is done.", "migration", "done", "positive"),
        ("the build has been red since Friday", "The build has been red since Friday.", "build", "red", "positive"),
        ("chapter three isn't started", "Chapter three isn't started.", "chapter three", "started", "negative"),
        ("I finished the report", "User finished the report.", "report", "finished", "positive"),
        ("The PR has been merged", "The PR has been merged.", "pr", "merged", "positive"),
    ],
)
def test_the_state_of_a_piece_of_work(turn: str, text: str, entity: str, value: str, polarity: str) -> None:
    proposal = only(turn)
    assert (proposal.text, proposal.entity, proposal.value) == (text, entity, value)
    assert (proposal.kind, proposal.attribute, proposal.polarity) == ("project_state", "status", polarity)


@pytest.mark.parametrize(
    ("turn", "quotes"),
    [
        ("I like tea and hate coffee", ["I like tea", "hate coffee"]),
        ("I like tea and cake", ["I like tea and cake"]),
        ("Yeah, I'm vegan but honestly I love leather, haha", ["I'm vegan", "I love leather"]),
        ("I sold the car and bought a bike instead", ["I sold the car", "bought a bike instead"]),
        (
            "I no longer work at Acme, started at a bakery last week",
            ["I no longer work at Acme", "started at a bakery last week"],
        ),
        ("I moved to Porto last month. Any tips?", ["I moved to Porto last month"]),
        ("I live in Porto, what about you?", ["I live in Porto"]),
        ('We love "Home Alone" - it always brings laughs!', ['We love "Home Alone"']),
        ("please remember that my port is 7777", ["my port is 7777"]),
    ],
)
def test_one_proposal_a_clause_and_its_span(turn: str, quotes: list[str]) -> None:
    assert [proposal.quote for proposal in heard(turn)] == quotes


@pytest.mark.parametrize(
    ("turn", "hedged"),
    [
        ("I think I live in zone 2", True),
        ("I'm probably allergic to nuts", True),
        ("I guess my blood type is O negative", True),
        ("I'm allergic to nuts", False),
    ],
)
def test_a_hedge_is_kept_apart_from_the_sentence(turn: str, hedged: bool) -> None:
    proposal = only(turn)
    assert proposal.hedged is hedged
    assert "think" not in proposal.text
    assert "probably" not in proposal.text
