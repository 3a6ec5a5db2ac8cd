/**
 * Reads docker-compose.temporal.yml: only the parts of the compose specification that the file uses, held strictly, with its variables
 * filled in. A key that is not named here is refused, also where compose would take it; `npm run e2e:postgres` holds this reading to that
 * of compose's own loader.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';

export const COMPOSE_PATH = fileURLToPath(new URL('../../docker-compose.temporal.yml', import.meta.url));

const duration = z.string().regex(/^\d+(?:ms|s|m|h)$/);

const serviceSchema = z.strictObject({
  image: z.string(),
  command: z.array(z.string()).min(1).optional(),
  /** Strings only: what YAML takes for a number or a boolean would reach the program in a spelling of its own. */
  environment: z.record(z.string().regex(/^[A-Z][A-Z0-9_]*$/), z.string()).default({}),
  volumes: z.array(z.string()).default([]),
  networks: z.array(z.string()).min(1),
  ports: z.array(z.string()).default([]),
  depends_on: z
    .record(z.string(), z.strictObject({ condition: z.enum(['service_healthy', 'service_completed_successfully']) }))
    .default({}),
  healthcheck: z
    .strictObject({
      test: z.array(z.string()).min(2),
      interval: duration,
      timeout: duration,
      retries: z.int().min(1),
    })
    .optional(),
  restart: z
    .string()
    .regex(/^(?:unless-stopped|on-failure:\d+)$/)
    .optional(),
  stop_grace_period: duration.optional(),
  security_opt: z.array(z.literal('no-new-privileges:true')),
  cap_drop: z.array(z.literal('ALL')).default([]),
  logging: z.strictObject({ driver: z.literal('json-file'), options: z.record(z.string(), z.string()) }),
  profiles: z.array(z.string()).default([]),
});

const composeSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9_-]*$/),
  services: z.record(z.string(), serviceSchema),
  networks: z.record(z.string(), z.strictObject({ internal: z.boolean().optional() })),
  volumes: z.record(z.string(), z.strictObject({})),
});

export type ComposeService = z.infer<typeof serviceSchema>;

export type ComposeFile = z.infer<typeof composeSchema>;

export type Variables = Readonly<Record<string, string | undefined>>;

/** Errors: as `parseComposeFile`. */
export function readComposeFile(path: string, variables: Variables): ComposeFile {
  return parseComposeFile(readFileSync(path, 'utf8'), variables);
}

/** Errors: ZodError for a key or value that is not known here; plain Error for a variable that must be set. */
export function parseComposeFile(text: string, variables: Variables): ComposeFile {
  return composeSchema.parse(fillIn(parse(text), variables));
}

/** The service of that name. Errors: plain Error if there is none. */
export function serviceOf({ services }: ComposeFile, name: string): ComposeService {
  const service = services[name];
  if (service === undefined) throw new Error(`docker-compose.temporal.yml has no service "${name}"`);
  return service;
}

/** Those that `up` starts, each after what it depends on. */
export function startOrder(file: ComposeFile): readonly string[] {
  const order: string[] = [];
  const add = (name: string): void => {
    if (order.includes(name)) return;
    for (const other of Object.keys(serviceOf(file, name).depends_on)) add(other);
    order.push(name);
  };
  for (const [name, { profiles }] of Object.entries(file.services)) if (profiles.length === 0) add(name);
  return order;
}

function fillIn(value: unknown, variables: Variables): unknown {
  if (typeof value === 'string') return fillInText(value, variables);
  if (Array.isArray(value)) return value.map((item) => fillIn(item, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillIn(item, variables)]));
}

/** `$$`, `${NAME}`, `${NAME:-default}` and `${NAME:?message}`; any other `$` is refused. */
function fillInText(text: string, variables: Variables): string {
  return text.replace(
    /\$\$|\$\{([A-Z_]+)(?::([-?])([^}]*))?\}|\$/g,
    (whole, name?: string, mode?: string, rest?: string) => {
      if (whole === '$$') return '$';
      if (name === undefined) throw new Error(`a single $ in "${text}": compose would take it for a variable`);
      const set = variables[name];
      if (set !== undefined && set !== '') return set;
      if (mode === '-') return rest ?? '';
      if (mode === '?') throw new Error(`${name} is not set: ${rest ?? ''}`);
      return '';
    },
  );
}
