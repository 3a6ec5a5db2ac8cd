/** Of the page's server: whom it answers, what it takes once, and what it tells. */
import type { Mutant } from '../mutant.js';

const ADMIT = 'client/http/admit-request.ts';
const ADMIT_TEST = 'test/unit/web/admit-request.test.ts';
const SESSION = 'client/http/web-session.ts';
const SESSION_TEST = 'test/unit/web/web-session.test.ts';
const LINES = 'client/http/journal-lines.ts';
const LINES_TEST = 'test/unit/web/journal-lines.test.ts';

export const WEB_MUTANTS: readonly Mutant[] = [
  {
    name: 'any host is ours',
    area: 'web',
    file: ADMIT,
    find: 'if (!isOwn && !names.hosts.includes(host.toLowerCase()))',
    replace: "if (!isOwn && names.hosts.includes(''))",
    test: { file: ADMIT_TEST, title: '%j: %s' },
  },
  {
    name: 'an origin that begins like ours is ours',
    area: 'web',
    file: ADMIT,
    find: 'return origin.toLowerCase() === own ||',
    replace: 'return origin.toLowerCase().startsWith(own) ||',
    test: { file: ADMIT_TEST, title: '%j: %s' },
  },
  {
    name: 'a code is taken twice',
    area: 'web',
    file: SESSION,
    find: 'this.code = null;',
    replace: '',
    test: { file: SESSION_TEST, title: 'is traded for a key, once' },
  },
  {
    name: 'the key of another server counts',
    area: 'web',
    file: SESSION,
    find: 'return this.keys.some((known) => timingSafeEqual(known, hash));',
    replace: 'return this.keys.every((known) => known.length === hash.length);',
    test: { file: SESSION_TEST, title: 'is none of another server, nor a code' },
  },
  {
    name: 'a gate is decided without the commit that was seen',
    area: 'web',
    file: 'client/http/message-routes.ts',
    find: "return [field, field === 'commit' ? schema.nullable() : isNeeded",
    replace: "return [field, field === 'commit' ? schema.nullable().optional() : isNeeded",
    test: {
      file: 'test/unit/web/message-routes.test.ts',
      title: 'names the gate and the commit that were seen, and nobody',
    },
  },
  {
    name: 'a position counts whatever its line says by now',
    area: 'web',
    file: LINES,
    find: 'return line.seq === position.seq && hash === position.hash;',
    replace: "return line.seq === position.seq && hash !== '';",
    test: { file: LINES_TEST, title: 'are told whole to who stands at a line %s' },
  },
  {
    name: 'an event is skipped after a reconnect',
    area: 'web',
    file: LINES,
    find: 'this.lines.slice(at + 1, at + 1 + LINES_AT_ONCE)',
    replace: 'this.lines.slice(position === null ? 0 : at + 2, at + 1 + LINES_AT_ONCE)',
    test: { file: LINES_TEST, title: 'come in pieces, each with where the reader stands after it' },
  },
  {
    name: 'a notice shows a title as it is',
    area: 'web',
    file: 'page/state/notices.ts',
    find: 'const name = printableLine(title ?? runId);',
    replace: 'const name = title ?? printableLine(runId);',
    test: { file: 'test/unit/web/notices.test.ts', title: 'has no title that a system would show reordered' },
  },
  {
    name: 'a stream whose body nobody reads keeps its place',
    area: 'web',
    file: 'client/http/serve-stream.ts',
    find: 'served.onClosed(end);',
    replace: '',
    test: {
      file: 'test/unit/web/serve-stream.test.ts',
      title: 'whose body nobody began to read gives its place free when the connection ends, once',
    },
  },
  {
    name: 'a new reader of the list is told a piece of before the last look',
    area: 'web',
    file: 'client/http/list-feed.ts',
    find: 'this.pieces.clear();',
    replace: '',
    test: {
      file: 'test/unit/web/list-feed.test.ts',
      title: 'tells readers who lack the same with the same event, and one who was told another with his own',
    },
  },
  {
    name: 'a key of a server that has ended takes the form away in which a code is typed',
    area: 'web',
    file: 'page/state/session.ts',
    find: 'if (own === null && !(await mayBeKnown(key))) refused.add(key);',
    replace: 'if (own === null && key === "") refused.add(key);',
    test: {
      file: 'test/unit/web/session.test.ts',
      title: 'is none that the server does not know, where a code may be typed: %j',
    },
  },
  {
    name: 'a number that no position can name is told',
    area: 'web',
    file: LINES,
    find: 'if (!Number.isInteger(event.seq) || event.seq < 1 || event.seq > MAX_SEQ) return;',
    replace: 'if (Number.isNaN(event.seq)) return;',
    test: { file: LINES_TEST, title: 'are none whose number no position can name: %d' },
  },
  {
    name: 'a second pause is taken for the first',
    area: 'web',
    file: 'page/state/send.ts',
    find: 'if (isTaken) forgetSaid(path);',
    replace: 'if (!isTaken) forgetSaid(path);',
    test: {
      file: 'test/unit/web/send.test.ts',
      title: 'again after something else was said to the same run is another',
    },
  },
  {
    name: 'a message whose answer was lost is told as not sent, since another server refuses the next try',
    area: 'web',
    file: 'page/state/send.ts',
    find: 'mayHaveArrived = true;',
    replace: 'mayHaveArrived = kept !== null;',
    test: {
      file: 'test/unit/web/send.test.ts',
      title: 'and refused, after a try whose answer was lost, is not told as not sent, and stays the same message',
    },
  },
  {
    name: 'an answer that was cut counts as one',
    area: 'web',
    file: 'page/state/ask.ts',
    find: 'if (answer.ok) throw new',
    replace: 'if (!answer.ok) throw new',
    test: {
      file: 'test/unit/web/ask.test.ts',
      title: 'that is cut in the middle is none, so that nobody knows what became of what was asked',
    },
  },
  {
    name: 'a folder is looked at once for each of its changes',
    area: 'web',
    file: 'client/look/follow-folder.ts',
    find: 'if (looks.agoMs >= LOOK_AGAIN_MS) lookAgain();',
    replace: 'lookAgain();',
    test: {
      file: 'test/unit/client/follow-folder.test.ts',
      title: 'sees the last of a thousand changes, and does not look once for each',
    },
  },
  {
    name: 'a tab that was halted is heard beside the one that leads',
    area: 'web',
    file: 'page/state/tab-messages.ts',
    find: 'if (since < this.newest) return false;',
    replace: 'if (since < this.own) return false;',
    test: {
      file: 'test/unit/web/tab-messages.test.ts',
      title: 'hear no more of one that was halted, once another leads',
    },
  },
  {
    name: 'the open gate is what a page with too many gates leaves out',
    area: 'web',
    file: 'client/http/read-run.ts',
    find: "status === 'pending' ? 0 : 1",
    replace: "status === 'pending' ? 1 : 0",
    test: {
      file: 'test/unit/web/read-run.test.ts',
      title: 'has the open gate, and the newest of the others, where all are more than it shows',
    },
  },
  {
    name: 'a landing that cannot be asked was heard',
    area: 'web',
    file: 'client/http/read-run.ts',
    find: 'if (sluice === null) return { landing: null, isLandingHeard: false };',
    replace: 'if (sluice === null) return { landing: null, isLandingHeard: true };',
    test: {
      file: 'test/unit/web/read-run.test.ts',
      title: 'says whether its landing was heard, so that one that did not answer is asked again',
    },
  },
  {
    name: 'a tab that crashed counts for ever',
    area: 'web',
    file: 'page/state/tab-book.ts',
    find: 'tab !== this.own && now - at >',
    replace: 'tab === this.own && now - at >',
    test: {
      file: 'test/unit/web/tab-book.test.ts',
      title: 'that was in front and crashed counts no more after 10 s, and the own one always',
    },
  },
  {
    name: 'a stream that fell silent is read on',
    area: 'web',
    file: 'page/state/stream-events.ts',
    find: 'this.timer = this.wait();',
    replace: '',
    test: {
      file: 'test/unit/web/stream.test.ts',
      title: 'takes a stream that says nothing for 40 s for one that ended, and asks for another',
    },
  },
  {
    name: 'a list is shown in pieces',
    area: 'web',
    file: 'page/state/live.ts',
    find: 'const isComplete = event.rows.length === 0 && event.gone.length === 0;',
    replace: 'const isComplete = event.rows.length >= 0;',
    test: {
      file: 'test/unit/web/live.test.ts',
      title: 'is put in place once it is complete, and until then is the one before',
    },
  },
  {
    name: 'a tab keeps every journal that any tab opens',
    area: 'web',
    file: 'page/state/live.ts',
    find: 'if (kept !== null && !live.topics.includes(kept)) return live;',
    replace: '',
    test: { file: 'test/unit/web/live.test.ts', title: 'nothing is kept that another tab is told' },
  },
];
