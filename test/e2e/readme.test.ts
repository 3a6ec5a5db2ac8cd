/** The commands of README.md, as they stand there, one after the other in one shell. `npm` and `git clone` lines are what ran this test. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GOOD_AGENT } from '../support/cli-repository.js';
import { CLI, type CliWorld, openCliWorld } from '../support/cli-world.js';

let world: CliWorld;

beforeAll(() => {
  world = openCliWorld();
  world.repository('person/my/repository');
  world.script('my-agent', GOOD_AGENT);
  world.script('sluice', `exec ${process.execPath} ${CLI} "$@"`);
});
afterAll(() => world.close(), 120_000);

/** A line with `<…>` needs a value that only a person has. */
const isForTest = (line: string) => !/^(?:npm|git clone)\b/.test(line) && !/<[^>]+>/.test(line) && line.trim() !== '';

function shellLines(): string[] {
  const blocks = readFileSync(join(process.cwd(), 'README.md'), 'utf8').matchAll(/^```sh\n([\s\S]*?)^```/gm);
  return [...blocks].flatMap(([, block = '']) => block.split('\n').filter(isForTest));
}

describe('README.md', () => {
  it('has only commands that work, in the order in which they stand', async () => {
    const repository = join(world.person, 'my/repository');
    const commands = shellLines().map((line) => line.replaceAll('/path/to/repository', repository));
    const script = join(world.folder, 'readme.sh');
    // The config that the page shows names the agent; a run by Temporal's own tools needs one there.
    const config = `cat > "${repository}/.sluice/config.yaml" <<'END'\nversion: 1\nagent: mine\nagents: { mine: { command: my-agent } }\nEND\nsluice trust`;
    const text = commands.flatMap((line) => (line.startsWith('eval ') ? [`cd "${repository}"`, config, line] : [line]));
    writeFileSync(script, ['set -e', ...text, 'echo all of it', ''].join('\n'));

    const { code, stdout, stderr } = await world.program(['sh', '-x', script], {
      env: { PATH: `${join(world.folder, 'bin')}:${world.env['PATH'] ?? ''}` },
    }).done;

    expect(`${stdout}${stderr}`).toContain('all of it');
    expect(code).toBe(0);
    expect(commands.length).toBeGreaterThan(10);
  }, 300_000);
});
