/** Holds docs/operations.md to what exists: commands of sluice, services and volumes of the compose file, npm scripts. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { COMMANDS } from '../../../client/cli/program.js';
import { COMPOSE_PATH, readComposeFile } from '../../e2e-postgres/compose-file.js';

const text = readFileSync('docs/operations.md', 'utf8');
const file = readComposeFile(COMPOSE_PATH, { POSTGRES_PASSWORD: 'of-the-test' });
const code = [...text.matchAll(/```\w*\n([\s\S]*?)```|`([^`\n]+)`/g)]
  .map(([, block, span]) => block ?? span ?? '')
  .join('\n');
const wordsAfter = (pattern: RegExp) => [...new Set([...code.matchAll(pattern)].map(([, word = '']) => word))];

describe('docs/operations.md', () => {
  it('names only commands of sluice that exist', () => {
    const named = wordsAfter(/(?:^|\s)sluice ([a-z]+)/g);

    expect(named.length).toBeGreaterThan(12);
    expect(COMMANDS.map(({ name }) => name.split(' ')[0])).toEqual(expect.arrayContaining(named));
  });

  it('names only services and volumes of the compose file', () => {
    const services = wordsAfter(/dc (?:run --rm|exec(?: -T)?|stop|start|up -d|logs --tail \d+) ([a-z][a-z-]*)/g);
    const volumes = wordsAfter(/(sluice-temporal_\w+)/g);

    expect(services).toEqual(expect.arrayContaining(['database', 'server', 'search-attributes', 'tools']));
    expect(Object.keys(file.services)).toEqual(expect.arrayContaining(services));
    expect(volumes).toEqual(Object.keys(file.volumes).map((volume) => `${file.name}_${volume}`));
  });

  it('names only variables that the compose file reads, and npm scripts that exist', () => {
    const compose = readFileSync(COMPOSE_PATH, 'utf8');
    const scripts = Object.keys((JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object }).scripts);

    for (const name of ['POSTGRES_PASSWORD', 'TEMPORAL_PORT', 'TEMPORAL_UI_PORT', 'TEMPORAL_NAMESPACE']) {
      expect(text).toContain(name);
      expect(compose).toContain(`\${${name}:`);
    }
    expect(scripts).toEqual(expect.arrayContaining(wordsAfter(/npm run ([a-z0-9:]+)/g)));
  });
});
