/** `sluice import skep`, by the real command line. Source: docs/requirements/skep.md. */
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CliRepository } from '../../support/cli-repository.js';
import { type CliWorld, jsonLines, openCliWorld } from '../../support/cli-world.js';

let world: CliWorld;
let repository: CliRepository;
let count = 0;

const importSkep = (...args: readonly string[]) => world.sluice(['import', 'skep', ...args], { cwd: repository.path });

const SKEP = JSON.stringify({
  llm: 'claude',
  model: 'opus',
  llm_classify: 'codex',
  model_classify: 'gpt-5-mini',
  test_cmd: 'make test',
  auto_execute_small: true,
  theme: 'dark',
});

const MADE = `version: 1
agents:
  claude:
    adapter: claude-code
    model: opus
  codex:
    adapter: codex
agent: claude
asks:
  classify:
    agent: codex
    model: gpt-5-mini
    timeout: 90s
  plan:
    timeout: 90s
admission:
  autoExecuteSmall: true
validation:
  commands:
    - make test
# Not taken over:
#   theme: Skep knows no such key
`;

/** Of every version: not each of them has the preset, and its lines say which program made it. */
const settled = (text: string) =>
  text.replace(/^# (?:Made|All keys).*\n/gm, '').replace(/^preset: skep\n|^# {3}its preset: .*\n/m, '');

const written = () => join(repository.path, '.sluice/config.yaml');

beforeAll(() => {
  world = openCliWorld();
});

beforeEach(() => {
  count += 1;
  repository = world.repository(`shop-${count}`);
});

afterAll(() => world.close());

describe('import skep', () => {
  it('S-106: prints the config that its file and its variables make, and writes nothing', async () => {
    repository.write('.skep/config.json', SKEP);

    const env = { SKEP_CLASSIFY_TIMEOUT: '90' };
    const { code, stdout, stderr } = await world.sluice(['import', 'skep'], { cwd: repository.path, env });

    expect(code).toBe(0);
    expect(settled(stdout)).toBe(MADE);
    expect(stderr).toContain('Nothing was written. To keep it as .sluice/config.yaml: sluice import skep --write');
    expect(existsSync(written())).toBe(false);
  });

  it('S-106: writes it where there is none, lets nobody trust it by that, and overwrites none', async () => {
    repository.write('.skep/config.json', SKEP);
    repository.write('elsewhere.json', '{"llm":"opencode"}');

    const printed = await importSkep();
    const kept = await importSkep('--write');
    const again = await importSkep('--write', '--from', 'elsewhere.json');
    const config = await world.sluice(['config', '--changed'], { cwd: repository.path });
    await world.sluice(['trust'], { cwd: repository.path });
    const trusted = await world.sluice(['config', 'asks.classify'], { cwd: repository.path });

    expect(kept).toMatchObject({ code: 0, stdout: printed.stdout });
    expect(readFileSync(written(), 'utf8')).toBe(printed.stdout);
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toContain('.sluice/config.yaml is there already');
    expect(again.stderr).toContain('Nothing was written; that config stays as it is.');
    expect(config.code).toBe(1);
    expect(config.stderr).toContain('nobody trusted it');
    expect(trusted.stdout).toMatch(/asks\.classify\.model +gpt-5-mini/);
  });

  it('S-106: refuses what cannot be read or is wrong, by file and key, and makes no default of it', async () => {
    const absent = await importSkep('--write');
    repository.write('.skep/config.json', '{"llm": "claude", "auto_execute_small": "yes"}');
    const wrong = await importSkep('--write');
    symlinkSync('.skep/config.json', join(repository.path, 'linked.json'));
    const linked = await importSkep('--write', '--from', 'linked.json');
    repository.write('.skep/config.json', '{"llm": ');
    const broken = await importSkep('--write');

    expect(absent.stderr).toContain('.skep/config.json: is not there');
    expect(wrong.stderr).toContain('.skep/config.json: auto_execute_small is yes');
    expect(wrong.stderr).toContain('must be true or false');
    expect(linked.stderr).toContain('linked.json: cannot be read');
    expect(broken.stderr).toContain('.skep/config.json: is not JSON');
    for (const { code, stdout } of [absent, wrong, linked, broken]) expect([code, stdout]).toEqual([1, '']);
    expect(existsSync(written())).toBe(false);
  });

  it('S-106: says in JSON what it made and what it left', async () => {
    repository.write('.skep/config.json', SKEP);

    const [made] = jsonLines((await importSkep('--json')).stdout);

    expect(made).toMatchObject({ kind: 'import', path: written(), repo: repository.path, written: false });
    expect(made?.['notTaken']).toContainEqual({ name: 'theme', keys: [], why: 'Skep knows no such key' });
    expect(made?.['text']).toContain('    model: opus\n');
  });

  it('S-106: leaves writing to people', async () => {
    repository.write('.skep/config.json', SKEP);

    const inside = await world.sluice(['import', 'skep', '--write'], {
      cwd: repository.path,
      env: { SLUICE_TURN: 'abc' },
    });

    expect(inside.code).toBe(1);
    expect(inside.stderr).toContain('inside a turn');
    expect(existsSync(written())).toBe(false);
  });
});
