/**
 * Temporal's API as far as a program speaks it. The SDK has each process build types out of a description of the whole API at its start; most are never used.
 */
import protobuf from 'protobufjs';

/** What protobufjs writes of a package, a message, an enumeration or a service: of each some of these. */
export interface ApiPart {
  readonly nested?: ApiParts;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly methods?: Readonly<Record<string, unknown>>;
  readonly [key: string]: unknown;
}

/** By name. */
export type ApiParts = Readonly<Record<string, ApiPart>>;

const NAMES = /\b(?:temporal|coresdk|google|grpc)(?:\.\w+)+/g;

/**
 * Of these packages what the program's text names, and all that this is made of: the name of a package stands for the messages in it; a service keeps the
 * methods whose names, in lower camel case, occur as a property.
 */
export function keepSpokenApi(packages: ApiParts, text: string): ApiParts {
  // The JSON is protobufjs's own; its types name each kind of part apart.
  const root = protobuf.Root.fromJSON({ nested: packages } as protobuf.INamespace).resolveAll();
  const properties = new Set(text.match(/(?<=\.)\w+/g));
  const spokenMethods = (service: protobuf.Service) =>
    service.methodsArray.filter(({ name }) => properties.has(lowerCamel(name)));
  const kept = new Set<protobuf.ReflectionObject>();
  const keep = (object: protobuf.ReflectionObject | null) => {
    if (object === null || kept.has(object)) return;
    kept.add(object);
    for (const part of partsOf(object)) keep(part);
  };
  const partsOf = (object: protobuf.ReflectionObject) => {
    if (object instanceof protobuf.Type) return object.fieldsArray.map(({ resolvedType }) => resolvedType);
    if (!(object instanceof protobuf.Service)) return [];
    return spokenMethods(object).flatMap((method) => [method.resolvedRequestType, method.resolvedResponseType]);
  };
  for (const name of new Set(text.match(NAMES))) for (const object of named(root, name.split('.'))) keep(object);
  return prune({ nested: packages }, root)?.nested ?? {};

  /** Undefined where nothing of it is kept. */
  function prune(part: ApiPart, object: protobuf.ReflectionObject | null): ApiPart | undefined {
    if (!(object instanceof protobuf.Namespace)) return object !== null && kept.has(object) ? part : undefined;
    const nested = Object.entries(part.nested ?? {}).flatMap(([name, child]) => {
      const rest = prune(child, object.get(name));
      return rest === undefined ? [] : [[name, rest] as const];
    });
    if (nested.length === 0 && !kept.has(object)) return undefined;
    const { nested: _all, fields, methods, ...own } = part;
    return {
      ...own,
      // A message around one that is kept is a name alone.
      ...(fields === undefined ? {} : { fields: kept.has(object) ? fields : {} }),
      ...(object instanceof protobuf.Service
        ? { methods: Object.fromEntries(spokenMethods(object).map(({ name }) => [name, methods?.[name]])) }
        : {}),
      ...(nested.length === 0 ? {} : { nested: Object.fromEntries(nested) }),
    };
  }
}

/** The message, enumeration or service that a dotted name begins with, or all those of the package that it is. */
function named(root: protobuf.Namespace, path: readonly string[]): readonly protobuf.ReflectionObject[] {
  let object: protobuf.ReflectionObject = root;
  for (const name of path) {
    const next: protobuf.ReflectionObject | null = object instanceof protobuf.Namespace ? object.get(name) : null;
    if (!(next instanceof protobuf.Namespace || next instanceof protobuf.Enum)) break;
    object = next;
  }
  if (object === root) return [];
  if (!isPackage(object)) return [object];
  return object.nestedArray.filter((nested) => !isPackage(nested));
}

function isPackage(object: protobuf.ReflectionObject): object is protobuf.Namespace {
  return object.constructor === protobuf.Namespace;
}

function lowerCamel(name: string): string {
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
}
