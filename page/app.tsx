/** The frame of every view: where one is, whether the server answers, and the view itself. */
import { isWorkflowId, matchPath, type VIEW_PATHS } from '../client/views/page-paths.js';
import { isRunId } from '../protocol/run/run-id.js';
import { Link } from './parts/link.js';
import { NoticeButton } from './parts/notice-button.js';
import { Line } from './parts/text.js';
import { yoursIn } from './state/live.js';
import { path } from './state/path.js';
import { session } from './state/session.js';
import { useStore } from './state/store.js';
import { connected, live } from './state/stream.js';
import { Batch, Batches } from './views/batches.js';
import { Landings } from './views/landings.js';
import { Limits } from './views/limits.js';
import { Now } from './views/now.js';
import { Run } from './views/run.js';
import { SignIn } from './views/sign-in.js';

/** A view more is a path and a row here. */
const VIEWS: Readonly<Record<(typeof VIEW_PATHS)[number], (props: { readonly id: string }) => preact.JSX.Element>> = {
  '/': () => <Now />,
  '/runs/:id': ({ id }) => <Run key={id} id={id} />,
  '/batches': () => <Batches />,
  '/batches/:id': ({ id }) => <Batch key={id} id={id} />,
  '/limits': () => <Limits />,
  '/landings': () => <Landings />,
};

/** Beside the first view. */
const NAMED = [
  ['/batches', 'Batches'],
  ['/landings', 'Landings'],
  ['/limits', 'Limits'],
] as const;

export function App() {
  const isSignedIn = useStore(session, ({ key }) => key !== null);
  const here = useStore(path, (value) => value);
  const isConnected = useStore(connected, (value) => value);
  const yours = useStore(live, yoursIn);
  const source = useStore(live, (value) => value.source);
  if (!isSignedIn) return <SignIn />;
  return (
    <>
      <header>
        <nav aria-label="Views">
          <Link to="/" isHere={here === '/'}>
            sluice{yours === 0 ? '' : ` · ${yours} for you`}
          </Link>
          {NAMED.map(([to, name]) => (
            <Link key={to} to={to} isHere={here === to || here.startsWith(`${to}/`)}>
              {name}
            </Link>
          ))}
        </nav>
        <NoticeButton />
        <span class={isConnected ? 'quiet' : 'bad'} role="status">
          {isConnected ? 'live' : 'The server does not answer; what you see is old.'}
        </span>
      </header>
      <main>
        {source?.kind === 'files' ? (
          <p class="warning">
            The engine does not answer (<Line text={source.why ?? ''} />
            ), so this is what the runs last wrote to their folders, and what was heard of all else before.
          </p>
        ) : null}
        <View here={here} />
      </main>
    </>
  );
}

/** Null for what names nothing: no topic of a stream is made of it, which would be refused with all others of that stream. */
function nameIn(view: string, id: string): string | null {
  try {
    const name = decodeURIComponent(id);
    if (view === '/runs/:id') return isRunId(name) ? name : null;
    return view.endsWith('/:id') && !isWorkflowId(name) ? null : name;
  } catch {
    return null;
  }
}

function View({ here }: { readonly here: string }) {
  for (const [view, Component] of Object.entries(VIEWS)) {
    const id = matchPath(view, here);
    const name = id === null ? null : nameIn(view, id);
    if (name !== null) return <Component id={name} />;
  }
  return <p class="warning">There is nothing here.</p>;
}
