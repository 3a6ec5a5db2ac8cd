/** `npm run check`: every static check, cheapest first; all are run, and each that fails says how it is mended. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { staleCampaigns } from './campaigns.js';

interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly mend: string;
}

const FOLDERS = [
  'protocol',
  'config',
  'wire',
  'workflows',
  'activities',
  'worker',
  'client',
  'page',
  'test',
  'bench',
  'tools',
  'examples',
].filter((folder) => existsSync(folder));
const SCRIPT = [process.execPath, '--import', 'tsx'] as const;
const bin = (name: string): string => `node_modules/.bin/${name}`;

const STEPS: readonly Step[] = [
  {
    name: 'types',
    command: [bin('tsc'), '-p', 'tsconfig.json'],
    mend: 'Mend the types; one file at a time: npx tsc -p tsconfig.json',
  },
  {
    name: 'types of the page',
    command: [bin('tsc'), '-p', 'page/tsconfig.json'],
    mend: 'Mend the types: npx tsc -p page/tsconfig.json',
  },
  {
    name: 'format',
    command: [bin('biome'), 'check', '--no-errors-on-unmatched', '.'],
    mend: 'npx biome check --write .',
  },
  {
    name: 'lint',
    command: [bin('oxlint'), '--type-aware', '--deny-warnings', ...FOLDERS],
    mend: 'Mend what is named; .oxlintrc.json has the rules. Some mend themselves: npx oxlint --type-aware --fix .',
  },
  { name: 'dead code', command: [bin('knip')], mend: 'Remove what nobody uses, or export it where it is used.' },
  {
    name: 'arrows',
    command: [bin('depcruise'), '--config', '.dependency-cruiser.cjs', '--output-type', 'err-long', ...FOLDERS],
    mend: 'Move the code to the side that may know both; .dependency-cruiser.cjs gives the reason of each rule.',
  },
  { name: 'sizes', command: [...SCRIPT, 'tools/check-sizes.ts'], mend: 'Split the file by what its parts are for.' },
  {
    name: 'reads',
    command: [...SCRIPT, 'tools/check-reads.ts'],
    mend: 'Read by config/system/foreign-file.ts, with a bound. What is the engine’s own alone: a line with its reason in tools/listed-readers.ts.',
  },
  {
    name: 'citations',
    command: [...SCRIPT, 'tools/check-citations.ts'],
    mend: 'Name a row of docs/requirements, or docs/<page>.md "<Heading>"; what is not there yet is written there first.',
  },
  { name: 'generated documents', command: [...SCRIPT, 'tools/docs.ts', '--check'], mend: 'npm run docs' },
  { name: 'conformance file', command: [...SCRIPT, 'tools/check-conformance.ts'], mend: 'npm run docs' },
];

const failed: Step[] = [];
for (const step of STEPS) {
  const began = performance.now();
  const { code, output } = await run(step.command);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${step.name} (${seconds} s)`);
  if (code === 0) continue;
  console.log(output.trimEnd());
  failed.push(step);
}

for (const sentence of staleCampaigns()) console.log(`warning: ${sentence}`);
for (const { name, mend } of failed) console.log(`\n${name} failed. To mend it: ${mend}`);
console.log(`\n${STEPS.length - failed.length} of ${STEPS.length} checks passed`);
process.exitCode = failed.length === 0 ? 0 : 1;

function run([program, ...args]: readonly [string, ...string[]]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', (error) => resolve({ code: 1, output: error.message }));
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}
