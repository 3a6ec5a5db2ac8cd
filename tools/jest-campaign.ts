/** `npm run faults`, `npm run page` and `npm run e2e:postgres`: a campaign that is a jest config of its own. Other arguments go to jest; without any it is the whole. `faults landing` is a campaign of its own. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { beginCampaign } from './campaigns.js';
import { readReport } from './jest-report.js';

const RESULTS = '.cache/jest-campaign.json';

const OPTIONS = {
  faults: ['--config', 'test/faults/jest.config.js'],
  page: ['--config', 'test/page/jest.config.js'],
  'e2e:postgres': ['--config', 'test/e2e-postgres/jest.config.js', '--selectProjects', 'team-server'],
} as const;

const [name, ...selection] = process.argv.slice(2);
if (name !== 'faults' && name !== 'page' && name !== 'e2e:postgres')
  throw new Error(`${name} is no campaign of jest's`);

// The nights of landings are no test of jest's.
if (name === 'faults' && selection[0] === 'landing') {
  const night = ['--import', 'tsx', 'test/faults/landing/main.ts', ...selection.slice(1)];
  process.exit(spawnSync(process.execPath, night, { stdio: 'inherit' }).status ?? 1);
}

// Pictures of the page are no test either.
if (name === 'page' && selection[0] === '--pictures')
  process.exit(
    spawnSync(process.execPath, ['--import', 'tsx', 'test/page/pictures.ts'], { stdio: 'inherit' }).status ?? 1,
  );

const passed = beginCampaign(name);
mkdirSync('.cache', { recursive: true });
rmSync(RESULTS, { force: true });
const jest = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js', ...OPTIONS[name]];
const { status } = spawnSync(process.execPath, [...jest, '--json', `--outputFile=${RESULTS}`, ...selection], {
  stdio: 'inherit',
  // Without a browser it fails, where `npm test` skips.
  env: { ...process.env, SLUICE_PAGE: 'whole' },
});
if (status === 0 && selection.length === 0 && nothingWasSkipped()) passed();
process.exitCode = status ?? 1;

/** Some machines lack what some tests need: then it was not the whole. */
function nothingWasSkipped(): boolean {
  const tests = readReport(RESULTS)?.testResults.flatMap(({ assertionResults }) => assertionResults) ?? [];
  return tests.length > 0 && tests.every((test) => test.status === 'passed');
}
