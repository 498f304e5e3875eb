"""What took a claim's place keeps it, though a person takes it away later; a newer statement brings the older back."""

from spec import Story, home

LISBON, PORTO = "User lives in Lisbon.", "User lives in Porto."


def moved() -> Story:
    """The user lived in Lisbon, moved to Porto on day 30, and forgot Porto."""
    story = Story()
    story.hears("I live in Lisbon.", home("Lisbon"))
    story.hears("I live in Porto.", home("Porto"), days=30)
    story.rejects(PORTO, days=40)
    assert story.statuses() == {LISBON: "superseded", PORTO: "denied"}
    return story


def test_an_older_statement_read_late_does_not_bring_the_older_value_back() -> None:
    story = moved()
    before = story.state(LISBON).reinforcement
    story.hears("I live in Lisbon!", home("Lisbon"), days=10)
    assert story.statuses() == {LISBON: "superseded", PORTO: "denied"}
    assert story.state(LISBON).reinforcement > before, "it was said all the same"


def test_a_newer_statement_does() -> None:
    story = moved()
    story.hears("I live in Lisbon again.", home("Lisbon"), days=50)
    assert story.statuses() == {LISBON: "active", PORTO: "denied"}
