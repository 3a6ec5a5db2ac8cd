/**
 * Where the hosts, ports and mounted folders of docker-compose.temporal.yml are on this machine: the only things that differ from what the
 * file says. Loopback only. The server's inner ports, which a container has for itself, are given free numbers too.
 */
import { join } from 'node:path';
import { freePort, LOOPBACK } from '../../worker/local-engine/children/ports.js';
import { COMPOSE_PATH, type ComposeFile, type ComposeService } from './compose-file.js';

/** The ports that the file names inside its containers. */
const CONTAINER_PORTS = ['5432', '7233', '7243', '8080'] as const;

export type ContainerPort = (typeof CONTAINER_PORTS)[number];

/** Read by the configuration that the server's program carries; in a container nobody else has their defaults. */
const INNER_PORTS = [
  'FRONTEND_MEMBERSHIP_PORT',
  'MATCHING_GRPC_PORT',
  'MATCHING_MEMBERSHIP_PORT',
  'HISTORY_GRPC_PORT',
  'HISTORY_MEMBERSHIP_PORT',
  'WORKER_GRPC_PORT',
  'WORKER_MEMBERSHIP_PORT',
] as const;

export interface LocalPlaces {
  readonly ports: Readonly<Record<ContainerPort, number>>;
  /** The service's environment as it is here. */
  environment(service: ComposeService): Readonly<Record<string, string>>;
  command(words: readonly string[]): readonly string[];
  /** What the server needs beside its environment. */
  readonly inner: Readonly<Record<string, string>>;
}

export async function choosePlaces(file: ComposeFile): Promise<LocalPlaces> {
  const [postgres, grpc, http, ui, ...inner] = await freePorts(CONTAINER_PORTS.length + INNER_PORTS.length);
  const ports = { '5432': postgres ?? 0, '7233': grpc ?? 0, '7243': http ?? 0, '8080': ui ?? 0 };
  const host = new RegExp(`^(?:${Object.keys(file.services).join('|')})(?=:\\d+$|$)`);
  const local = (text: string): string =>
    text === '0.0.0.0' ? LOOPBACK : localPort(text.replace(host, LOOPBACK), ports);
  return {
    ports,
    environment: ({ environment, volumes }) =>
      Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, local(localPath(value, volumes))])),
    command: (words) => words.map((word) => localPort(word, ports)),
    inner: {
      FRONTEND_GRPC_PORT: String(ports['7233']),
      FRONTEND_HTTP_PORT: String(ports['7243']),
      ...Object.fromEntries(INNER_PORTS.map((name, index) => [name, String(inner[index] ?? 0)])),
    },
  };
}

/** A whole word that is one of the ports, or one behind a host's colon. */
function localPort(text: string, ports: Readonly<Record<ContainerPort, number>>): string {
  return text.replace(/(?:^|(?<=:))\d{4}(?=\/|$)/, (port) => (isContainerPort(port) ? String(ports[port]) : port));
}

function isContainerPort(text: string): text is ContainerPort {
  return (CONTAINER_PORTS as readonly string[]).includes(text);
}

function localPath(text: string, volumes: readonly string[]): string {
  for (const volume of volumes) {
    const [source = '', target = ''] = volume.split(':');
    if (source.startsWith('./') && text.startsWith(`${target}/`))
      return join(COMPOSE_PATH, '..', source, text.slice(target.length));
  }
  return text;
}

/** Below 32 768: the server keeps its inner ports in a `smallint` of PostgreSQL, and does not start with a larger one. */
async function freePorts(count: number): Promise<readonly number[]> {
  const ports: number[] = [];
  let next = 20_000 + Math.floor(Math.random() * 12_000);
  while (ports.length < count) {
    const port = await freePort(next);
    ports.push(port);
    next = port + 1;
  }
  return ports;
}
