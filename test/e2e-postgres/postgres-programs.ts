/** Finds the PostgreSQL programs of this machine, and does what the postgres image does before it starts one: makes the database cluster. */
import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ComposeService } from './compose-file.js';

/** A name on PATH; where it is, it knows where the rest is. */
const PG_CONFIG = 'pg_config';

const DEBIAN = '/usr/lib/postgresql';

/** postgres refuses to run as root; `nobody` owns nothing else. */
const ORDINARY_USER = 65_534;

/** Ids for `spawn`: of an ordinary user where this process is root, else none. */
export function ordinaryUser(): { readonly uid?: number; readonly gid?: number } {
  return process.getuid?.() === 0 ? { uid: ORDINARY_USER, gid: ORDINARY_USER } : {};
}

/** Errors: plain Error with a hint. */
export function findPostgresPrograms(): string {
  const found = [fromPgConfig(), ...fromDebian()].find((folder) =>
    ['initdb', 'postgres', 'psql'].every((name) => existsSync(join(folder, name))),
  );
  if (found !== undefined) return found;
  throw new Error(
    `no PostgreSQL server is installed: neither \`pg_config --bindir\` nor ${DEBIAN}/*/bin has initdb, postgres and psql.\n` +
      'The team server of docker-compose.temporal.yml is tried on a real PostgreSQL.\nNothing was started.\n' +
      'On Debian: apt-get install postgresql, then: npm run e2e:postgres',
  );
}

/** What `postgres` in that folder says it is. */
export function postgresVersion(programs: string): string {
  return execFileSync(join(programs, 'postgres'), ['--version'], { encoding: 'utf8' }).trim();
}

/** As the image does it: this user with this password, and a password asked for from everywhere. Answers the cluster's folder. */
export function makeCluster(programs: string, folder: string, { environment }: ComposeService): string {
  const data = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  const user = ordinaryUser();
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(passwordFile, `${environment['POSTGRES_PASSWORD'] ?? ''}\n`, { mode: 0o600 });
  if (user.uid !== undefined && user.gid !== undefined)
    for (const path of [data, passwordFile]) chownSync(path, user.uid, user.gid);
  const own = environment['POSTGRES_INITDB_ARGS']?.split(' ') ?? [];
  const args = [
    '-D',
    data,
    `--username=${environment['POSTGRES_USER'] ?? ''}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    ...own,
  ];
  execFileSync(join(programs, 'initdb'), [...args, '--encoding=UTF8', '--locale=C'], {
    ...user,
    cwd: folder,
    stdio: 'pipe',
  });
  return data;
}

function fromPgConfig(): string {
  try {
    return execFileSync(PG_CONFIG, ['--bindir'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}

/** The newest first. */
function fromDebian(): readonly string[] {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  return versions.toSorted((a, b) => Number(b) - Number(a)).map((version) => join(DEBIAN, version, 'bin'));
}
