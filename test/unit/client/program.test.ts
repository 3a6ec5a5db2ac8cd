import { CommanderError } from '@commander-js/extra-typings';
import { describe, expect, it } from '@jest/globals';
import { statesReference } from '../../../client/cli/commands/states.js';
import { COMMAND_GROUPS } from '../../../client/cli/program/command-groups.js';
import { createProgram, COMMANDS as ROWS } from '../../../client/cli/program.js';
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
    write: (text) => out.push(text),
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

  it('stand each in one group of it', () => {
    const grouped = COMMAND_GROUPS.flatMap(({ commands }) => commands);

    expect(grouped.toSorted()).toEqual([...new Set(ROWS.map(({ name }) => name.split(' ')[0] ?? ''))].toSorted());
  });

  it('are each explained by help too, also those of two words', async () => {
    expect((await parse('help', 'run')).out).toContain('Usage: sluice run');
    expect((await parse('help', 'landings', 'drop')).out).toContain('Usage: sluice landings drop');
    expect(await parse('help')).toMatchObject({ code: 0, out: expect.stringContaining('Start:') });
  });

  it.each(COMMANDS)('%s says of no switch that it is off', async (name) => {
    expect((await parse(name, '--help')).out).not.toMatch(/default:\s+(false|\[\])/);
  });

  it.each(['abort', 'approve', 'reject', 'pause', 'resume'])('%s takes why by -m', async (name) => {
    expect(await parse(name, 'x', '-m', 'because')).toMatchObject({ code: 0, started: true });
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
    [['run', 'fix', 'the', 'parser'], 'sluice run "fix the parser"'],
    [['fix', 'the', 'parser'], 'sluice run "fix the parser"'],
    [['stop'], 'sluice abort ends a run, sluice down stops the local engine'],
    [['ps'], 'sluice list'],
    [['log'], 'sluice logs'],
    [['cancel', 'x'], 'sluice abort'],
    [['merge'], 'sluice land'],
    [['help', 'foo'], "unknown command 'foo'"],
    [['help', 'abrt'], '(Did you mean abort?)'],
    [['help', 'landings', 'drp'], '(Did you mean drop?)'],
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
