/**
 * docker-compose.temporal.yml, without starting anything. Its keys are held to a hand-made, strict description of the parts of the compose
 * specification that it uses: the specification's own JSON schema is not among the project's packages. Compose's own loader, which
 * has that schema, reads the file in `npm run e2e:postgres`.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { SEARCH_ATTRIBUTES } from '../../../protocol/names.js';
import { retentionArguments, serverArguments } from '../../../worker/local-engine/children/server-command.js';
import {
  COMPOSE_PATH,
  parseComposeFile,
  readComposeFile,
  serviceOf,
  startOrder,
} from '../../e2e-postgres/compose-file.js';

const PASSWORD = { POSTGRES_PASSWORD: 'of-the-test' };
const DYNAMIC_CONFIG = 'deploy/temporal/dynamicconfig/sluice.yaml';

const file = readComposeFile(COMPOSE_PATH, PASSWORD);
const services = Object.entries(file.services).map(([name, service]) => ({ name, service }));
const wordsOf = (name: string) => (serviceOf(file, name).command ?? []).join(' ');

describe('docker-compose.temporal.yml', () => {
  it.each(services)('$name has an image with a full version as its tag', ({ service }) => {
    expect(service.image).toMatch(/^[a-z/-]+:\d+\.\d+(?:\.\d+)?$/);
  });

  it('has the server, its tools and its schema from one version', () => {
    const tags = ['server', 'schema', 'namespace', 'search-attributes', 'tools'].map(
      (name) => serviceOf(file, name).image.split(':')[1],
    );
    const module = /go\.temporal\.io\/server v(\S+)/.exec(readFileSync('tools/temporal-server/go.mod', 'utf8'))?.[1];

    expect(new Set(tags)).toEqual(new Set([module]));
  });

  it.each(services.flatMap(({ name, service }) => service.ports.map((port) => ({ name, port }))))(
    '$name publishes $port on loopback only',
    ({ port }) => {
      expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
    },
  );

  it('publishes the server and the Web UI and nothing else; the database is on an inner network', () => {
    expect(services.filter(({ service }) => service.ports.length > 0).map(({ name }) => name)).toEqual([
      'server',
      'ui',
    ]);
    expect(serviceOf(file, 'database').networks).toEqual(['database']);
    expect(file.networks['database']).toEqual({ internal: true });
  });

  it('names only services, networks and volumes that it has', () => {
    for (const { service } of services) {
      expect(Object.keys(file.services)).toEqual(expect.arrayContaining(Object.keys(service.depends_on)));
      expect(Object.keys(file.networks)).toEqual(expect.arrayContaining(service.networks));
      const named = service.volumes
        .map((volume) => volume.split(':')[0] ?? '')
        .filter((source) => !source.startsWith('./'));
      expect(Object.keys(file.volumes)).toEqual(expect.arrayContaining(named));
    }
  });

  it('starts each service after what it needs: database, schema, server, namespace, search attributes, Web UI', () => {
    expect(startOrder(file)).toEqual(['database', 'schema', 'server', 'namespace', 'search-attributes', 'ui']);
  });

  it('waits for health where something runs, and for success where something ends', () => {
    for (const { service } of services) {
      for (const [name, { condition }] of Object.entries(service.depends_on)) {
        const other = serviceOf(file, name);
        expect({ name, condition }).toEqual({
          name,
          condition: other.healthcheck === undefined ? 'service_completed_successfully' : 'service_healthy',
        });
        expect(other.restart).toMatch(other.healthcheck === undefined ? /^on-failure:/ : /^unless-stopped$/);
      }
    }
  });

  it('starts the database and the server again when they die', () => {
    expect(serviceOf(file, 'database').restart).toBe('unless-stopped');
    expect(serviceOf(file, 'server').restart).toBe('unless-stopped');
  });

  it('keeps the database in a named volume', () => {
    expect(serviceOf(file, 'database').volumes).toEqual(['database:/var/lib/postgresql/data']);
    expect(file.volumes).toEqual({ database: {} });
  });

  it('has no password of its own, and refuses to start without one', () => {
    expect(() => readComposeFile(COMPOSE_PATH, {})).toThrow(/POSTGRES_PASSWORD is not set/);
    expect(() => readComposeFile(COMPOSE_PATH, { POSTGRES_PASSWORD: '' })).toThrow(/POSTGRES_PASSWORD is not set/);
    const secrets = services.flatMap(({ service }) =>
      Object.entries(service.environment).filter(([name]) => /PASSWORD|PWD/.test(name)),
    );
    expect(secrets.length).toBeGreaterThan(2);
    expect(new Set(secrets.map(([, value]) => value))).toEqual(new Set([PASSWORD.POSTGRES_PASSWORD]));
  });

  it('adds exactly the search attributes that runs are listed by', () => {
    const names = /for name in ([A-Za-z ]+); do/.exec(wordsOf('search-attributes'))?.[1]?.split(' ');

    expect(names).toEqual([...SEARCH_ATTRIBUTES]);
    expect(wordsOf('search-attributes')).toContain('--type Keyword');
  });

  it('keeps closed runs as long as the local engine does', () => {
    const ours = retentionArguments('127.0.0.1:1');

    expect(serviceOf(file, 'namespace').environment['RETENTION']).toBe(ours[ours.indexOf('--retention') + 1]);
  });

  it('raises the poll settings and the limits of messages as the local engine does, in the dynamic config that the server is told of', () => {
    const dynamic: unknown = parse(readFileSync(DYNAMIC_CONFIG, 'utf8'));
    const settings = { port: 1, uiPort: null, database: 'x', durability: 'process' } as const;
    // How often queues note what they did is for a server of one shard.
    const ours = serverArguments(settings).filter((word) =>
      /^(?:history|limit)\.(?!.*UpdateAckInterval=).*=/.test(word),
    );

    expect(ours).toHaveLength(7);
    expect(dynamic).toMatchObject(
      Object.fromEntries(ours.map((word) => [word.split('=')[0], [{ value: Number(word.split('=')[1]) }]])),
    );
    const { environment, volumes } = serviceOf(file, 'server');
    const [source, target] = volumes[0]?.split(':') ?? [];
    expect(environment['DYNAMIC_CONFIG_FILE_PATH']?.replace(`${target}`, `${source}`)).toBe(`./${DYNAMIC_CONFIG}`);
  });
});

describe('what is read of a compose file', () => {
  it('is refused with a key that is not known here', () => {
    const text = readFileSync(COMPOSE_PATH, 'utf8');
    expect(() =>
      parseComposeFile(text.replace('    restart: unless-stopped', '    privileged: true'), PASSWORD),
    ).toThrow(/privileged/);
    expect(() => parseComposeFile(text, PASSWORD)).not.toThrow();
  });

  it('has its variables filled in, with their defaults', () => {
    const team = readComposeFile(COMPOSE_PATH, { ...PASSWORD, TEMPORAL_NAMESPACE: 'team', TEMPORAL_PORT: '7333' });

    expect(serviceOf(file, 'namespace').environment['NAMESPACE']).toBe('default');
    expect(serviceOf(team, 'namespace').environment['NAMESPACE']).toBe('team');
    expect(serviceOf(team, 'server').ports).toEqual(['127.0.0.1:7333:7233']);
    expect(wordsOf('namespace')).toContain('"$NAMESPACE"');
  });
});
