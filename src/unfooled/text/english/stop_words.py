"""English function words: an attack that swaps one changes grammar, not meaning."""

GROUPS = (
    "a an the this that these those such each every either neither both all any some no none another other same",
    "i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers",
    "herself it its itself they them their theirs themselves one ones oneself who whom whose which what whatever",
    "whichever whoever whomever somebody someone something anybody anyone anything nobody nothing everybody everyone",
    "everything am is are was were be been being have has had having do does did doing done can could may might must",
    "shall should will would ought cannot and or but nor so yet if then else than because as until while although",
    "though unless whereas whether since of at by for with about against between among into onto through during",
    "before after above below over under to from up down in out on off within without upon toward towards across",
    "along around behind beside besides beyond despite except inside outside near past per via amid not never only",
    "also too very just even still again once here there where when why how now ever rather quite almost",
    "however therefore thus hence n't 's 're 've 'll 'd 'm 't ain't aren't can't couldn't didn't doesn't don't hadn't",
    "hasn't haven't isn't mightn't mustn't needn't shan't shouldn't wasn't weren't won't wouldn't ain aren couldn didn",
    "doesn don hadn hasn haven isn ll mightn mustn needn re shan shouldn ve wasn weren won wouldn i'm i've i'll i'd",
    "you're you've you'll you'd he's he'd he'll she's she'd she'll it's it'd it'll we're we've we'd we'll they're",
    "they've they'd they'll that's that'll there's here's what's who's where's let's",
)

STOP_WORDS: frozenset[str] = frozenset(" ".join(GROUPS).split())
