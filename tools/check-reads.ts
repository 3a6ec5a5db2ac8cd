/**
 * Refuses a file of the product that opens, lists or copies files by Node's own means unless it is listed here with its reason: what an agent
 * or a repository can write is read by config/system/foreign-file.ts, which has the bounds. A line that nobody needs any more is refused too.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { LISTED_READERS, type ListedReader } from './listed-readers.js';

const FOLDERS = ['protocol', 'config', 'wire', 'workflows', 'activities', 'worker', 'client'];

/** Of node:fs and node:fs/promises. `readlink` and `stat` cannot be made long or be waited for. */
const READS = new Set(
  [
    'open',
    'openAsBlob',
    'opendir',
    'readFile',
    'readdir',
    'read',
    'readv',
    'copyFile',
    'cp',
    'glob',
    'createReadStream',
    'ReadStream',
  ].flatMap((name) => [name, `${name}Sync`]),
);

const IMPORT = /^(?:import|export)\s+(type\s+)?([^;]*?)\s*from\s+'(?:node:)?fs(?:\/promises)?'/gm;

/** Names of its own for all of them, which no list of names sees. */
const UNSEEN = /\b(?:require|import|getBuiltinModule)\(\s*['"`](?:node:)?fs(?:\/promises)?['"`]\s*\)/;

/** The reads of a source, by name; `*`: all of them, under a name of its own. */
export function readsOf(source: string): readonly string[] {
  const imported = [...source.matchAll(IMPORT)].flatMap(([, isType, clause = '']) =>
    isType === undefined ? namesOf(clause) : [],
  );
  return [...new Set([...imported, ...(UNSEEN.test(source) ? ['*'] : [])])]
    .filter((name) => name === '*' || READS.has(name))
    .sort();
}

function namesOf(clause: string): readonly string[] {
  const braces = /^\{([^}]*)\}$/.exec(clause.trim());
  if (braces === null) return ['*'];
  const names = (braces[1] ?? '').split(',').map((name) => name.trim());
  // `promises` and `default` hold all the others.
  return names
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => name.replace(/\s+as\s+.*$/s, ''))
    .map((name) => (name === 'promises' || name === 'default' ? '*' : name));
}

/** One sentence a fault. `sources`: path → text. */
export function faultsOf(
  sources: ReadonlyMap<string, string>,
  listed: Readonly<Record<string, ListedReader>>,
): readonly string[] {
  const files = new Set([...sources.keys(), ...Object.keys(listed)]);
  return [...files].flatMap((file) => {
    const allowed = listed[file]?.reads.split(' ') ?? [];
    const taken = readsOf(sources.get(file) ?? '');
    const more = taken.filter((name) => !allowed.includes(name));
    const needless = allowed.filter((name) => !taken.includes(name));
    return [
      ...(more.length === 0
        ? []
        : [`${file} takes ${more.join(', ')} of node:fs; foreign files are read by config/system/foreign-file.ts`]),
      ...(needless.length === 0
        ? []
        : [`${file} does not take ${needless.join(', ')} of node:fs, as tools/listed-readers.ts says`]),
    ];
  });
}

function sourcesOf(folder: string): readonly (readonly [string, string])[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [`${folder}/${name}`, readFileSync(`${folder}/${name}`, 'utf8')] as const);
}

if (process.argv[1]?.endsWith('check-reads.ts') === true) {
  const faults = faultsOf(new Map(FOLDERS.flatMap(sourcesOf)), LISTED_READERS);
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
