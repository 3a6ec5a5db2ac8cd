/** The gates of a run, each with what was asked, and who decided what. */
import type { GateCard } from '../../client/http/shapes.js';
import { Line } from '../parts/text.js';
import { utcTime } from './utc-time.js';

export function Decisions({ gates }: { readonly gates: readonly GateCard[] }) {
  return (
    <section>
      <h2>
        Gates <span class="count">{gates.length}</span>
      </h2>
      <ul>
        {gates.map((gate) => (
          <li key={`${gate.of}.${gate.id}`}>
            <Line text={`${gate.question ? 'Question' : 'Gate'} ${gate.id} ${gate.boundary}, risk ${gate.risk}: `} />
            <Line text={gate.asks} /> <Decision gate={gate} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Decision({ gate }: { readonly gate: GateCard }) {
  const { status, resolvedAt, resolvedBy, decisionNote } = gate;
  const by = resolvedBy === null ? '' : ` by ${resolvedBy}`;
  const at = resolvedAt === null ? '' : `, ${utcTime(resolvedAt)}`;
  const note = decisionNote === null || decisionNote === '' ? '' : `: ${decisionNote}`;
  return (
    <strong>
      <Line text={`${status === 'pending' ? 'open' : status.replaceAll('_', ' ')}${by}${at}${note}`} />
    </strong>
  );
}
