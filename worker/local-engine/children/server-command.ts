/**
 * The command line and environment of the development server, with the settings measured for it: poll limits raised and SQLite
 * in WAL mode, without which an activity costs 30 to 100 ms instead of 13, and queues that note often what they did. Loopback only; its HTTP API answers no host name.
 */
import { SEARCH_ATTRIBUTES } from '../../../protocol/names.js';
import { NAMESPACE } from '../state/engine-state.js';
import { LOOPBACK } from './ports.js';

export interface ServerSettings {
  readonly port: number;
  /** Null: no Web UI. */
  readonly uiPort: number | null;
  /** Without it: where the server listens. */
  readonly uiHost?: string;
  readonly database: string;
  /** `power` makes every commit durable against a power cut. */
  readonly durability: 'process' | 'power';
}

/** Poll requests a second and shard; the default of 20 costs 100 ms an activity. */
const POLL_RPS = 2_000;

/**
 * How often the queues of its only shard note what they have done. Until then every task that was done is kept and, while an older one is open, gone through at
 * each read: at the default of 30 s that was a seventh of the server's CPU under load. An idle server spends half a millisecond a second more. Not for the
 * team's server, whose 128 shards have few tasks each.
 */
const QUEUE_CHECKPOINT = '2s';
const QUEUES = ['transfer', 'timer', 'visibility'] as const;

/**
 * Where a run ends by itself at half of a server's defaults (workflows/run/full-history.ts), there is room for more here. Updates stay few, since the
 * server keeps every one in the state that each step of a run writes anew. deploy/temporal/dynamicconfig holds the same.
 */
export const MESSAGE_LIMITS = {
  'history.maxTotalUpdates': 5_000,
  'history.maximumSignalsPerExecution': 20_000,
  'limit.historyCount.error': 102_400,
  'limit.historySize.error': 100 * 1024 * 1024,
} as const;

/** The dev server's own default is 24 h, after which a finished run could no longer be looked at. */
const RETENTION = '365d';

/** A person's own profile or environment file must not redirect the engine's server. */
const ISOLATED = ['--disable-config-file', '--disable-config-env'];

export function serverArguments(settings: ServerSettings): readonly string[] {
  const ui =
    settings.uiPort === null
      ? ['--headless']
      : ['--ui-ip', settings.uiHost ?? LOOPBACK, '--ui-port', String(settings.uiPort), '--ui-disable-news-fetch'];
  const dynamic = [
    ...QUEUES.flatMap((queue) => [
      `history.${queue}ProcessorMaxPollRPS=${POLL_RPS}`,
      `history.${queue}ProcessorUpdateAckInterval=${JSON.stringify(QUEUE_CHECKPOINT)}`,
    ]),
    ...Object.entries(MESSAGE_LIMITS).map(([name, value]) => `${name}=${value}`),
    // A web page can make a browser send requests to loopback; this name cannot be the host of any of them (RFC 2606).
    'frontend.httpAllowedHosts=["sluice.invalid"]',
  ];
  return [
    'server',
    'start-dev',
    ...ui,
    '--ip',
    LOOPBACK,
    '--port',
    String(settings.port),
    '--db-filename',
    settings.database,
    '--sqlite-pragma',
    'journal_mode=WAL',
    '--sqlite-pragma',
    `synchronous=${settings.durability === 'power' ? 'FULL' : 'NORMAL'}`,
    ...dynamic.flatMap((value) => ['--dynamic-config-value', value]),
    ...SEARCH_ATTRIBUTES.flatMap((name) => ['--search-attribute', `${name}=Keyword`]),
    '--log-level',
    'error',
    ...ISOLATED,
  ];
}

/** Sets how long closed runs stay visible; its success is also the proof that the server answers. */
export function retentionArguments(address: string): readonly string[] {
  return [
    'operator',
    'namespace',
    'update',
    '--namespace',
    NAMESPACE,
    '--retention',
    RETENTION,
    '--address',
    address,
    ...ISOLATED,
  ];
}

/** What a program of the system looks at; the rest of a person's environment, keys among it, is not the server's to hold. */
const SERVER_VARIABLES: ReadonlySet<string> = new Set([
  'HOME',
  'USER',
  'LOGNAME',
  'PATH',
  'TMPDIR',
  'TZ',
  'LANG',
  'LC_ALL',
]);

/**
 * Has a `USER` always: by it alone a Go program without cgo knows a user who is in no passwd file, as in many containers, and the server does not start
 * without one. Source: os/user, lookup_stubs.go.
 */
export function serverEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const given = Object.entries(environment).filter(([name]) => SERVER_VARIABLES.has(name));
  return { USER: `uid-${process.getuid?.() ?? 'unknown'}`, ...Object.fromEntries(given) };
}

/** The environment without anything that would point Temporal's tools elsewhere, and without a turn's tag, which is not the engine's. */
export function cleanEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !name.startsWith('TEMPORAL_') && name !== 'SLUICE_TURN'),
  );
}
