/** The generated documents: `npm run docs` writes them, `--check` says which are not current. docs/conformance.json is write-conformance's. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { renderConfigDoc } from '../config/resolve/config-doc.js';
import { renderApi } from './api-page.js';
import { renderPerformance } from './bench-section.js';
import { CAMPAIGNS_PAGE, renderCampaigns } from './campaigns.js';
import { CLI_PAGE, renderCli } from './cli-page.js';
import { renderGuarantees } from './kill-matrix-section.js';
import { renderMessages } from './messages-page.js';
import { PAGE_FILE, renderMutants } from './mutants-page.js';
import { listRequirementPages } from './requirement-pages.js';
import { renderSecurity, SECURITY_PAGE } from './security-page.js';
import { renderStates } from './states-page.js';

const PAGES: readonly { readonly file: string; readonly render: () => string }[] = [
  { file: 'docs/api.md', render: renderApi },
  { file: CLI_PAGE, render: renderCli },
  { file: 'docs/config.md', render: renderConfigDoc },
  { file: 'docs/guarantees.md', render: renderGuarantees },
  { file: 'docs/messages.md', render: renderMessages },
  { file: PAGE_FILE, render: renderMutants },
  { file: 'docs/performance.md', render: renderPerformance },
  ...listRequirementPages(),
  { file: SECURITY_PAGE, render: renderSecurity },
  { file: 'docs/states.md', render: renderStates },
  { file: CAMPAIGNS_PAGE, render: renderCampaigns },
];

for (const { file, render } of PAGES) {
  const text = render();
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  if (process.argv.includes('--check')) {
    console.error(`${file} is not what its source says now. Write it anew and commit it: npm run docs`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, text);
    console.log(`wrote ${file}`);
  }
}
