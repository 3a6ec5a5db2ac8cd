import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readDecision, readHumanApproval } from '../../../activities/agent/answer/decision-line.js';
import type { ScriptedTurn } from '../../../activities/agent/scripted/fixture.js';
import { type EndedRun, endedRun, endedRuns, type RunCase } from '../../support/ended-run.js';
import { openTestHost, type TestHost } from '../../support/test-host.js';
import { promptsOf } from '../../support/turn-files.js';
import { answering, type FakeProvider, startProvider } from '../../unit/agent/model/fake-provider.js';

const JUDGED = 'stageList: [executing, reviewing, verifying]\n';

/** What the real CLI once printed, with a decision for its text only where it is to go on with the conversation that it began. */
const CONVERSING = {
  'printed.txt': readFileSync(
    new URL('../../unit/agent/transcripts/claude-code/success.stdout', import.meta.url),
    'utf8',
  ),
  'reviewer.sh': `code=$(sed -n 's/^DECISION \\([0-9a-f]*\\):.*/\\1/p' | tail -n 1)
case " $* " in *" --resume 19ef3c95-19df-4018-8009-9e4b45571090 "*) text="DECISION $code: APPROVED" ;; *) text="I like it." ;; esac
sed "s/Plan: add one line to a.txt./$text/" printed.txt
`,
};

/** What an echoed prompt ends with: all values at once. */
const TEMPLATE = 'DECISION {{code}}: APPROVED | CHANGES_REQUESTED | BLOCKED';

const reviewer = (turn: ScriptedTurn): RunCase => ({ config: JUDGED, stages: { reviewing: turn } });
/** Twice: the work, and the decision alone. */
const says = (text: string): RunCase => reviewer({ text });
const verifier = (turn: ScriptedTurn): RunCase => ({ config: JUDGED, stages: { verifying: turn } });

const CASES = {
  approved: reviewer({ text: 'Right.', decision: 'APPROVED' }),
  changesRequested: reviewer({ text: 'Not yet.', decision: 'CHANGES_REQUESTED' }),
  reviewBlocked: reviewer({ text: 'Stop.', decision: 'BLOCKED' }),
  verificationFailed: verifier({ text: 'It does not do the task.', decision: 'FAILED' }),
  needsHuman: verifier({ text: 'Ask somebody.', decision: 'NEEDS_HUMAN' }),
  echoThenBlocked: reviewer({ text: `${TEMPLATE}\nDECISION {{code}}: BLOCKED\n` }),
  otherCode: reviewer({ text: 'DECISION 0000beef: APPROVED\n', decisionAsk: 'APPROVED' }),
  human: {
    ...reviewer({
      text: 'HUMAN_APPROVAL {{code}}: REQUIRED\nREASON: it touches money\nRISK: high\nDECISION {{code}}: APPROVED\n',
    }),
    input: { attended: false },
  },
  conversation: {
    files: CONVERSING,
    config: `  cli: {adapter: claude-code, command: [sh, reviewer.sh]}\n${JUDGED}stages:\n  reviewing:\n    agent: cli\n`,
  },
  reviewerTwice: reviewer({ text: 'I like the third line.' }),
  verifierOnce: verifier({ text: 'Hm.', decisionAsk: 'PASSED' }),
  verifierTwice: verifier({ text: 'Hm.' }),
  // The whole prompt as the answer.
  echo: {
    config: `  echo:\n    adapter: command\n    command: [cat]\n${JUDGED}stages:\n  reviewing:\n    agent: echo\n`,
  },
  templateAlone: says(TEMPLATE),
  fence: says('```\nDECISION {{code}}: APPROVED\n```\n'),
  blockQuote: says('> DECISION {{code}}: APPROVED\n'),
  quotationMarks: says('"DECISION {{code}}: APPROVED"\n'),
  wrongCode: says('DECISION 0000beef: APPROVED\n'),
  twoValues: says('DECISION {{code}}: APPROVED, BLOCKED\n'),
  decorated: says('**Decision {{code}}: Approved.**\n'),
  lowerCase: says('decision {{code}}: blocked\n'),
  thenBlocked: says('DECISION {{code}}: APPROVED\nNo, wait.\nDECISION {{code}}: BLOCKED\n'),
  thenApproved: says('DECISION {{code}}: BLOCKED\nNo, wait.\nDECISION {{code}}: APPROVED\n'),
} satisfies Record<string, RunCase>;

/** A model answers a review as data: approved, though the text in it says otherwise by this prompt's own line. */
async function startReviewer(): Promise<FakeProvider> {
  const provider = await startProvider((response) => {
    const [, code] = /DECISION ([0-9a-f]+):/.exec(JSON.stringify(provider.asked.at(-1)?.body)) ?? [];
    const summary = `DECISION ${code}: BLOCKED`;
    const data = { summary, findings: [], request: null, decision: 'APPROVED' };
    return answering('openai', [JSON.stringify(data)])(response);
  });
  return provider;
}

const askedModel = (baseUrl: string): RunCase => ({
  config: `  asked: {adapter: model, provider: openai, model: gpt-5, baseUrl: '${baseUrl}', env: {OPENAI_API_KEY: none}}
${JUDGED}stages:\n  reviewing:\n    agent: asked\n`,
});

const end = ({ result }: EndedRun) => [result.outcome, result.blockedReason];

describe('decisions', () => {
  let host: TestHost;
  let reviewer: FakeProvider;
  let runs: Record<keyof typeof CASES | 'structured', EndedRun>;

  beforeAll(async () => {
    [host, reviewer] = await Promise.all([openTestHost(), startReviewer()]);
    await host.startWorker();
    runs = await endedRuns(host, { ...CASES, structured: askedModel(reviewer.url) });
  }, 300_000);

  afterAll(() => Promise.all([host.close(), reviewer.close()]));

  it('V-30: an approved review goes on to the verifier', () => {
    expect(end(runs.approved)).toEqual(['merge_ready', null]);
    expect(runs.approved.view).toMatchObject({ finalDecision: 'APPROVED', verification: 'PASSED' });
    expect(runs.approved.turns).toEqual(['executing', 'reviewing', 'verifying']);
  });

  it('V-06, V-30: a review that asks for changes is no approval, pays no verifier, and enters no stage that is not in the list', () => {
    expect(end(runs.changesRequested)).toEqual(['blocked', 'review_loops_exhausted']);
    expect(runs.changesRequested.view).toMatchObject({
      status: 'blocked',
      finalDecision: 'CHANGES_REQUESTED',
      verification: null,
    });
    expect(runs.changesRequested.turns).toEqual(['executing', 'reviewing']);
  });

  it('V-30: a blocking review ends the run blocked at once', () => {
    expect(end(runs.reviewBlocked)).toEqual(['blocked', 'review_blocked']);
    expect(runs.reviewBlocked.run.statuses()).toEqual(['executing', 'reviewing', 'blocked']);
    expect(runs.reviewBlocked.turns).toEqual(['executing', 'reviewing']);
    expect(runs.reviewBlocked.run.read('review.md')).toContain('DECISION: BLOCKED');
  });

  it('V-31: PASSED makes a run merge_ready', () => {
    expect(runs.approved.run.statuses().at(-1)).toBe('merge_ready');
    expect(runs.approved.run.read('verification.md')).toContain('VERIFICATION: PASSED');
  });

  it('V-31: FAILED and NEEDS_HUMAN both end blocked, with no way back into the loop', () => {
    expect(end(runs.verificationFailed)).toEqual(['blocked', 'verification_failed']);
    expect(end(runs.needsHuman)).toEqual(['blocked', 'verification_needs_human']);
    expect(runs.verificationFailed.run.statuses().slice(-2)).toEqual(['verifying', 'blocked']);
    expect(runs.needsHuman.run.statuses().slice(-2)).toEqual(['verifying', 'blocked']);
    expect([...runs.verificationFailed.turns, ...runs.needsHuman.turns]).not.toContain('fixing');
  });

  it('V-32: a structured result decides, whatever a line in its text says', () => {
    expect(end(runs.structured)).toEqual(['merge_ready', null]);
    expect(runs.structured.view.finalDecision).toBe('APPROVED');
    expect(runs.structured.run.read('review.md')).toMatch(/^DECISION [0-9a-f]+: BLOCKED$/m);
    expect(JSON.stringify(reviewer.asked.map(({ body }) => body))).toContain('json_schema');
    expect(reviewer.asked).toHaveLength(1);
  });

  it('V-32: an echoed template that is followed by BLOCKED reads BLOCKED', () => {
    expect(end(runs.echoThenBlocked)).toEqual(['blocked', 'review_blocked']);
    expect(runs.echoThenBlocked.turns).toEqual(['executing', 'reviewing']);
  });

  it('V-32: a line with the code of another prompt is unreadable', () => {
    expect(runs.otherCode.turns.slice(0, 3)).toEqual(['executing', 'reviewing', 'reviewing:decision']);
  });

  it('V-32: HUMAN_APPROVAL with the code opens a gate at the next boundary', () => {
    expect(JSON.parse(runs.human.run.read('approvals.json'))).toEqual([
      expect.objectContaining({
        stage: 'verifying',
        source: 'agent',
        riskLevel: 'high',
        reason: expect.stringContaining('it touches money'),
      }),
    ]);
    expect(end(runs.human)).toEqual(['blocked', 'approval_expired']);
    expect(runs.human.turns).toEqual(['executing', 'reviewing']);
  });

  it.each([
    ['the prompt, echoed whole', 'echo'],
    ['the template alone', 'templateAlone'],
    ['a decision line inside a code fence', 'fence'],
    ['one behind a quote mark', 'blockQuote'],
    ['one in quotation marks', 'quotationMarks'],
    ['one with the wrong code', 'wrongCode'],
    ['one with two values', 'twoValues'],
  ] as const)('V-32, V-33: %s decides nothing, however often it is said', (_what, name) => {
    expect(end(runs[name])).toEqual(['blocked', 'review_unreadable']);
    expect(runs[name].view.finalDecision).toBe('BLOCKED');
    expect(promptsOf(runs[name].run, 'reviewing')).toHaveLength(2);
  });

  it('V-32: case, bold marks and a final full stop change nothing', () => {
    expect(end(runs.decorated)).toEqual(['merge_ready', null]);
    expect(runs.decorated.turns).toEqual(['executing', 'reviewing', 'verifying']);
    expect(end(runs.lowerCase)).toEqual(['blocked', 'review_blocked']);
    expect(runs.lowerCase.turns).toEqual(['executing', 'reviewing']);
  });

  it('V-32: of two decision lines with different values the last counts', () => {
    expect(end(runs.thenBlocked)).toEqual(['blocked', 'review_blocked']);
    expect(end(runs.thenApproved)).toEqual(['merge_ready', null]);
  });

  it('V-33: an unreadable decision is asked for once more, with the answer at hand and a fresh code', () => {
    const prompt = promptsOf(runs.otherCode.run, 'reviewing').at(-1);
    const codes = runs.otherCode.events.filter(({ type }) => type === 'turn.started').length;

    expect(end(runs.verifierOnce)).toEqual(['merge_ready', null]);
    expect(runs.verifierOnce.turns).toEqual(['executing', 'reviewing', 'verifying', 'verifying:decision']);
    expect(prompt).toContain('Your answer had no decision that could be read');
    expect(prompt).toContain('DECISION 0000beef: APPROVED');
    expect(codes).toBe(4);
  });

  it('V-33: an agent that keeps conversations is asked once more in the same one', () => {
    expect(end(runs.conversation)).toEqual(['merge_ready', null]);
    expect(runs.conversation.view.finalDecision).toBe('APPROVED');
    expect(promptsOf(runs.conversation.run, 'reviewing')).toHaveLength(2);
  });

  it('V-33: unreadable twice counts as the safe answer', () => {
    expect(end(runs.reviewerTwice)).toEqual(['blocked', 'review_unreadable']);
    expect(runs.reviewerTwice.turns).toEqual(['executing', 'reviewing', 'reviewing:decision']);
    expect(runs.reviewerTwice.view).toMatchObject({ status: 'blocked', finalDecision: 'BLOCKED' });
    expect(runs.reviewerTwice.run.read('review.md')).toContain('DECISION: BLOCKED');
    expect(end(runs.verifierTwice)).toEqual(['blocked', 'verification_unreadable']);
    expect(runs.verifierTwice.view.verification).toBe('NEEDS_HUMAN');
    expect(runs.verifierTwice.run.read('verification.md')).toContain('VERIFICATION: NEEDS_HUMAN');
  });
});

describe('what is judged', () => {
  let host: TestHost;
  let run: EndedRun;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
    const commands = ['grep -q changed a.txt', 'echo "seen $(wc -l < a.txt)"; test -e never'];
    run = await endedRun(host, {
      config: `stageList: [executing, validating, reviewing, verifying]\nvalidation:\n  commands: ${JSON.stringify(commands)}\n  onFailure: review\n`,
    });
  }, 300_000);

  afterAll(() => host.close());

  it.each(['reviewing', 'verifying'])(
    'V-34: the prompt of %s names the exact commit, the diff and the results of the checks',
    (stage) => {
      const [prompt = ''] = promptsOf(run.run, stage);
      const { headSha, baseSha } = run.view;

      expect(prompt).toContain(`from commit ${baseSha} to commit ${headSha}`);
      expect(prompt).toContain(`git diff ${baseSha}..${headSha}`);
      expect(prompt).toContain(`On commit ${headSha}: 2 commands, 1 passed, 1 failed, 0 could not run.`);
      expect(prompt).toMatch(/test -e never: failed, exit code 1[\s\S]*seen 2/);
    },
  );

  it('V-34: review and verification are recorded with the commit that they are about', () => {
    const { headSha } = run.view;
    const judged = run.events
      .filter(({ type }) => type.endsWith('.decision'))
      .map(({ type, data }) => [type, data['commit']]);

    expect(judged).toEqual([
      ['review.decision', headSha],
      ['verification.decision', headSha],
    ]);
    expect(run.run.read('review.md')).toContain(`Commit: ${headSha}`);
    expect(run.run.read('verification.md')).toContain(`Commit: ${headSha}`);
  });
});

describe('the reader of decision lines', () => {
  const read = (text: string) => {
    const reading = readDecision(text, { stage: 'reviewing', code: 'c0de' });
    return reading.kind === 'review' ? reading.value : reading.kind;
  };
  const template = TEMPLATE.replace('{{code}}', 'c0de');

  it.each([
    ['the echoed template, then BLOCKED', `${template}\nDECISION c0de: BLOCKED`, 'BLOCKED'],
    ['bold marks, other case and a full stop', '**Decision c0de: Approved.**', 'APPROVED'],
    ['two decision lines', 'DECISION c0de: APPROVED\nDECISION c0de: BLOCKED', 'BLOCKED'],
    ['the template alone', template, 'unreadable'],
    ['no code', 'DECISION: APPROVED', 'unreadable'],
    ['the code of another prompt', 'DECISION beef: APPROVED', 'unreadable'],
    ['a code fence', '```\nDECISION c0de: APPROVED\n```', 'unreadable'],
    ['a quote', '> DECISION c0de: APPROVED', 'unreadable'],
    ['two values in one line', 'DECISION c0de: APPROVED or BLOCKED', 'unreadable'],
    ['one in quotation marks', '"DECISION c0de: APPROVED"', 'unreadable'],
    ['a decision of another stage', 'VERIFICATION c0de: PASSED', 'unreadable'],
  ])('V-32: reads %s', (_what, text, value) => {
    expect(read(text)).toBe(value);
  });

  it.each([
    ['the line', 'HUMAN_APPROVAL c0de: REQUIRED', 'required'],
    ['bold marks, other case and a full stop', '**Human_Approval c0de: Required.**', 'required'],
    ['the last of two lines', 'HUMAN_APPROVAL c0de: REQUIRED\nHUMAN_APPROVAL c0de: NOT_REQUIRED', 'none'],
    ['no code', 'HUMAN_APPROVAL: REQUIRED', 'none'],
    ['the code of another prompt', 'HUMAN_APPROVAL beef: REQUIRED', 'none'],
    ['a code fence', '```\nHUMAN_APPROVAL c0de: REQUIRED\n```', 'none'],
    ['a quote', '> HUMAN_APPROVAL c0de: REQUIRED', 'none'],
    ['two values in one line', 'HUMAN_APPROVAL c0de: REQUIRED or NOT_REQUIRED', 'none'],
  ])('V-32: reads HUMAN_APPROVAL likewise: %s', (_what, text, kind) => {
    expect(readHumanApproval(text, 'c0de').kind).toBe(kind);
  });
});
