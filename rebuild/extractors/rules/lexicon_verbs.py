"""English verbs, by what they say of the person who is their subject."""

from affidavit.rebuild.extractors.rules.lexicon import lexicon

PAST = lexicon(
    """
    ate beat became began bent bit blew bought broke brought built burned burnt came caught chose cost cut did
    drank drew dreamt drove dug fell fed fought found flew forgave froze gave got grew had hid held hired hit
    hurt kept laid led learnt left lent lost made met moved paid picked put quit ran rang read rebuilt rode rose
    sang sat saw sent sewed set shot shut signed slept sold spent split spoke spun stood stole stuck struck swam
    swore taught threw took told tore trod upgraded went wept woke won wore wove wrote drafted retook rewrote
    sought overcame underwent withdrew
    """,
)
"""Irregular past forms that tell of something done. `read`, `put` and their like are past by their company only."""

NOT_PAST = lexicon(
    """
    need feed breed speed seed bleed heed weed exceed proceed succeed indeed red bed shed embed wed ted hundred
    sacred naked wicked kindred
    """,
)
"""Words in -ed that are no past forms."""

REACTION_PAST = lexicon(
    """
    admired agreed appreciated assumed believed bet expected feared felt figured forgot guessed hated heard
    hoped imagined kept knew liked loved meant missed needed noticed promised realised realized recognised
    recognized regretted remembered said seemed sounded supposed suspected thought trusted understood wanted
    wished wondered worried enjoyed cherished doubted looked happened appeared used couldn cried laughed smiled
    laughed deserved ended cared mentioned asked related clicked tended relied treasured valued wow-ed
    saved-looking last rocked bonded connected
    """,
)
"""Past forms that tell what somebody thought or felt, or how they came to hear of something."""

PAST_PARTICIPLES = lexicon(
    """
    been become begun bought broken brought built caught chosen come cut done drawn driven eaten fallen flown
    forgotten found given gone gotten got grown had heard held hurt kept known learnt led left lost made met
    moved paid put quit read ridden risen run seen sent set shot sold spent spoken stood stuck sung swum taken
    taught thought told won worn written gotten felt meant understood slept rewritten won
    """,
)

REACTION_PARTICIPLES = lexicon(
    """
    talked spoken chatted caught heard thought felt known come wanted hoped meant seen understood loved liked
    enjoyed needed noticed
    """,
)

DECIDED = lexicon("decided chose chosen opted settled picked resolved")

COMPLETED = lexicon(
    """
    finished completed shipped deployed merged released launched submitted published fixed migrated implemented
    refactored drafted delivered cut rewrote
    """,
)
"""Past forms that tell of a piece of work, where their object is one."""

TROUBLESHOOTING = lexicon("installed reinstalled restarted rebooted clicked pasted googled debugged imported uninstalled")
"""Past forms that tell what was tried before help was asked for."""

LIKES = lexicon("like love enjoy adore dig fancy appreciate")
DISLIKES = lexicon("hate dislike detest loathe despise")
LIKING_FORMS = {
    "loving": "love",
    "enjoying": "enjoy",
    "likes": "like",
    "loves": "love",
    "hates": "hate",
    "loved": "love",
    "enjoyed": "enjoy",
    "hated": "hate",
    "liked": "like",
}

PLANS = lexicon("plan intend aim")
"""Verbs that, before `to`, state an intention."""

TALK = lexicon(
    """
    show tell share ask know hear see say thank let talk mention remind discuss wish congratulate apologise
    apologize brag vent explain give make help keep be feel understand believe stay pass savor find do get have
    take check try put point add
    """,
)
"""Verbs that after "I want to" or "I'm going to" belong to the talk or to encouragement, not to a plan."""

HABITS = lexicon(
    """
    avoid     grill barbecue roast wrestle box bowl fence moderate chair curate edit farm
    attend babysit bake belong bike breed build camp celebrate climb coach code collect commute compete compose
    cook craft cycle dance design develop do draw drink drive earn eat exercise fast fish follow foster
    freelance garden grow hike host hunt identify jog journal juggle knit lead lift listen live maintain make
    manage meditate mentor own paint pay perform photograph play practice practise pray produce program race
    raise read rent restore ride run sail save sell sew share sing skate sketch ski smoke snore speak spend
    sleep stream study subscribe suffer surf support swim take teach train travel tutor use vape visit volunteer
    wake walk watch wear weigh work write go owe have swear stutter donate hold serve
    """,
)
"""Present verbs that tell what somebody does again and again, or how they live."""

HABIT_NOUNS = lexicon(
    """
    build camp catch climb craft design drink drive garden hike host juggle lead lift paint play practice
    program race ride run sail share smoke stream study support surf swim train travel use visit walk watch work
    wake hold fish cook exercise dance fast code like love hate need sleep make
    """,
)
"""Habits that are nouns too: after "and" they are verbs only before a word that nouns do not take."""

PROGRESSES = lexicon(
    """
    attending baking building caring carving climbing coaching coding collaborating collecting commuting
    composing considering cooking crafting dating designing developing drawing drafting driving editing
    expanding expecting exploring finishing fostering growing helping hiking hosting interning juggling knitting
    launching leading learning listening living making managing mentoring migrating moving networking organising
    organizing painting performing planning playing practicing practising preparing prepping producing
    programming racing raising reading recording recovering refactoring rehearsing renovating renting repairing
    researching restoring revising rewriting running saving searching selling setting sewing singing sketching
    studying suffering swimming taking teaching testing training travelling traveling tutoring using visiting
    volunteering waiting walking watching wearing working writing gaming surfing tinkering skating camping
    meditating dancing experimenting investing job-hunting interviewing freelancing dieting fasting blogging
    streaming vlogging gardening
    """,
)
"""Participles that tell of something going on for longer than the moment."""

MOVEMENTS = lexicon(
    """
    moving flying travelling traveling leaving starting visiting relocating emigrating switching quitting
    retiring launching opening adopting hosting joining attending going taking getting having
    """,
)
"""Participles that tell of the future when an adverbial of time stands by ("we're flying to Osaka on 3 April")."""

SKILLS = lexicon(
    """
    play speak code program cook swim drive ride sing dance draw paint knit sew ski surf read write type juggle
    """,
)
"""What "can" before it makes a skill."""

BASE_VERBS = HABITS | LIKES | DISLIKES | PLANS | SKILLS | TALK | lexicon("prefer want need wish hope come")
