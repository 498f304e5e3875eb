"""English nouns and adjectives, by the attribute that they point to."""

from affidavit.rebuild.extractors.rules.lexicon import lexicon

PARTNERS = lexicon("wife husband partner girlfriend boyfriend spouse fiance fiancé fiancee fiancée hubby bf gf")
CHILDREN = lexicon(
    """
    son daughter child kid baby toddler newborn sons daughters children kids twins stepson stepdaughter stepsons
    stepdaughters babies grandson granddaughter grandchildren grandkids year-old
    """,
)
SIBLINGS = lexicon(
    """
    brother sister brothers sisters sibling siblings twin half-brother half-sister stepbrother stepsister
    """,
)
PARENTS = lexicon("mother father mom mum dad parents parent mama papa stepmother stepfather stepmom stepdad")
RELATIVES = lexicon(
    """
    aunt uncle cousin cousins grandma grandpa grandmother grandfather grandparents niece nephew niece nephews
    nieces in-laws mother-in-law father-in-law brother-in-law sister-in-law family fam relatives gran granny nan
    """,
)
PETS = lexicon(
    """
    dog dogs cat cats puppy puppies pup pups kitten kittens hamster hamsters rabbit rabbits bunny bunnies parrot
    parrots budgie budgies turtle turtles tortoise tortoises snake snakes lizard gecko goldfish ferret ferrets
    guinea-pig pet pets horse horses pony chinchilla canary cockatiel poodle labrador retriever corgi beagle
    terrier dachshund husky greyhound spaniel chickens hens iguana axolotl hedgehog rat rats mouse mice parakeet
    """,
)
OTHERS = lexicon(
    """
    boss colleague colleagues coworker coworkers co-worker manager friend friends buddy buddies mate mates
    neighbor neighbors neighbour neighbours teacher roommate roommates flatmate flatmates housemate housemates
    team teammates coach doctor therapist landlord landlady ex bestie client clients student students customers
    customer company employer crew band guy guys folks people crush girl boy mentor supervisor advisor godson
    goddaughter
    """,
)
PEOPLE = PARTNERS | CHILDREN | SIBLINGS | PARENTS | RELATIVES | OTHERS
"""Whoever is another person than the writer: what they do is their fact."""

HEALTH = lexicon(
    """
    diabetes asthma migraine migraines arthritis cancer epilepsy anxiety depression adhd add autism dyslexia
    insomnia eczema psoriasis coeliac celiac hypertension anemia anaemia ibs pcos endometriosis tinnitus
    scoliosis osteoporosis allergies hypothyroidism lupus crohn's fibromyalgia reflux gerd apnea apnoea glaucoma
    ocd ptsd bipolar vertigo gout hernia ulcer disease disorder syndrome condition injury disability pacemaker
    surgery root canal filling operation chemo chemotherapy physio physiotherapy vaccine vaccination stroke
    concussion fracture sprain covid flu pneumonia cholesterol pressure cavity biopsy mri x-ray checkup check-up
    dentist cardiologist dermatologist doctor hospital appointment blood knee ankle wrist shoulder hip
    """,
)
"""Nouns by which a possession or an event is one of health."""

BODY = lexicon(
    """
    back knee knees stomach heart eyes eyesight eye hearing ankle wrist shoulder hip neck skin hair teeth tooth
    thyroid gut liver kidneys kidney lungs foot feet hand hands leg legs arm height weight blood pressure
    """,
)

EDUCATION = lexicon(
    """
    degree phd ph.d bachelor bachelor's master's masters diploma mba msc bsc doctorate certificate
    """,
)

DIETS = lexicon(
    """
    vegan vegetarian pescatarian pescetarian flexitarian keto paleo halal kosher gluten-free dairy-free
    sugar-free teetotal teetotaller sober celiac coeliac omnivore carnivore
    """,
)
CONDITIONS_OF_HEALTH = lexicon(
    """
    diabetic asthmatic pregnant autistic dyslexic colorblind colourblind color-blind colour-blind deaf blind
    epileptic anemic anaemic bipolar neurodivergent left-handed right-handed nearsighted short-sighted
    shortsighted disabled intolerant insomniac immunocompromised hypertensive
    """,
)
CIVIL_STATES = lexicon("married single divorced engaged widowed separated bisexual gay lesbian trans queer")
JOB_STATES = lexicon("retired unemployed self-employed freelance freelancing employed jobless semi-retired tenured")

NATIONALITIES = lexicon(
    """
    afghan albanian algerian american argentine argentinian armenian australian austrian azerbaijani bangladeshi
    belarusian belgian bolivian bosnian brazilian british bulgarian cambodian cameroonian canadian chilean
    chinese colombian croatian cuban czech danish dutch ecuadorian egyptian english estonian ethiopian filipino
    filipina finnish french georgian german ghanaian greek guatemalan hungarian icelandic indian indonesian
    iranian iraqi irish israeli italian jamaican japanese jordanian kazakh kenyan korean kuwaiti latvian
    lebanese lithuanian malaysian mexican moldovan moroccan nepali nepalese nigerian norwegian pakistani
    palestinian peruvian polish portuguese romanian russian saudi scottish serbian singaporean slovak slovenian
    somali spanish sudanese swedish swiss syrian taiwanese thai tunisian turkish ugandan ukrainian uruguayan
    venezuelan vietnamese welsh zimbabwean
    """,
)
LANGUAGES = NATIONALITIES | lexicon(
    """
    mandarin cantonese arabic hindi urdu bengali tamil telugu farsi persian hebrew swahili latin esperanto
    catalan basque galician gaelic yiddish punjabi tagalog malay marathi gujarati hokkien shanghainese asl
    afrikaans zulu yoruba igbo amharic khmer lao burmese mongolian tibetan uyghur
    """,
)

JOBS = lexicon(
    """
    accountant actor actress admin analyst architect artist assistant astronaut athlete attorney auditor author
    baker banker barber barista bartender biologist blogger bricklayer builder butcher carpenter cashier ceo cfo
    chef chemist cleaner clerk coach comedian composer consultant contractor cook coordinator copywriter
    counselor counsellor courier cto dancer data-scientist dentist designer detective developer dietitian
    director dj doctor driver economist editor electrician engineer entrepreneur estate-agent farmer firefighter
    fisherman florist founder freelancer gardener geologist guard guide hairdresser historian illustrator
    instructor interpreter intern inventor investor janitor jeweller journalist judge lawyer lecturer librarian
    lifeguard linguist locksmith machinist manager marketer mathematician mechanic medic midwife miner model
    musician nanny novelist nurse nutritionist officer operator optician optometrist painter paralegal paramedic
    pathologist pediatrician paediatrician pharmacist photographer physician physicist physiotherapist pianist
    pilot plumber podcaster poet policeman policewoman politician postdoc potter principal producer professor
    programmer psychiatrist psychologist publisher radiologist realtor receptionist recruiter reporter
    researcher retailer roofer sailor salesman salesperson scientist sculptor secretary singer soldier solicitor
    statistician streamer student surgeon surveyor tailor teacher technician therapist tiler trader trainer
    translator tutor undergraduate vet veterinarian videographer violinist waiter waitress warden webmaster
    welder writer yoga-teacher youtuber zookeeper
    """,
)

WORKS = lexicon(
    """
    album api app application article assignment audit backend backup benchmark beta blog blueprint book branch
    bug build campaign chapter cluster code codebase cutover dashboard database dataset deck demo deploy
    deployment design dissertation docs documentation draft essay experiment extension feature film fix form
    frontend game grant hotfix implementation import indexer integration invoice issue job kernel launch library
    manuscript merge migration mockup model module mvp newsletter novel paper parser patch pipeline playbook
    plugin pr poc poem portfolio post presentation product project proposal prototype pull refactor refactoring
    release renovation report repo repository review rewrite rollout schema screenplay script server service
    site slides song spec sprint story study suite survey talk task tests test thesis ticket tool translation
    upgrade video website workflow worker import export parser compiler firmware driver sdk client recipe
    syllabus curriculum extension kitchen bathroom shed prologue epilogue appendix intro section outline
    chapters podcast comic mural quilt sculpture painting
    """,
)
"""Pieces of work that have a state."""

WORK_DETERMINERS = lexicon("the our my this")

STATES = lexicon(
    """
    approved archived back behind blocked broken building cancelled canceled closed complete completed crashing
    delayed deployed done down dropped failing finalised finalized finished fixed flaky frozen funded going
    green halfway incomplete late launched live merged migrated nearly offline ongoing online out outdated
    overdue parked passing paused pending polished postponed printed published ready red refactored rejected
    released resolved reverted reviewed rolled running scheduled scrapped shelved shipped signed stable stalled
    started stuck stopped submitted tested underway unfinished unmerged up waiting working wrapped written
    accepted drafted edited
    """,
)
"""Words that, after "is", tell the state of a piece of work."""

STATE_OPENERS = lexicon("in on at behind ahead under over past with waiting almost nearly half about due")

STATE_VERBS = lexicon(
    """
    passed passes pass failed fails fail broke breaks crashed crashes compiled compiles shipped launched works
    runs builds slipped stalled landed needs merged finished
    """,
)
"""Verbs that tell the state of a piece of work by themselves."""

SETTINGS = lexicon(
    """
    account address alias backend bitrate branch bucket budget channel cluster codec colour color currency
    database deadline default device domain dpi editor endpoint environment extension folder font format
    frequency gateway host hostname id indentation instance interval ip keyboard keymap language layout level
    limit locale location mirror mode model namespace number os path pin platform plan port prefix priority
    profile prompt proxy quota rate region registry repo repository resolution schema seed server shell size
    ssid subnet tempo theme threshold timeout token topic unit units url user username vendor version volume
    wallpaper workspace zone
    """,
)
"""Heads of what can be set to a value."""

CIRCUMSTANCES = lexicon(
    """
    rent commute salary income mortgage appointment flight lease contract visa exam interview shift shifts
    schedule budget address phone laptop computer pc car bike house flat apartment place office desk
    subscription insurance pension loan debt train bus surgery operation passport licence license ancestors
    surname pronouns hometown workplace degree major thesis-defence graduation wedding anniversary holiday
    vacation notice probation
    """,
)
"""Things of the writer's own that say something of the writer ("my commute is 25 minutes")."""

POSSESSIONS = lexicon(
    """
    car bike bicycle house flat apartment boat van truck motorcycle motorbike scooter laptop phone camera guitar
    piano violin drone garden tv console ps5 xbox switch tablet ipad iphone macbook e-bike ebike motorhome
    caravan cabin cottage condo tent telescope printer garage pool
    """,
)

IDLE_OBJECTS = lexicon(
    """
    question questions idea ideas clue doubt doubts feeling feelings blast fun point problem time moment chance
    sense feel say news trouble thing things reason something faith hope confidence look luck bunch respect
    desire need urge opportunity talk chat laugh break story joke tip tips
    pic picture pictures photo photos setback bumps adventure milestone
    """,
)
"""What one has only for the moment or in a manner of speaking."""

CODE_TALK = lexicon(
    """
    code error errors exception exceptions function snippet query loop regex variable array dict dataframe traceback json
    csv command stacktrace numbers integers floats
    """,
)
"""Objects of the help that is asked for just now; what is done to them is no news of the writer."""
