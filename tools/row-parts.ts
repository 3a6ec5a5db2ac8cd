/**
 * Rows that ask for several things at once, each with its parts: a row of these counts only where every part has a test. A part has the words that
 * the titles which show it hold; other titles of the row show more of it. Null: nothing shows it yet.
 */
export const ROW_PARTS: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  'V-06': {
    'all seven by default': 'by default every stage',
    express: 'express enters',
    'plan-only, read-only': 'plan-only enters planning alone, read-only',
    'plan-only, which writes nothing': 'plan-only leaves nothing',
    'set for a run': 'given at the start of the run',
    'no stage that is not listed': 'enters no stage that is not in the list',
    'set by a preset': 'sets stages, admission, one slot',
  },
  'V-17': {
    'a write run without a change': 'ends no_changes',
    'a read-only run': 'skips commit and diff check',
    'a read-only run whose planner writes': 'of a planner that writes and commits',
    'a run that may not write': 'read-only: the prompt says so',
  },
  'V-32': {
    'the structured result': 'a structured result decides',
    'the last line of one prompt': 'of two decision lines',
    'an echoed template': 'an echoed template',
    'case, bold marks and a final full stop': 'case, bold marks and a final full stop',
    'exactly one value': 'one with two values decides nothing',
    'this code': 'one with the wrong code decides nothing',
    'outside code fences': 'inside a code fence decides nothing',
    'outside quotes': 'behind a quote mark decides nothing',
    'a request for a person': 'HUMAN_APPROVAL with the code opens a gate',
    'a request for a person, read likewise': 'reads HUMAN_APPROVAL likewise',
  },
  'V-33': {
    'once more': 'is asked for once more',
    'in the same conversation': 'asked once more in the same one',
    'twice: the safe answer': 'counts as the safe answer',
  },
  'V-35': {
    'the fields, severities and categories of a finding': 'a finding has id, severity, category',
    'at least one piece of evidence': 'kept with defaults',
    'the five answers, and what is not answered': 'each of the five dispositions',
  },
  'V-47': {
    'into architecting': 'at the gate into architecting run planning',
    'into executing': 'at the gate into executing run architecting',
    'into executing, without architecting': 'at the gate into executing run planning',
    'into validating': 'at the gate into validating run fixing',
    'into reviewing': 'at the gate into reviewing run fixing',
    'into verifying': 'at the gate into verifying run fixing',
    'before the end': 'at the gate into completion run fixing',
    'into landing': 'at the gate into landing run fixing',
    'into fixing': 'at the gate into fixing run fixing',
    'three rounds, then blocked; not at planning': 'three rounds of changes, then the run ends blocked',
    'another number, and rounds that the loop has not': 'as often as the policy says',
  },
  'T-73': {
    'tried again after a wait, then merged': 'is tried again by the queue alone',
    'failed, once its attempts are used': 'one whose attempts are used up has failed',
  },
  'T-74': {
    'the attempts and their waits': 'wait 30 and 60 s',
    'the order, and one entry of each': 'the order is priority',
  },
  'V-49': {
    'attended runs wait without limit': 'a plain gate has no timer',
    'unattended runs expire': 'expires at once, or after the time',
    'reminder, escalation and expiry, and people are told': 'fired in their order, and people are told',
    'each a durable timer': 'is one recorded timer',
  },
  'V-52': {
    'within 2 s, by message and by cancellation': "within 2 s by the server's times",
  },
  'V-66': {
    'in each stage': 'guidance sent in each stage',
    'in fixing': 'guidance sent while a fix is made',
  },
  'V-67': {
    'stored after 10 s': 'for 10 s',
    queued: 'prints queued',
    'accepted, checked on arrival, journalled': 'is checked on arrival',
  },
  'V-71': {
    'in planning': 'in planning the run is aborted within 5 s',
    'in architecting': 'in architecting the run is aborted within 5 s',
    'in executing': 'in executing the run is aborted within 5 s',
    'in reviewing': 'in reviewing the run is aborted within 5 s',
    'in fixing': 'in fixing the run is aborted within 5 s',
    'in verifying': 'in verifying the run is aborted within 5 s',
    'during a validation command': 'in validating the run is aborted within 5 s',
    'before the first stage': 'in the set-up of its worktree the run is aborted within 5 s',
    'in a gate': 'at a gate the run is aborted within 5 s',
    'in a pause': 'in a pause the run is aborted within 5 s',
    'in a back-off': 'in a back-off the run is aborted within 5 s',
    'TERM, and KILL after 3 s': 'are killed, after 3 s where no config says another',
  },
  'V-99': {
    'the file before its status': 'its file and its status',
    'no status without its file': 'its outcome and its file',
    'flushed where the host says so': 'where the host says power',
  },
  'V-101': {
    'the files of a run': 'in every file of the run directory',
    'artifacts and logs of the home': 'in no stored artifact and no log',
    journal: 'not in the journal',
    'what a worker logs': 'in what the worker logs',
  },
  'V-102': {
    'report, metrics and verdict': 'closes with report, metrics and a verdict',
    'tokens, cost and wall time, failed attempts included': 'tokens and cost of every attempt',
    'of every closed run, each verdict': 'every closed run has report, metrics and verdict',
    'no validation command': 'without a validation command',
    'of a blocked run, whatever its reason': 'has metrics and the verdict of its result',
    'of an aborted one': 'report and verdict are written',
  },
  'V-110': {
    'in order, and their three results': 'in order and tells passed, failed and environment apart',
    "one after the other, in the engine's checkout": "in a checkout of the engine's own",
    'exit 127 is no pass': 'a command that is not found is no pass',
    'and starts no fix': 'a command that cannot run starts no fix',
    'red on the base: a failure like any other': 'counts it as a failure by default',
    'red on the base: shown and given to the fixer': 'is shown and given to the fixer',
    'red on the base, ignored: partially verified': 'at most partially verified',
  },
  'V-111': {
    'the process group is killed': 'ends the process group of a command at its time limit',
    'after 900 s by default': 'the limit is 900 s',
  },
  'V-124': {
    'status kept, wait shown, durable to the reset': 'keeps the status',
    'at most 1440 minutes, and stop': 'beyond the longest wait, by default of a day',
    'at most two waits': 'no more than twice',
    'no retry used': 'has all its retries left after the wait',
    fallback: 'goes to the fallback agent',
  },
  'V-125': {
    'the same write rights': 'gives the fallback agent the rights',
    'a new conversation': 'begins a new conversation',
    'once for each turn': 'once for each turn',
    'none by default': 'none by default',
    'a new conversation beside one that went on': 'where the one that failed went on with its own',
  },
  'V-130': {
    'turns of a run': 'turns are checked before each turn',
    'minutes and money of a run': 'minutes of agents at work',
    'turns of a day': 'turns of all runs of a project count together and are checked',
    'minutes of a day': 'minutes of all runs of a project',
    'money of a day': 'money and turns of all runs',
    'none by default': 'nothing else is limited by default',
    'a gate instead of the end': 'each approval allows the whole budget once more',
    'a gate at a limit of the day': 'opens a gate at a limit of the day too',
    'the count over a kill': 'keeps its count',
  },
  'V-135': {
    'the commands of a run': 'help lists every command',
    'status --json through a pipe': '400 kB',
    'queue and tasks, with the backlog': 'queue and tasks',
  },
  'V-136': {
    'the time of a turn without an agent': 'zero-latency agent',
    'a budget that does not hold is red': 'the bench is red',
  },
  'B-44': {
    'a usage limit': 'none until the reset',
    'a rate limit': 'none until its end, by one timer',
    'the end of its timer': 'when the timer of the gate fires',
  },
  'T-29': {
    'runs of the account alone': 'blocks only runs',
    'with the adapters of both providers': 'with the adapters of both',
  },
  'T-96': {
    'one timer, one probe, then all': 'by one timer; then all go on',
    'no attempt used': 'has all its retries left after the wait',
  },
  'S-05': {
    'a number, and the id of its run': 'a number of its own',
    'a branch of its own name': 'a branch of its own name',
    'the prefix of the preset': 'on branches of its own',
  },
  'S-55': {
    'as many as may, by priority': 'two at once where two may',
    'the preset': 'works one task at a time',
  },
  'S-88': {
    'closed after its days': 'closed once its days are over',
    'a later run keeps the commits': 'is run again under its number',
  },
  'S-79': {
    'both modes reach done': 'by the merge queue or by somebody else',
    'the preset, without a second gate': 'and is done once that is merged',
  },
  'S-81': {
    'no commits are not done': 'changes nothing is parked',
    'an answer document is': 'is done once its document is there',
  },
  'S-09': {
    'the first layer that hits': 'goes no further than the first layer',
    'an agent, where none hits': 'asks an agent about those that are most like it',
  },
  'S-13': {
    'equal text, what is alike, what is not': 'refuses equal text and near copies',
    'an agent about what is alike': 'takes the task in where the agent',
  },
  'S-16': {
    'by a create': 'takes in what is forced',
    'by MCP': null,
  },
  'S-20': {
    'at the command line': 'keeps nothing of a dry run',
    'by MCP': null,
  },
  'S-21': {
    'at the command line, and by Temporal': 'says the same at the command line',
    'by MCP, API and a peer': null,
  },
  'S-23': {
    'the cheap model': 'by the cheap model of its agent',
    'another that is named': 'by the model of that ask',
  },
  'S-27': {
    'what hangs is gone': 'waits for a person where nobody answers in time',
    'three minutes': 'three minutes where nobody says otherwise',
  },
  'S-33': {
    'a plan in steps': 'is asked by JSON',
    'with MCP': null,
  },
  'S-42': {
    'rejected, with the reason': 'is closed where it is rejected',
    'admitted again by force': 'admits a rejected task again by force',
  },
  'S-45': {
    'a gate, further questions, its end': 'may come to a gate',
    'the queue': 'comes to the queue, to a gate, to further questions or to its end',
  },
  'S-46': {
    'from the file': 'asks people in a file',
    'by MCP or API': null,
  },
  'S-50': {
    'twice is once': 'the same twice as one',
    'by MCP and API': null,
  },
  'S-66': {
    'as the config says when it starts': 'as the config says when the step starts',
    'a bad value': 'refuses a model that is no name',
  },
  'S-67': {
    'its commit by its full name': 'its commit by its full name',
    'each commit of the agent': 'keeps each commit that the agent made',
  },
  'S-69': {
    'the commands of a test': 'its agent exits 0 and the tests are red',
    'a check by an agent': 'has each step judged by whoever verifies',
  },
  'S-111': {
    'stages, admission, slots, landing and branches': 'sets stages, admission, one slot',
    'the watchdog and the words': null,
  },
  'T-106': {
    tokens: 'tokens that a turn read and wrote',
    cost: 'money and turns of all runs',
  },
};

export interface ShownPart {
  readonly row: string;
  readonly part: string;
  /** Titles; empty: it is not shown. */
  readonly shownBy: readonly string[];
}

/** Of the rows that have some, in the order of the table. */
export function shownParts(rows: readonly { readonly row: string; readonly title: string }[]): readonly ShownPart[] {
  return Object.entries(ROW_PARTS).flatMap(([row, parts]) =>
    Object.entries(parts).map(([part, words]) => {
      const titles = rows.filter((one) => one.row === row && words !== null && one.title.includes(words));
      return { row, part, shownBy: titles.map(({ title }) => title) };
    }),
  );
}

/** A test names it, and every part that it has is shown. */
export function isShown(row: string, rows: readonly { readonly row: string; readonly title: string }[]): boolean {
  const isOpen = shownParts(rows).some((part) => part.row === row && part.shownBy.length === 0);
  return !isOpen && rows.some((one) => one.row === row);
}
