"""The small words of English: what opens a clause, what colours a verb, and what makes a clause no testimony."""

from affidavit.rebuild.extractors.rules.lexicon import lexicon

DISCOURSE = lexicon(
    """
    ah aha ahh aww actually additionally also alright and anyway anyways basically besides btw but cool cheers
    definitely dude exactly fr fyi furthermore gosh great ha haha hello hey hi hm hmm honestly however indeed
    lol listen literally look man morning moreover nah nice no nope obviously oh ok okay okey omg plus right
    seriously so still sorry sure thanks then though totally tbh ugh uh um unfortunately update well whoa woah
    wow ya yay yea yeah yep yes yup absolutely anyhow interestingly luckily sadly thankfully fortunately
    surprisingly admittedly frankly truthfully personally apparently evidently similarly likewise
    """,
)
"""Words that may open a clause and say nothing: a span begins after them."""

OPENERS = lexicon(
    """
    yesterday today tonight tomorrow last this in on at during every each once recently lately sometimes usually
    often currently now nowadays these those later next afterwards afterward back originally eventually finally
    initially previously since before after until for because cause cuz since although though while that's that
    this here's why growing over normally generally mostly occasionally earlier meanwhile one two three four
    five six few several ever always until by around from about just as first second also rarely lately weekends
    mornings evenings mondays tuesdays wednesdays thursdays fridays saturdays sundays monday tuesday wednesday
    thursday friday saturday sunday january february march april may june july august september october november
    december a an the wanted
    """,
)
"""Words that may open an adverbial which stands before the subject without a comma ("Last week I went")."""

SUBORDINATORS = lexicon("when whenever while after before until till as once wherever whether")
"""Words whose clause says when, not that: what it says is not asserted by itself."""

CONDITIONS = lexicon(
    """
    if unless imagine suppose supposing pretend assume assuming wish hypothetically say whether provided
    """,
)
"""Words that make what follows in the sentence a supposition."""

HEDGES = lexicon("maybe perhaps probably possibly presumably likely supposedly might guess think suppose")

HEDGING_VERBS = lexicon("think guess believe suppose reckon figure assume")
"""Verbs that hedge what they govern when the speaker also speaks of themself there ("I think I live …")."""

ADVERBS = lexicon(
    """
    all already also always actually absolutely almost altogether again basically barely both certainly clearly
    completely currently daily definitely deeply especially even eventually ever exactly finally first fully
    genuinely generally greatly hardly highly honestly immediately initially just kinda kind-of largely lately
    later likely literally mainly maybe mostly nearly never no normally not now obviously occasionally often
    once only originally perhaps personally possibly presently previously pretty probably properly quickly quite
    rarely rather really recently regularly relatively seldom seriously simply slowly so sometimes somewhat soon
    sorta still strongly super suddenly surely temporarily then therefore though thoroughly thus together too
    totally truly typically ultimately unfortunately usually utterly very actually sadly luckily apparently each
    individually jointly long secretly low-key lowkey longer extremely incredibly absolutely insanely mega
    """,
)
"""Words that may stand inside a verb group and leave it as it is."""

NEGATIVES = frozenset({"not", "never", "hardly", "barely", "rarely", "seldom"})

FILLERS = lexicon(
    """
    actually absolutely also basically certainly completely definitely even finally honestly just kinda
    literally obviously personally pretty really simply so sorta super surely then though totally truly very
    seriously probably maybe perhaps possibly presumably likely supposedly genuinely apparently low-key lowkey
    """,
)
"""Adverbs that a third-person sentence does without. Hedges are among them: a claim carries its hedge apart."""

TAIL_FILLERS = (
    "as well",
    "by the way",
    "btw",
    "haha",
    "hahaha",
    "honestly",
    "i guess",
    "i think",
    "lol",
    "lmao",
    "of course",
    "tbh",
    "though",
    "too",
    "you know",
    "right",
    "actually",
    "man",
    "so far",
    "apparently",
    "probably",
    "i suppose",
    "i believe",
    "to be honest",
    "for what it's worth",
    "yay",
    "mate",
    "please",
)
"""What may trail a clause without belonging to it."""

TIME_TAILS = (
    "now",
    "these days",
    "nowadays",
    "anymore",
    "any more",
    "any longer",
    "currently",
    "at the moment",
    "right now",
    "today",
    "again",
    "already",
    "for now",
    "at present",
    "yet",
    "lately",
    "recently",
    "at all",
    "the most",
    "so much",
    "very much",
    "a lot",
    "most",
    "best",
    "instead",
    "last year",
    "last month",
    "last week",
    "this year",
    "this month",
    "this week",
    "next year",
    "next month",
    "next week",
    "yesterday",
    "tomorrow",
    "tonight",
    "as well",
    "too",
    "though",
    "permanently",
    "full time",
    "full-time",
    "part time",
    "part-time",
    "years ago",
    "originally",
    "myself",
)
"""Adverbials that are no part of a value ("in Porto now" is Porto)."""

WEAK_OBJECTS = lexicon(
    """
    it that this them these those him her one some any so there here what how everything things stuff
    """,
)
"""Words that name nothing when a turn is read alone: a statement about nothing else is a reaction."""

YOU = lexicon("you your yours you're youre you've you'll you'd yourself u ur ya yall y'all thee yourselves")

FEELINGS = lexicon(
    """
    able afraid alone amazed amused angry annoyed anxious appreciative ashamed astonished awake aware back bad
    beat better blessed blown bored bummed bursting busy calm certain comfortable committed concerned confident
    confused content cool curious dead delighted depressed desperate determined devastated disappointed done
    down drained eager ecstatic elated embarrassed encouraged energized engrossed enthralled envious excited
    exhausted fascinated fed fine focused fortunate free freezing frustrated full furious game glad good
    grateful great guilty happier happy heartbroken here home honored honoured hopeful horrified humbled hungry
    impressed inspired intrigued jealous late lonely lost lucky mad mesmerized mindful miserable motivated
    nervous nostalgic ok okay open optimistic overjoyed overwhelmed pleased positive proud psyched pumped ready
    refreshed relaxed relieved right sad safe satisfied scared shocked shook sick sleepy soaring sore sorry
    speechless stoked stressed struggling stunned supportive sure surprised swamped terrified thankful there
    thirsty thrilled tired torn touched uncomfortable unsure up upset warm wary weak well wiped wondering worn
    worried wow-ed wrong yours amped hyped serious honest kidding joking fascinated captivated stumped convinced
    hesitant reluctant willing sleepy dying obsessed-looking restless bound off over through around out about on
    away tempted thoughtful alive floored keen-eyed hooked-up like such more most less close part kind sort all
    """,
)
"""Complements of "I am" that tell how somebody feels or where things stand just now."""

MOMENT_NOUNS = lexicon(
    """
    bit little mix lot mess wreck ball bundle fan-girl ways tad few moment believer big-believer mess idiot fool
    """,
)
"""Heads of "I am a …" that tell of a mood, not of a person."""

FANS = lexicon("fan lover enthusiast fanatic addict buff junkie nut geek freak aficionado")
"""Heads of "I am a … of X" that tell of a liking."""

FOND_PREPOSITIONS = {
    "fond": lexicon("of"),
    "keen": lexicon("on of"),
    "obsessed": lexicon("with by"),
    "passionate": lexicon("about"),
    "crazy": lexicon("about"),
    "mad": lexicon("about"),
    "interested": lexicon("in"),
    "hooked": lexicon("on"),
    "addicted": lexicon("to"),
    "partial": lexicon("to"),
}
"""Adjectives of liking, with the prepositions that may follow each."""
