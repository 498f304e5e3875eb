"""What a decision may be: events, in order; nothing, when all is so already; or a refusal.

`decide` functions are named by their verb, take plain data, and return one of these. They may refuse; `evolve` never
does. Because every event carries the state after it, `evolve(state, event)` is `event.state`, once, for all of them.
"""

from dataclasses import dataclass

from affidavit.domain.events import Event


@dataclass(frozen=True, slots=True)
class Refused:
    """A decision not to do it: the rule's class, what was found, what is required, and what would resolve it.

    `events` are the record of it, where the refusal is about something that the log should remember.
    """

    rule: str
    actual: str
    required: str
    remedy: str = ""
    events: tuple[Event, ...] = ()

    def __str__(self) -> str:
        sentence = f"{self.rule}: {self.actual} was found, {self.required} is required"
        return f"{sentence}; {self.remedy}" if self.remedy else sentence


Decision = tuple[Event, ...] | Refused
