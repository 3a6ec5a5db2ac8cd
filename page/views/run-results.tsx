/** What a run came to so far: its plan, changes, checks, findings and cost. */
import type { FilePatch, RunPage } from '../../client/http/shapes.js';
import { elapsed } from '../../client/views/waiting-text.js';
import { dollars } from '../parts/amount.js';
import { Opened } from '../parts/opened.js';
import { Patch } from '../parts/patch.js';
import { Block, Line } from '../parts/text.js';

export function Results({ page }: { readonly page: RunPage }) {
  const { plan, checks, findings, changes, stages } = page;
  return (
    <>
      {plan === null ? null : (
        <details>
          <summary>Plan</summary>
          <Block text={plan} />
        </details>
      )}
      {changes === null || changes.length === 0 ? null : <Changes page={page} changes={changes} />}
      {checks === null ? null : <Checks commands={checks.commands} />}
      {findings.length === 0 ? null : <Findings findings={findings} />}
      {stages.length === 0 ? null : <Cost stages={stages} />}
    </>
  );
}

interface ChangesProps {
  readonly page: RunPage;
  readonly changes: NonNullable<RunPage['changes']>;
}

function Changes({ page: { row, headSha }, changes }: ChangesProps) {
  return (
    <section>
      <h2>
        Changes <span class="count">{changes.length}</span>
      </h2>
      <ul class="files">
        {changes.map(({ path, insertions, deletions }, place) => (
          // Of another head the place may be that of another file.
          <li key={`${headSha} ${path}`}>
            <Opened<FilePatch>
              path={`/api/runs/${row.runId}/diff/${place}`}
              summary={
                <>
                  <Line text={path} /> <span class="plus">+{insertions}</span> <span class="minus">−{deletions}</span>
                </>
              }
            >
              {({ patch, isCut }) => <Patch patch={patch} isCut={isCut} />}
            </Opened>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Checks({ commands }: { readonly commands: NonNullable<RunPage['checks']>['commands'] }) {
  return (
    <section>
      <h2>Checks</h2>
      <ul class="checks">
        {commands.map(({ command, status, durationMs, failedOnBase }) => (
          <li key={command} class={status}>
            <code>
              <Line text={command} />
            </code>{' '}
            {status === 'environment' ? 'could not be run' : status}
            {failedOnBase ? ', as on the base' : ''}, {elapsed(durationMs)}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Findings({ findings }: { readonly findings: readonly string[] }) {
  return (
    <section>
      <h2>Findings</h2>
      <ul>
        {findings.map((finding) => (
          <li key={finding}>
            <Line text={finding} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const COLUMNS = ['stage', 'turns', 'time', 'tokens in', 'out', 'cost'];

/** What no agent told is unknown, and no zero. */
function Cost({ stages }: { readonly stages: RunPage['stages'] }) {
  return (
    <section class="wide">
      <h2>Cost</h2>
      <table>
        <thead>
          <tr>
            {COLUMNS.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {stages.map((use) => (
            <tr key={use.stage}>
              <th scope="row">
                <Line text={use.stage} />
              </th>
              <td>{use.turns}</td>
              <td>{elapsed(use.agentMs)}</td>
              <td>{use.tokensIn ?? 'unknown'}</td>
              <td>{use.tokensOut ?? 'unknown'}</td>
              <td>{use.costMicroUsd === null ? 'unknown' : dollars(use.costMicroUsd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
