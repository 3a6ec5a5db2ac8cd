import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { addAgent } from '../../../config/init/add-agent.js';
import type { InitialAgent } from '../../../config/init/init-config.js';
import { tempFolders } from '../../support/temp-folder.js';

const freshFolder = tempFolders();
const NODE: InitialAgent = { kind: 'command', command: [process.execPath, '--version'] };
let repo: string;
let file: string;

const write = (text: string) => writeFileSync(file, text);
const text = () => readFileSync(file, 'utf8');

beforeEach(() => {
  repo = freshFolder();
  mkdirSync(join(repo, '.sluice'));
  file = join(repo, '.sluice/config.yaml');
});

describe('an agent that is added to a config', () => {
  it('is called main where none is, and is then the one that a run takes', () => {
    write('# ours\nversion: 1 # of the format\n\nrounds: 3\n');

    expect(addAgent(repo, NODE)).toMatchObject({ kind: 'added', name: 'main', isDefault: true });
    expect(text()).toMatch(/^# ours\nversion: 1 # of the format\n\nrounds: 3\n/);
    expect(text()).toMatch(/\nagents:\n {2}main:\n {4}command:\n {6}- .*node\n {6}- --version\nagent: main\n$/);
  });

  it('is called like its program beside another, which a run goes on to take', () => {
    write(`agents: {main: {command: [sh]}, node: {command: [sh, -c, x]}}\nagent: main\n`);

    expect(addAgent(repo, NODE)).toMatchObject({ kind: 'added', name: 'node-2', isDefault: false });
    expect(text()).toContain('agent: main\n');
  });

  it('is added once', () => {
    write('version: 1\n');
    addAgent(repo, NODE);
    const before = text();

    expect(addAgent(repo, NODE)).toEqual({ kind: 'there', name: 'main', isDefault: true });
    expect(text()).toBe(before);
  });

  it('brings the hosts along that its own settings lead to', () => {
    write('networkAllow: [a.example]\n');
    const agent = {
      kind: 'cli',
      adapter: 'codex',
      command: [process.execPath],
      passEnv: [],
      hosts: ['b.example'],
    } as const;

    addAgent(repo, agent);
    addAgent(repo, { ...agent, passEnv: ['X'], hosts: ['a.example', 'b.example'] });

    expect(text()).toMatch(/networkAllow: \[ ?a\.example, b\.example ?\]/);
  });

  it('keeps the permissions of the file', () => {
    write('version: 1\n');
    chmodSync(file, 0o640);

    addAgent(repo, NODE);

    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  it.each([
    ['is wrong', () => write('rounds: many\n'), 'rounds'],
    [
      'names its hosts by an alias',
      () => write('landing: {labels: &h [a.example]}\nnetworkAllow: *h\n'),
      'it is an alias',
    ],
    ['is no YAML', () => write('agents: [\n'), '.sluice/config.yaml:'],
    [
      'is a link',
      () => {
        writeFileSync(join(repo, 'elsewhere'), 'version: 1\n');
        rmSync(file, { force: true });
        symlinkSync(join(repo, 'elsewhere'), file);
      },
      'by hand',
    ],
  ])('is refused where the file %s, which stays as it is', (_, make, said) => {
    make();
    const before = text();

    expect(() => addAgent(repo, NODE)).toThrow(said);
    expect(text()).toBe(before);
  });
});
