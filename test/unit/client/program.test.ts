import { CommanderError } from '@commander-js/extra-typings';
import { describe, expect, it } from '@jest/globals';
import { statesReference } from '../../../client/cli/commands/states.js';
import { createProgram } from '../../../client/cli/program.js';
import { isTerminal, RUN_STATUSES, TRANSITIONS } from '../../../protocol/run/lifecycle.js';

const COMMANDS = [
  'demo',
  'init',
  'run',
  'approve',
  'reject',
  'pause',
  'resume',
  'abort',
  'steer',
  'answer',
  'rename',
  'rewind',
  'batch',
  'clean',
  'replay',
  'audit',
  'policies',
  'budget',
  'list',
  'status',
  'watch',
  'logs',
  'diff',
  'path',
  'up',
  'down',
  'worker',
  'doctor',
  'config',
  'trust',
  'states',
];

async function parse(...argv: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  let started = false;
  const program = createProgram({
    behindDashes: [],
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    start: async () => {
      started = true;
    },
  });
  const code = await program.parseAsync(argv, { from: 'user' }).then(
    () => 0,
    (error: unknown) => (error instanceof CommanderError ? error.exitCode : -1),
  );
  return { code, out: out.join('\n'), err: err.join('\n'), started };
}

describe('the commands', () => {
  it('are all in the help', async () => {
    const { out } = await parse('--help');

    for (const name of COMMANDS) expect(out).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'));
  });

  it.each(COMMANDS)('%s takes --json and names its exit codes', async (name) => {
    const { code, out, started } = await parse(name, '--help');

    expect(code).toBe(0);
    expect(started).toBe(false);
    expect(out).toContain('--json');
    expect(out).toMatch(/Exit codes:\n {2}0 /);
  });

  it.each([
    [['rnu', 'x'], '(Did you mean run?)'],
    [['run', 'x', '--agnt', 'y'], '(Did you mean --agent?)'],
    [['status', 'a', 'b'], 'too many arguments'],
  ])('refuse %j with a suggestion', async (argv, hint) => {
    const { code, err, started } = await parse(...argv);

    expect(code).toBe(1);
    expect(started).toBe(false);
    expect(err).toContain(hint);
  });
});

describe('the decisions in their long form', () => {
  it.each(['list', 'show', 'decide'])('%s takes --json and names its exit codes', async (name) => {
    const { code, out } = await parse('approvals', name, '--help');

    expect(code).toBe(0);
    expect(out).toContain('--json');
    expect(out).toMatch(/Exit codes:\n {2}0 /);
  });

  it('are in the help', async () => {
    expect((await parse('--help')).out).toMatch(/^ {2}approvals\b/m);
  });

  it('need a run to decide about', async () => {
    expect(await parse('approvals', 'decide', '--approve')).toMatchObject({ code: 1, started: false });
  });
});

describe('the reference of states', () => {
  it('is the table that every status change goes through', () => {
    const { statuses } = statesReference();

    expect(statuses.map(({ status }) => status)).toEqual(RUN_STATUSES);
    for (const { status, terminal, moves } of statuses) {
      expect(terminal).toBe(isTerminal(status));
      expect(moves).toEqual(TRANSITIONS[status]);
    }
  });
});
